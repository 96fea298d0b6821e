import FirestoreREST
import Schema
import Tables

/// Objections to changes that become apparent only by comparison with the stored document.
///
/// By the schema, a document may be immutable, or a merge may leave it, or a map in it, without required fields. A table or
/// plain JSON may damage stored values, or replace maps by other values.
package struct LoadGuard: Sendable {
  /// The reason why a change is rejected, with its code in `rejects.jsonl`.
  struct Objection {
    var code: String
    var message: String
  }

  private let schema: DatabaseSchema
  private let mode: WriteMode
  /// Whether changes that break the schema are rejected; otherwise they are made, counted and reported.
  private let rejects: Bool
  /// Whether changes are checked against the schema.
  private let checks: Bool
  /// Counts the damage that tables and plain JSON do to stored values; nil if no source is one of these.
  private let doubts: DoubtfulChanges?
  /// Whether changes are rejected that replace a map or an array by another kind of value, or the reverse.
  private let keepsStructure: Bool
  private let made = Locked<[String: (count: Int, first: DocumentPath)]>([:])

  static let immutable = "immutable"
  private static let structureLost = "structure-lost"

  /// - Parameters:
  ///   - policies: What the import does with documents of its sources that break the schema. If they differ, the guard
  ///     warns.
  ///   - zone: The zone of the times in tables and plain JSON; nil if no source is one of these.
  /// - Returns: Nil if there is nothing to check.
  init?(
    _ schema: DatabaseSchema,
    _ mode: WriteMode,
    _ policies: Set<SchemaPolicy>,
    untypedIn zone: LocalTimeZone?
  ) {
    checks = !schema.isEmpty && !policies.subtracting([.off]).isEmpty
    if mode == .create || !checks && zone == nil { return nil }
    doubts = zone.map { DoubtfulChanges(schema, in: $0) }
    (self.schema, self.mode) = (schema, mode)
    rejects = checks && policies == [.reject]
    keepsStructure = policies == [.reject]
  }

  /// Returns why a change is rejected; nil if it is made.
  func refusal(of change: Change) -> Objection? {
    if rejects, let objection = objection(to: change) { return objection }
    guard keepsStructure, let lost = doubts?.lostStructure(by: change) else { return nil }
    return Objection(code: Self.structureLost, message: lost)
  }

  /// Counts a change that is made despite an objection.
  func record(_ change: Change) {
    doubts?.record(change)
    guard checks, !rejects, let code = objection(to: change)?.code else { return }
    made.withLock { made in
      let known = made[code]
      made[code] = ((known?.count ?? 0) + 1, known?.first ?? change.path)
    }
  }

  /// Lines about the changes that were made despite objections, for display.
  func warnings(isDryRun: Bool) -> [String] {
    let (was, were) = isDryRun ? ("would be", "would be") : ("was", "were")
    let schemaLines = made.withLock { $0 }.sorted { $0.key < $1.key }.map { code, found in
      let what =
        code == Self.immutable ? "changed that the schema declares immutable" : "left without required fields"
      let documents = NumberText.counted(found.count, "document")
      return
        "\(documents) \(found.count == 1 ? was : were) \(what), the first \(found.first); --validate reject leaves such documents out."
    }
    return schemaLines + (doubts?.warnings(isDryRun: isDryRun) ?? [])
  }

  private func objection(to change: Change) -> Objection? {
    guard !change.isDeletion, let collection = schema.collection(change.path.collection) else { return nil }
    if let before = change.before, collection.immutability.protects(before) {
      return Objection(code: Self.immutable, message: "the schema lets no document like it be changed")
    }
    return mode == .merge ? incompleteness(of: change, collection) : nil
  }

  private func incompleteness(of change: Change, _ collection: CollectionSchema) -> Objection? {
    guard let after = change.after else { return nil }
    let missing = collection.breaches(
      by: RawDocument(path: change.path, fields: after),
      over: change.before?.fields,
      settingTimes: change.serverTimes
    ).filter { $0.kind == .missing || $0.kind == .idMissing }
    guard let first = missing.first else { return nil }
    let fields = FilePaths.list(missing.compactMap(\.field?.description))
    let document =
      change.before == nil ? "there is no such document, and it would be made" : "the document would be left"
    return Objection(code: first.kind.rawValue, message: "\(document) without the required \(fields)")
  }
}
