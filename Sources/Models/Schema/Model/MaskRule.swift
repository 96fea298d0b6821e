/// How a value, an ID or a key is masked before it leaves a database.
///
/// docs/masking.md shows each rule with a value before and after.
package struct MaskRule: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case keep, drop, null, hash, digits, name, text, year
    /// An address with this domain.
    case email(domain: String)
    /// A URL that contains IDs of a collection; nil if it contains none.
    case url(CollectionPath?)
    /// Text, except for certain texts that stay unchanged and certain prefixes that are kept.
    case pseudonym(keeping: [String], prefixes: [String])
    case date(days: Int)
    case number(percent: Int)
    case constant(String)
    /// An ID, masked like those of a collection; nil for the collection that the field refers to.
    case reference(CollectionPath?)
  }

  package let kind: Kind
  /// The rule as written in a schema.
  package let text: String

  package static let keep = MaskRule(.keep, "keep")
  package static let pseudonym = MaskRule(.pseudonym(keeping: [], prefixes: []), "pseudonym")
  package static let reference = MaskRule(.reference(nil), "reference")

  static let formsOfIDs = "keep, pseudonym, hash, email, email(DOMAIN) or reference(COLLECTION)"
  static let forms =
    "keep, drop, null, hash, pseudonym, digits, email, email(DOMAIN), name, date(±DAYS), date(year), text, "
    + "number(±N%), url, url(COLLECTION), constant(TEXT) or reference"

  private init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }

  /// Parses a rule: a word, for some rules with arguments in parentheses; nil if it is not a rule.
  package init?(_ text: String) {
    let parts = text.split(separator: "(", maxSplits: 1).map(String.init)
    guard let word = parts.first, parts.count == 1 || text.hasSuffix(")"),
      let kind = Self.kind(word, parts.count == 2 ? String(parts[1].dropLast()) : nil)
    else { return nil }
    self.init(kind, text)
  }

  private static func kind(_ word: String, _ argument: String?) -> Kind? {
    if let argument { return kind(word, of: argument) }
    switch word {
    case "keep": return .keep
    case "drop": return .drop
    case "null": return .null
    case "hash": return .hash
    case "digits": return .digits
    case "email": return .email(domain: "example.test")
    case "name": return .name
    case "text": return .text
    case "url": return .url(nil)
    case "pseudonym": return .pseudonym(keeping: [], prefixes: [])
    case "reference": return .reference(nil)
    default: return nil
    }
  }

  private static func kind(_ word: String, of argument: String) -> Kind? {
    switch word {
    case "constant": return .constant(argument)
    case "text": return argument == "lorem" ? .text : nil
    case "date": return argument == "year" ? .year : number(argument).map { .date(days: $0) }
    case "number":
      guard argument.hasSuffix("%") else { return nil }
      return number(String(argument.dropLast())).map { .number(percent: $0) }
    case "reference": return CollectionPath(argument).map { .reference($0) }
    case "url": return CollectionPath(argument).map { .url($0) }
    case "email": return isDomain(argument) ? .email(domain: argument) : nil
    case "pseudonym": return pseudonym(argument)
    default: return nil
    }
  }

  /// Parses the list of texts that stay unchanged; an item ending in `*` is a prefix.
  private static func pseudonym(_ list: String) -> Kind {
    let items = list.split(separator: ",").map { PlainText.trimmed(String($0)) { $0 == " " } }
    return .pseudonym(
      keeping: items.filter { !$0.hasSuffix("*") },
      prefixes: items.filter { $0.hasSuffix("*") }.map { String($0.dropLast()) }.filter { !$0.isEmpty }
    )
  }

  private static func isDomain(_ text: String) -> Bool {
    text.utf8.count <= 253
      && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
        !label.isEmpty
          && label.allSatisfy { (0x61...0x7A).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
      }
  }

  private static func number(_ text: String) -> Int? {
    guard text.hasPrefix("±"), let number = Int(text.dropFirst()), (1...3650).contains(number) else {
      return nil
    }
    return number
  }

  /// Whether the rule may map two different values of a field to the same one.
  package func isMerging(in field: FieldSchema) -> Bool {
    switch kind {
    // Of a URL with IDs, only what is behind the host is masked.
    case .name, .text, .number, .date, .year, .constant, .url(_?): true
    // Only digits and the signs of phone numbers are left.
    case .digits: field.mayHoldLetters
    default: false
    }
  }

  /// Whether the rule maps different IDs to different IDs.
  package var keepsApart: Bool {
    switch kind {
    case .keep, .hash, .email, .pseudonym, .reference: true
    default: false
    }
  }
}
