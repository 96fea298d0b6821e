extension StandardOutput {
  /// Writes a line of JSON about a run, without secrets.
  ///
  /// - Throws: `.cannotWrite`.
  static func write(line json: [UInt8]) throws(Failure) {
    try write(json: json + [UInt8(ascii: "\n")])
  }

  /// Writes a line with a JSON object, without secrets.
  ///
  /// - Throws: `.cannotWrite`.
  static func writeObject(_ members: (inout JSONWriter) -> Void) throws(Failure) {
    try write(line: JSONWriter.object(members))
  }

  /// Writes a line with a JSON array, without secrets.
  ///
  /// - Throws: `.cannotWrite`.
  static func writeArray(_ elements: (inout JSONWriter) -> Void) throws(Failure) {
    try write(line: JSONWriter.bytes { $0.array(elements) })
  }

  /// Writes a line with a JSON array that has an object for each element, without secrets.
  ///
  /// - Throws: `.cannotWrite`.
  static func writeArray<Element>(
    of elements: some Sequence<Element>,
    _ members: (inout JSONWriter, Element) -> Void
  ) throws(Failure) {
    try writeArray { $0.objects(elements, members) }
  }

  /// Writes a line of tab-separated cells.
  ///
  /// - Throws: `.cannotWrite`.
  static func write(cells: [String]) throws(Failure) {
    try write("\(TerminalText(cells: cells))\n")
  }
}

extension JSONWriter {
  /// Writes documents as elements of an array, in the form of JSON Lines.
  mutating func documents(_ documents: [RawDocument]) {
    for document in documents { self.document(document, in: nil, times: false) }
  }

  mutating func member(_ name: StaticString, _ counts: DocumentCounts) {
    key(name)
    object { json in
      for (name, count) in counts.members {
        json.key(name)
        json.integer(count)
      }
    }
  }
}

extension RunSummary {
  /// Returns one object: a named array, followed by the members of the summary.
  func json<Element>(
    after name: StaticString,
    _ elements: [Element],
    _ write: (Element, inout JSONWriter) -> Void
  ) -> [UInt8] {
    let list = JSONWriter.object { json in
      json.key(name)
      json.array { list in for element in elements { write(element, &list) } }
    }
    return list.dropLast() + [UInt8(ascii: ",")] + json.drop { $0 != UInt8(ascii: "{") }.dropFirst()
  }
}

extension TerminalText {
  /// Creates a line of tab-separated cells.
  init(cells: [String]) {
    self = cells.map { TerminalText($0) }.joined(separator: "\t")
  }
}
