import FirestoreREST
import Schema
import Tables

/// The fields that documents lose because the table that replaces them as a whole has no column for them.
struct RemovedFields: Sendable {
  private struct Found {
    var documents = 0
    var first: DocumentPath
    var fields: Set<FieldPath> = []
  }

  /// The most fields that are told apart.
  private static let maximumFields = 200

  /// The fields of the tables, by their collections.
  private let columns: [CollectionPath: [FieldPath]]
  private let found = Locked<[CollectionPath: Found]>([:])

  /// - Returns: Nil where no document is replaced, or by more than tables of some fields.
  init?(_ inputs: ImportInputs, _ mode: WriteMode) {
    guard mode == .upsert || mode == .replace,
      inputs.indices.allSatisfy({ inputs.source($0).format.isTable && !inputs.source($0).isExported })
    else { return nil }
    var columns: [CollectionPath: [FieldPath]] = [:]
    for (_, plan, _) in inputs.tables {
      var fields = columns[plan.collection.pattern] ?? []
      for role in plan.roles {
        switch role {
        case .field(let column): fields.append(column.path)
        case .rest: return nil
        case .name, .reason, .skipped, .none: break
        }
      }
      columns[plan.collection.pattern] = fields
    }
    self.columns = columns
  }

  /// Counts what a change removes.
  func record(_ change: Change) {
    let collection = change.path.collection.pattern
    guard change.kind == .update, let columns = columns[collection] else { return }
    let after = change.after ?? FieldMap()
    let removed = change.differences.flatMap { difference -> [FieldPath] in
      if difference.after != nil || difference.isServerTime { return [] }
      return Self.leaves(of: difference).filter { leaf in
        !columns.contains { $0 == leaf || $0.isPrefix(of: leaf) && Self.fills($0, of: columns, after) }
      }
    }
    if removed.isEmpty { return }
    found.withLock { found in
      var known = found[collection] ?? Found(first: change.path)
      known.documents += 1
      for field in removed where known.fields.count < Self.maximumFields { known.fields.insert(field) }
      found[collection] = known
    }
  }

  /// What was there: the field itself, or the members of a map.
  private static func leaves(of difference: FieldDifference) -> [FieldPath] {
    guard let map = difference.before?.map, !map.isEmpty, map.vector == nil else { return [difference.path] }
    return WriteMode.leafPaths(of: map, under: difference.path)
  }

  /// Whether the cell of a map's own column made it, and not those of its members, which have columns beside it.
  private static func fills(_ column: FieldPath, of columns: [FieldPath], _ fields: FieldMap) -> Bool {
    guard let value = fields[column] else { return false }
    guard let map = value.map, !map.isEmpty, map.vector == nil else { return true }
    return WriteMode.leafPaths(of: map, under: column).contains { leaf in
      !columns.contains { $0 != column && column.isPrefix(of: $0) && $0.isPrefix(of: leaf) }
    }
  }

  /// A line for each collection.
  func warnings(isDryRun: Bool) -> [String] {
    found.withLock { $0 }.sorted { $0.key < $1.key }.map { collection, found in
      let documents = NumberText.counted(found.documents, "document")
      let lose = isDryRun ? "would lose" : found.documents == 1 ? "loses" : "lose"
      let fields = FilePaths.list(found.fields.map(\.description).sorted { $0.compareUTF8($1) < 0 })
      return
        "\(collection): \(documents) \(lose) \(NumberText.counted(found.fields.count, "field")) that no column is for (\(fields)), the first \(found.first). --mode merge keeps them."
    }
  }
}
