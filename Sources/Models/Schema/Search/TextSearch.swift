/// Full-text search in documents, ignoring case, accents and variants of quotes and hyphens, and comparing phone numbers by
/// digits.
///
/// Every word must occur in some field, entirely or as a part; different words may occur in different fields. Text with three or
/// more digits and otherwise only phone punctuation is also searched in phone numbers, where a match alone suffices; if it has
/// more than ten digits, a match of the last ten suffices. The schema names the fields: `search: { texts: […], phones: […] }`;
/// without it, all texts are searched except for IDs and constants, and fields with the format of a phone by their digits.
package struct TextSearch: Sendable {
  package struct Match: Sendable, Equatable {
    package var field: String
    package var text: String
  }

  private let words: [String]
  /// The digits to search in phone numbers, any of which suffices; empty if the text is not a phone number.
  private let digits: [String]

  /// The minimum number of digits; fewer match almost every phone number.
  private static let fewestDigits = 3
  /// The number of digits in a national number; those before it are a country code or a prefix, which may not be stored.
  private static let nationalDigits = 10

  /// Whether the text is also searched in phone numbers.
  package var isOfDigits: Bool { !digits.isEmpty }

  /// Creates a search; nil if the text is blank.
  package init?(_ text: String) {
    words = PlainText.tokens(text).map(Self.folded)
    if words.isEmpty { return nil }
    let typed = PlainText.phoneDigits(text) ?? ""
    switch typed.utf8.count {
    case ..<Self.fewestDigits: digits = []
    case ...Self.nationalDigits: digits = [typed]
    default: digits = [typed, String(typed.suffix(Self.nationalDigits))]
    }
  }

  /// Returns the matching fields ordered by name, each with its first matching text; empty if the document does not match.
  ///
  /// - Parameter collection: The schema of the document's collection; nil if undeclared.
  package func matches(in document: RawDocument, of collection: CollectionSchema?) -> [Match] {
    let phones = phones(in: document.fields, of: collection)
    var open = Set(words.indices)
    var texts: [Match] = []
    Self.forEachText(in: document.fields, of: collection) { path, text in
      let folded = Self.folded(text)
      let matched = words.indices.filter { folded.contains(bytes: words[$0]) }
      if matched.isEmpty { return }
      open.subtract(matched)
      let field = path.description
      if !texts.contains(where: { $0.field.isIdentical(to: field) }) {
        texts.append(Match(field: field, text: text))
      }
    }
    let all = (open.isEmpty ? texts : []) + phones
    return all.sorted { $0.field.compareUTF8($1.field) < 0 }
  }

  /// The text without case and accents, with plain apostrophes, quotes and hyphens.
  private static func folded(_ text: String) -> String {
    let folded = PlainText.broadlyFolded(text)
    if folded.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "`") }) { return folded }
    var scalars = String.UnicodeScalarView()
    for scalar in folded.unicodeScalars { scalars.append(typed(scalar)) }
    return String(scalars)
  }

  private static func typed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "`", "\u{B4}", "\u{2BB}", "\u{2BC}", "\u{2018}"..."\u{201B}", "\u{2032}", "\u{FF07}": "'"
    case "\u{AB}", "\u{BB}", "\u{201C}"..."\u{201F}", "\u{2033}": "\""
    case "\u{2010}"..."\u{2015}", "\u{2212}": "-"
    default: scalar
    }
  }

  private func phones(in fields: FieldMap, of collection: CollectionSchema?) -> [Match] {
    if digits.isEmpty { return [] }
    return (collection?.phones ?? []).compactMap { path in
      var found: String?
      Self.forEachScalar(in: fields[path], at: path, path) { _, _, value in
        guard found == nil, let phone = value.phoneText else { return }
        let stored = Self.digits(of: phone)
        if digits.contains(where: { stored.contains(bytes: $0) }) { found = phone }
      }
      return found.map { Match(field: path.description, text: $0) }
    }
  }

  /// Calls `body` with each text to search, including those in maps and arrays.
  private static func forEachText(
    in fields: FieldMap,
    of collection: CollectionSchema?,
    _ body: (FieldPath, String) -> Void
  ) {
    let (declared, phones) = (collection?.searchedTexts, collection?.phones ?? [])
    for top in declared ?? fields.entries.map({ FieldPath(field: $0.name) }) {
      forEachScalar(in: fields[top], at: top, top) { path, place, value in
        guard let text = value.string, !phones.contains(path) else { return }
        if declared != nil || collection?.isSearchedByDefault(place) != false { body(path, text) }
      }
    }
  }

  /// - Parameter place: The path in the schema, with ``FieldSchema/elementName`` for array elements.
  private static func forEachScalar(
    in value: Value?,
    at path: FieldPath,
    _ place: FieldPath,
    _ body: (_ path: FieldPath, _ place: FieldPath, Value) -> Void
  ) {
    switch value {
    case .array(let values):
      let element = place.appending(FieldSchema.elementName)
      for value in values { forEachScalar(in: value, at: path, element, body) }
    case .map(let fields):
      for entry in fields.entries {
        forEachScalar(in: entry.value, at: path.appending(entry.name), place.appending(entry.name), body)
      }
    case let value?: body(path, place, value)
    case nil: return
    }
  }

  private static func digits(of text: String) -> String {
    String(decoding: text.utf8.filter(\.isASCIIDigit), as: UTF8.self)
  }
}

extension Value {
  /// The text of a phone number, which may be stored as a text, an integer, or a double without a fraction; nil for other values.
  package var phoneText: String? {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .double(let number): Int64(exactly: number).map(String.init)
    default: nil
    }
  }
}

extension CollectionSchema {
  /// The fields that a search compares by digits.
  package var phones: [FieldPath] {
    if searchedTexts != nil || !searchedPhones.isEmpty { return searchedPhones }
    return fields.filter { $0.format == .phone }.map(\.path)
  }

  /// The declared fields that a search covers.
  package var searchedFields: [FieldPath] {
    if let searchedTexts { return searchedTexts + phones }
    let texts = fields.filter { field in
      let mayHold = field.types.isEmpty || !Set(field.types).isDisjoint(with: [.string, .array, .map])
      let isSplit = fields.contains { $0.path != field.path && field.path.isPrefix(of: $0.path) }
      return mayHold && !isSplit && isSearchedByDefault(field.path)
    }
    let paths = texts.map(\.path)
    return paths + phones.filter { !paths.contains($0) }
  }
}

extension String {
  fileprivate func contains(bytes other: String) -> Bool {
    let pattern = Array(other.utf8)
    if pattern.isEmpty { return true }
    return withBytes { bytes in
      guard bytes.count >= pattern.count else { return false }
      for start in 0...(bytes.count - pattern.count)
      where bytes[start] == pattern[0] && bytes[start..<start + pattern.count].elementsEqual(pattern) {
        return true
      }
      return false
    }
  }
}
