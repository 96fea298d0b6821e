/// Writes the JSON of a check: one object with `findings`, written as they are found, then `rules` and the members of the
/// summary.
///
/// Each finding is on a separate line. Only a buffer is kept in memory.
package struct FindingStream: Sendable {
  private static let bufferSize = 32 << 10

  private var buffer: [UInt8] = Array(#"{"findings":["#.utf8)
  private var isEmpty = true
  private let sink: @Sendable ([UInt8]) throws -> Void

  /// Begins an object whose bytes are passed to `sink` in chunks.
  package init(to sink: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.sink = sink
  }

  /// Appends a finding.
  ///
  /// - Throws: Errors of the sink.
  package mutating func append(_ finding: IntegrityFinding) throws {
    try append(json: JSONWriter.bytes { finding.write(to: &$0) })
  }

  /// Appends a finding that is JSON already.
  ///
  /// - Throws: Errors of the sink.
  package mutating func append(json: some Sequence<UInt8>) throws {
    buffer.append(contentsOf: isEmpty ? "\n".utf8 : ",\n".utf8)
    buffer.append(contentsOf: json)
    isEmpty = false
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Ends the object.
  ///
  /// - Parameters:
  ///   - report: The findings by rule.
  ///   - summary: The JSON of the summary, an object that is not empty.
  /// - Throws: Errors of the sink.
  package mutating func end(_ report: IntegrityReport, summary: [UInt8]) throws {
    let rules = JSONWriter.object { json in
      for rule in report.rules {
        json.key(rule.name)
        json.integer(report[rule].count)
      }
    }
    buffer.append(contentsOf: "\n],\"rules\":".utf8)
    buffer.append(contentsOf: rules)
    buffer.append(UInt8(ascii: ","))
    let members = summary.drop { $0 != UInt8(ascii: "{") }.dropFirst()
    buffer.append(contentsOf: members)
    if buffer.last != UInt8(ascii: "\n") { buffer.append(UInt8(ascii: "\n")) }
    try flush()
  }

  private mutating func flush() throws {
    try sink(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
