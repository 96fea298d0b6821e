import FirestoreREST

/// The fields of documents whose cells could not be used (`--parse-errors skip-field`).
///
/// A mistyped cell is not an empty one: an existing document keeps its values of these fields.
package struct SkippedFields: Sendable {
  private struct State {
    var fields: [DocumentPath: [FieldPath]] = [:]
    /// The documents, as a ring in which the oldest is replaced.
    var known: [DocumentPath] = []
    var oldest = 0
    /// Those that kept a value, so that a document that is decided again is counted once.
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

  /// More documents than are ever in flight at the same time.
  private static let maximum = 20_000

  private let state = Locked(State())

  /// The number of documents that kept values.
  var count: Int { state.withLock(\.count) }

  /// Continues an earlier count.
  func resume(at count: Int) { state.withLock { $0.count = count } }

  func add(_ skipped: [FieldPath], of path: DocumentPath) { state.withLock { $0.add(skipped, of: path) } }

  func fields(of path: DocumentPath) -> [FieldPath] { state.withLock { $0.fields[path] ?? [] } }

  /// Returns the document with the stored values of its skipped fields; nil if there are none.
  func completed(_ document: LoadDocument, from current: RawDocument) -> LoadDocument? {
    guard case .decoded(var decoded) = document.content,
      let fields = state.withLock({ $0.fields[document.path] })
    else { return nil }
    let stored = fields.filter { current.fields[$0] != nil }
    if stored.isEmpty { return nil }
    for field in stored { decoded.fields[field] = current.fields[field] }
    state.withLock { state in
      if state.kept.insert(document.path).inserted { state.count += 1 }
    }
    return LoadDocument(.decoded(decoded), of: document.input)
  }

  /// A sentence about the documents that kept values; nil if there are none.
  func notice(isDryRun: Bool) -> String? {
    let count = count
    if count == 0 { return nil }
    let keep = isDryRun ? "would keep" : count == 1 ? "keeps" : "keep"
    return
      "\(NumberText.counted(count, "document")) \(keep) the stored values of fields whose cells were left out."
  }
}
