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

  /// How the changes from one file or sheet are checked.
  struct Input: Sendable {
    /// Whether changes that break the schema are rejected, or made, counted and reported, or not checked.
    var policy: SchemaPolicy
    /// The zone of the times in a table or plain JSON; nil for other formats, in which each value states its type.
    var zone: LocalTimeZone?

    init(_ policy: SchemaPolicy, untypedIn zone: LocalTimeZone?) {
      (self.policy, self.zone) = (policy, zone)
    }
  }

  private let schema: DatabaseSchema
  private let mode: WriteMode
  private let inputs: [Input]
  /// Counts the damage that tables and plain JSON do to stored values.
  private let doubts: DoubtfulChanges
  private let made = Locked<[String: (count: Int, first: DocumentPath)]>([:])

  static let immutable = "immutable"
  private static let structureLost = "structure-lost"

  /// - Parameter inputs: The inputs of the import, in the order of ``Change/input``.
  /// - Returns: Nil if there is nothing to check.
  init?(_ schema: DatabaseSchema, _ mode: WriteMode, _ inputs: [Input]) {
    let areChecked = inputs.contains { $0.zone != nil || $0.policy != .off && !schema.isEmpty }
    if mode == .create || !areChecked { return nil }
    (self.schema, self.mode, self.inputs) = (schema, mode, inputs)
    doubts = DoubtfulChanges(schema)
  }

  /// Returns why a change is rejected; nil if it is made.
  func refusal(of change: Change) -> Objection? {
    guard let input = input(of: change), input.policy == .reject else { return nil }
    if let objection = objection(to: change) { return objection }
    guard input.zone != nil, let lost = doubts.lostStructure(by: change) else { return nil }
    return Objection(code: Self.structureLost, message: lost)
  }

  /// Counts a change that is made despite an objection.
  func record(_ change: Change) {
    guard let input = input(of: change) else { return }
    if let zone = input.zone { doubts.record(change, in: zone) }
    guard input.policy == .warn, let code = objection(to: change)?.code else { return }
    made.withLock { made in
      let known = made[code]
      made[code] = ((known?.count ?? 0) + 1, min(known?.first ?? change.path, change.path))
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
        "\(documents) \(found.count == 1 ? was : were) \(what), the first by name \(found.first); --validate reject leaves such documents out."
    }
    return schemaLines + doubts.warnings(isDryRun: isDryRun)
  }

  /// The input of a change; nil if a journal that was altered names none.
  private func input(of change: Change) -> Input? {
    inputs.indices.contains(change.input) ? inputs[change.input] : nil
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
