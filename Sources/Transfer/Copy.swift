public import Logging
public import Models

/// Copies documents from one database into another: read at one moment, page by page, and written by a mode.
///
/// ``prepare()`` finds out what is to be done and writes nothing; ``run(_:)`` does it.
public struct Copy: Sendable {
  /// What to copy, and how.
  public struct Options: Sendable {
    /// The collections.
    public var selection: CollectionSelection
    /// Only documents for which this holds.
    public var filter: StructuredQuery.Filter?
    /// Documents of each collection at the most, what is below it counted; all where nil.
    public var limit: Int?
    /// What happens to documents that are there.
    public var mode: WriteMode
    /// The moment to read at.
    public var readTime = ReadTimeChoice.pinned
    /// Whether documents of the copied collections that the source lacks are deleted in the target.
    public var deletesExtraneous = false
    /// Deletions at the most; a copy that would make more does not begin.
    public var maximumDeletes: Int?
    /// Whether people's data may leave a protected environment.
    public var keepsPersonalData = false
    /// Whether nothing is written: everything is read, compared and counted.
    public var isDryRun = false
    /// Limits of what is written at once.
    public var limits = BatchLimits()
    /// How fast it may be written.
    public var pacer = WritePacer(ramp: false)

    /// Makes options.
    public init(selection: CollectionSelection, mode: WriteMode) {
      self.selection = selection
      self.mode = mode
    }
  }

  /// Where it reads.
  public struct Source: Sendable {
    /// The environment.
    public var environment: Environment
    /// A client for it.
    public var client: FirestoreClient

    /// Makes a source.
    public init(environment: Environment, client: FirestoreClient) {
      self.environment = environment
      self.client = client
    }
  }

  /// What is about to be done.
  public struct Plan: Sendable, Equatable {
    /// The parts of the database, in their order.
    public var scopes: [CollectionScope]
    /// The number of documents of each, by a count on the server; empty where a run is taken up again.
    public var counts: [Int]
    /// Whether what is below the collections comes on top of the counts, which cannot be counted beforehand.
    public var hasMore: Bool
    /// The moment to read at, nil for the present of each page.
    public var readTime: Timestamp?
    /// Documents to delete in the target.
    public var extraneous: Int
    /// Reads that were made to find this out: counts, and the names of both sides where documents are deleted.
    var overhead = 0
    /// What it costs at the most, as far as it can be counted.
    public var cost: Cost

    /// Documents in all, as far as they are counted.
    public var documents: Int { counts.reduce(0, +) }
  }

  /// What a dry run found that a run would do.
  public struct Forecast: Sendable, Equatable {
    /// Documents that would be made.
    public var created = 0
    /// Documents that would be changed.
    public var updated = 0
    /// Documents that would be deleted.
    public var deleted = 0
    /// What such a run would cost.
    public var cost = Cost()
  }

  let source: Source
  let target: FirestoreClient
  let options: Options
  let run: RunDirectory
  let book: AccountsBook
  let rejects: RejectList
  let checkpoints: Checkpoints?
  let progress: Progress
  let logger: Logger
  private let elsewhere: LazyList

  /// Makes a copy.
  ///
  /// - Parameters:
  ///   - run: Where its lists are.
  ///   - checkpoints: What makes it go on where it stopped; nil for a dry run.
  public init(
    from source: Source,
    to target: FirestoreClient,
    options: Options,
    run: RunDirectory,
    book: AccountsBook,
    checkpoints: Checkpoints?,
    progress: Progress,
    logger: Logger
  ) {
    self.source = source
    self.target = target
    self.options = options
    self.run = run
    self.book = book
    self.checkpoints = checkpoints
    self.progress = progress
    self.logger = logger
    rejects = RejectList(run)
    elsewhere = LazyList(run.file("references.jsonl"))
  }

  /// The lists that it may leave.
  public var lists: [String] { [rejects.path, elsewhere.path] }

  // MARK: Before

  /// Finds out what is to be copied and deleted; reads only.
  ///
  /// - Throws: ``Failure``: `.notPermitted` where people's data would leave a protected environment, or where more
  ///   would be deleted than is allowed.
  public func prepare() async throws -> Plan {
    let resumed = checkpoints?.resumed.map { CopyPlace($0) }
    let scopes = try options.selection.scopes(roots: try await roots(resumed))
    try assertNoPersonalData(in: scopes)
    for scope in scopes { book.open(scope.name) }
    var plan = Plan(
      scopes: scopes,
      counts: [],
      hasMore: false,
      readTime: resumed?.readTime,
      extraneous: resumed?.extraneous ?? 0,
      cost: Cost()
    )
    if resumed != nil { return plan }
    var countTime: Timestamp?
    for scope in scopes {
      var read = scope.read
      if scope.kind == nil { read.filter = options.filter }
      let (count, time) = try await source.client.count(read)
      countTime = time ?? countTime
      // Of a kind below the collection nothing is known beforehand.
      plan.counts.append(scope.kind == nil ? min(count, options.limit ?? count) : 0)
      plan.overhead += Cost.counting(count)
    }
    plan.hasMore = scopes.contains { $0.read.reach == .subcollections }
    plan.readTime = try await ReadTimePinning(
      client: source.client,
      environment: source.environment,
      logger: logger
    ).pin(options.readTime, countTime: countTime, probing: scopes.first?.collection)
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

  private func roots(_ resumed: CopyPlace?) async throws -> [CollectionPath] {
    guard options.selection.wantsRoots else { return [] }
    // Those of the beginning, whatever came to be since.
    if let checkpoint = checkpoints?.resumed, let resumed {
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
        "\(Progress.grouped(count)) documents of the target would be deleted, and --max-delete allows \(Progress.grouped(maximum)); nothing was written",
      remedy:
        "They are listed in \(ExtraneousDocuments.fileName) of the run; raise --max-delete if that is right."
    )
  }

  // MARK: People's data

  private var guardsPersonalData: Bool { source.environment.isProtected && !options.keepsPersonalData }

  private func assertNoPersonalData(in scopes: [CollectionScope]) throws(Failure) {
    guard guardsPersonalData else { return }
    for scope in scopes { try assertNoPersonalData(in: scope.name) }
  }

  private func assertNoPersonalData(in collection: CollectionPath) throws(Failure) {
    guard let reason = PersonalData.reason(of: collection) else { return }
    throw Failure(
      .notPermitted,
      "copy",
      path: collection.pattern.string,
      cause: "\(source.environment.name) is protected, and this collection is held back: \(reason)",
      remedy:
        "Name other collections (--catalogues are free), or give --keep-personal-data if these people's data may leave \(source.environment.name)."
    )
  }

  // MARK: Doing it

  /// Copies, and then deletes what the source lacks where that is wanted and nothing was left behind.
  ///
  /// - Throws: ``Failure``.
  public func run(_ plan: Plan) async throws {
    let loader = DocumentLoader(
      client: target,
      mode: options.mode,
      book: book,
      rejects: rejects,
      limits: options.limits,
      pacer: options.pacer,
      journal: checkpoints?.journal
    )
    defer { progress.end() }
    progress.begin("copy", total: plan.hasMore || plan.counts.isEmpty ? nil : plan.documents)
    let counts = Guarded(ReferenceRewriter.Counts())
    try await loader.load { intake in
      let start = CopyPlace(plan, resuming: checkpoints?.resumed)
      if checkpoints?.resumed == nil { try await checkpoints?.begin(at: start.checkpoint) }
      try await forEachPage(plan, from: start, counts) { page, place in
        try await intake.put(page)
        if let place { try await checkpoints?.mark(at: place.checkpoint) { try await intake.drain() } }
      }
    }
    tell(counts.withLock { $0 })
    guard options.deletesExtraneous, plan.extraneous > 0 else { return }
    let totals = book.totals
    guard totals.rejected + totals.conflicted == 0 else {
      logger.warning("Nothing was deleted in the target, because not everything could be copied.")
      return
    }
    try await ExtraneousDocuments(self, scopes: plan.scopes, readTime: plan.readTime)
      .delete(CopyPlace(plan, resuming: checkpoints?.resumed))
  }

  /// Reads and compares everything and writes nothing.
  ///
  /// - Throws: ``Failure``.
  public func forecast(_ plan: Plan) async throws -> Forecast {
    defer { progress.end() }
    progress.begin("compare", total: plan.hasMore ? nil : plan.documents)
    let forecast = Guarded(Forecast())
    let counts = Guarded(ReferenceRewriter.Counts())
    try await forEachPage(plan, from: CopyPlace(plan, resuming: nil), counts) { page, _ in
      let current = try await target.batchGet(page.map(\.path))
      for document in page {
        var document = document
        document.fields = document.fields.asStored
        var decision = options.mode.decide(document, current: current[document.path])
        if let violation = DocumentLimits.violations(of: document).first {
          decision = .rejected(FirestoreError(.invalidArgument, violation.message))
        }
        book.count(document.path.collection) {
          $0.read += 1
          switch decision {
          case .write: $0.skipped += 1
          case .unchanged: $0.unchanged += 1
          case .rejected: $0.rejected += 1
          }
        }
        forecast.withLock {
          $0.cost.reads += options.mode == .create ? 1 : 2
          guard case .write = decision else { return }
          $0.cost.writes += 1
          if current[document.path] == nil { $0.created += 1 } else { $0.updated += 1 }
        }
        if case .rejected(let error) = decision {
          try rejects.add(
            document.path,
            code: error.status.name,
            message: error.message,
            fields: document.fields
          )
        }
      }
    }
    tell(counts.withLock { $0 })
    return forecast.withLock {
      $0.deleted = plan.extraneous
      $0.cost.deletes = plan.extraneous
      $0.cost.reads += plan.overhead + plan.extraneous
      return $0
    }
  }

  private func tell(_ counts: ReferenceRewriter.Counts) {
    func references(_ count: Int) -> String {
      count == 1 ? "1 reference" : "\(Progress.grouped(count)) references"
    }
    if counts.rewritten > 0 {
      logger.info("Rewritten to \(target.database): \(references(counts.rewritten)).")
    }
    if counts.kept > 0 {
      logger.notice("Kept as they are: \(references(counts.kept)) to other databases; see references.jsonl.")
    }
  }

  /// Hands over page by page, with the place behind it where the read can go on there.
  private func forEachPage(
    _ plan: Plan,
    from start: CopyPlace,
    _ counts: Guarded<ReferenceRewriter.Counts>,
    _ body: ([RawDocument], CopyPlace?) async throws -> Void
  ) async throws {
    var place = start
    var rewriter = ReferenceRewriter(
      from: source.client.database,
      to: target.database,
      counts: start.references
    )
    for (index, scope) in plan.scopes.enumerated() where index >= start.stage {
      if index > start.stage || place.last == nil { (place.stage, place.last, place.taken) = (index, nil, 0) }
      var read = scope.read
      read.filter = options.filter
      read.readTime = plan.readTime
      read.startAfter = place.last
      let canGoOn = read.isOrderedByName
      var left = (options.limit ?? .max) - place.taken
      read.pageSize = max(1, min(read.pageSize, left))
      var pages = client(read)
      while left > 0, let page = try await next(&pages, readTime: plan.readTime) {
        try Task.checkCancellation()
        var documents: [RawDocument] = []
        for document in page where left > 0 && isMeant(document.path, index, plan.scopes) {
          documents.append(try rewritten(document, &rewriter))
          left -= 1
        }
        place.taken += documents.count
        place.last = canGoOn ? page.last?.path ?? place.last : nil
        place.references = rewriter.counts
        try await body(documents, canGoOn ? place : nil)
        progress.advance(by: documents.count)
      }
    }
    counts.withLock { [counted = rewriter.counts] in $0 = counted }
  }

  private func client(_ read: CollectionRead) -> DocumentPages.Iterator {
    source.client.pages(of: read).makeAsyncIterator()
  }

  /// The next page; what is wrong with the moment to read at is told plainly.
  private func next(
    _ pages: inout DocumentPages.Iterator,
    readTime: Timestamp?
  ) async throws -> [RawDocument]? {
    do {
      return try await pages.next()
    } catch let failure as Failure {
      guard let readTime else { throw failure }
      throw failure.explainingClosedWindow(
        since: readTime,
        remedy: "Copy again from the beginning (what is there already is not written again)"
      )
    }
  }

  private func isMeant(_ path: DocumentPath, _ index: Int, _ scopes: [CollectionScope]) -> Bool {
    scopes[index].kind == nil && scopes.count == 1
      || CollectionScope.index(of: path, in: scopes) == index
  }

  private func rewritten(
    _ document: RawDocument,
    _ rewriter: inout ReferenceRewriter
  ) throws -> RawDocument {
    if guardsPersonalData { try assertNoPersonalData(in: document.path.collection) }
    var document = document
    let kept = rewriter.counts.kept
    let fields = rewriter.rewrite(document.fields)
    if rewriter.counts.kept > kept {
      for (field, name) in rewriter.elsewhere(in: document.fields) {
        var json = JSONWriter()
        json.object {
          $0.key("field")
          $0.string(field.description)
          $0.key("path")
          $0.string(document.path.string)
          $0.key("reference")
          $0.string(name)
        }
        try elsewhere.append(json.bytes + [UInt8(ascii: "\n")])
      }
    }
    document.fields = fields
    return document
  }
}

/// Where a copy is, or is taken up again: a stage for each part of the database, and one for the deletions.
struct CopyPlace: Sendable {
  /// The index of the part; as many as there are parts for the deletions.
  var stage = 0
  /// The last document of it that was handed on.
  var last: DocumentPath?
  /// The documents of it that were handed on.
  var taken = 0
  /// The line of the list of deletions that was done last.
  var deletions = 0
  /// References that were met.
  var references = ReferenceRewriter.Counts()
  /// The number of parts.
  var scopes = 0
  /// Documents to delete.
  var extraneous = 0
  /// The moment that everything is read at.
  var readTime: Timestamp?

  init(_ plan: Copy.Plan, resuming checkpoint: Checkpoint?) {
    if let checkpoint {
      self = CopyPlace(checkpoint)
      return
    }
    scopes = plan.scopes.count
    extraneous = plan.extraneous
    readTime = plan.readTime
  }

  init(_ checkpoint: Checkpoint) {
    let counters = checkpoint.place.counters
    stage = checkpoint.place.stage
    scopes = counters["scopes"] ?? 0
    if stage < scopes {
      last = checkpoint.place.position.flatMap { DocumentPath($0) }
    } else {
      deletions = checkpoint.place.position.flatMap { Int($0) } ?? 0
    }
    taken = counters["taken"] ?? 0
    extraneous = counters["extraneous"] ?? 0
    references.rewritten = counters["references.rewritten"] ?? 0
    references.kept = counters["references.kept"] ?? 0
    if let seconds = counters["readTime.seconds"], let nanoseconds = counters["readTime.nanoseconds"] {
      readTime = Timestamp(seconds: Int64(seconds), nanoseconds: Int32(nanoseconds))
    }
  }

  var checkpoint: Checkpoints.Place {
    var counters = [
      "scopes": scopes, "taken": taken, "extraneous": extraneous,
      "references.rewritten": references.rewritten, "references.kept": references.kept,
    ]
    if let readTime {
      counters["readTime.seconds"] = Int(readTime.seconds)
      counters["readTime.nanoseconds"] = Int(readTime.nanoseconds)
    }
    let position = stage < scopes ? last?.string : String(deletions)
    return Checkpoints.Place(stage: stage, position: position, counters: counters)
  }
}
