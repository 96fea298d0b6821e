/// The texts of a log of records, whatever its messages mean.
package enum LogTexts {
  /// How deep messages are looked into.
  private static let maximumDepth = 64

  /// Whether a file that begins with some bytes is such a log.
  package static func isLog(_ head: [UInt8]) -> Bool { LogFormat.isLog(head) }

  /// Calls `body` with every run of bytes and every whole number of every message, and with those of the messages within.
  ///
  /// - Throws: `.inputMalformed` for damage.
  package static func forEach(
    in path: String,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(Failure) {
    var log = try LogReader(path)
    while try log.advance() {
      log.withRecord { record in
        var message = ProtoReader(record)
        look(into: &message, in: nil, maximumDepth, body)
      }
    }
  }

  /// Stops where the bytes are no message.
  private static func look(
    into message: inout ProtoReader,
    in group: Int?,
    _ depth: Int,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    if depth == 0 { return }
    while let field = try? message.next(in: group) {
      switch field.content {
      case .bytes(let bytes):
        body(bytes)
        var inner = ProtoReader(bytes)
        look(into: &inner, in: nil, depth - 1, body)
      case .group: look(into: &message, in: field.number, depth - 1, body)
      case .number(let bits): Array(String(Int64(bitPattern: bits)).utf8).withUnsafeBytes(body)
      case .fixed(let bits):
        let number = Int64(exactly: Double(bitPattern: bits))
        if let number { Array(String(number).utf8).withUnsafeBytes(body) }
      }
    }
  }
}
