/// Invisible characters: white space, control characters and those without width.
package enum Spacing {
  /// Whether a text consists of invisible characters only.
  static func isBlank(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    // Nearly every cell begins with a letter or a digit.
    guard let first = utf8.first else { return true }
    if isGraphic(first) { return false }
    return String(decoding: utf8, as: UTF8.self).unicodeScalars.allSatisfy(isInvisible)
  }

  /// Returns the invisible character with which a text begins or ends; nil if there is none.
  static func end(of text: String) -> Unicode.Scalar? {
    guard let first = text.utf8.first, let last = text.utf8.last else { return nil }
    // Nearly every text begins and ends with a letter or a digit.
    if isGraphic(first), isGraphic(last) { return nil }
    let scalars = text.unicodeScalars
    return [scalars.first, scalars.last].lazy.compactMap { $0 }.first(where: isInvisible)
  }

  /// Whether a text begins or ends with an invisible character.
  package static func isAround(_ text: String) -> Bool { end(of: text) != nil }

  /// Returns the addition to an error message if a text begins or ends with an invisible character other than a space or
  /// tab; otherwise an empty string.
  package static func remark(on text: String) -> String {
    guard let scalar = end(of: text), scalar != " ", scalar != "\t" else { return "" }
    return "; it begins or ends with \(code(of: scalar))"
  }

  /// Returns a character in Unicode's notation: `U+00A0`.
  static func code(of scalar: Unicode.Scalar) -> String {
    "U+" + String(scalar.value, radix: 16, uppercase: true).padded(to: 4)
  }

  /// Whether a byte is a visible ASCII character.
  static func isGraphic(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

  package static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    if PlainText.isWhiteSpace(scalar) { return true }
    switch scalar.properties.generalCategory {
    case .control, .format: return true
    default: return false
    }
  }
}
