/// The colors of what is printed, by their codes on a terminal.
package enum TextColor: Int, Sendable {
  case red = 31
  case green = 32
  case yellow = 33
}

extension TerminalText {
  /// The text in a color.
  ///
  /// - Parameter isShown: Whether the output shows colors; the text stays as it is where it does not.
  package func colored(_ color: TextColor, if isShown: Bool) -> TerminalText {
    isShown ? TerminalText(stringLiteral: "\u{1B}[\(color.rawValue)m\(description)\u{1B}[0m") : self
  }
}
