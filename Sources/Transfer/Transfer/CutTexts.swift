import FirestoreREST

/// What a table has probably done to values: texts of digits, such as phones, lose the zeros or the `+` before them, as a
/// spreadsheet does it that saves CSV, and texts take the place of numbers, times and truth values.
struct CutTexts: Sendable {
  private typealias Found = [String: (count: Int, first: DocumentPath)]

  private let found = Locked<Found>([:])
  /// By field and type, with a line end in between.
  private let retyped = Locked<Found>([:])

  /// Counts what a change cuts, and what becomes a text.
  func record(_ change: Change) {
    guard let before = change.before, let after = change.after else { return }
    for entry in before.fields.entries {
      guard let value = after[entry.name] else { continue }
      let isCut = Self.isCut(entry.value, to: value)
      guard isCut || Self.isRetyped(entry.value, to: value) else { continue }
      let field = "\(change.path.collection.pattern.string): \(FieldPath(field: entry.name).description)"
      let key = isCut ? field : "\(field)\n\(entry.value.typeName)"
      (isCut ? found : retyped).withLock { found in
        let known = found[key]
        found[key] = ((known?.count ?? 0) + 1, known?.first ?? change.path)
      }
    }
  }

  private static func isRetyped(_ before: Value, to after: Value) -> Bool {
    guard case .string(let text) = after, !text.isEmpty else { return false }
    switch before {
    case .boolean, .integer, .double, .timestamp: return true
    default: return false
    }
  }

  /// A line for each field, without values, for they are personal.
  func warnings(isDryRun: Bool) -> [String] {
    let texts = retyped.withLock { $0 }.sorted { $0.key < $1.key }.map { key, found in
      let parts = key.split(separator: "\n").map(String.init)
      let verb = isDryRun ? "would take" : found.count == 1 ? "takes" : "take"
      return
        "\(parts[0]): \(NumberText.counted(found.count, "text")) \(verb) the place of values of the type \(parts[1]), the first in \(found.first). '--types HEADING=\(parts[1])' reads such cells, or refuses them."
    }
    return texts + cuts(isDryRun)
  }

  private func cuts(_ isDryRun: Bool) -> [String] {
    found.withLock { $0 }.sorted { $0.key < $1.key }.map { field, found in
      let texts = NumberText.counted(found.count, "text")
      let verb = isDryRun ? "would lose" : found.count == 1 ? "loses" : "lose"
      return
        "\(field): \(texts) of digits \(verb) the zeros or the + before them, the first in \(found.first). A spreadsheet drops them; a workbook of 'export --format xlsx' keeps them."
    }
  }

  private static func isCut(_ before: Value, to after: Value) -> Bool {
    guard case .string(let old) = before else { return false }
    let new: String
    switch after {
    case .string(let text): new = text
    case .integer(let number): new = String(number)
    default: return false
    }
    guard let first = new.utf8.first, first != UInt8(ascii: "0") else { return false }
    let lead = old.utf8.dropLast(new.utf8.count)
    return !lead.isEmpty && lead.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "+") }
      && new.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      && old.utf8.dropFirst(lead.count).elementsEqual(new.utf8)
  }
}
