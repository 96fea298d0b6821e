import FirestoreREST
import Schema
import Tables

/// Finds fields that documents lose when a table without a column for them replaces the documents as a whole.
struct RemovedFields: Sendable {
  private struct Found {
    var documents = 0
    var first: DocumentPath
    var fields: Set<FieldPath> = []
  }

  /// The maximum number of distinct fields.
  private static let maximumFields = 200

  /// The fields of the tables, by collection.
  private let columns: [CollectionPath: [FieldPath]]
  private let found = Locked<[CollectionPath: Found]>([:])

  /// - Returns: Nil if no documents are replaced, or if not all inputs are tables that people made.
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

  /// Counts the fields that a change removes.
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

  /// The fields that existed: the field itself, or the members of a map.
  private static func leaves(of difference: FieldDifference) -> [FieldPath] {
    guard let map = difference.before?.map, !map.isEmpty, map.vector == nil else { return [difference.path] }
    return WriteMode.leafPaths(of: map, under: difference.path)
  }

  /// Whether the value of a map comes from the map's own column rather than from columns of its members.
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
