import Configuration
import Logging
import Mirror
import Schema
import Shards
import Transfer

/// `gymmigrate copy`: copies one database into another.
struct CopyCommand: JobCommand, PlacedCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy collections from one environment to another.",
    discussion: """
      Reads everything at one read time and writes what differs. References into the source's database are rewritten to \
      the target's; others are listed in references.jsonl of the run. Before the first write it says what it would do \
      and cost, and asks on a terminal. The modes are those of import.

        gymmigrate copy --catalogues --from prod --to test
        gymmigrate copy products --from stage --to test --mode upsert \\
            --delete-extraneous --max-delete 20
        gymmigrate copy --subset 'users limit 20' --from stage --to test

      People's data do not leave a protected environment without --keep-personal-data: only collections that the schema declares free of them ('personal-data: none') may be copied.
      """
  )

  @OptionGroup var selection: SelectionArguments

  @Option(
    help: "The environment to read, also at a moment: prod@2026-01-31T12:00:00Z.",
    as: TypedValue.environment.named("env[@time]")
  )
  var from: String?

  @Option(help: "The environment to write.", as: TypedValue.environment)
  var to: String?

  @Option(help: "create, upsert, merge or replace.")
  var mode = WriteMode.create

  @Flag(inversion: .prefixedNo, help: "Copy subcollections, too (default: yes, but not with --where).")
  var subcollections: Bool?

  @Option(where: "Only documents for which this holds, as 'status == paid'. Several hold together.")
  var filters: [String] = []

  @OptionGroup var zone: ZoneOptions

  @Option(help: "Maximum documents per collection (which ones: docs/filters.md).", from: 0)
  var limit: Int?

  @OptionGroup var moment: MomentOptions

  @Flag(help: "Afterwards, delete documents of the copied collections that the source does not have.")
  var deleteExtraneous = false

  @Option(help: "Write nothing at all if more documents than this would be deleted.", from: 0)
  var maxDelete: Int?

  @Flag(
    name: .customLong("rewrite-storage-urls"),
    help: "Change URLs of files in the source's bucket (storageBucket) to the target's, and count them."
  )
  var rewriteStorageURLs = false

  @Flag(help: "Let people's data leave a protected environment.")
  var keepPersonalData = false

  @OptionGroup var masking: MaskOptions
  @OptionGroup(title: "A part with what belongs to it") var part: SubsetOptions

  @Flag(help: "Read back each document that was written, and count the source at the end.")
  var verify = false

  @OptionGroup var trial: DryRunOption

  @OptionGroup(title: "How it reads") var reading: ReadingOptions

  @OptionGroup var source: FromOptions
  @OptionGroup var common: WritingOptions

  func validate() throws {
    if common.connection.environment != nil {
      throw ValidationError("A copy has two environments: name them with --from and --to, not with -e.")
    }
    if from == nil, source.fromProject == nil {
      throw ValidationError("Name the environment to read: --from.")
    }
    if to == nil, common.connection.project == nil {
      throw ValidationError("Name the environment to write: --to.")
    }
    if part.subset.isEmpty || selection.all || selection.catalogues { try selection.assertOne() }
    try part.validate(
      selection.collections,
      without: [
        ("--all", selection.all), ("--catalogues", selection.catalogues), ("--where", !filters.isEmpty),
        ("--limit", limit != nil), ("--delete-extraneous", deleteExtraneous),
      ]
    )
    try masking.validate(
      part.roots(selection.collections),
      without: [
        ("--where", !filters.isEmpty), ("--delete-extraneous", deleteExtraneous),
        ("--keep-personal-data", keepPersonalData),
      ]
    )
    try FilterArguments.validate(
      filters,
      for: selection.all || selection.catalogues ? nil : selection.collections
    )
    if subcollections == true, !filters.isEmpty {
      throw ValidationError("--subcollections takes everything: no --where.")
    }
    if deleteExtraneous, !filters.isEmpty || limit != nil {
      throw ValidationError(
        "--delete-extraneous with --where or --limit would delete what was only not asked for."
      )
    }
    if verify, trial.dryRun {
      throw ValidationError("--verify is about what was written: not with --dry-run.")
    }
    if !deleteExtraneous, maxDelete != nil {
      throw ValidationError("--max-delete is for --delete-extraneous.")
    }
  }

  func jobRun() throws -> JobRun {
    if deleteExtraneous, !trial.dryRun { try DeletionBound.assertGiven(maxDelete) }
    let known = try EnvironmentResolver(common.connection).configuration().environments.map(\.name)
    let place = try from.flatMap { try EnvironmentMoment($0, among: known, of: "--from") }
    var job = CopyJob(selection.settings)
    (job.mode, job.subcollections) = (mode, subcollections)
    (job.filters, job.timeZone, job.limit) = (filters, zone.timeZone, limit)
    job.readTime = try place?.choice(moment.readTime) ?? moment.readTime ?? .pinned
    job.reading = reading.settings
    (job.deletesExtraneous, job.maximumDeletes) = (deleteExtraneous, maxDelete)
    (job.rewritesStorageURLs, job.keepsPersonalData) = (rewriteStorageURLs, keepPersonalData)
    (job.isDryRun, job.verifies) = (trial.dryRun, verify)
    job.mask = try masking.settings()
    job.subset = part.settings(selection.collections)
    if let mask = job.mask, let roots = job.subset?.roots { job.subset?.roots = try mask.sealed(roots) }
    job.selection.collections = part.roots(selection.collections)
    var run = common.jobRun(job)
    run.source = source.connection(to: place?.name ?? from, beside: run.connection)
    run.source?.hidesNames = masking.hidesNames
    run.connection.environment = to
    return run
  }
}

extension CopyJob: DivisibleJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    try assertMayLeave(run)
    try assertMayDelete(run)
    let base = try options(run)
    let isWhole = run.part == nil
    return try await CommandRun(run).perform { session, folder in
      let copy = try await copy(base, in: session, folder, pacer: run.write.pacer(in: session))
      let isNew = session.checkpoints?.resumed == nil && isWhole
      if isNew { try await assertNotEmpty(copy, in: session) }
      let plan = try await copy.prepare()
      let prices = try await session.prices(of: run.connection)
      let cost = plan.estimate(at: prices)
      if isWhole { CopyText.say(plan, cost, of: copy, in: session) }
      var ending = CommandResult(readTime: plan.readTime, lists: copy.lists, cost: cost)
      if let part = plan.part { ending.sections.append(part) }
      if isDryRun {
        let forecast = try await copy.forecast(plan)
        let cost = CostEstimate(forecast.cost, at: prices)
        session.logger.notice("\(CopyText.forecast(forecast, cost))")
        ending.cost = cost
        ending.lists.append(folder.file("extraneous.jsonl"))
        if session.counts.totals.leavesSomething { ending.status = .incomplete }
        await warnOfEmpty(copy, plan, in: session)
        return ending
      }
      // A resumed run that wrote was confirmed when it began.
      let hasBegun = session.checkpoints.map { !$0.journal.isEmpty } ?? false
      if isWhole, !hasBegun { try Guard.ask("Copy?", with: run.confirmation) }
      let outcome = try await copy.run(plan)
      ending.sections.append(outcome.references)
      let isVerified = try await isVerified(copy, plan, without: outcome.extraneous, session)
      if let counts = copy.readBack?.counts { ending.sections.append(counts) }
      if !isVerified { ending.status = .incomplete }
      if isWhole {
        await warnOfEmpty(copy, plan, in: session)
        let copied = session.counts.collections
        warnOfPeople(in: copied, from: copy.source.environment, by: session.schema, session.logger)
      }
      return ending
    }
  }

  private func warnOfEmpty(_ copy: Copy, _ plan: Copy.Plan, in session: Session) async {
    var reads = subset == nil ? copy.reads(of: plan) : (try? await copy.reads()) ?? []
    for index in reads.indices { reads[index].readTime = plan.readTime }
    await session.reading(copy.source).warnOfUnread(reads)
  }

  /// Refuses to copy nothing, if that was requested.
  private func assertNotEmpty(_ copy: Copy, in session: Session) async throws {
    let reads = try await copy.reads()
    try await session.reading(copy.source).prepare(
      reads,
      isAll: selection.all,
      failIfEmpty: selection.failIfEmpty
    )
  }

  private func options(_ run: JobRun) throws -> Copy.Options {
    var options = try options(EnvironmentResolver(run.connection).schema())
    options.limits = run.write.limits
    options.part = run.part?.read
    if rewritesStorageURLs { try assertBuckets(run) }
    return options
  }

  private func assertMayLeave(_ run: JobRun) throws(Failure) {
    guard let source = run.source else { return }
    try Guard.assertMayLeave(EnvironmentResolver(source).environment(), isMasked: mask != nil)
  }

  /// Refuses to delete what is not in a mirror that was made of a part of its database.
  ///
  /// - Throws: `.notPermitted`.
  private func assertMayDelete(_ run: JobRun) throws(Failure) {
    guard deletesExtraneous, let source = run.source,
      let file = try EnvironmentResolver(source).environment().mirror,
      try MirrorInfo(MirrorFile(file, for: .reading)).isPartial
    else { return }
    throw Failure(
      .notPermitted,
      "delete what is not in",
      path: file,
      cause: "it was made of a part of its database: what it lacks may be there",
      remedy: "Leave --delete-extraneous out, or copy from a mirror of everything."
    )
  }

  /// Requires both environments to have a bucket.
  ///
  /// - Throws: `.configuration`.
  private func assertBuckets(_ run: JobRun) throws(Failure) {
    for side in [run.source, run.connection] {
      guard let side else { continue }
      let environment = try EnvironmentResolver(side).environment()
      if environment.storageBucket != nil { continue }
      throw Failure(
        .configuration,
        "rewrite the URLs of files",
        cause: "the environment \(environment.name) has no storageBucket",
        remedy: "Name its bucket in gymmigrate.yaml (docs/environments.md)."
      )
    }
  }

  /// Returns the copy that the options define, in a session.
  private func copy(
    _ base: Copy.Options,
    in session: Session,
    _ folder: RunDirectory,
    pacer: WritePacer = WritePacer(ramp: false)
  ) async throws -> Copy {
    guard let source = session.source else { throw Failure(.internal, "copy", cause: "there is no source") }
    var options = base
    let context = try LiteralContext(source.client.database, session.schema, in: timeZone)
    options.filter = try FilterArguments.parse(filters, in: context)
    let isMasked = mask != nil
    options.subset = try openedSubset()?.subset(isDeep: subcollections ?? true, hidesFilters: isMasked) {
      filter in
      try FilterArguments.parse([filter], in: context, of: "--subset")
    }
    if session.part == nil, session.checkpoints?.resumed == nil {
      // The filter of the copy itself has been reported already.
      session.logger.reportOmissions(by: options.subset?.roots.compactMap(\.filter) ?? [])
    }
    options.pacer = pacer
    if let part = session.part {
      options.readTime = part.plan.readTime
    } else if session.checkpoints?.resumed?.position == nil {
      options.readTime = try await session.reading(source).moment(readTime)
    }
    return Copy(from: source, options, in: session.context(folder))
  }

  // MARK: Parts

  func assertDivisible(_ run: JobRun) throws {
    try assertMayLeave(run)
    if isDryRun { throw refusal(of: "--dry-run", "nothing is written") }
    if subset != nil { throw refusal(of: "--subset or --sample", "a part is found by one process") }
    if limit != nil { throw refusal(of: "--limit", "no task knows how many documents the others have") }
    if deletesExtraneous {
      throw refusal(of: "--delete-extraneous", "--max-delete is a bound of one process")
    }
    try assertOneMoment(readTime)
    try run.write.assertDivisible()
  }

  func division(in session: Session, as run: JobRun) async throws -> ShardDivision {
    let options = try options(run)
    let folder = try RunDirectory(in: run.connection.stateDir, command: "copy")
    let copy = try await copy(options, in: session, folder)
    try await assertNotEmpty(copy, in: session)
    let plan = try await copy.prepare()
    let cost = plan.estimate(at: try await session.prices(of: run.connection))
    CopyText.say(plan, cost, of: copy, in: session)
    try Guard.ask("Copy?", with: run.confirmation)
    if CollectionScope.interleave(plan.scopes) {
      throw Failure(
        .usage,
        "divide the copy of",
        path: plan.scopes.map(\.name.string).joined(separator: ", "),
        cause: "what is named overlaps, and two tasks would write the same documents",
        remedy: "Name the outer collections only."
      )
    }
    let reads = copy.reads(of: plan)
    try ShardDivision.assertOrderedByName(reads)
    await warnOfEmpty(copy, plan, in: session)
    if verifies { session.logger.notice("\(CopyText.uncounted)") }
    return ShardDivision(reads: reads, hidesNames: mask != nil, readTime: ReadTimeChoice(plan.readTime))
  }
}

/// What a copy prints before and after.
enum CopyText {
  /// Prints what is about to be done, on one screen.
  static func say(_ plan: Copy.Plan, _ cost: CostEstimate, of copy: Copy, in session: Session) {
    let (source, options) = (copy.source, copy.options)
    var lines = [
      "\(options.job.isDryRun ? "Comparing" : "Copying") from \(description(source.environment, source.client)), as \(source.signer)",
      "\(options.job.isDryRun ? "     with" : "       to") \(description(session.environment, session.client)), as \(session.database.connection.signer)",
    ]
    if options.mask != nil { lines.append("  masked by the rules of the schema '\(session.schema.name)'") }
    if let readTime = plan.readTime { lines.append("  read at \(readTime)") }
    let subcollections = plan.hasMore ? " and what is below them" : ""
    if plan.counts.isEmpty {
      lines.append("  \(NumberText.counted(plan.scopes.count, "collection"))\(subcollections)")
    } else {
      for (scope, count) in zip(plan.scopes, plan.counts) {
        lines.append(
          "  \(scope.name): \(count.map { "\(NumberText.counted($0, "document"))" } ?? "not counted")"
        )
      }
      lines.append("  in all \(total(of: plan))\(subcollections); mode \(options.job.mode.rawValue)")
    }
    if options.job.deletesExtraneous {
      lines.append(
        "  then delete \(NumberText.counted(plan.extraneous, "document")) that the source lacks, if everything could be copied"
      )
    }
    let writes = cost.isMinimum ? ", and a write per document that differs" : ""
    let reads = cost.isMinimum && cost.cost == Cost() ? "an unknown number of reads" : cost.text
    if !plan.counts.isEmpty { lines.append("  \(reads)\(writes)") }
    for line in lines { session.logger.notice("\(line)") }
  }

  /// The number of documents, as far as known.
  private static func total(of plan: Copy.Plan) -> String {
    let known = plan.counts.compactMap { $0 }
    if known.isEmpty { return "an unknown number of documents" }
    let least = known.count < plan.counts.count ? "at least " : ""
    return least + NumberText.counted(plan.documents, "document")
  }

  private static func description(_ environment: DatabaseEnvironment, _ client: FirestoreClient) -> String {
    "\(environment.name)\(environment.isProtected ? " (protected)" : ""): project \(environment.database.project), database \(environment.database.database), \(client.endpoint)"
  }

  /// Describes what a run would do.
  static func forecast(_ forecast: Copy.Forecast, _ cost: CostEstimate) -> String {
    "A copy would create \(NumberText.grouped(forecast.created)), update \(NumberText.grouped(forecast.updated)) and delete \(NumberText.grouped(forecast.deleted)) documents: \(cost.text)."
  }
}
