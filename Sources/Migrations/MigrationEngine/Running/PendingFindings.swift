import Files

/// The findings about submitted documents, until their writes are settled.
///
/// The writes of one document are settled in the order in which they were submitted.
final class PendingFindings: Sendable {
  /// What is known about one write.
  struct Entry: Sendable {
    var change: Change?
    var findings: [Finding] = []
    /// As ``Outcome/migration``.
    var migration: String?
  }

  private let entries = Locked<[DocumentPath: [Entry]]>([:])

  /// Records the findings about a document whose write is submitted.
  func add(_ outcome: Outcome, with change: Change) {
    let entry = Entry(change: change, findings: outcome.findings, migration: outcome.migration)
    entries.withLock { $0[change.path, default: []].append(entry) }
  }

  /// The next write of a document to be settled.
  subscript(path: DocumentPath) -> Entry {
    entries.withLock { $0[path]?.first } ?? Entry()
  }

  /// Replaces the change of a document's next write.
  ///
  /// - Returns: The former change; nil if none was submitted.
  func replace(with change: Change) -> Change? {
    entries.withLock { entries in
      guard let former = entries[change.path]?.first?.change else { return nil }
      entries[change.path]?[0].change = change
      return former
    }
  }

  /// Adds findings to a document's next write, except for those it already has.
  ///
  /// - Returns: The added findings.
  func add(_ findings: [Finding], to path: DocumentPath) -> [Finding] {
    entries.withLock { entries in
      let known = entries[path]?.first?.findings ?? []
      let new = findings.filter { finding in
        !known.contains { $0.code == finding.code && $0.field == finding.field }
      }
      if entries[path] == nil { entries[path] = [Entry()] }
      entries[path]?[0].findings += new
      return new
    }
  }

  /// Removes and returns the entry of a document's first write, which is settled.
  func take(_ path: DocumentPath) -> Entry {
    entries.withLock { entries in
      guard let list = entries[path], let first = list.first else { return Entry() }
      entries[path] = list.count > 1 ? Array(list.dropFirst()) : nil
      return first
    }
  }
}
