package import Configuration
package import FirestoreModels
package import FirestoreREST
import Logging
package import Runs

/// Copies documents from one database into another: read at one moment, page by page, and written by a mode.
///
/// ``prepare()`` finds out what is to be done and writes nothing; ``run(_:)`` does it.
package struct Copy: Sendable {
  /// What to copy, and how.
  package struct Options: Sendable {
    /// The collections.
    package var selection: CollectionSelection
    /// Only documents for which this holds.
    package var filter: StructuredQuery.Filter?
    /// Documents of each collection at most, what is below it counted; all where nil.
    package var limit: Int?
    /// What happens to documents that are there.
    package var mode: WriteMode
    /// The moment to read at.
    package var readTime = ReadTimeChoice.pinned
    /// Whether documents of the copied collections that the source lacks are deleted in the target.
    package var deletesExtraneous = false
    /// Deletions at most; a copy that would make more does not begin.
    package var maximumDeletes: Int?
    /// Whether people's data may leave a protected environment.
    package var keepsPersonalData = false
    /// Whether nothing is written: everything is read, compared and counted.
    package var isDryRun = false
    /// Limits of what is written at once.
    package var limits = BatchLimits()
    /// How fast it may be written.
    package var pacer = WritePacer(ramp: false)

    /// Makes options.
    package init(selection: CollectionSelection, mode: WriteMode) {
      self.selection = selection
      self.mode = mode
    }
  }

  /// Where it reads.
  package struct Source: Sendable {
    /// The environment.
    package var environment: DatabaseEnvironment
    /// A client for it.
    package var client: FirestoreClient

    /// Makes a source.
    package init(environment: DatabaseEnvironment, client: FirestoreClient) {
      self.environment = environment
      self.client = client
    }
  }

  /// What is about to be done.
  package struct Plan: Sendable, Equatable {
    /// The parts of the database, in their order.
    package var scopes: [CollectionScope]
    /// The number of documents of each, by a count on the server, nil where it is not known; empty where a run is
    /// resumed.
    package var counts: [Int?]
    /// Whether what is below the collections comes on top of the counts, which cannot be counted beforehand.
    package var hasMore: Bool
    /// The moment to read at, nil for the present of each page.
    package var readTime: Timestamp?
    /// Documents to delete in the target.
    package var extraneous: Int
    /// Reads that were made to find this out: counts, and the names of both sides where documents are deleted.
    var overhead = 0
    /// What it costs, as far as it can be counted.
    package var cost: Cost

    /// Documents in all, as far as they are counted.
    package var documents: Int { counts.reduce(0) { $0 + ($1 ?? 0) } }
    /// Whether the documents are all counted, so that ``cost`` is a maximum; else it is a minimum.
    package var isCounted: Bool { !hasMore && !counts.contains { $0 == nil } }
  }

  let source: Source
  let options: Options
  let context: RunContext
  let personalData: PersonalDataGuard
  private let elsewhere: LineList

  /// - Parameter context: The target, and the run; its checkpoints make it resumable.
  package init(from source: Source, _ options: Options, in context: RunContext) {
    self.source = source
    self.options = options
    self.context = context
    personalData = PersonalDataGuard(of: source.environment, isOff: options.keepsPersonalData)
    elsewhere = LineList(context.folder.file("references.jsonl"))
  }

  /// The lists that it may leave.
  package var lists: [String] { [context.rejects.path, elsewhere.path] }

  // MARK: Before

  /// Finds out what is to be copied and deleted; reads only.
  ///
  /// - Throws: ``Failure``: `.notPermitted` where people's data would leave a protected environment, or where more
  ///   would be deleted than is allowed.
  package func prepare() async throws -> Plan {
    let resumed = context.checkpoints?.resumed.map { CopyPosition($0) }
    let scopes = try options.selection.scopes(roots: try await roots(resumed))
    for scope in scopes { try personalData.assertFree(scope.name) }
    for scope in scopes { context.counts.open(scope.name) }
    var plan = Plan(
      scopes: scopes,
      counts: [],
      hasMore: false,
      readTime: resumed?.readTime,
      extraneous: resumed?.extraneous ?? 0,
      cost: Cost()
    )
    if resumed != nil { return plan }
    let reads = scopes.map { scope in
      // Of a kind below the collection nothing is known beforehand; of what is below, the collection's own number.
      var read = CollectionRead(scope.name)
      if scope.kind != nil { read.reach = .pattern }
      read.filter = options.filter
      return read
    }
    for count in await source.client.quickCounts(of: reads).map({ $0?.count }) {
      plan.counts.append(count.map { min($0, options.limit ?? $0) })
      if let count { plan.overhead += Cost.reads(ofCounting: count) }
    }
    plan.hasMore = scopes.contains { $0.isDeep }
    plan.readTime = try await ReadTimePinning(
      client: source.client,
      environment: source.environment,
      logger: context.logger
    ).pin(options.readTime, probing: scopes.first?.collection)
    plan.cost.reads += plan.documents * (options.mode == .create && !options.isDryRun ? 1 : 2)
    plan.cost.writes = plan.documents
    if options.deletesExtraneous {
      let found = try await ExtraneousDocuments(self, scopes: scopes, readTime: plan.readTime).list()
      plan.extraneous = found.count
      plan.overhead += found.read
      // Each is read once more before it is deleted.
      plan.cost.reads += found.count
      plan.cost.deletes = found.count
      try assertFewEnough(found.count)
    }
    plan.cost.reads += plan.overhead
    return plan
  }

  /// The reads of the source that a new copy will make.
  ///
  /// - Throws: `.inputMissing` where a pattern matches nothing.
  package func reads() async throws -> [CollectionRead] {
    reads(of: try options.selection.scopes(roots: try await roots(nil)))
  }

  /// The reads of the source that a plan is made of.
  package func reads(of plan: Plan) -> [CollectionRead] { reads(of: plan.scopes) }

  private func reads(of scopes: [CollectionScope]) -> [CollectionRead] {
    scopes.map { scope in
      var read = scope.read
      if !scope.isDeep { read.filter = options.filter }
      return read
    }
  }

  private func roots(_ resumed: CopyPosition?) async throws -> [CollectionPath] {
    guard options.selection.wantsRoots else { return [] }
    // Those of the beginning, whatever came to be since.
    if let checkpoint = context.checkpoints?.resumed, let resumed {
      let names = checkpoint.collections.prefix(resumed.scopes).map(\.name)
      return names.compactMap { name in
        name.utf8.split(separator: UInt8(ascii: "/")).first.flatMap { CollectionPath(String(Substring($0))) }
      }
    }
    return try await source.client.collectionIDs().compactMap { CollectionPath($0) }
  }

  private func assertFewEnough(_ count: Int) throws(Failure) {
    guard let maximum = options.maximumDeletes, count > maximum, !options.isDryRun else { return }
    throw Failure(
      .notPermitted,
      "copy",
      cause:
        "\(NumberText.grouped(count)) documents of the target would be deleted, and --max-delete allows \(NumberText.grouped(maximum)); nothing was written",
      remedy:
        "They are listed in \(ExtraneousDocuments.fileName) of the run; raise --max-delete if that is right."
    )
  }

  // MARK: Doing it

  /// Copies, and then deletes what the source lacks if asked to and nothing was left behind.
  ///
  /// - Throws: ``Failure``.
  package func run(_ plan: Plan) async throws {
    let loader = DocumentLoader(
      in: context,
      mode: options.mode,
      limits: options.limits,
      pacer: options.pacer
    )
    defer { context.progress.end() }
    context.progress.begin("copy", total: !plan.isCounted || plan.counts.isEmpty ? nil : plan.documents)
    let start = CopyPosition(plan, resuming: context.checkpoints?.resumed)
    var references = references(from: start)
    try await loader.load { intake in
      if context.checkpoints?.resumed == nil { try await context.checkpoints?.begin(at: start.checkpoint) }
      try await reader.forEachPage(plan, from: start, &references) { page, position in
        try await intake.put(page)
        if let position {
          try await context.checkpoints?.mark(at: position.checkpoint) { try await intake.drain() }
        }
      }
    }
    record(references.counts)
    guard options.deletesExtraneous, plan.extraneous > 0 else { return }
    let totals = context.counts.totals
    guard totals.rejected == 0, totals.conflicted == 0 else {
      context.logger.warning("Nothing was deleted in the target, because not everything could be copied.")
      return
    }
    try await ExtraneousDocuments(self, scopes: plan.scopes, readTime: plan.readTime)
      .delete(CopyPosition(plan, resuming: context.checkpoints?.resumed))
  }

  /// What reads the source.
  var reader: CopyReader {
    CopyReader(
      client: source.client,
      filter: options.filter,
      limit: options.limit ?? .max,
      personalData: personalData,
      progress: context.progress
    )
  }

  /// What becomes of references, from a position on.
  func references(from position: CopyPosition) -> CopyReferences {
    CopyReferences(
      ReferenceRewriter(
        from: source.client.database,
        to: context.client.database,
        counts: position.references
      ),
      list: elsewhere
    )
  }

  /// Says what became of references.
  func record(_ counts: ReferenceRewriter.Counts) {
    func text(_ count: Int) -> String {
      count == 1 ? "1 reference" : "\(NumberText.grouped(count)) references"
    }
    if counts.rewritten > 0 {
      context.logger.info("Rewritten to \(context.client.database): \(text(counts.rewritten)).")
    }
    if counts.kept > 0 {
      context.logger.notice(
        "Kept as they are: \(text(counts.kept)) to other databases; see references.jsonl."
      )
    }
  }
}
