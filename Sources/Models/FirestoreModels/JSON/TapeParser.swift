/// A parser that writes JSON as a tape: simdjson, or a Swift parser on platforms without it.
protocol TapeParser: AnyObject {
  /// Parses a complete text and returns its root, valid until the next parse or the end of this parser's lifetime.
  ///
  /// - Parameters:
  ///   - room: The size of the allocation that starts with the text.
  ///   - keepsNumbers: Whether to refuse a number that would underflow to 0, and one with a point that a double would round
  ///     although 64 bits hold it as a whole number.
  /// - Throws: ``WireError`` if the text is not JSON.
  func parse(
    _ json: UnsafeRawBufferPointer,
    room: Int,
    keepsNumbers: Bool
  ) throws(WireError) -> JSONCursor
}

extension WireError {
  static var nestedTooDeeply: WireError { WireError("it is nested too deeply") }
  static var notUTF8: WireError { WireError("it is not valid UTF-8") }
  static var losesNumbers: WireError { WireError("it has a number that no double holds") }

  static func tooLarge(_ json: UnsafeRawBufferPointer) -> WireError {
    WireError("it is too large (\(json.count) bytes)")
  }

  static func malformed(_ json: UnsafeRawBufferPointer) -> WireError {
    WireError(json.isEmpty ? "it is empty" : "it is not valid JSON")
  }
}
