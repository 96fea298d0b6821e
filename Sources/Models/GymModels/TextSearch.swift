package import FirestoreModels

/// The search for people and things: names without case and accents, phones by their digits.
///
/// Every word of the text has to be in one of the fields, whole or as a part; several may have one each. A text of three
/// digits or more and nothing else but the signs of phones is also looked for among the digits of phones, which alone is
/// enough. The search of the app is narrower: active members, one field, accents as they are.
package struct TextSearch: Sendable {
  /// A field in which something was found.
  package struct Match: Sendable, Equatable {
    /// The field's name.
    package var field: String
    /// What stands there.
    package var text: String

    /// Makes a match.
    package init(field: String, text: String) {
      self.field = field
      self.text = text
    }
  }

  private let words: [String]
  private let digits: String?

  /// Fewer digits are in every phone.
  private static let fewestDigits = 3

  /// Makes a search; nil for a text of nothing but white space.
  package init?(_ text: String) {
    words = GymText.tokens(text).map(GymText.folded)
    if words.isEmpty { return nil }
    digits = GymText.phoneDigits(text).flatMap { $0.utf8.count >= Self.fewestDigits ? $0 : nil }
  }

  /// The fields of texts that are searched in a collection; nil stands for every text of the document itself.
  package static func textFields(of collection: CollectionPath) -> [String]? {
    switch collection.id {
    case "users":
      [
        "fullName", "firstName", "paternalLastName", "maternalLastName", "nombre", "primerApellido",
        "segundoApellido",
        "email",
      ]
    case "members" where collection.parent == nil:
      ["firstName", "paternalLastName", "maternalLastName", "email"]
    default: nil
    }
  }

  /// The fields of phones, in every collection.
  package static let phoneFields = [
    "phone", "telefono", "emergencyPhone", "telefonoEmergencia", "guardianTelefono",
  ]

  /// The fields in which something was found, in the order of their names; none where the document is not meant.
  package func matches(in document: RawDocument) -> [Match] {
    let names = Self.textFields(of: document.path.collection)
    var open = Set(words.indices)
    var texts: [Match] = []
    var phones: [Match] = []
    for entry in document.fields.entries {
      if Self.phoneFields.contains(where: { $0.isIdentical(to: entry.name) }) {
        if let digits, let text = Self.phone(entry.value), Self.digits(of: text).contains(bytes: digits) {
          phones.append(Match(field: entry.name, text: text))
        }
        continue
      }
      if let names, !names.contains(where: { $0.isIdentical(to: entry.name) }) { continue }
      guard let text = entry.value.string else { continue }
      let folded = GymText.folded(text)
      let found = words.indices.filter { folded.contains(bytes: words[$0]) }
      if !found.isEmpty { texts.append(Match(field: entry.name, text: text)) }
      open.subtract(found)
    }
    let all = (open.isEmpty ? texts : []) + phones
    return all.sorted { $0.field.compareUTF8($1.field) < 0 }
  }

  /// A phone as text; some were stored as numbers.
  private static func phone(_ value: Value) -> String? {
    value.string ?? value.integer.map(String.init)
  }

  private static func digits(of text: String) -> String {
    String(decoding: text.utf8.filter { (0x30...0x39).contains($0) }, as: UTF8.self)
  }
}

extension String {
  /// Whether it holds another text, byte by byte.
  fileprivate func contains(bytes other: String) -> Bool {
    let wanted = Array(other.utf8)
    if wanted.isEmpty { return true }
    var text = self
    return text.withUTF8 { bytes in
      guard bytes.count >= wanted.count else { return false }
      for start in 0...(bytes.count - wanted.count)
      where bytes[start] == wanted[0] && bytes[start..<start + wanted.count].elementsEqual(wanted) {
        return true
      }
      return false
    }
  }
}
