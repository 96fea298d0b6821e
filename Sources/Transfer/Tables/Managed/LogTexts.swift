/// Finds the texts and whole numbers in a log of records, whatever its messages mean.
package enum LogTexts {
  /// The maximum depth to which messages are searched.
  private static let maximumDepth = 64

  /// Whether a file that begins with the given bytes is such a log.
  package static func isLog(_ head: [UInt8]) -> Bool { LogFormat.isLog(head) }

  /// Numbers from here on are ignored: they are too long for phone numbers, and times are in microseconds.
  private static let firstLongNumber = 1_000_000_000_000_000

  /// Calls `body` with every run of bytes and the digits of every number in every message, including nested ones.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for damage.
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

  /// Searches a message, up to where its bytes are not valid.
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
      case .number(let number): look(at: Int(exactly: number), body)
      case .fixed(let bits): look(at: Int(exactly: Double(bitPattern: bits)), body)
      }
    }
  }

  private static func look(at number: Int?, _ body: (UnsafeRawBufferPointer) -> Void) {
    guard let number, number < firstLongNumber else { return }
    Array(String(number).utf8).withUnsafeBytes(body)
  }
}
