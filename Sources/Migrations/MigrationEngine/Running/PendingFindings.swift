import Files

/// What was found of the documents that were submitted to be written, until their writes are settled.
///
/// The writes of one document are settled in the order in which they were submitted.
final class PendingFindings: Sendable {
  /// What is known of one write.
  struct Entry: Sendable {
    var change: Change?
    var findings: [Finding] = []
    /// As ``Outcome/migration``.
    var migration: String?
  }

  private let entries = Locked<[DocumentPath: [Entry]]>([:])

  /// Records what was found of a document whose write is submitted.
  func add(_ outcome: Outcome, with change: Change) {
    let entry = Entry(change: change, findings: outcome.findings, migration: outcome.migration)
    entries.withLock { $0[change.path, default: []].append(entry) }
  }

  /// The next write of a document to be settled.
  subscript(path: DocumentPath) -> Entry {
    entries.withLock { $0[path]?.first } ?? Entry()
  }

  /// Sets another change for the next write of a document.
  ///
  /// - Returns: The change that it had; nil where none was submitted.
  func replace(with change: Change) -> Change? {
    entries.withLock { entries in
      guard let former = entries[change.path]?.first?.change else { return nil }
      entries[change.path]?[0].change = change
      return former
    }
  }

  /// Adds findings to the next write of a document, but for those that it has already.
  ///
  /// - Returns: What was added, and whether a person has to look at the document for that, and not before.
  func add(_ findings: [Finding], to path: DocumentPath) -> (new: [Finding], isFirstReview: Bool) {
    entries.withLock { entries in
      let known = entries[path]?.first?.findings ?? []
      let new = findings.filter { finding in
        !known.contains { $0.code == finding.code && $0.field == finding.field }
      }
      if entries[path] == nil { entries[path] = [Entry()] }
      entries[path]?[0].findings += new
      let isReview = { (finding: Finding) in finding.kind == .review }
      return (new, new.contains(where: isReview) && !known.contains(where: isReview))
    }
  }

  /// Removes the entry of a document's first write, which is settled.
  func take(_ path: DocumentPath) -> Entry {
    entries.withLock { entries in
      guard let list = entries[path], let first = list.first else { return Entry() }
      entries[path] = list.count > 1 ? Array(list.dropFirst()) : nil
      return first
    }
  }
}
