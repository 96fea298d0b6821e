import FirestoreREST

/// What a table or plain JSON has probably done to values: texts of digits, such as phones, lose the zeros or the `+` before them, as a
/// spreadsheet does it that saves CSV, and texts take the place of numbers, times and truth values.
struct DoubtfulChanges: Sendable {
  private enum Kind: Hashable {
    case cut
    /// A text replaces a value of a type.
    case retyped(String)
  }

  private struct Key: Hashable {
    var collection: CollectionPath
    var field: UTF8Key
    var kind: Kind
  }

  private struct Found {
    var field: FieldPath
    var count = 0
    var first: DocumentPath
  }

  /// The most fields that are told apart.
  private static let maximumKeys = 200

  private let found = Locked<[Key: Found]>([:])

  /// Counts what a change does.
  func record(_ change: Change) {
    guard let before = change.before, let after = change.after else { return }
    let collection = change.path.collection.pattern
    for entry in before.fields.entries {
      guard let value = after[entry.name], let kind = Self.kind(entry.value, value) else { continue }
      let key = Key(collection: collection, field: UTF8Key(entry.name), kind: kind)
      found.withLock { found in
        guard found[key] != nil || found.count < Self.maximumKeys else { return }
        found[key, default: Found(field: FieldPath(field: entry.name), first: change.path)].count += 1
      }
    }
  }

  /// A line for each field, without values, for they are personal.
  func warnings(isDryRun: Bool) -> [String] {
    found.withLock { $0 }.map { key, found in
      let texts = NumberText.counted(found.count, "text")
      func verb(_ one: String, _ many: String) -> String {
        isDryRun ? "would \(many)" : found.count == 1 ? one : many
      }
      let place = "\(key.collection): \(found.field): \(texts)"
      switch key.kind {
      case .cut:
        return
          "\(place) of digits \(verb("loses", "lose")) the zeros or the + before them, the first in \(found.first). A spreadsheet drops them; a workbook of 'export --format xlsx' keeps them."
      case .retyped(let type):
        return
          "\(place) \(verb("takes", "take")) the place of values of the type \(type), the first in \(found.first). '--types HEADING=\(type)' reads such texts, or refuses them."
      }
    }.sorted { $0.compareUTF8($1) < 0 }
  }

  private static func kind(_ before: Value, _ after: Value) -> Kind? {
    switch (before, after) {
    case (.string(let old), .string(let new)): isCut(old, to: new) ? .cut : nil
    case (.string(let old), .integer(let new)): isCut(old, to: String(new)) ? .cut : nil
    case (.boolean, .string(let text)), (.integer, .string(let text)), (.double, .string(let text)),
      (.timestamp, .string(let text)):
      text.isEmpty ? nil : .retyped(before.typeName)
    default: nil
    }
  }

  private static func isCut(_ old: String, to new: String) -> Bool {
    let rest = old.utf8.drop { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "+") }
    return !rest.isEmpty && rest.count < old.utf8.count && rest.allSatisfy(\.isASCIIDigit)
      && rest.elementsEqual(new.utf8)
  }
}
