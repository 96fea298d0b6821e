import Schema
import Tables

extension DatabaseSchema {
  /// Says of a table that the schema knows nothing of it, so that its rows are compared with nothing: the collection that its name stands for
  /// is not declared, or none of its columns is.
  func strangeness(of source: ImportSource, _ plan: TablePlan) -> String? {
    if isEmpty || source.isExported { return nil }
    guard let known = collection(plan.collection) else {
      if !source.isGuess { return nil }
      let said = hint(of: plan.collection) ?? "The schema declares no collection '\(plan.collection)'."
      return "\(source.label): its name stands for its collection. \(said) --collection names another."
    }
    let fields = plan.fields
    guard !fields.isEmpty, fields.allSatisfy({ ![known].hints(of: [$0]).isEmpty }) else { return nil }
    let names = FilePaths.list(fields.map { "'\($0)'" })
    return
      "\(source.label): the schema declares no field of \(plan.collection) for any of its columns: \(names)."
  }
}

extension TablePlan {
  /// The fields of its columns, but for that of the ids.
  fileprivate var fields: [FieldPath] {
    roles.indices.compactMap { index in
      if index != idColumn, case .field(let column) = roles[index] { column.path } else { nil }
    }
  }
}
