/// Renders documents of one database in responses.
///
/// Stored fields are JSON and are copied once that was checked; only a mask requires decoding them.
struct DocumentRenderer {
  /// `projects/P/databases/D/documents/`, quoted and escaped, without the closing quote.
  private let prefix: [UInt8]
  private let mask: [FieldPath]?
  private let runner: QueryRunner

  /// - Parameter mask: The fields to return; nil for all.
  /// - Throws: ``FirestoreError`` `.invalidArgument` for a mask of paths that no field can have.
  init(_ database: DatabaseName, mask: [FieldPath]?, runner: QueryRunner) throws(FirestoreError) {
    for path in mask ?? [] where path != .documentName { try WriteValidation.check(path) }
    prefix = Array(JSONWriter.bytes { $0.string(database.documents + "/") }.dropLast())
    self.mask = mask
    self.runner = runner
  }

  func append(_ document: QueryResult, to out: inout [UInt8]) throws {
    out.append(contentsOf: "{\"name\":".utf8)
    appendName(document.path, to: &out)
    if let mask {
      var selected = FieldMap()
      if mask.contains(where: { $0 != .documentName }) {
        let fields = try runner.fields(document.fields)
        for path in mask {
          if let value = fields[path] { selected[path] = value }
        }
      }
      if !selected.isEmpty {
        out.append(contentsOf: ",\"fields\":".utf8)
        out.append(contentsOf: JSONWriter.bytes { $0.fields(selected) })
      }
    } else if document.fields.count > 2 {
      try runner.assertReadable(document.fields, of: String(decoding: document.path, as: UTF8.self))
      out.append(contentsOf: ",\"fields\":".utf8)
      out.append(contentsOf: document.fields)
    }
    out.append(contentsOf: ",\"createTime\":\"".utf8)
    Timestamp(microseconds: document.createTime).append(to: &out)
    out.append(contentsOf: "\",\"updateTime\":\"".utf8)
    Timestamp(microseconds: document.updateTime).append(to: &out)
    out.append(contentsOf: "\"}".utf8)
  }

  func append(_ document: StoredDocument, to out: inout [UInt8]) throws {
    try document.withResult { try append($0, to: &out) }
  }

  /// Appends the quoted full name of a document.
  func appendName(_ path: UnsafeRawBufferPointer, to out: inout [UInt8]) {
    out.append(contentsOf: prefix)
    if path.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
      let name = String(decoding: path, as: UTF8.self)
      out.append(contentsOf: JSONWriter.bytes { $0.string(name) }.dropFirst())
    } else {
      out.append(contentsOf: path)
      out.append(UInt8(ascii: "\""))
    }
  }

  func appendName(_ path: String, to out: inout [UInt8]) {
    var path = path
    path.withUTF8 { appendName(UnsafeRawBufferPointer($0), to: &out) }
  }
}

extension [UInt8] {
  /// Appends `"readTime":"2026-…Z"` from microseconds since 1970.
  mutating func appendReadTime(_ microseconds: Int64) {
    append(contentsOf: "\"readTime\":\"".utf8)
    Timestamp(microseconds: microseconds).append(to: &self)
    append(UInt8(ascii: "\""))
  }
}

extension JSONWriter {
  /// Writes a member with an array, or nothing if it is empty.
  mutating func member<Elements: Collection>(
    _ name: StaticString,
    _ elements: Elements,
    _ write: (Elements.Element, inout JSONWriter) -> Void
  ) {
    if elements.isEmpty { return }
    key(name)
    array { json in
      for element in elements { write(element, &json) }
    }
  }
}
