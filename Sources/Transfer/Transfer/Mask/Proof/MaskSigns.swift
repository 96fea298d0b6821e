import Schema

/// Recognizes a masked copy by its addresses and URLs, which have a form that no source has.
struct MaskSigns {
  private var masked = 0
  private var others = 0

  /// Whether most are masked; testers add some unmasked ones to a copy.
  var areOfCopy: Bool { masked > others }

  /// Counts a text under the rule that masks it, if it is an address or a URL.
  mutating func note(_ text: String, _ rule: MaskRule) {
    switch Self.isMasked(text, by: rule) {
    case true?: masked += 1
    case false?: others += 1
    case nil: break
    }
  }

  /// Whether a text has the form that a rule produces; nil if its form is inconclusive.
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
