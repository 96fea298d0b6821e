/// Characters that nobody sees: white space, and what has no width or is a control.
enum Spacing {
  /// Whether a text has nothing else.
  static func isBlank(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    // Nearly every cell begins with a letter or a digit.
    guard let first = utf8.first else { return true }
    if isGraphic(first) { return false }
    return String(decoding: utf8, as: UTF8.self).unicodeScalars.allSatisfy(isInvisible)
  }

  /// Returns the invisible character with which a text begins or ends; nil if there is none.
  static func end(of text: String) -> Unicode.Scalar? {
    [text.unicodeScalars.first, text.unicodeScalars.last].lazy.compactMap { $0 }.first(where: isInvisible)
  }

  /// Whether a byte is a visible character of ASCII.
  static func isGraphic(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

  static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    if PlainText.isWhiteSpace(scalar) { return true }
    switch scalar.properties.generalCategory {
    case .control, .format: return true
    default: return false
    }
  }
}
