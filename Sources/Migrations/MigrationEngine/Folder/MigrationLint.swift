import FirestoreREST
import Schema

/// Finds what is doubtful in a migration before anything is read; does no I/O.
package enum MigrationLint {
  package enum Code: String, Sendable, CaseIterable {
    /// It has no filter and deletes every document of its collection.
    case unboundedDelete = "unbounded-delete"
    /// It has no filter and removes a field from every document of its collection.
    case unboundedRemoval = "unbounded-removal"
    /// It removes a field that apps still need according to the schema: they order or filter by it, or cannot read a document
    /// without it.
    case fieldStillRead = "field-still-read"
    /// It renames a declared field in one step, so that apps with the old and the new name cannot work side by side.
    case renameAtOnce = "rename-at-once"
    /// Its filter needs an index that Firestore does not create automatically.
    case needsIndex = "needs-index"
    /// A step breaks the schema, so that a plan is refused without --allow-schema-breaks.
    case breaksSchema = "breaks-schema"
    /// The name of a collection or a field is close to a declared one, but not declared itself.
    case unknownName = "unknown-name"
    /// An undo cannot revert it completely.
    case notUndone = "not-undone"
  }

  package struct Finding: Sendable, Equatable {
    package var code: Code
    package var field: String?
    package var message: String

    init(_ code: Code, _ field: FieldPath? = nil, _ message: String) {
      self.code = code
      self.field = field?.description
      self.message = message
    }
  }

  /// - Parameter header: The header of its file; a migration that it declares irreversible need not be undoable.
  package static func findings(
    in migration: DeclarativeMigration,
    _ header: MigrationHeader = MigrationHeader()
  ) -> [Finding] {
    let declared = migration.scope.declared(in: migration.schema)
    var findings = migration.steps.flatMap { step in
      removal(by: step, isBounded: !migration.scope.filters.isEmpty, declared)
    }
    if header.irreversible == nil, migration.steps.contains(.hardDelete) {
      let message =
        "An undo makes deleted documents anew: their time of creation is another, and functions run. Say why in 'irreversible', or delete softly."
      findings.append(Finding(.notUndone, nil, message))
    }
    var strict = migration
    strict.allowsSchemaBreaks = false
    if let (_, cause) = strict.problem {
      findings.append(Finding(.breaksSchema, nil, "\(cause.prefix(1).uppercased())\(cause.dropFirst())."))
    }
    findings += migration.misspeltNames.map { Finding(.unknownName, nil, $0) }
    if let message = index(for: migration.scope) { findings.append(Finding(.needsIndex, nil, message)) }
    return findings
  }

  private static func removal(
    by step: MigrationStep,
    isBounded: Bool,
    _ declared: [CollectionSchema]
  ) -> [Finding] {
    var findings: [Finding] = []
    switch step {
    case .hardDelete, .softDelete:
      if !isBounded {
        findings.append(Finding(.unboundedDelete, nil, "It deletes every document: say which with 'where'."))
      }
    case .unset(let field):
      if !isBounded {
        findings.append(
          Finding(.unboundedRemoval, field, "It removes the field everywhere: say where with 'where'.")
        )
      }
      findings += reading(of: field, declared)
    case .move(let field, let target, _):
      if declared.contains(where: { $0.field(field) != nil }) {
        let message =
          "Apps that read \(field) stop at once: copy it to \(target), and remove it by a later migration, when none reads it."
        findings.append(Finding(.renameAtOnce, field, message))
      }
      findings += reading(of: field, declared)
    default: break
    }
    return findings
  }

  /// Returns the findings about a removed field that the schema declares to be read.
  private static func reading(of field: FieldPath, _ declared: [CollectionSchema]) -> [Finding] {
    declared.compactMap { collection in
      guard let reason = reason(to: field, in: collection) else { return nil }
      return Finding(.fieldStillRead, field, "In \(collection.pattern) \(reason).")
    }
  }

  private static func reason(to field: FieldPath, in collection: CollectionSchema) -> String? {
    func isMeant(_ other: FieldPath) -> Bool { field.isPrefix(of: other) }
    if collection.orderedBy.contains(where: isMeant) {
      return "apps order by it: a document without it is not shown (ordered-by)"
    }
    if collection.filteredBy.contains(where: isMeant) {
      return "apps filter by it: a document without it is not found (filtered-by)"
    }
    guard collection.fields.contains(where: { isMeant($0.path) && $0.isRequired }) else { return nil }
    return collection.isDecodedStrictly
      ? "it is required, and apps decode strictly: one document without it breaks the whole list"
      : "it is required"
  }

  // MARK: Indexes

  /// Returns the index that the filters need beyond those of single fields
  /// (https://firebase.google.com/docs/firestore/query-data/indexing).
  package static func index(for scope: DeclarativeMigration.Scope) -> String? {
    // Reads of a pattern are filtered here.
    if scope.wholeReads.allSatisfy({ $0.reach == .pattern }) { return nil }
    let conjunctions = scope.filters.flatMap(conjunctions)
    for comparisons in conjunctions {
      let names = distinct(comparisons.map(\.field))
      if scope.isGroup, let field = names.first {
        return "A filter on a collection group needs an index of \(field) with the scope of the group."
      }
      guard names.count > 1, comparisons.contains(where: { !$0.isEquality }) else { continue }
      let fields = names.map(\.description).joined(separator: ", ")
      return "Together the fields \(fields) need a composite index: not all are compared for equality."
    }
    return nil
  }

  private struct Comparison {
    var field: FieldPath
    var isEquality: Bool
  }

  /// The conjunctions of a filter in disjunctive normal form, without conditions on the document name.
  private static func conjunctions(of filter: StructuredQuery.Filter) -> [[Comparison]] {
    switch filter {
    case .or(let filters): filters.flatMap(conjunctions)
    case .and(let filters):
      filters.reduce([[]]) { known, filter in
        let more = conjunctions(of: filter)
        return known.flatMap { first in more.map { first + $0 } }
      }
    case .field(.documentName, _, _): [[]]
    case .field(let field, let comparison, _):
      [[Comparison(field: field, isEquality: comparison == .equal || comparison == .in)]]
    case .unary(let field, let test):
      [[Comparison(field: field, isEquality: test == .isNull || test == .isNaN)]]
    }
  }

  private static func distinct(_ fields: [FieldPath]) -> [FieldPath] {
    fields.reduce(into: []) { known, field in if !known.contains(field) { known.append(field) } }
  }
}
