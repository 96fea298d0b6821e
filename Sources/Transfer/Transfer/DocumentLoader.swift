package import FirestoreREST
import Synchronization

/// Writes documents into a database in a given mode: reads the current documents, decides what to do, and commits the
/// differences.
///
/// Each write carries a precondition on the document that was read. Imports and copies share this type.
package struct DocumentLoader: Sendable {
  fileprivate let context: RunContext
  var decision: LoadDecision
  private let limits: BatchLimits
  private let pacer: WritePacer
  /// How many more documents may be deleted.
  fileprivate let deletions: Locked<Int>
  fileprivate let readBack: ReadBack?
  /// How many documents came with a time of creation that was discarded in favor of the service's, or of the stored one.
  package let droppedTimes = Locked(0)

  /// - Parameters:
  ///   - context: The run context. If it has checkpoints, its journal records each change.
  ///   - maximumDeletes: The maximum number of documents to delete; nil for no limit.
  ///   - readBack: Compares what was written with what is stored; nil to skip the comparison.
  ///   - times: Who sets the times of creation and of the last change.
  package init(
    in context: RunContext,
    mode: WriteMode,
    times: LoadTimes,
    limits: BatchLimits,
    pacer: WritePacer,
    maximumDeletes: Int? = nil,
    readBack: ReadBack? = nil
  ) {
    (self.context, self.readBack) = (context, readBack)
    deletions = Locked(maximumDeletes ?? .max)
    decision = LoadDecision(mode: mode, times: times, schema: context.schema)
    (self.limits, self.pacer) = (limits, pacer)
  }

  /// Runs `body` with an intake for documents, and returns when every document is settled.
  ///
  /// - Throws: ``Failure``.
  package func load(_ body: (Intake) async throws -> Void) async throws {
    let incoming = Incoming()
    try await context.recordingTimes { times in
      try await BatchWriter.run(
        context.client,
        limits: limits,
        pacer: pacer,
        journal: context.journal,
        delegate: LoadDelegate(loader: self, incoming: incoming, times: times)
      ) { writer in
        try await body(Intake(loader: self, incoming: incoming, writer: writer))
      }
    }
  }

  /// Returns what ``load(_:)`` would do with documents, given the current database, without writing or counting anything.
  package func decisions(on documents: [LoadDocument]) async throws -> [WriteMode.Decision] {
    let current = try await context.client.batchGet(documents.map(\.path))
    return documents.map { document in
      if decision.drops(timeOf: document, current[document.path]) { droppedTimes.withLock { $0 += 1 } }
      return decision.decide(document, current: current[document.path])
    }
  }

  /// Accepts documents in batches of a few hundred.
  package struct Intake: Sendable {
    fileprivate let loader: DocumentLoader
    fileprivate let incoming: Incoming
    fileprivate let writer: BatchWriter

    private var context: RunContext { loader.context }

    /// Accepts documents, waiting while too many are in flight.
    ///
    /// - Throws: ``Failure``.
    package func put(_ documents: [RawDocument]) async throws {
      try await put(documents.map { .decoded($0) })
    }

    /// Accepts documents, some of which may already be encoded, waiting while too many are in flight.
    ///
    /// - Throws: ``Failure``.
    package func put(_ documents: [LoadDocument]) async throws {
      for some in documents.chunks(of: context.client.lookupSize) { try await putTogether(Array(some)) }
    }

    private func putTogether(_ documents: [LoadDocument]) async throws {
      let valid = try documents.compactMap(storable)
      // A document with a write in flight may be read in its state before that write, so this has to be determined before
      // reading.
      let inFlight = incoming.known(among: valid)
      let current = try await read(valid)
      var accepted = Accepted(inFlight, capacity: valid.count, in: context.counts)
      do {
        for document in valid { try take(document, current[document.path], into: &accepted) }
      } catch {
        // What was decided before is written even if a later document ends the run.
        incoming.add(accepted.documents)
        try? await writer.submit(accepted.changes)
        throw error
      }
      // Before their writes are submitted, because these may settle at once.
      incoming.add(accepted.documents)
      try await writer.submit(accepted.changes)
    }

    /// The documents of a batch that are written, with their changes.
    private struct Accepted {
      var documents: [LoadDocument] = []
      var changes: [Change] = []
      /// The documents whose current state is not known, because another write of them has been submitted.
      private(set) var ambiguous: Set<DocumentPath>
      private let counts: RunCounts

      init(_ ambiguous: Set<DocumentPath>, capacity: Int, in counts: RunCounts) {
        self.ambiguous = ambiguous
        self.counts = counts
        self.ambiguous.reserveCapacity(ambiguous.count + capacity)
        documents.reserveCapacity(capacity)
        changes.reserveCapacity(capacity)
      }

      mutating func add(_ document: LoadDocument, _ change: Change, isDecided: Bool = true) {
        if isDecided { ambiguous.insert(document.path) }
        documents.append(document)
        changes.append(change)
        counts.hold()
      }
    }

    /// The document as the service stores it; nil for one that exceeds its limits, which is rejected.
    private func storable(_ document: LoadDocument) throws -> LoadDocument? {
      guard case .decoded(var decoded) = document.content else { return document }
      decoded.fields = decoded.fields.asStored
      guard let violation = DocumentLimits.violations(of: decoded).first else {
        return LoadDocument(.decoded(decoded), of: document.input)
      }
      let stored = LoadDocument(.decoded(decoded), of: document.input)
      let listed = loader.decision.listed(stored)
      try context.reject(decoded.path, code: "INVALID_ARGUMENT", message: violation.message, document: listed)
      return nil
    }

    private func read(_ documents: [LoadDocument]) async throws -> [DocumentPath: RawDocument] {
      // Mode create expects new documents: the write itself reveals an existing one. A resumed run has to read first,
      // because it may have created some of the documents itself.
      let isBlind = loader.decision.mode == .create && context.journal?.hasTail != true
      return isBlind ? [:] : try await context.client.batchGet(documents.map(\.path))
    }

    private func take(_ document: LoadDocument, _ before: RawDocument?, into accepted: inout Accepted) throws
    {
      let path = document.path
      if loader.decision.drops(timeOf: document, before) { loader.droppedTimes.withLock { $0 += 1 } }
      switch try decide(document, before, isCurrent: !accepted.ambiguous.contains(path)) {
      case .unchanged where accepted.ambiguous.contains(path):
        // If the write in flight changes anything, this precondition fails, and the document is decided again.
        let change = before.map { Change(of: $0, FieldEdit()) } ?? Change(touching: path)
        accepted.add(document, change, isDecided: false)
      case .rejected where accepted.ambiguous.contains(path):
        accepted.add(document, Change(touching: path), isDecided: false)
      case .unchanged:
        let own = try context.journal?.takeOwnWrite(of: path, current: before)
        // A confirmed one is recorded from the journal when the run is resumed.
        if let own, !own.isConfirmed, let journal = context.journal,
          let recording = loader.decision.recording
        {
          recording(try journal.change(of: own))
        }
        // The interrupted run may not have read it back.
        if let own, let readBack = loader.readBack, let journal = context.journal {
          try readBack.compare(journal.change(of: own).write, at: own.updateTime, before)
        }
        context.counts.update(path.collection) {
          $0.read += 1
          if let own { $0.settle(own.kind, .written(updateTime: nil)) } else { $0.unchanged += 1 }
        }
        try context.counts.assertBudget()
      case .rejected(let error, let breach):
        try context.journal?.dropRefusedCreation(of: path, current: before)
        let code = breach ?? error.status.name
        let listed = breach == WriteMode.changedSince ? nil : loader.decision.listed(document)
        let reason = error.countedReason(breach)
        try context.reject(path, code: code, countedAs: reason, message: error.message, document: listed)
      case .change(let change) where change.isDeletion && !takesDeletion(of: path):
        let message = "it has appeared since, and more documents would be deleted than were allowed"
        try context.reject(path, code: "too-many-deletions", message: message, document: nil)
      case .change(let change):
        loader.decision.recording?(change)
        accepted.add(document, change)
      }
    }

    /// The decision about a document; one that an interrupted run has written, or may have, and somebody changed since stays.
    ///
    /// - Parameter isCurrent: Whether no write of it is in flight.
    private func decide(
      _ document: LoadDocument,
      _ before: RawDocument?,
      isCurrent: Bool
    ) throws -> WriteMode.Decision {
      let decision = loader.decision.decide(document, current: before)
      guard decision != .unchanged, let journal = context.journal, journal.hasTail else { return decision }
      if try journal.isChanged(document.path, current: before) {
        try context.noteChange(document.path)
        return .unchanged
      }
      guard case .change = decision, isCurrent,
        try journal.dropDoubtfulWrite(of: document.path, current: before)
      else { return decision }
      let doubt = "it is not known whether the run wrote it before it was interrupted"
      let error = FirestoreError(.aborted, "\(doubt), and it was changed since")
      return .rejected(error, breach: WriteMode.changedSince)
    }

    /// Whether one more document may be deleted.
    private func takesDeletion(of path: DocumentPath) -> Bool {
      // What is left of the bound leaves out the deletions that were recorded before the run was interrupted.
      if context.journal?.unmetWrite(of: path)?.kind == .delete { return true }
      return loader.deletions.withLock { left in
        defer { left -= left > 0 ? 1 : 0 }
        return left > 0
      }
    }

    /// Waits until every accepted document is settled.
    ///
    /// - Throws: ``Failure``.
    package func drain() async throws { try await writer.drain() }
  }
}

/// The documents in flight, kept for decisions that have to be repeated; documents with the same path keep their order.
private final class Incoming: Sendable {
  private struct Documents {
    var first: [DocumentPath: LoadDocument] = [:]
    /// The second and further documents of paths that occur more than once.
    var later: [DocumentPath: [LoadDocument]] = [:]
  }

  private let documents = Mutex(Documents())

  func add(_ added: [LoadDocument]) {
    documents.withLock { documents in
      for document in added {
        let path = document.path
        guard let earlier = documents.first.updateValue(document, forKey: path) else { continue }
        documents.first[path] = earlier
        documents.later[path, default: []].append(document)
      }
    }
  }

  func first(_ path: DocumentPath) -> LoadDocument? {
    documents.withLock { $0.first[path] }
  }

  /// The paths of those documents that are in flight.
  func known(among others: [LoadDocument]) -> Set<DocumentPath> {
    documents.withLock { documents in
      if documents.first.isEmpty { return [] }
      var known: Set<DocumentPath> = []
      for document in others where documents.first[document.path] != nil { known.insert(document.path) }
      return known
    }
  }

  @discardableResult
  func settle(_ path: DocumentPath) -> LoadDocument? {
    documents.withLock { documents in
      guard let settled = documents.first.removeValue(forKey: path) else { return nil }
      if !documents.later.isEmpty, var rest = documents.later[path] {
        documents.first[path] = rest.removeFirst()
        documents.later[path] = rest.isEmpty ? nil : rest
      }
      return settled
    }
  }
}

private struct LoadDelegate: BatchDelegate {
  let loader: DocumentLoader
  let incoming: Incoming
  let times: SetBackTimes

  func willCommit(_ writes: [Write]) async throws(Failure) { try await times.willWrite(writes) }

  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure) {
    let document = incoming.settle(write.path)
    let conflict = "the document kept changing while it was to be written"
    loader.context.counts.release()
    try loader.context.settle(
      write,
      result,
      conflict: conflict,
      document: document.flatMap(loader.decision.listed)
    )
  }

  func didWrite(_ written: [(write: Write, updateTime: Timestamp?)]) async throws(Failure) {
    var rest = written[...]
    while let first = rest.first {
      // Documents mostly arrive collection by collection.
      let collection = first.write.path.collection
      let some = rest.prefix { $0.write.path.isIn(collection) }
      for (write, _) in some { incoming.settle(write.path) }
      loader.context.counts.update(collection) {
        $0.read += some.count
        for (write, updateTime) in some { $0.settle(write.kind, .written(updateTime: updateTime)) }
      }
      loader.context.counts.release(some.count)
      rest = rest[some.endIndex...]
    }
    try await loader.readBack?.check(written)
    try loader.context.counts.assertBudget()
  }

  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution {
    guard let document = incoming.first(write.path) else { return .settle(.conflicted) }
    switch loader.decision.decide(document, current: current) {
    case .unchanged: return .settle(.unchanged)
    case .rejected(_, WriteMode.changedSince?): return .settle(.conflicted)
    case .rejected(let error, _): return .settle(.rejected(error))
    case .change(let change): return .change(change)
    }
  }
}
