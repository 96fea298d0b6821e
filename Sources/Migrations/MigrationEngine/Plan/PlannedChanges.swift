package import Configuration
package import Files
package import FirestoreREST

/// The changes of a plan file, to be applied exactly as planned: a document that has changed since is left alone and listed as
/// conflicted.
///
/// The file is read once, into a private copy, so that what was checked is what is applied, even if the file changes.
package struct PlannedChanges: ChangeList {
  /// The migrations that planned the changes, as in `prices+stock`.
  package let id: String
  /// Empty, because no collection is known before the file is read.
  package let collections: [CollectionPath] = []
  /// The patterns of the collections with changes.
  package let changed: Set<CollectionPath>
  /// The migrations that planned the changes, for the ledger.
  package let applied: [LedgerEntry.Applied]
  /// Whether every line names the server on which it was planned; plans of earlier versions do not.
  package let namesServer: Bool
  /// What is restored in full; nil for a plan of anything else.
  package let restored: RestoredCollections?
  package let deletions: Int
  /// The SHA-256 of the plan, after unpacking gzip, in lower-case hexadecimal.
  package var sha256: String { copy.sha256 }
  /// Lists the collections below a document to be deleted; nil to skip this check.
  var subcollections: SubcollectionGuard.Lister?
  /// Lists the collections below a document in which something would remain although the plan claims otherwise; nil to trust the
  /// plan.
  private var uncovered: SubcollectionGuard.Lister?
  /// Lists the collections below a document in which something remains that must not, once all that the plan deletes there was
  /// deleted or left; nil if nothing may remain.
  private var remaining: SubcollectionGuard.Lister?
  /// The numbers of segments of the documents whose deletions claim that everything below is also planned, largest first.
  private let depths: [Int]
  private let copy: InputCopy

  /// Reads a plan file completely, in constant memory, so that a plan that cannot be completed is never begun.
  ///
  /// - Parameters:
  ///   - file: The path; `-` is standard input.
  ///   - environment: The database to change.
  ///   - folder: The folder for the copy; nil for the folder of temporary files.
  /// - Throws: `.inputMissing`; `.inputMalformed` naming the line; `.notPermitted` if the plan was made for another database or
  ///   on another server; `.cannotWrite` if it cannot be copied.
  package init(
    file: String,
    for environment: DatabaseEnvironment,
    folder: String? = nil,
    via files: FileAccess = .local
  ) throws(Failure) {
    copy = try InputCopy(of: file, in: folder, via: files)
    var migrations: [LedgerEntry.Applied] = []
    var last: LedgerEntry.Applied?
    var (count, deletions) = (0, 0)
    var (changed, former): (Set<CollectionPath>, CollectionPath?) = ([], nil)
    var (namesServer, namesAny) = (true, false)
    var depths: Set<Int> = []
    var search = DuplicateSearch()
    var reader = try PlanFileReader(copy)
    while let line = try reader.next() {
      try line.assertFor(environment, file: file)
      if line.server == nil { namesServer = false } else { namesAny = true }
      if line.migration != last {
        migrations += line.migration.parts.filter { !migrations.contains($0) }
        last = line.migration
      }
      count += 1
      if line.change.isDeletion { deletions += 1 }
      if line.change.path.collection != former {
        former = line.change.path.collection
        changed.insert(line.change.path.collection.pattern)
      }
      if let depth = line.change.coveredDepth { depths.insert(depth) }
      try search.add(line.change.path, at: DuplicateSearch.Place(file: 0, line: line.number))
    }
    try Self.refuseDuplicates(search, of: file)
    // Earlier versions named no server and wrote no end.
    if reader.end == nil, namesAny || count == 0 {
      throw Failure(
        .inputMalformed,
        "read the plan",
        path: file,
        cause: count == 0 ? "it is empty" : "its end is missing, behind line \(count), and lines may be, too",
        remedy: PlanFileReader.remedy
      )
    }
    applied = migrations
    restored = reader.end?.restored
    self.namesServer = namesServer
    self.depths = depths.sorted(by: >)
    (self.changed, self.deletions) = (changed, deletions)
    id = migrations.isEmpty ? "plan" : migrations.map(\.id).joined(separator: "+")
  }

  /// Refuses a plan that has a document twice, because each line depends on the document as it was read.
  private static func refuseDuplicates(
    _ search: consuming DuplicateSearch,
    of file: String
  ) throws(Failure) {
    var first: (earlier: Int, later: Int)?
    try search.forEachPair { earlier, later in
      if first.map({ later.line < $0.later }) ?? true { first = (earlier.line, later.line) }
    }
    guard let first else { return }
    throw Failure(
      .inputMalformed,
      "read the plan",
      path: file,
      cause: "line \(first.later) changes the same document as line \(first.earlier)",
      remedy: "Plan again with 'migrate plan -o'."
    )
  }

  /// Returns the same changes for a plan of unknown origin: a claim that everything below a document is also deleted is verified.
  package func checked(in client: FirestoreClient) async throws -> PlannedChanges {
    if depths.isEmpty { return self }
    let deletions = try await PlannedDeletions(of: try PlanFileReader(copy))
    var checked = self
    checked.uncovered = { try await deletions.collections(leftBelow: $0, in: client) }
    return checked
  }

  /// Returns the same changes for a plan that decided on everything below the documents that it deletes: what it left there may
  /// stay, and what came since may not lose its parent.
  ///
  /// - Parameter time: When the plan's documents were read, by the service's clock; nil if unknown.
  package func decided(at time: Timestamp?, in client: FirestoreClient) async throws -> PlannedChanges {
    if depths.isEmpty { return self }
    let planned = try await PlannedDeletions(of: try PlanFileReader(copy))
    var decided = self
    decided.remaining = SubcollectionGuard.lister(client) {
      try await planned.unforeseen(of: $0, since: time)
    }
    return decided
  }

  package func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any ChangeList {
    var guarded = self
    guarded.subcollections = subcollections
    return guarded
  }

  /// Records each change, except for deletions of documents that have subcollections; those of a transaction together.
  ///
  /// Deletions that claim to cover everything below come last, deepest first: what lies below is settled before it is looked for.
  /// Positions are line numbers, with the number of segments before those of such deletions.
  package func record(
    in sink: any PlanSink,
    after position: String?,
    mark: (String) async throws -> Void
  ) async throws {
    let done = position.flatMap { Position($0) }
    if done?.depth == nil {
      try await record(nil, in: sink, after: done?.line ?? 0, uncovered: nil, mark: mark)
    }
    for depth in depths {
      if let last = done?.depth, last < depth { continue }
      let isWritten = try await sink.drain()
      try await record(
        depth,
        in: sink,
        after: done?.depth == depth ? done?.line ?? 0 : 0,
        uncovered: isWritten ? remaining ?? subcollections : uncovered,
        mark: mark
      )
    }
  }

  /// A position in the order in which changes are recorded.
  private struct Position: CustomStringConvertible {
    /// As ``Change/coveredDepth``.
    var depth: Int?
    var line: Int

    init(_ depth: Int?, line: Int) { (self.depth, self.line) = (depth, line) }

    init?(_ text: String) {
      let parts = text.split(separator: "/", maxSplits: 1)
      guard let last = parts.last, let line = Int(count: last) else { return nil }
      self.init(parts.count > 1 ? Int(count: parts[0]) : nil, line: line)
    }

    var description: String { depth.map { "\($0)/\(line)" } ?? "\(line)" }
  }

  /// Records the changes of one ``Change/coveredDepth``.
  private func record(
    _ depth: Int?,
    in sink: any PlanSink,
    after done: Int,
    uncovered: SubcollectionGuard.Lister?,
    mark: (String) async throws -> Void
  ) async throws {
    var reader = try PlanFileReader(copy)
    var count = 0
    var outcomes: [Outcome] = []
    var documents: [RawDocument] = []
    var fill = BatchFill(count: SubcollectionGuard.width)
    func recordAll() async throws {
      if let subcollections {
        try await SubcollectionGuard.withhold(&outcomes, subcollections, uncovered: uncovered)
      }
      let written = try await sink.current(ofWritten: documents.map(\.path))
      for (document, outcome) in zip(documents, outcomes) {
        guard let now = written[document.path] else {
          try await sink.record(outcome, of: document)
          continue
        }
        let gone = RawDocument(path: document.path, fields: FieldMap())
        try await sink.record(outcome.leftTo(now), of: now ?? gone)
      }
      outcomes.removeAll(keepingCapacity: true)
      documents.removeAll(keepingCapacity: true)
      fill.empty()
    }
    var transaction: (number: Int, changes: [Change], migration: String)?
    func recordTransaction() async throws {
      guard let (_, changes, migration) = transaction.take() else { return }
      try await sink.record(decision(on: changes, by: migration))
    }
    while let line = try reader.next() {
      let change = line.change
      if line.number <= done || change.coveredDepth != depth { continue }
      if line.transaction != transaction?.number { try await recordTransaction() }
      if let number = line.transaction {
        if transaction == nil { transaction = (number, [], line.migration.id) }
        transaction?.changes.append(change)
        continue
      }
      outcomes.append(Outcome(.change(change), migration: line.migration.id))
      documents.append(change.before ?? RawDocument(path: change.path, fields: FieldMap()))
      fill.add(bytes: change.heldBytes)
      count += 1
      let isStop = count.isMultiple(of: 100)
      if isStop || fill.isFull { try await recordAll() }
      if isStop { try await mark(Position(depth, line: line.number).description) }
    }
    try await recordTransaction()
    try await recordAll()
  }

  /// Decides on changes that are written together: if a document stays as it is, so do the others.
  private func decision(on changes: [Change], by migration: String) -> JointDecision {
    JointDecision(path: changes[0].path) { [subcollections] reader in
      var present: [DocumentPath: RawDocument] = [:]
      for some in changes.chunks(of: 100) {
        try await present.merge(reader.documents(some.map(\.path))) { $1 }
      }
      var outcomes = changes.map { change in
        let current = present[change.path]
        if change.isApplied(to: current) { return Outcome(.unchanged, migration: migration) }
        let isSame = change.before?.updateTime == current?.updateTime
        return Outcome(isSame ? .change(change) : .conflict, migration: migration)
      }
      if let subcollections { try await SubcollectionGuard.withhold(&outcomes, subcollections) }
      if outcomes.contains(where: { [.skip, .conflict].contains($0.action) }) {
        for (index, change) in changes.enumerated() where outcomes[index].change != nil {
          outcomes[index].action = .conflict
          outcomes[index].findings.append(.conflict(change.path, .otherStays))
        }
      }
      return zip(changes, outcomes).map { change, outcome in
        (present[change.path] ?? RawDocument(path: change.path, fields: FieldMap()), outcome)
      }
    }
  }
}

extension Change {
  /// The number of segments of the document if it is deleted with everything below; nil for other changes.
  fileprivate var coveredDepth: Int? { isDeletion && coversAllBelow ? path.segments.count : nil }
}

extension Outcome {
  /// Returns what remains of a change to a document that has changed meanwhile.
  fileprivate func leftTo(_ current: RawDocument?) -> Outcome {
    guard case .change(let change) = action, change.isApplied(to: current) else { return self }
    return Outcome(.unchanged, findings: findings, migration: migration)
  }
}

extension PlanFileReader.Line {
  /// - Throws: `.notPermitted` if the line was planned for another database, or on another server.
  fileprivate func assertFor(_ environment: DatabaseEnvironment, file: String) throws(Failure) {
    let isSame = database == environment.database
    if isSame, server.map({ environment.isServed(by: $0) }) ?? true { return }
    let (here, there) = (environment.server, server ?? environment.server)
    throw Failure(
      .notPermitted,
      "apply the plan",
      path: file,
      cause: isSame
        ? "it was made for \(database) at \(there), and the environment is at \(here)"
        : "it was made for \(database), and this is \(environment.database)",
      remedy: "Plan again on the database that is to be changed."
    )
  }
}
