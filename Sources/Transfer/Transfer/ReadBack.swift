package import FirestoreREST
import Synchronization
import TypedDocuments

/// Reads documents back right after they are written, and compares them with what was sent.
///
/// The service's answer to a commit only says when each document was written. A document with another update time has been
/// written by somebody else in the meantime, which is not an error.
package final class ReadBack: Sendable {
  package struct Counts: Codable, Sendable, Equatable {
    package var asWritten = 0
    /// Written by somebody else since.
    package var changedSince = 0
    /// Missing, or with fields other than those that were sent.
    package var differing = 0
  }

  /// A line of the list.
  private struct Entry: JSONRecord {
    var cause: String
    @Text var path: DocumentPath
  }

  private struct State {
    var counts = Counts()
    /// The documents that an interrupted run listed after its last checkpoint, and that are counted already.
    var listed: Set<DocumentPath> = []
  }

  private let client: FirestoreClient
  private let list: LineList
  private let state = Mutex(State())

  /// - Parameter path: The file that lists the documents that differ, one line of JSON each: `path` and `cause`.
  package init(_ client: FirestoreClient, list path: String) {
    self.client = client
    list = LineList(path)
  }

  package var counts: Counts { state.withLock { $0.counts } }
  package var path: String { list.path }

  /// Whether any document of the run differed, including before the run was resumed.
  package var foundDifferences: Bool { counts.differing > 0 || FileCheck.exists(path) }

  /// Continues the counts of an interrupted run.
  ///
  /// What it listed after its last checkpoint stays in the list, and is not counted again as its documents are read again.
  ///
  /// - Parameter counts: The counts at the checkpoint.
  /// - Throws: `.inputMissing` if the list cannot be read.
  func resume(at counts: Counts) throws(Failure) {
    var state = State(counts: counts)
    if FileCheck.exists(path) {
      var known = counts.differing
      var lines = try LineReader(path)
      let parser = JSONParser()
      while try lines.advance() {
        // A line that a crash of the machine cut off was counted by no checkpoint.
        if let entry = try? lines.withJSON(parser, { json throws(WireError) in try Entry(json) }) {
          if known == 0 { state.listed.insert(entry.path) } else { known -= 1 }
        }
      }
    }
    state.counts.differing += state.listed.count
    self.state.withLock { [state] in $0 = state }
  }

  /// Compares confirmed writes with the documents as they are now; all lookups of a commit run at once.
  ///
  /// - Throws: ``Failure`` if the documents cannot be read or the list cannot be written.
  func check(_ written: [(write: Write, updateTime: Timestamp?)]) async throws(Failure) {
    let results = await withTaskGroup(of: Result<Void, Failure>.self) { group in
      for some in written.chunks(of: client.lookupSize) {
        group.addTask { await Result(awaiting: { () throws(Failure) in try await self.compare(some) }) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for result in results { try result.get() }
  }

  private func compare(_ written: ArraySlice<(write: Write, updateTime: Timestamp?)>) async throws(Failure) {
    let current = try await client.batchGet(written.map(\.write.path))
    for (write, updateTime) in written { try compare(write, at: updateTime, current[write.path]) }
  }

  /// Compares a confirmed write with the document as it is now, and counts the result.
  ///
  /// - Parameter updateTime: As in ``Comparison``.
  /// - Throws: `.cannotWrite`.
  func compare(_ write: Write, at updateTime: Timestamp?, _ current: RawDocument?) throws(Failure) {
    let comparison = Comparison(write, at: updateTime, current)
    let isCounted = state.withLock { state in
      if state.listed.contains(write.path) { return true }
      switch comparison {
      case .asWritten: state.counts.asWritten += 1
      case .changedSince: state.counts.changedSince += 1
      case .missing, .differs: state.counts.differing += 1
      }
      return false
    }
    guard !isCounted, let cause = comparison.cause else { return }
    try list.append(Entry(cause: cause, path: write.path).line)
  }
}

extension ReadBack.Counts: SummarySection {
  package var name: StaticString { "readBack" }
  package var line: String? { nil }

  package static func + (a: Self, b: Self) -> Self {
    Self(
      asWritten: a.asWritten.addingClamped(b.asWritten),
      changedSince: a.changedSince.addingClamped(b.changedSince),
      differing: a.differing.addingClamped(b.differing)
    )
  }
}

extension ReadBack {
  /// The result of comparing a document with a confirmed write.
  enum Comparison: Equatable {
    case asWritten, changedSince, missing, differs

    /// - Parameters:
    ///   - updateTime: The time that the service reported; nil if its answer was lost, so that the fields decide.
    ///   - current: The document as it is now; nil if it does not exist.
    init(_ write: Write, at updateTime: Timestamp?, _ current: RawDocument?) {
      if case .delete = write.operation.decoded {
        self = current == nil ? .asWritten : .changedSince
        return
      }
      guard let current else {
        self = .missing
        return
      }
      if write.isApplied(in: current) {
        self = .asWritten
      } else if let updateTime, current.updateTime == updateTime {
        self = .differs
      } else {
        self = .changedSince
      }
    }

    /// Why the document is listed; nil if it is as it should be.
    var cause: String? {
      switch self {
      case .asWritten, .changedSince: nil
      case .missing: "it is not there: the write was lost, or somebody has deleted it since"
      case .differs: "its fields are not those that were sent, and nobody has written it since"
      }
    }
  }
}
