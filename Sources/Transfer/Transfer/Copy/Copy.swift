package import Configuration
package import FirestoreREST
import Logging

/// Copies documents from one database to another, reading pages as of one read time and writing in a given mode.
///
/// ``prepare()`` plans the copy and writes nothing; ``run(_:)`` executes the plan.
///
///     let source = Connection(environment: production, client: client)
///     let copy = Copy(from: source, try job.options(schema), in: context)
///     let plan = try await copy.prepare()
///     try await copy.run(plan)
package struct Copy: Sendable {
  package struct Options: Sendable {
    package let job: CopyJob
    package let selection: CollectionSelection
    /// The filter of the documents; nil for all.
    package var filter: StructuredQuery.Filter?
    /// The read time of the source; nil to read each page as of the present.
    package var readTime: Timestamp?
    /// Masks the documents that are copied; nil to copy them as they are.
    package var mask: Mask?
    /// The subset to copy instead of the entire selection; nil for none.
    package var subset: Subset?
    package var limits = BatchLimits()
    /// Limits the rate of writing.
    package var pacer = WritePacer(ramp: false)
    /// The range of the source that this one of several processes copies; nil for the entire selection.
    package var part: CollectionRead?
  }

  package struct Plan: Sendable, Equatable {
    /// The scopes to copy, in their order.
    package var scopes: [CollectionScope]
    /// The number of documents in each scope as counted by the server, nil if unknown; empty for a resumed run.
    package var counts: [Int?] = []
    /// Whether subcollections add documents that cannot be counted in advance.
    package var hasMore = false
    /// The read time; nil to read each page as of the present.
    package var readTime: Timestamp?
    /// The number of documents to delete in the target.
    package var extraneous = 0
    /// The reads spent on the plan: counts, and the names on both sides if documents are deleted.
    var overhead = 0
    /// The maximum cost of the documents that are counted.
    package var cost = Cost()
    /// The reads of them that are certain.
    var leastReads = 0
    /// Whether a resumed run's cost is a minimum, because not all documents were counted.
    var isMinimum = false
    /// The names of the documents, if only a part is copied.
    var names: SubsetNames?
    /// The report on the part; nil for a copy of everything.
    package var part: SubsetReport?

    /// The number of documents, as far as they have been counted.
    package var documents: Int { counts.reduce(0) { $0 + ($1 ?? 0) } }
    /// Whether all documents are counted.
    package var isCounted: Bool { !hasMore && !counts.contains { $0 == nil } }

    /// The cost: a maximum if all documents are counted; otherwise a minimum, without writes and deletes because no document
    /// may differ, and none is deleted if one is rejected.
    package func estimate(at prices: PriceList) -> CostEstimate {
      if isCounted, !isMinimum { return CostEstimate(cost, at: prices) }
      return CostEstimate(Cost(reads: leastReads), at: prices, isMinimum: true)
    }

    /// Takes what the plan of an interrupted run came to.
    mutating func resume(at position: CopyPosition) {
      (readTime, extraneous, part) = (position.readTime, position.extraneous, part ?? position.part)
      (cost, isMinimum) = (position.cost ?? Cost(), position.isMinimum ?? true)
      leastReads = cost.reads
    }
  }

  /// What a copy did, apart from the counts of documents.
  package struct Outcome: Sendable {
    package var references: ReferenceRewriter.Counts
    /// How many documents of the target were counted as read because they were to be deleted.
    package var extraneous: [CollectionPath: Int] = [:]
  }

  package let source: Connection
  package let options: Options
  let context: RunContext
  private let elsewhere: LineList
  /// Reads back what is written, if the copy verifies.
  package let readBack: ReadBack?

  /// - Parameter context: The run context of the target, whose checkpoints make the run resumable.
  package init(from source: Connection, _ options: Options, in context: RunContext) {
    self.source = source
    self.options = options
    self.context = context
    elsewhere = LineList(context.folder.file("references.jsonl"))
    readBack =
      options.job.verifies ? ReadBack(context.client, list: context.folder.file("differences.jsonl")) : nil
  }

  /// The paths of the lists that the copy may write.
  package var lists: [String] { context.lists + [elsewhere.path] + (readBack.map { [$0.path] } ?? []) }

  // MARK: Plan

  /// Plans the copy without writing anything; from here on, a resumed run has the plan's read time.
  ///
  /// - Throws: ``Failure``: `.notPermitted` if personal data would leave a protected environment, or if more documents than
  ///   allowed would be deleted.
  package func prepare() async throws -> Plan {
    let resumed = try context.checkpoints?.resumed?.position(as: CopyPosition.self)
    let plan = try await plan(resumed)
    if resumed == nil {
      try await context.checkpoints?.begin(at: CopyPosition(plan, resuming: nil).checkpoint)
    }
    return plan
  }

  private func plan(_ resumed: CopyPosition?) async throws -> Plan {
    if let part = options.part { return try plan(of: part) }
    if let subset = options.subset { return try await plan(of: subset, resumed) }
    let scopes = try options.selection.scopes(roots: try await roots(resumed))
    try assertMayLeave(scopes.map(\.name))
    for scope in scopes { context.counts.open(scope.name) }
    var plan = Plan(scopes: scopes, readTime: options.readTime)
    if let resumed {
      plan.resume(at: resumed)
      return plan
    }
    let reads = scopes.map { scope in
      // A pattern cannot be counted in advance, and for a scope with subcollections only the collection itself is counted.
      var read = CollectionRead(scope.name)
      if scope.kind != nil { read.reach = .pattern }
      read.filter = options.filter
      read.readTime = options.readTime
      return read
    }
    for count in await source.client.quickCounts(of: reads).map({ $0?.count }) {
      plan.counts.append(count.map { min($0, options.job.limit ?? $0) })
      if let count { plan.overhead += Cost.reads(ofCounting: count) }
    }
    plan.hasMore = scopes.contains { $0.isDeep }
    if options.job.verifies { plan.cost.reads += plan.documents + plan.overhead }
    if options.job.deletesExtraneous {
      let list = try await ExtraneousDocuments(copy: self, plan: plan).list()
      plan.extraneous = list.count
      plan.overhead += list.billed
      plan.cost = plan.cost + costOfDeletions(plan)
      try assertDeletesAllowed(list.count)
    }
    addDocuments(to: &plan)
    return plan
  }

  /// Adds the cost of copying the counted documents to a plan, and what was spent on it.
  func addDocuments(to plan: inout Plan) {
    plan.leastReads = plan.overhead + plan.documents * (options.job.mode == .create ? 1 : 2)
    plan.cost = plan.cost + Cost(reads: plan.overhead + 2 * plan.documents, writes: plan.documents)
  }

  /// The cost of deleting the extraneous documents.
  ///
  /// Each is read again before, and what is below it is looked for.
  func costOfDeletions(_ plan: Plan) -> Cost {
    Cost(reads: plan.extraneous * 2, deletes: plan.extraneous)
  }

  /// Returns the plan of a part of the source, which is neither counted nor pinned here.
  private func plan(of part: CollectionRead) throws(Failure) -> Plan {
    let scope =
      part.reach == .pattern
      ? CollectionScope(pathOrPattern: part.collection)
      : CollectionScope(part.collection, isDeep: part.reach == .subcollections, kind: part.kind)
    try assertFree(scope.name)
    context.counts.open(scope.name)
    return Plan(scopes: [scope], hasMore: scope.isDeep, readTime: options.readTime)
  }

  /// Returns the reads of the source that a new copy performs.
  ///
  /// - Throws: `.inputMissing` if a pattern matches nothing.
  package func reads() async throws -> [CollectionRead] {
    if let subset = options.subset {
      var found: [CollectionRead] = []
      for root in subset.roots { found += try await reads(of: root, at: options.readTime) }
      return found
    }
    return reads(of: try options.selection.scopes(roots: try await roots(nil)))
  }

  /// Returns the reads of the source for a plan; none for a subset, which is read by name.
  package func reads(of plan: Plan) -> [CollectionRead] { plan.names == nil ? reads(of: plan.scopes) : [] }

  private func reads(of scopes: [CollectionScope]) -> [CollectionRead] {
    scopes.map { scope in
      var read = scope.read(at: options.readTime)
      if !scope.isDeep { read.filter = options.filter }
      return read
    }
  }

  private func roots(_ resumed: CopyPosition?) async throws -> [CollectionPath] {
    guard options.selection.wantsRoots else { return [] }
    // The root collections as of the beginning of the run, regardless of what was created since.
    if let checkpoint = context.checkpoints?.resumed, let resumed {
      let names = checkpoint.collections.prefix(resumed.scopes).map(\.name)
      return names.compactMap { CollectionPath($0)?.root }
    }
    return try await source.client.collectionIDs(readTime: options.readTime).compactMap { CollectionPath($0) }
  }

  private func assertDeletesAllowed(_ count: Int) throws(Failure) {
    guard let maximum = options.job.maximumDeletes, count > maximum else { return }
    let cause =
      "\(NumberText.counted(count, "document")) of the target would be deleted, and --max-delete allows \(NumberText.grouped(maximum))"
    if options.job.isDryRun {
      return context.logger.warning("\(cause): such a copy writes nothing at all.")
    }
    throw Failure(
      .notPermitted,
      "copy",
      cause: "\(cause); nothing was written",
      remedy:
        "The documents are listed in \(ExtraneousDocuments.fileName) of the run; raise --max-delete if that is right."
    )
  }

  // MARK: Execution

  /// Copies the documents, then deletes extraneous ones if requested and if everything was copied.
  ///
  /// - Throws: ``Failure``.
  package func run(_ plan: Plan) async throws -> Outcome {
    let loader = DocumentLoader(
      in: context,
      mode: options.job.mode,
      times: .kept,
      limits: options.limits,
      pacer: options.pacer,
      readBack: readBack
    )
    defer { context.progress.end() }
    context.progress.begin("copy", total: !plan.isCounted || plan.counts.isEmpty ? nil : plan.documents)
    let start = try CopyPosition(plan, resuming: context.checkpoints?.resumed)
    var references = references(from: start)
    try readBack?.resume(at: start.readBack ?? ReadBack.Counts())
    try await loader.load { intake in
      try await CopyReader(copy: self, plan: plan).forEachPage(from: start, &references) { page, position in
        try await intake.put(page)
        if let position {
          try await context.checkpoints?.mark(at: settled(position).checkpoint) {
            try await intake.drain()
          }
        }
      }
    }
    options.job.report(references.counts, to: context.client.database, context.logger)
    var outcome = Outcome(references: references.counts)
    if plan.names != nil { try forgetNames() }
    guard mayDelete(plan) else { return outcome }
    var end = settled(start)
    end.references = references.counts
    outcome.extraneous = try await ExtraneousDocuments(copy: self, plan: plan).delete(end)
    return outcome
  }

  /// Returns a position up to which everything is settled, with what was read back until then.
  private func settled(_ position: CopyPosition) -> CopyPosition {
    var position = position
    position.readBack = readBack?.counts
    return position
  }

  /// Whether extraneous documents are deleted, after the others were copied or compared.
  func mayDelete(_ plan: Plan) -> Bool {
    if plan.extraneous == 0 { return false }
    let totals = context.counts.totals
    if totals.rejected == 0, totals.conflicted == 0 { return true }
    let was = options.job.isDryRun ? "would be" : "was"
    context.logger.warning(
      "Nothing \(was) deleted in the target, because some documents could not be copied."
    )
    return false
  }

  /// Returns the rewriter of references, with the counts at a position.
  func references(from position: CopyPosition) -> CopyReferences {
    var rewriter = ReferenceRewriter(
      from: source.client.database,
      to: context.client.database,
      counts: position.references
    )
    if options.job.rewritesStorageURLs, let from = source.environment.storageBucket,
      let to = context.environment.storageBucket
    {
      rewriter.buckets = (from, to)
    }
    return CopyReferences(rewriter: rewriter, list: elsewhere)
  }
}
