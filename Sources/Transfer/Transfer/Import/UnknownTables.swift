import Schema
import Tables

extension DatabaseSchema {
  /// Says of a table what the schema does not know of it, so that it is compared with nothing: the collection that its name means, or
  /// some of its columns.
  ///
  /// - Parameter isWhole: Whether documents are replaced as a whole, so that a field whose column is left out is removed.
  func strangeness(of source: ImportSource, _ plan: TablePlan, isWhole: Bool) -> String? {
    if isEmpty || source.isExported { return nil }
    guard let known = collection(plan.collection) else {
      if !source.isGuess { return nil }
      let said = hint(of: plan.collection) ?? "The schema declares no collection '\(plan.collection)'."
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

extension TablePlan {
  /// The fields of its columns, but for that of the ids.
  fileprivate var fields: [(column: Int, path: FieldPath)] {
    roles.indices.compactMap { index in
      guard index != idColumn, case .field(let column) = roles[index] else { return nil }
      return (index, column.path)
    }
  }
}
