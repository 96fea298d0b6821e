import FirestoreREST
import Schema

/// The fields of documents whose cells could not be used (`--parse-errors skip-field`).
///
/// A mistyped cell is no empty one: a document that is there keeps the values that it has.
package struct SkippedFields: Sendable {
  private let fields = Locked<[DocumentPath: [FieldPath]]>([:])
  private let kept = Locked<Set<DocumentPath>>([])

  func add(_ skipped: [FieldPath], of path: DocumentPath) { fields.withLock { $0[path] = skipped } }

  /// Returns the document with what the stored one has of these fields; nil where that is nothing.
  func completed(_ document: LoadDocument, from current: RawDocument) -> LoadDocument? {
    guard case .decoded(var document) = document, let fields = fields.withLock({ $0[document.path] }) else {
      return nil
    }
    let stored = fields.filter { current.fields[$0] != nil }
    if stored.isEmpty { return nil }
    for field in stored { document.fields[field] = current.fields[field] }
    kept.withLock { _ = $0.insert(document.path) }
    return .decoded(document)
  }

  /// What there is to say of them; nil where no document kept any.
  func notice(isDryRun: Bool) -> String? {
    let count = kept.withLock { $0.count }
    if count == 0 { return nil }
    let keep = isDryRun ? "would keep" : count == 1 ? "keeps" : "keep"
    return
      "\(NumberText.counted(count, "document")) \(keep) the stored values of fields whose cells were left out."
  }
}
