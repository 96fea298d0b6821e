import Transfer

/// What an import prints besides its counts.
enum ImportText {
  /// The number of fields to show.
  private static let shown = 20

  /// Describes what a dry run would do: changes to existing documents by field, documents left alone by reason, and new
  /// documents, so that mistyped IDs are noticed; nil if there is nothing to report.
  static func report(_ found: ForeseenChanges, leftAlone codes: [String: Int]) -> TerminalText? {
    let counts = [
      (found.documents, "to update"), (codes.values.reduce(0, +), "left alone"), (found.created, "to create"),
    ]
    guard let (count, what) = counts.first(where: { $0.0 > 0 }) else { return nil }
    let heading: TerminalText = "import: \(NumberText.counted(count, "document")) \(what)"
    let lines =
      [heading] + fields(found) + rejects(codes) + found.examples.flatMap(MigrationText.example) + new(found)
    return "\(lines.joined(separator: "\n"))\n"
  }

  private static func fields(_ found: ForeseenChanges) -> [TerminalText] {
    let fields = found.fields
    let lines = fields.prefix(shown).map { field -> TerminalText in
      "  \(field.path): \(NumberText.grouped(field.documents))"
    }
    let more = fields.count - shown
    return lines + (more > 0 ? ["  and \(NumberText.grouped(more)) more fields"] : [])
  }

  private static func new(_ found: ForeseenChanges) -> [TerminalText] {
    let lines = found.new.map { path -> TerminalText in "  + \(path)" }
    let more = found.created - found.new.count
    return lines + (more > 0 ? ["  and \(NumberText.grouped(more)) more that are new"] : [])
  }

  private static func rejects(_ codes: [String: Int]) -> [TerminalText] {
    codes.sorted { $0.key < $1.key }.map { code, count in
      "  left alone, \(code): \(NumberText.grouped(count))\(advice(code))"
    }
  }

  /// The option by which such documents are imported.
  private static func advice(_ code: String) -> String {
    switch code {
    case "ALREADY_EXISTS":
      " (--mode merge sets the fields that the input has; upsert also removes those that it lacks)"
    case "NOT_FOUND": " (--mode upsert or merge makes what is not there)"
    case "conflict", "too-many-deletions": ""
    case _ where code.hasPrefix(FirestoreError.noDocument):
      " (look at the ids; --validate warn makes such documents all the same)"
    // The codes of the service, and of what could not be read, are in upper case; the others are the schema's.
    case _ where code.utf8.allSatisfy { $0 < UInt8(ascii: "a") }: ""
    default: " (--validate warn imports such all the same)"
    }
  }
}
