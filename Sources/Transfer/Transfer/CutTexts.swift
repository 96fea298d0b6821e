import FirestoreREST

/// Texts of digits, such as phones, that lose the zeros or the `+` before them, as a spreadsheet does it that saves CSV.
struct CutTexts: Sendable {
  private let found = Locked<[String: (count: Int, first: DocumentPath)]>([:])

  /// Counts what a change cuts.
  func record(_ change: Change) {
    guard let before = change.before, let after = change.after else { return }
    for entry in before.fields.entries {
      guard let value = after[entry.name], Self.isCut(entry.value, to: value) else { continue }
      let key = "\(change.path.collection.pattern.string): \(FieldPath(field: entry.name).description)"
      found.withLock { found in
        let known = found[key]
        found[key] = ((known?.count ?? 0) + 1, known?.first ?? change.path)
      }
    }
  }

  /// A line for each field, without values, for they are personal.
  func warnings(isDryRun: Bool) -> [String] {
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
