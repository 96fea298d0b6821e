/// The colors of terminal output, by their codes.
package enum TextColor: Int, Sendable {
  case red = 31
  case green = 32
  case yellow = 33
}

extension TerminalText {
  /// Returns the text in a color.
  ///
  /// - Parameter isShown: Whether the output shows colors; if not, the text is returned as it is.
  package func colored(_ color: TextColor, if isShown: Bool) -> TerminalText {
    isShown ? TerminalText(stringLiteral: "\u{1B}[\(color.rawValue)m\(description)\u{1B}[0m") : self
  }
}
