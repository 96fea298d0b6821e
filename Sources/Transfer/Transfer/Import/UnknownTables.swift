import Configuration
import Schema
import Tables

extension DatabaseSchema {
  /// Returns a sentence about what the schema does not know of a table, so that it is not checked: its collection, as
  /// inferred from its name, or some of its columns.
  ///
  /// - Parameter isWhole: Whether documents are replaced as a whole, so that a field whose column is left out is removed.
  func strangeness(of source: ImportSource, _ plan: TablePlan, isWhole: Bool) -> String? {
    if isEmpty || source.isExported { return nil }
    guard let known = collection(plan.collection) else {
      if !source.isGuess { return nil }
      let said = hint(ofTable: plan.collection) ?? "The schema declares no collection '\(plan.collection)'."
      return "\(source.label): its name stands for its collection. \(said) --collection names another."
    }
    let fields = plan.fields
    let unknown = fields.filter { ![known].hints(of: [$0.path]).isEmpty }
    if unknown.count == fields.count, !fields.isEmpty {
      let names = FilePaths.list(fields.map { "'\($0.path)'" })
      return
        "\(source.label): the schema declares no field of \(plan.collection) for any of its columns: \(names)."
    }
    let doubted = Set(plan.notes.filter(\.note.isDoubt).map(\.column))
    let new = unknown.filter { !doubted.contains($0.column) }
    if new.isEmpty { return nil }
    let become = new.count == 1 ? "it becomes a field" : "they become fields"
    let columns = FilePaths.list(new.map { plan.name(ofColumn: $0.column) })
    let removed = isWhole ? ", and removes such a field where it is; --mode merge keeps it" : ""
    return
      "\(source.label): no field of the schema: \(columns); \(become) (--skip-columns leaves columns out\(removed))."
  }
}

extension DatabaseSchema {
  /// Returns a sentence on what may be wrong with the name of a table that cannot be read; nil if it is that of a known
  /// collection.
  ///
  /// The name may be misspelled, or that of a sheet that somebody added to a workbook.
  func advice(on source: ImportSource, among sources: [ImportSource]) -> String? {
    guard let collection = source.collection, !isKnown(source) else { return nil }
    if let hint = hint(ofTable: collection) {
      let name = source.sheet.map { "--sheet '\($0)=COLLECTION'" } ?? "--collection"
      return "\(hint) \(name) names it."
    }
    let others = sources.filter { $0.sheet != nil && $0.path.isIdentical(to: source.path) && isKnown($0) }
    return Self.advice(importing: others.compactMap(\.sheet))
  }

  /// Refuses a table that would create a collection in a protected database if only the file's name suggests it.
  ///
  /// - Throws: `.notPermitted`.
  func assertNamed(_ source: ImportSource, in environment: DatabaseEnvironment) throws(Failure) {
    guard environment.isProtected, !isEmpty, !isKnown(source), let collection = source.collection else {
      return
    }
    let option = source.sheet.map { "--sheet '\($0)=COLLECTION'" } ?? "--collection"
    throw Failure(
      .notPermitted,
      "import",
      path: source.label,
      cause:
        "\(environment.name) is protected, and the schema does not declare '\(collection)', as the name says",
      remedy: "\(hint(ofTable: collection).map { "\($0) " } ?? "")Name the collection with \(option)."
    )
  }

  /// How to import sheets without the others of their workbook, as a sentence; nil if there are no sheets.
  static func advice(importing sheets: [String]) -> String? {
    if sheets.isEmpty { return nil }
    let options = sheets.map { "--sheet '\($0)'" }.joined(separator: " ")
    return "\(options) imports \(sheets.count == 1 ? "this one" : "these") alone."
  }

  /// Whether an export wrote the table, the user named its collection, or the schema declares it.
  private func isKnown(_ source: ImportSource) -> Bool {
    !source.isGuess || source.collection.map { self.collection($0) != nil } ?? false
  }
}

extension TablePlan {
  /// The fields of its columns, except that of the ids.
  fileprivate var fields: [(column: Int, path: FieldPath)] {
    roles.indices.compactMap { index in
      guard index != idColumn, case .field(let column) = roles[index] else { return nil }
      return (index, column.path)
    }
  }
}
