import Schema

/// Tells a masked copy by the addresses and URLs in it, which no source has in the form that rules give them.
struct MaskSigns {
  private var masked = 0
  private var others = 0

  /// Whether most are masked: people who test add some of their own to a copy.
  var areOfCopy: Bool { masked > others }

  /// Counts a text under the rule that masks it, if it is an address or a URL.
  mutating func note(_ text: String, _ rule: MaskRule) {
    switch Self.isMasked(text, by: rule) {
    case true?: masked += 1
    case false?: others += 1
    case nil: break
    }
  }

  /// Whether a text is as a rule makes them; nil where its form does not say.
  private static func isMasked(_ text: String, by rule: MaskRule) -> Bool? {
    switch rule.kind {
    case .email(let domain):
      let email = PlainText.trimmed(text) { PlainText.isWhiteSpace($0) || $0 == "\u{200B}" }
      if MaskedText.isAddress(email, of: domain) { return true }
      return FieldFormat.email.matches(email.lowercased()) ? false : nil
    case .url:
      if text.hasPrefix(MaskedText.urlBase) { return true }
      return text.contains("://") ? false : nil
    default: return nil
    }
  }
}
