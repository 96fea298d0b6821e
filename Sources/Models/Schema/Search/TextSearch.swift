/// Full-text search of documents: names without case and accents, phone numbers by digits.
///
/// Every word must occur in some field, entirely or as a part; different words may occur in different fields.
/// Text with three or more digits and otherwise only phone punctuation is also searched in phone numbers,
/// where a match alone suffices. The schema names the fields: `search: { texts: […], phones: […] }`; without it, the
/// top-level texts are searched but for IDs and constants.
package struct TextSearch: Sendable {
  package struct Match: Sendable, Equatable {
    package var field: String
    package var text: String
  }

  private let words: [String]
  private let digits: String?

  /// The minimum number of digits; fewer match almost every phone number.
  private static let fewestDigits = 3

  /// Makes a search; nil if the text is blank.
  package init?(_ text: String) {
    words = PlainText.tokens(text).map(PlainText.folded)
    if words.isEmpty { return nil }
    digits = PlainText.phoneDigits(text).flatMap { $0.utf8.count >= Self.fewestDigits ? $0 : nil }
  }

  /// The matching fields in order of their names; empty if the document does not match.
  ///
  /// - Parameter collection: The schema of the document's collection; nil for one that is not declared.
  package func matches(in document: RawDocument, of collection: CollectionSchema?) -> [Match] {
    let names = collection?.searchedTexts
    let phoneFields = collection?.searchedPhones ?? []
    var open = Set(words.indices)
    var texts: [Match] = []
    var phones: [Match] = []
    for entry in document.fields.entries {
      if phoneFields.contains(where: { $0.isIdentical(to: entry.name) }) {
        // Some phone numbers are stored as numbers.
        let phone = entry.value.string ?? entry.value.integer.map(String.init)
        if let digits, let text = phone, Self.digits(of: text).contains(bytes: digits) {
          phones.append(Match(field: entry.name, text: text))
        }
        continue
      }
      if let names, !names.contains(where: { $0.isIdentical(to: entry.name) }) { continue }
      guard let text = entry.value.string else { continue }
      if names == nil, let collection, !collection.isSearchedByDefault(entry.name) { continue }
      let folded = PlainText.folded(text)
      let matched = words.indices.filter { folded.contains(bytes: words[$0]) }
      if !matched.isEmpty { texts.append(Match(field: entry.name, text: text)) }
      open.subtract(matched)
    }
    let all = (open.isEmpty ? texts : []) + phones
    return all.sorted { $0.field.compareUTF8($1.field) < 0 }
  }

  private static func digits(of text: String) -> String {
    String(decoding: text.utf8.filter(\.isASCIIDigit), as: UTF8.self)
  }
}

extension CollectionSchema {
  /// The declared fields that a search looks into.
  package var searchedFields: [String] {
    if let searchedTexts { return searchedTexts + searchedPhones }
    let texts = fields.filter { field in
      field.path.segments.count == 1 && (field.types.isEmpty || field.types.contains(.string))
        && isSearchedByDefault(field.path.segments[0])
    }
    let names = texts.map { $0.path.segments[0] }
    return names + searchedPhones.filter { phone in !names.contains { $0.isIdentical(to: phone) } }
  }
}

extension String {
  /// Whether the text contains another, byte by byte.
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
