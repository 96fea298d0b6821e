import Files
package import FirestoreREST
import Platform
import Synchronization

/// `journal.jsonl`: every change that a run makes, synced to disk before it is sent, and its result.
///
/// It is used to undo a run, and lets a resumed run recognize its own writes. A change is recorded, sent and then settled:
///
///     try await journal.record([Change(path: path, before: nil, after: document)])
///     // ... the commit ...
///     try journal.settle(path, .written(updateTime: updateTime))
///
/// There are three kinds of lines, each a JSON object:
/// - the head: `{"database": …, "run": …, "serverTime": …}`, with a time by the service's clock before the first write;
/// - a change: `{"after": {…}, "before": {…}, "createTime": …, "input": …, "path": …, "reasons": […],
///   "serverTimes": […], "transaction": …, "updateTime": …}`, without `before` for a creation, without `after` for a
///   deletion, and with `input` only for a change that an import has from its second file or sheet, or a later one; the
///   changes of a Firestore transaction share a number that is unique in the journal, and other changes have none;
/// - a result: `{"path": …, "result": "written", "updateTime": …}`. It is not synced, so it may be missing after a crash.
package final class Journal: Sendable {
  /// A time by the service's clock before the first write of the run; nil if unknown.
  package let serverTime: Timestamp?
  private let file: AppendOnlyFile
  private let group: SyncGroup
  private let tail: Mutex<JournalTail>
  /// The length of the head in bytes.
  private let headLength: Int
  /// The number of the next transaction.
  ///
  /// It starts at the length of the file, which grows by more than one for each transaction, so that a resumed run repeats
  /// none.
  private let nextTransaction: Mutex<Int>

  /// Creates the journal of a new run and writes its head.
  ///
  /// - Throws: `.cannotWrite`.
  package init(_ path: String, database: DatabaseName, run: String, serverTime: Timestamp?) throws(Failure) {
    file = try AppendOnlyFile(path)
    group = SyncGroup(file)
    tail = Mutex(JournalTail())
    self.serverTime = serverTime
    let head = JSONWriter.object {
      $0.member("database", database.description)
      $0.member("run", run)
      $0.member("serverTime", serverTime)
    }
    headLength = head.count + 1
    nextTransaction = Mutex(headLength)
    try file.append(head + [UInt8(ascii: "\n")])
    try file.sync()
  }

  /// Continues the journal of an interrupted run: truncates a torn last line and keeps the journal tail.
  ///
  /// - Throws: `.cannotWrite`.
  init(_ path: String, resuming resumption: Resumption) throws(Failure) {
    if truncate(path, off_t(resumption.length)) != 0 { throw Failure.cannotWrite(path, errno: errno) }
    serverTime = resumption.head?.serverTime
    headLength = resumption.headLength
    tail = Mutex(resumption.tail)
    nextTransaction = Mutex(resumption.length)
    file = try AppendOnlyFile(path)
    group = SyncGroup(file)
  }

  /// The data for a checkpoint at this point.
  ///
  /// It is the length of the file in bytes, and the ranges of an interrupted run's journal tail until all its documents
  /// have been read again.
  var checkpoint: (length: Int, tail: [Range<Int>]) {
    (file.length, tail.withLock { $0.isEmpty ? [] : $0.ranges })
  }

  /// The number of bytes that are known to be on disk.
  package var syncedLength: Int { file.syncedLength }

  /// Whether the journal holds no change.
  package var isEmpty: Bool { file.length <= headLength && !hasTail }

  /// As ``JournalReader/hasWrite(_:)``; reads the file up to the first write that was confirmed.
  package var hasWrite: Bool { JournalReader.hasWrite(file.path) }

  /// Appends changes, and returns once they are on disk.
  ///
  /// Concurrent calls share one sync. Empty changes are left out.
  ///
  /// - Throws: `.cannotWrite`.
  package func record(_ changes: [Change]) async throws(Failure) { try await record(changes, in: nil) }

  /// Appends the changes of one transaction, and returns once they are on disk.
  ///
  /// - Throws: `.cannotWrite`.
  package func record(transaction changes: [Change]) async throws(Failure) {
    let number = nextTransaction.withLock { next in
      next += 1
      return next
    }
    try await record(changes, in: number)
  }

  private func record(_ changes: [Change], in transaction: Int?) async throws(Failure) {
    let changes = changes.filter { !$0.isEmpty }
    if changes.isEmpty { return }
    try append(changes, in: transaction)
    try await group.sync()
  }

  /// Appends changes: those of a transaction at once, others piece by piece, because they are larger than their documents.
  private func append(_ changes: [Change], in transaction: Int?) throws(Failure) {
    var json = JSONWriter(capacity: min(Self.piece, changes.reduce(0) { $0 + $1.estimatedBytes }))
    for change in changes {
      json.object { $0.members(of: change, transaction: transaction) }
      json.endLine()
      if transaction != nil || json.bytes.count < Self.piece { continue }
      try file.append(json.bytes)
      json.removeAll()
    }
    if !json.bytes.isEmpty { try file.append(json.bytes) }
  }

  /// The number of bytes of changes that are written together.
  private static let piece = 256 << 10

  /// Appends the results of changes; writes of the same documents in the journal tail count as settled, too.
  ///
  /// - Throws: `.cannotWrite`.
  package func settle(_ results: [(path: DocumentPath, result: WriteResult)]) throws(Failure) {
    var json = JSONWriter(capacity: 128 * results.count)
    for (path, result) in results {
      json.object {
        $0.member("path", path.string)
        $0.member("result", result.name)
        if case .written(let updateTime?) = result {
          $0.member("updateTime", updateTime)
        }
      }
      json.endLine()
    }
    try file.append(json.bytes)
    tail.withLock { tail in for (path, _) in results { _ = tail.take(path) } }
  }

  /// Waits until every line is on disk.
  ///
  /// - Throws: `.cannotWrite`.
  package func sync() async throws(Failure) { try await group.sync() }

  /// Whether the journal tail holds writes whose documents have not been read again.
  package var hasTail: Bool { tail.withLock { !$0.isEmpty } }

  /// Returns the journal tail's write of a document that has not been read again, without claiming it; nil if there is none.
  package func unmetWrite(of path: DocumentPath) -> OwnWrite? { tail.withLock { $0[path] } }

  /// A write that the run made before it was interrupted.
  package struct OwnWrite: Sendable, Equatable {
    package var kind: Change.Kind
    /// The offset of its change in the journal, in bytes.
    var offset: Int
    /// The number of the transaction that combines its change with others; nil if none.
    package var transaction: Int?
    /// Whether the journal confirms that it was applied.
    package var isConfirmed = false
    /// The update time that it set, if it is confirmed and the service reported it.
    package var updateTime: Timestamp?
  }

  /// Claims the interrupted run's own write of a document, so that it is counted as written; nil if there is none.
  ///
  /// Each write is returned once and settled. A creation is not the run's own if the document is older than the run, or
  /// older than what the run had counted when it recorded the creation: then the document existed before, or has been
  /// counted. The document's update time counts as that of the write only if the document is as the write left it.
  ///
  /// - Throws: `.cannotWrite`, `.inputMissing`, `.inputMalformed`.
  package func takeOwnWrite(of path: DocumentPath, current: RawDocument?) throws(Failure) -> OwnWrite? {
    let claimed = tail.withLock { tail in tail.take(path).map { ($0, tail.time(before: $0)) } }
    guard let (write, counted) = claimed else { return nil }
    let isOlder = isOlder(current, than: write, counted: counted)
    var time: Timestamp?
    if !isOlder, try change(of: write).isApplied(to: current) { time = current?.updateTime }
    try settle(path, isOlder ? .unchanged : .written(updateTime: time))
    return isOlder ? nil : write
  }

  private func isOlder(_ current: RawDocument?, than write: OwnWrite, counted: Timestamp?) -> Bool {
    guard write.kind == .create, let created = current?.createTime else { return false }
    return serverTime.map { created < $0 } == true || counted.map { created <= $0 } == true
  }

  /// Settles the interrupted run's creation of a document that is older than it, so that an undo knows that it was not applied,
  /// whatever becomes of the document.
  ///
  /// - Throws: `.cannotWrite`, `.inputMissing`, `.inputMalformed`.
  package func dropRefusedCreation(of path: DocumentPath, current: RawDocument?) throws(Failure) {
    let unmet = tail.withLock { tail in tail[path].map { ($0, tail.time(before: $0)) } }
    guard let (write, counted) = unmet, isOlder(current, than: write, counted: counted) else { return }
    _ = try takeOwnWrite(of: path, current: current)
  }

  /// Whether somebody has written or deleted a document since the interrupted run's own write, if the journal confirms that.
  ///
  /// If so, the run's work on it is done, and repeating it would overwrite the other write.
  ///
  /// - Parameter current: The document as it is now; nil if it does not exist.
  /// - Throws: `.inputMissing`, `.inputMalformed`.
  package func isChanged(_ path: DocumentPath, current: RawDocument?) throws(Failure) -> Bool {
    guard let write = unmetWrite(of: path), write.isConfirmed else { return false }
    guard let current else { return write.kind != .delete }
    if write.kind == .delete { return true }
    if let time = write.updateTime, let now = current.updateTime { return now != time }
    return try !change(of: write).isApplied(to: current)
  }

  /// Drops the interrupted run's write of a document if it is not known whether it was applied, because somebody has written
  /// the document since; the document is then to be left as it is.
  ///
  /// The journal gets no result, so that an undo restores what the run found once the other write is undone.
  ///
  /// - Throws: `.inputMissing`, `.inputMalformed`.
  package func dropDoubtfulWrite(of path: DocumentPath, current: RawDocument?) throws(Failure) -> Bool {
    guard let write = unmetWrite(of: path), !write.isConfirmed,
      try change(of: write).isInDoubt(current)
    else { return false }
    // A second write of the same document may have been decided before the first one.
    let earlier = tail.withLock { $0.confirmedWrite(before: path) }
    if let time = earlier?.updateTime, time == current?.updateTime { return false }
    tail.withLock { $0.drop(write, of: path) }
    return true
  }

  /// Claims the interrupted run's own update of a document, with the document as it was before.
  ///
  /// The result is nil unless the current document is the result of that update; otherwise it is as for
  /// ``takeOwnWrite(of:current:)``.
  ///
  /// - Throws: `.cannotWrite`, `.inputMissing`, `.inputMalformed`.
  package func takeOwnUpdate(of current: RawDocument) throws(Failure) -> (OwnWrite, before: RawDocument)? {
    guard let write = unmetWrite(of: current.path), write.kind == .update else { return nil }
    let change = try change(of: write)
    guard let before = change.before, before.updateTime != current.updateTime, change.isApplied(to: current),
      let taken = try takeOwnWrite(of: current.path, current: current)
    else { return nil }
    return (taken, before)
  }

  /// Returns the recorded change of a write, with its before-image.
  ///
  /// - Throws: `.inputMissing`, `.inputMalformed`.
  package func change(of write: OwnWrite) throws(Failure) -> Change {
    try JournalReader.change(at: write.offset, in: file.path)
  }

  /// The deletions of the journal tail whose documents have not been read again.
  package var unmetDeletions: [DocumentPath] { tail.withLock { $0.deletions } }

  /// The writes of the journal tail whose documents have not been read again, in the order of the journal.
  package var unmetWrites: [OwnWrite] { tail.withLock { $0.unmetWrites } }

  /// Drops what remains of the tail, because its stage is complete.
  package func endTail() { tail.withLock { $0 = JournalTail() } }
}

extension Journal: WriteJournal {
  package func claimsWrite(of path: DocumentPath, current: RawDocument?) throws(Failure) -> Bool {
    try takeOwnWrite(of: path, current: current) != nil
  }
}

extension WriteResult {
  /// All that ``name`` can be.
  static let names = ["written", "rejected", "conflicted", "unchanged", "skipped"]

  /// The name of the result in the journal.
  var name: String {
    switch self {
    case .written: "written"
    case .rejected: "rejected"
    case .conflicted: "conflicted"
    case .unchanged: "unchanged"
    case .skipped: "skipped"
    }
  }
}

extension JSONWriter {
  /// Ends a line of JSON Lines.
  mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    beginLine()
  }
}

/// Syncs a file for several tasks at once: requests that arrive during a sync share the next one.
private actor SyncGroup {
  private let file: AppendOnlyFile
  private var waiting: [CheckedContinuation<Result<Void, Failure>, Never>] = []
  private var isRunning = false

  init(_ file: AppendOnlyFile) {
    self.file = file
  }

  func sync() async throws(Failure) {
    try await withCheckedContinuation { continuation in
      waiting.append(continuation)
      if !isRunning { run() }
    }.get()
  }

  private func run() {
    let served = waiting
    waiting = []
    isRunning = true
    let file = file
    // Syncing blocks, so it runs on a separate thread.
    BackgroundThread.start {
      let result = Result { () throws(Failure) in try file.sync() }
      for continuation in served { continuation.resume(returning: result) }
      Task { await self.ended() }
    }
  }

  private func ended() {
    isRunning = false
    if !waiting.isEmpty { run() }
  }
}
