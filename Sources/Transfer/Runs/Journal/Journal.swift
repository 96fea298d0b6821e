import Files
package import FirestoreModels
package import FirestoreREST
import Platform
import Synchronization

/// `journal.jsonl`: every change that a run is about to make, on the disk before it is sent, and what became of it.
///
/// Three kinds of line, each a JSON object:
/// - the head: `{"database": …, "run": …, "serverTime": …}`, with a moment of the service's clock before the first write;
/// - a change: `{"after": {…}, "before": {…}, "createTime": …, "path": …, "reasons": […], "serverTimes": […],
///   "updateTime": …}`, `before` left out where there was no document, `after` where there is to be none;
/// - its end: `{"path": …, "result": "written", "updateTime": …}`. It is not synced, so it may be missing after a crash.
///
/// It is what `undo` restores from, and how a resumed run knows its own writes.
package final class Journal: Sendable {
  /// A moment by the service's clock before the first write of the run, where it is known.
  package let serverTime: Timestamp?
  private let file: AppendOnlyFile
  private let group: SyncGroup
  /// The tail of the part of the run that is at work, and of those that come.
  private let tails: Mutex<[JournalTail]>
  /// Bytes of the head; none where the journal is resumed and holds changes.
  private let headLength: Int

  /// Begins the journal of a new run.
  ///
  /// - Throws: `.cannotWrite`.
  package init(_ path: String, database: DatabaseName, run: String, serverTime: Timestamp?) throws(Failure) {
    file = try AppendOnlyFile(path)
    group = SyncGroup(file)
    tails = Mutex([])
    self.serverTime = serverTime
    var json = JSONWriter()
    json.object {
      $0.key("database")
      $0.string(database.description)
      $0.key("run")
      $0.string(run)
      if let serverTime {
        $0.key("serverTime")
        $0.timestamp(serverTime)
      }
    }
    headLength = json.bytes.count + 1
    try file.append(json.bytes + [UInt8(ascii: "\n")])
    try file.sync()
  }

  /// Goes on with the journal of a run that ended early: a line that was cut off is taken away, and what no checkpoint has
  /// counted is remembered as the run's own.
  ///
  /// - Throws: `.cannotWrite`.
  init(_ path: String, resuming resumption: Resumption) throws(Failure) {
    if truncate(path, off_t(resumption.length)) != 0 { throw Failure.cannotWrite(path, errno: errno) }
    serverTime = resumption.head?.serverTime
    headLength = resumption.headLength
    tails = Mutex(resumption.tails)
    file = try AppendOnlyFile(path)
    group = SyncGroup(file)
  }

  /// What a checkpoint made now keeps: the length of the file in bytes, and where the tail of an interrupted run is as
  /// long as not all of it was met again.
  var checkpoint: (length: Int, tail: [Range<Int>]) {
    (file.length, tails.withLock { $0.first.map { $0.isEmpty ? [] : $0.ranges } ?? [] })
  }

  /// Bytes that are known to be on the disk.
  var syncedLength: Int { file.syncedLength }

  /// Whether no change was ever written to it.
  package var isEmpty: Bool { file.length <= headLength && !hasTail }

  /// Appends changes and returns once they are on the disk.
  ///
  /// Calls at the same time share one sync. A change that changes nothing is left out.
  ///
  /// - Throws: `.cannotWrite`.
  package func record(_ changes: [Change]) async throws(Failure) {
    var json = JSONWriter(capacity: 512 * changes.count)
    var isEmpty = true
    for change in changes where !change.isEmpty {
      json.object { $0.members(of: change) }
      json.endLine()
      isEmpty = false
    }
    if isEmpty { return }
    try file.append(json.bytes)
    try await group.sync()
  }

  /// Appends what became of a change; what the run wrote of the document before it was interrupted is counted with it.
  ///
  /// - Throws: `.cannotWrite`.
  package func settle(_ path: DocumentPath, _ result: WriteResult) throws(Failure) {
    var json = JSONWriter()
    json.object {
      $0.key("path")
      $0.string(path.string)
      $0.key("result")
      $0.string(result.name)
      if case .written(let updateTime?) = result {
        $0.key("updateTime")
        $0.timestamp(updateTime)
      }
    }
    json.endLine()
    try file.append(json.bytes)
    tails.withLock { tails in if !tails.isEmpty { _ = tails[0].take(path) } }
  }

  /// Waits until everything is on the disk.
  ///
  /// - Throws: `.cannotWrite`.
  package func sync() async throws(Failure) { try await group.sync() }

  /// Whether there are writes from before the run was interrupted that have not been met again.
  package var hasTail: Bool { tails.withLock { $0.first?.isEmpty == false } }

  /// A write that a run made before it was interrupted.
  package struct OwnWrite: Sendable, Equatable {
    /// What it did to the document.
    package enum Kind: Sendable, Equatable {
      case creation, update, deletion
    }

    /// What it did to the document.
    package var kind: Kind
    /// The offset of its change in the journal, in bytes.
    var offset: Int
    /// Whether it is known to have been applied.
    var isConfirmed = false
  }

  /// The write by which a document is as it is, where the run made it before it was interrupted, so that it is the run's
  /// to count; each is returned once, and settled by that.
  ///
  /// A document that the run meant to create and that is older than the run was there before it; one that is older than
  /// what the run had counted when it meant to, was made and counted by it before.
  ///
  /// - Throws: `.cannotWrite`.
  package func takeOwnWrite(of path: DocumentPath, current: RawDocument?) throws(Failure) -> OwnWrite? {
    let found = tails.withLock { tails -> (OwnWrite, Timestamp?)? in
      guard !tails.isEmpty, let write = tails[0].take(path) else { return nil }
      return (write, tails[0].moment(before: write))
    }
    guard let (write, counted) = found else { return nil }
    let isOlder =
      if write.kind == .creation, let created = current?.createTime {
        serverTime.map { created < $0 } == true || counted.map { created <= $0 } == true
      } else {
        false
      }
    try settle(path, isOlder ? .unchanged : .written(updateTime: current?.updateTime))
    return isOlder ? nil : write
  }

  /// The update of a document that is as the run left it before it was interrupted, and the document as it was before that;
  /// it is taken as by ``takeOwnWrite(of:current:)``.
  ///
  /// - Throws: `.cannotWrite`, `.inputMissing`, `.inputMalformed`.
  package func takeOwnUpdate(of current: RawDocument) throws(Failure) -> (OwnWrite, before: RawDocument)? {
    guard let write = tails.withLock({ $0.first?[current.path] }), write.kind == .update else { return nil }
    let change = try change(of: write)
    guard let before = change.before, before.updateTime != current.updateTime, change.isApplied(to: current),
      let taken = try takeOwnWrite(of: current.path, current: current)
    else { return nil }
    return (taken, before)
  }

  /// The change of a write that the run made before it was interrupted, with the document as it was before.
  ///
  /// - Throws: `.inputMissing`, `.inputMalformed`.
  package func change(of write: OwnWrite) throws(Failure) -> Change {
    try JournalReader.change(at: write.offset, in: file.path)
  }

  /// The deletions that were begun before the interruption and not met again.
  package var unmetDeletions: [DocumentPath] { tails.withLock { $0.first?.deletions ?? [] } }

  /// Forgets what was not met again: the part of the run that wrote it is done, and the next one meets its own.
  package func endTail() { tails.withLock { tails in if !tails.isEmpty { tails.removeFirst() } } }
}

extension Journal: WriteJournal {
  package func claimsWrite(of path: DocumentPath, current: RawDocument?) throws(Failure) -> Bool {
    try takeOwnWrite(of: path, current: current) != nil
  }
}

extension WriteResult {
  /// The name in the journal.
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

/// Brings a file to the disk for several tasks at once: whoever asks while a sync is running shares the next one.
private actor SyncGroup {
  private let file: AppendOnlyFile
  private var waiting: [CheckedContinuation<Failure?, Never>] = []
  private var isRunning = false

  init(_ file: AppendOnlyFile) {
    self.file = file
  }

  func sync() async throws(Failure) {
    let failure = await withCheckedContinuation { continuation in
      waiting.append(continuation)
      if !isRunning { run() }
    }
    if let failure { throw failure }
  }

  private func run() {
    let served = waiting
    waiting = []
    isRunning = true
    let file = file
    // A sync blocks, so it has a thread of its own.
    BackgroundThread.start {
      var failure: Failure?
      do throws(Failure) {
        try file.sync()
      } catch {
        failure = error
      }
      for continuation in served { continuation.resume(returning: failure) }
      Task { await self.ended() }
    }
  }

  private func ended() {
    isRunning = false
    if !waiting.isEmpty { run() }
  }
}
