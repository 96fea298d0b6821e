import FirestoreREST
package import Schema

/// Decides how one document is restored, from its wanted and its present state.
///
/// Findings: ``Code``.
package struct RestoreRules: Sendable {
  /// Why a document is left alone although it is not in the wanted state.
  package enum Code: String {
    /// It was changed or created after the moment of `--keep-changed-since`.
    case kept
    /// It is not known whether the document, or one of its fields, existed in the wanted state.
    case notKnown = "not-known"
  }

  /// The reasons of changes, by what happened to the document since.
  static let reasons: [RestoreJob.Accident: String] = [
    .updated: "changed-since", .deleted: "deleted-since", .created: "created-since",
  ]

  let knowledge: WantedKnowledge
  let schema: DatabaseSchema
  private let rewriter: ReferenceRewriter
  /// Whether everything below the documents is also decided.
  let isDeep: Bool
  package var keepsChangedSince: Timestamp?
  package var only: Set<RestoreJob.Accident> = []
  /// The filter; documents that match it in neither state are left alone.
  package var filter: DocumentFilter?

  /// - Parameter source: The database of the wanted state; references into it become references into the target. Nil if unknown.
  package init(
    _ knowledge: WantedKnowledge,
    _ schema: DatabaseSchema,
    references source: DatabaseName?,
    to target: DatabaseName,
    isDeep: Bool
  ) {
    (self.knowledge, self.schema, self.isDeep) = (knowledge, schema, isDeep)
    rewriter = ReferenceRewriter(from: source, to: target)
  }

  /// Returns the outcome for a document.
  ///
  /// - Parameters:
  ///   - path: The path of the document.
  ///   - wanted: The document in the wanted state; nil if it is not there.
  ///   - present: The present document; nil if there is none.
  package func outcome(of path: DocumentPath, wanted: RawDocument?, present: RawDocument?) -> Outcome {
    if let filter, ![wanted, present].contains(where: { $0.map(filter.matches) ?? false }) {
      return Outcome(.skip)
    }
    if wanted == nil, !knowledge.knowsAbsence(of: path) { return unknown(path) }
    if let until = knowledge.unchangedUntil, let time = present?.updateTime, time <= until {
      return Outcome(.unchanged)
    }
    if wanted == nil, wasThere(present) { return unknown(path) }
    var after = fields(wanted, over: present)
    var findings: [Finding] = []
    if !knowledge.knowsAbsentFields, let stated = after, let present {
      let merged = WriteMode.merged(present.fields, with: stated)
      if merged != stated { findings = [note(path, .notKnown, Self.moreFields)] }
      after = merged
    }
    if after == present?.fields { return Outcome(.unchanged, findings: findings) }
    let accident: RestoreJob.Accident =
      wanted == nil ? .created : present == nil ? .deleted : .updated
    if !only.isEmpty, !only.contains(accident) { return Outcome(.skip) }
    if let present, isKept(present) { return left(path, .kept, "it was changed since") }
    var reasons = Self.reasons[accident].map { [$0] } ?? []
    if after == nil, isDeep { reasons.append(SubcollectionGuard.coveringReason) }
    return Outcome(
      .change(Change(path: path, before: present, after: after, reasons: reasons)),
      findings: findings
    )
  }

  /// Whether a document that the files lack nevertheless existed at their time.
  private func wasThere(_ present: RawDocument?) -> Bool {
    guard let until = knowledge.unchangedUntil, let made = present?.createTime else { return false }
    return made <= until
  }

  private func unknown(_ path: DocumentPath) -> Outcome {
    left(path, .notKnown, "the wanted state does not say whether it was there")
  }

  private func left(_ path: DocumentPath, _ code: Code, _ message: String) -> Outcome {
    Outcome(.skip, findings: [note(path, code, message)])
  }

  private func note(_ path: DocumentPath, _ code: Code, _ message: String) -> Finding {
    Finding(.note, path: path, code: code.rawValue, message: message)
  }

  private static let moreFields =
    "it has fields of which the wanted state does not say whether they were there; they stay"

  private func isKept(_ present: RawDocument) -> Bool {
    guard let keepsChangedSince else { return false }
    // Only a declared field counts: an undeclared one may keep its value when the document changes.
    let field = schema.collection(present.path.collection)?.updateTime?.path
    let own = field.flatMap { present.fields[$0]?.timestamp }
    return (own ?? present.updateTime).map { $0 > keepsChangedSince } ?? false
  }

  /// Returns the new fields of a document; nil to delete it.
  private func fields(_ wanted: RawDocument?, over present: RawDocument?) -> FieldMap? {
    guard let wanted else { return nil }
    var rewriter = rewriter
    let fields = rewriter.rewrite(wanted.fields.asStored)
    guard let known = knowledge.fields, var after = present?.fields else { return fields }
    for path in known { after[path] = fields[path] }
    return after
  }
}
