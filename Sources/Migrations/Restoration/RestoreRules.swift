import FirestoreREST
package import Schema

/// What becomes of one document of a restore, from how it was and how it is.
///
/// Findings: ``Code``.
package struct RestoreRules: Sendable {
  /// Why a document is left alone although it is not as it was.
  package enum Code: String {
    /// It was changed or created after the moment of `--keep-changed-since`.
    case kept
    /// The wanted state cannot know whether it was there.
    case notKnown = "not-known"
  }

  /// The reasons of changes, by what became of the document since.
  static let reasons: [RestoreJob.Accident: String] = [
    .updated: "changed-since", .deleted: "deleted-since", .created: "created-since",
  ]

  let knowledge: WantedKnowledge
  let schema: DatabaseSchema
  private let rewriter: ReferenceRewriter
  /// Whether everything below the documents is decided on, too.
  let isDeep: Bool
  package var keepsChangedSince: Timestamp?
  package var only: Set<RestoreJob.Accident> = []
  /// Documents that it selects neither as they were nor as they are are left alone.
  package var filter: DocumentFilter?

  /// - Parameter source: The database of the wanted state, references into which become those into the target; nil if unknown.
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

  /// Decides.
  ///
  /// - Parameters:
  ///   - path: That of both documents.
  ///   - wanted: The document as it was; nil if the wanted state lacks it.
  ///   - present: The document as it is; nil if there is none.
  package func outcome(of path: DocumentPath, wanted: RawDocument?, present: RawDocument?) -> Outcome {
    if let filter, ![wanted, present].contains(where: { $0.map(filter.matches) ?? false }) {
      return Outcome(.skip)
    }
    if wanted == nil, !knowledge.knowsAbsence(of: path) { return unknown(path) }
    if let until = knowledge.unchangedUntil, let time = present?.updateTime, time <= until {
      return Outcome(.unchanged)
    }
    if wanted == nil, wasThere(present) { return unknown(path) }
    let after = fields(wanted, over: present)
    if after == present?.fields { return Outcome(.unchanged) }
    let accident: RestoreJob.Accident =
      wanted == nil ? .created : present == nil ? .deleted : .updated
    if !only.isEmpty, !only.contains(accident) { return Outcome(.skip) }
    if let present, isKept(present) { return left(path, .kept, "it was changed since") }
    var reasons = Self.reasons[accident].map { [$0] } ?? []
    if after == nil, isDeep { reasons.append(SubcollectionGuard.coveringReason) }
    return Outcome(.change(Change(path: path, before: present, after: after, reasons: reasons)))
  }

  /// Whether a document that the files lack was there at their moment all the same.
  private func wasThere(_ present: RawDocument?) -> Bool {
    guard let until = knowledge.unchangedUntil, let made = present?.createTime else { return false }
    return made <= until
  }

  private func unknown(_ path: DocumentPath) -> Outcome {
    left(path, .notKnown, "the wanted state does not say whether it was there")
  }

  private func left(_ path: DocumentPath, _ code: Code, _ message: String) -> Outcome {
    Outcome(.skip, findings: [Finding(.note, path: path, code: code.rawValue, message: message)])
  }

  private func isKept(_ present: RawDocument) -> Bool {
    guard let keepsChangedSince else { return false }
    // A field that nobody declared may be what it was although the document was changed.
    let field = schema.collection(present.path.collection)?.updateTime?.path
    let own = field.flatMap { present.fields[$0]?.timestamp }
    return (own ?? present.updateTime).map { $0 > keepsChangedSince } ?? false
  }

  /// The fields that a document gets; nil to delete it.
  private func fields(_ wanted: RawDocument?, over present: RawDocument?) -> FieldMap? {
    guard let wanted else { return nil }
    var rewriter = rewriter
    let fields = rewriter.rewrite(wanted.fields.asStored)
    guard let known = knowledge.fields, var after = present?.fields else { return fields }
    for path in known { after[path] = fields[path] }
    return after
  }
}
