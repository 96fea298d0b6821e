package import FirestoreModels
package import FirestoreREST
package import Runs
package import Schema
import Synchronization

/// Writes documents into a database by a mode: reads the current documents, decides, and commits what differs.
///
/// Each write has a precondition on what was read. Import and copy share it.
package struct DocumentLoader: Sendable {
  private let context: RunContext
  private let mode: LoadDecision
  private let limits: BatchLimits
  private let pacer: WritePacer

  /// - Parameters:
  ///   - context: The run context; each change is recorded in its journal if it has checkpoints.
  ///   - schema: The schema whose creation and update times the service sets; nil to write the documents as they are.
  package init(
    in context: RunContext,
    mode: WriteMode,
    timesOf schema: DatabaseSchema? = nil,
    limits: BatchLimits,
    pacer: WritePacer
  ) {
    self.context = context
    self.mode = LoadDecision(mode: mode, schema: schema)
    self.limits = limits
    self.pacer = pacer
  }

  /// Runs `body` with an intake for documents, and returns when each document is settled.
  ///
  /// - Throws: ``Failure``.
  package func load(_ body: (Intake) async throws -> Void) async throws {
    let incoming = Incoming()
    let delegate = LoadDelegate(context: context, mode: mode, incoming: incoming)
    try await BatchWriter.run(
      context.client,
      limits: limits,
      pacer: pacer,
      journal: context.journal,
      delegate: delegate
    ) { writer in
      let intake = Intake(context: context, mode: mode, incoming: incoming, writer: writer)
      try await body(intake)
    }
  }

  /// Accepts documents in batches of a few hundred.
  package struct Intake: Sendable {
    fileprivate let context: RunContext
    fileprivate let mode: LoadDecision
    fileprivate let incoming: Incoming
    fileprivate let writer: BatchWriter

    /// Accepts documents, waiting while too many are in flight.
    ///
    /// - Throws: ``Failure``.
    package func put(_ documents: [RawDocument]) async throws {
      try await put(documents.map { .decoded($0) })
    }

    /// Accepts documents, of which some may be encoded already; waits while too many are in flight.
    ///
    /// - Throws: ``Failure``.
    package func put(_ documents: [LoadDocument]) async throws {
      var writes: [(write: Write, before: RawDocument?)] = []
      do {
        try await decide(documents, &writes)
      } catch {
        try? await writer.submit(writes)
        throw error
      }
      try await writer.submit(writes)
    }

    private func decide(
      _ documents: [LoadDocument],
      _ writes: inout [(write: Write, before: RawDocument?)]
    ) async throws {
      var valid: [LoadDocument] = []
      valid.reserveCapacity(documents.count)
      for document in documents {
        guard case .decoded(var decoded) = document else {
          valid.append(document)
          continue
        }
        decoded.fields = decoded.fields.asStored
        if let violation = DocumentLimits.violations(of: decoded).first {
          try reject(decoded, code: "INVALID_ARGUMENT", message: violation.message)
        } else {
          valid.append(.decoded(decoded))
        }
      }
      // A document with a write in flight may be read as of before that write. This is determined before reading.
      var ambiguous = incoming.known(among: valid)
      // Mode create expects new documents: an existing one shows when it is written. A resumed run has to read first,
      // because some of the documents may be its own.
      let isBlind = mode.mode == .create && context.journal?.hasTail != true
      let current = isBlind ? [:] : try await context.client.batchGet(valid.map(\.path))
      var submitted: [LoadDocument] = []
      submitted.reserveCapacity(valid.count)
      writes.reserveCapacity(valid.count)
      // Before their writes are submitted, and even if a later document ends the run.
      defer { incoming.add(submitted) }
      for document in valid {
        let path = document.path
        let before = current.isEmpty ? nil : current[path]
        switch mode.decide(document, current: before) {
        case .unchanged where ambiguous.contains(path):
          // Its precondition fails if the write in flight changes anything, and the document is decided again.
          let precondition = before?.updateTime.map { .updateTime($0) } ?? Precondition.exists(true)
          submitted.append(document)
          writes.append((.touching(path, precondition), before))
        case .rejected where ambiguous.contains(path):
          submitted.append(document)
          writes.append((.touching(path, .exists(true)), before))
        case .unchanged:
          let own = try context.journal?.takeOwnWrite(of: path, current: before)
          context.counts.update(path.collection) {
            $0.read += 1
            if let own { $0.settle(own: own.kind) } else { $0.unchanged += 1 }
          }
        case .rejected(let error):
          try reject(document.document, code: error.status.name, message: error.message)
        case .write(let write):
          ambiguous.insert(path)
          submitted.append(document)
          writes.append((write, before))
        }
      }
    }

    /// Waits until every accepted document is settled.
    ///
    /// - Throws: ``Failure``.
    package func drain() async throws { try await writer.drain() }

    private func reject(_ document: RawDocument, code: String, message: String) throws(Failure) {
      context.counts.update(document.path.collection) {
        $0.read += 1
        $0.rejected += 1
      }
      try context.rejects.add(document.path, code: code, message: message, fields: document.fields)
      try context.counts.assertBudget()
    }
  }
}

extension Write {
  /// A write that changes no field, and fails where its precondition does not hold.
  fileprivate static func touching(_ path: DocumentPath, _ precondition: Precondition) -> Write {
    Write(path: path, operation: .update(fields: FieldMap(), mask: []), precondition: precondition)
  }
}

/// A document to write: in memory, or encoded already.
package enum LoadDocument: Sendable {
  case decoded(RawDocument)
  case encoded(EncodedDocument)

  package var path: DocumentPath {
    switch self {
    case .decoded(let document): document.path
    case .encoded(let document): document.path
    }
  }

  package var document: RawDocument {
    switch self {
    case .decoded(let document): document
    case .encoded(let document): document.document
    }
  }
}

/// Decides what is written of a document, by the mode and, where asked, with times that the service sets.
private struct LoadDecision: Sendable {
  let mode: WriteMode
  /// The schema whose times the service sets.
  let schema: DatabaseSchema?

  func decide(_ document: LoadDocument, current: RawDocument?) -> WriteMode.Decision {
    switch document {
    case .encoded(let document) where schema == nil: mode.decide(document, current: current)
    case .encoded, .decoded: decide(document.document, current: current)
    }
  }

  private func decide(_ document: RawDocument, current: RawDocument?) -> WriteMode.Decision {
    guard let collection = schema?.collection(document.path.collection), !collection.serverTimes.isEmpty
    else {
      return mode.decide(document, current: current)
    }
    // The times of the file give way to those of the document, which no comparison then finds different.
    var document = document
    for field in collection.serverTimes { document.fields[field] = current?.fields[field] }
    guard case .write(var write) = mode.decide(document, current: current) else {
      return mode.decide(document, current: current)
    }
    let updated = collection.updateTime.flatMap { $0.setter == .server ? $0.path : nil }
    let times = current == nil ? collection.serverTimes : updated.map { [$0] } ?? []
    if case .update(var fields, let mask) = write.operation {
      for field in times { fields[field] = nil }
      write.operation = .update(fields: fields, mask: mask?.filter { !times.contains($0) })
    }
    write.transforms = times.map { FieldTransform($0, .requestTime) }
    return .write(write)
  }
}

/// The documents in flight, for decisions that have to be repeated; in order if a path occurs twice.
private final class Incoming: Sendable {
  private struct Documents {
    var first: [DocumentPath: LoadDocument] = [:]
    /// The others of paths that occur more than once.
    var later: [DocumentPath: [LoadDocument]] = [:]
  }

  private let documents = Mutex(Documents())

  func add(_ added: [LoadDocument]) {
    documents.withLock { documents in
      for document in added {
        let path = document.path
        if documents.first[path] == nil {
          documents.first[path] = document
        } else {
          documents.later[path, default: []].append(document)
        }
      }
    }
  }

  func first(_ path: DocumentPath) -> LoadDocument? {
    documents.withLock { $0.first[path] }
  }

  /// The paths of documents that are in flight.
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
  let context: RunContext
  let mode: LoadDecision
  let incoming: Incoming

  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure) {
    let document = incoming.settle(write.path)
    // A document is counted as read together with its result, so that the counts of an interrupted run balance.
    context.counts.update(write.path.collection) {
      $0.read += 1
      $0.settle(write, result)
    }
    let (code, message): (String, String)
    switch result {
    case .rejected(let error): (code, message) = (error.status.name, error.message)
    case .conflicted:
      (code, message) = ("conflict", "the document kept changing while it was to be written")
    case .written, .unchanged, .skipped: return
    }
    try context.rejects.add(write.path, code: code, message: message, fields: document?.document.fields)
    try context.counts.assertBudget()
  }

  func didWrite(_ written: [(write: Write, updateTime: Timestamp?)]) async throws(Failure) {
    var rest = written[...]
    while let first = rest.first {
      // Documents mostly come collection by collection.
      let collection = first.write.path.collection
      let some = rest.prefix { $0.write.path.isIn(collection) }
      for (write, _) in some { incoming.settle(write.path) }
      context.counts.update(collection) {
        $0.read += some.count
        for (write, updateTime) in some { $0.settle(write, .written(updateTime: updateTime)) }
      }
      rest = rest[some.endIndex...]
    }
  }

  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution {
    guard let document = incoming.first(write.path) else { return .settle(.conflicted) }
    switch mode.decide(document, current: current) {
    case .unchanged: return .settle(.unchanged)
    case .rejected(let error): return .settle(.rejected(error))
    case .write(let write): return .write(write)
    }
  }
}
