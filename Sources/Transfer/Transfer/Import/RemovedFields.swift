import FirestoreREST
import Schema
import Tables

/// Finds what documents lose when a table without a column for it replaces the documents as a whole: fields, and values of
/// fields that get their defaults (`--defaults`).
struct RemovedFields: Sendable {
  private struct Loss: Hashable {
    var collection: CollectionPath
    /// Whether the fields get their defaults instead of being removed.
    var isDefault: Bool
  }

  private struct Found {
    var documents = 0
    /// The first by name, because changes are recorded in any order.
    var first: DocumentPath
    var fields: Set<FieldPath> = []
  }

  /// The maximum number of distinct fields.
  private static let maximumFields = 200

  /// The fields of each table, by its input; nil for inputs that are no tables that people made, and for tables with a
  /// column for all other fields.
  private let columns: [[FieldPath]?]
  private let found = Locked<[Loss: Found]>([:])

  /// - Returns: Nil if no documents are replaced by tables that people made.
  init?(_ inputs: ImportInputs, _ mode: WriteMode) {
    guard mode == .upsert || mode == .replace else { return nil }
    columns = inputs.indices.map { stage in
      inputs.source(stage).isExported ? nil : inputs.plan(stage).flatMap(Self.columns)
    }
    if !columns.contains(where: { $0 != nil }) { return nil }
  }

  private static func columns(of plan: TablePlan) -> [FieldPath]? {
    var fields: [FieldPath] = []
    for role in plan.roles {
      switch role {
      case .field(let column): fields.append(column.path)
      case .rest: return nil
      case .name, .reason, .skipped, .none: break
      }
    }
    return fields
  }

  /// Counts the fields that a change removes, or sets without a column for them.
  func record(_ change: Change) {
    guard change.kind == .update, columns.indices.contains(change.input), let columns = columns[change.input]
    else { return }
    let after = change.after ?? FieldMap()
    var (removed, reset): ([FieldPath], [FieldPath]) = ([], [])
    for difference in change.differences where !difference.isServerTime && difference.before != nil {
      let lost = Self.leaves(of: difference).filter { leaf in
        !columns.contains { $0 == leaf || $0.isPrefix(of: leaf) && Self.fills($0, of: columns, after) }
      }
      if difference.after == nil {
        removed += lost
      } else if !columns.contains(where: difference.path.isPrefix(of:)) {
        reset += lost
      }
    }
    let collection = change.path.collection.pattern
    add(removed, Loss(collection: collection, isDefault: false), of: change.path)
    add(reset, Loss(collection: collection, isDefault: true), of: change.path)
  }

  private func add(_ fields: [FieldPath], _ loss: Loss, of path: DocumentPath) {
    if fields.isEmpty { return }
    found.withLock { found in
      var known = found[loss] ?? Found(first: path)
      known.documents += 1
      known.first = min(known.first, path)
      for field in fields where known.fields.count < Self.maximumFields { known.fields.insert(field) }
      found[loss] = known
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

  /// A line for each collection, and another one for the defaults.
  func warnings(isDryRun: Bool) -> [String] {
    let sorted = found.withLock { $0 }.sorted {
      $0.key.collection == $1.key.collection ? $1.key.isDefault : $0.key.collection < $1.key.collection
    }
    return sorted.map { loss, found in
      let documents = NumberText.counted(found.documents, "document")
      let verb = loss.isDefault ? "get" : "lose"
      let does = isDryRun ? "would \(verb)" : found.documents == 1 ? "\(verb)s" : verb
      let what = loss.isDefault ? "the default of " : ""
      let kept = loss.isDefault ? "their values" : "them"
      let fields = FilePaths.list(found.fields.map(\.description).sorted { $0.compareUTF8($1) < 0 })
      return
        "\(loss.collection): \(documents) \(does) \(what)\(NumberText.counted(found.fields.count, "field")) that no column is for (\(fields)), the first by name \(found.first). --mode merge keeps \(kept)."
    }
  }
}
