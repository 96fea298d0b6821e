import FirestoreREST
import Schema

/// The fields of documents whose cells could not be used (`--parse-errors skip-field`).
///
/// A mistyped cell is no empty one: a document that is there keeps the values that it has.
package struct SkippedFields: Sendable {
  private struct State {
    var fields: [DocumentPath: [FieldPath]] = [:]
    /// The documents, of which the oldest makes room for the next.
    var known: [DocumentPath] = []
    var oldest = 0
    /// Those that kept a value, so that one that is decided again counts once.
    var kept: Set<DocumentPath> = []
    var count = 0

    mutating func add(_ skipped: [FieldPath], of path: DocumentPath) {
      fields[path] = skipped
      if known.count < SkippedFields.maximum { return known.append(path) }
      fields[known[oldest]] = nil
      kept.remove(known[oldest])
      known[oldest] = path
      oldest = (oldest + 1) % known.count
    }
  }

  /// More documents than are in flight at a time.
  private static let maximum = 20_000

  private let state = Locked(State())

  func add(_ skipped: [FieldPath], of path: DocumentPath) { state.withLock { $0.add(skipped, of: path) } }

  /// Returns the document with what the stored one has of these fields; nil where that is nothing.
  func completed(_ document: LoadDocument, from current: RawDocument) -> LoadDocument? {
    guard case .decoded(var document) = document, let fields = state.withLock({ $0.fields[document.path] })
    else {
      return nil
    }
    let stored = fields.filter { current.fields[$0] != nil }
    if stored.isEmpty { return nil }
    for field in stored { document.fields[field] = current.fields[field] }
    state.withLock { state in
      if state.kept.insert(document.path).inserted { state.count += 1 }
    }
    return .decoded(document)
  }

  /// What there is to say of them; nil where no document kept any.
  func notice(isDryRun: Bool) -> String? {
    let count = state.withLock(\.count)
    if count == 0 { return nil }
    let keep = isDryRun ? "would keep" : count == 1 ? "keeps" : "keep"
    return
      "\(NumberText.counted(count, "document")) \(keep) the stored values of fields whose cells were left out."
  }
}
