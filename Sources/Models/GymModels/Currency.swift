/// The currency of an amount, as documents have it.
package enum Currency {
  /// Returns a currency in capitals, without the white space around it; nil if it is blank.
  package static func code(_ text: String) -> String? { PlainText.trimmed(text).uppercased().nilIfBlank }
}
