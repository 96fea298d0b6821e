package import FirestoreREST
package import Runs

/// The changes that restore documents: wanted and present state merged in the order of names, in constant memory.
package struct RestoreList: ChangeList {
  package let id = "restore"
  package let collections: [CollectionPath]

  private let rules: RestoreRules
  private let scopes: [CollectionScope]
  private let wanted: (side: Diff.Side, moment: Timestamp?)
  private let present: (side: Diff.Side, moment: Timestamp?)
  private let reading: ReadingSettings
  private let found: Locked<RestoreNumbers>
  private let empty = Locked<[CollectionScope]>([])
  private let seen = Locked<(last: CollectionPath?, patterns: Set<CollectionPath>)>((nil, []))
  private let progress: Progress
  private var subcollections: SubcollectionGuard.Lister?

  /// The number of outcomes that are recorded together.
  private static let width = 300
  private static let remedy =
    "Restore fewer collections at a time, or to a later moment; nothing was written."

  /// Prepares to read both states.
  ///
  /// - Parameters:
  ///   - selection: What to restore.
  ///   - state: The wanted state.
  ///   - context: The database to restore, which is read as it is now.
  /// - Throws: ``Failure`` of either side; `.inputMissing` if the wanted state contains nothing of the selection.
  package init(
    _ selection: CollectionSelection,
    to state: WantedState,
    _ rules: RestoreRules,
    reading: ReadingSettings,
    in context: DatabaseContext
  ) async throws {
    self.rules = rules
    progress = context.progress
    let (environment, client, logger) = (context.environment, context.client, context.logger)
    let now = Diff.Side.database(environment, client, at: .pinned)
    wanted = (state.side, try await state.side.moment(logger))
    present = (now, try await now.moment(logger))
    self.reading = reading
    var roots: [CollectionPath] = []
    if selection.wantsRoots {
      roots = try await state.side.roots(at: wanted.moment) + now.roots(at: present.moment)
    }
    scopes = try selection.scopes(roots: Array(Set(roots))).filter { state.knowledge.mayHold($0) }
    if scopes.isEmpty, !selection.names.isEmpty {
      throw Failure(
        .inputMissing,
        "restore",
        path: selection.names.joined(separator: ", "),
        cause: "the wanted state has nothing of it"
      )
    }
    collections = scopes.map(\.name)
    found = Locked(RestoreNumbers(at: state.moment, readAt: present.moment))
  }

  /// What was found so far.
  package var numbers: RestoreNumbers {
    var numbers = found.withLock { $0 }
    let patterns = seen.withLock { $0.patterns }.union(collections.map(\.pattern))
    numbers.collections = patterns.map(\.string).sorted()
    return numbers
  }

  /// The selected scopes, of those compared so far, of which neither side has a document.
  package var absent: [CollectionScope] { empty.withLock { $0 } }

  /// Returns the same changes, without deletions of documents that have subcollections, unless everything below is decided, too.
  package func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any ChangeList {
    var guarded = self
    guarded.subcollections = subcollections
    return guarded
  }

  package func record(
    in sink: any PlanSink,
    after position: String?,
    mark: (String) async throws -> Void
  ) async throws {
    progress.begin("compare", total: nil)
    let before = try wanted.side.pages(of: scopes, at: wanted.moment, reading: reading, orElse: Self.remedy)
    let now = try present.side.pages(of: scopes, at: present.moment, reading: reading, orElse: Self.remedy)
    for index in scopes.indices {
      var batch: [(document: RawDocument, outcome: Outcome)] = []
      var fill = BatchFill(count: Self.width)
      var isEmpty = true
      func flush() async throws {
        var outcomes = batch.map(\.outcome)
        if let subcollections { try await SubcollectionGuard.withhold(&outcomes, subcollections) }
        try await sink.record(outcomes, of: batch.map(\.document))
        batch.removeAll(keepingCapacity: true)
        fill.empty()
      }
      try await NameMerge.run { side in
        let page = try await (side == .from ? before : now).next(index)
        progress.advance(by: page?.count ?? 0)
        return page
      } _: { step in
        if let decided = decided(step) {
          isEmpty = false
          batch.append(decided)
          fill.add(bytes: decided.document.heldBytes + decided.outcome.heldBytes)
        }
        if fill.isFull { try await flush() }
      }
      try await flush()
      if isEmpty { empty.withLock { $0.append(scopes[index]) } }
    }
    // Files and mirrors are read for nothing.
    let reads = now.billed + (wanted.side.isBilled ? before.billed : 0)
    found.withLock { $0.reads += reads }
  }

  private func decided(_ step: NameMerge.Step) -> (document: RawDocument, outcome: Outcome)? {
    switch step {
    case .only(.from, let document): decided(document.path, document, nil)
    case .only(.to, let document): decided(document.path, nil, document)
    case .both(let wanted, let present): decided(wanted.path, wanted, present)
    case .needs, .finished: nil
    }
  }

  private func decided(
    _ path: DocumentPath,
    _ wanted: RawDocument?,
    _ present: RawDocument?
  ) -> (document: RawDocument, outcome: Outcome) {
    let outcome = rules.outcome(of: path, wanted: wanted, present: present)
    seen.withLock { seen in
      let collection = path.collection
      if seen.last == collection { return }
      seen.last = collection
      seen.patterns.insert(collection.pattern)
    }
    found.withLock { numbers in
      numbers.read(present: present)
      numbers.add(outcome, of: path)
    }
    return (present ?? RawDocument(path: path, fields: FieldMap()), outcome)
  }
}
