package import FirestoreREST
import Logging
import Schema
package import Tables

/// What to do with lines and rows that cannot be read (`--parse-errors`).
package enum ParseErrorPolicy: String, Codable, Sendable, CaseIterable {
  /// Check all input first, and write nothing if there is any error.
  case stop
  /// Add the row to the rejects and continue.
  case skipRow = "skip-row"
  /// Leave out fields that cannot be read, list the row and continue; reject a row without an ID.
  case skipField = "skip-field"
}

/// Imports JSON Lines, CSV files and sheets of workbooks into a database.
///
///     var job = ImportJob(files: ["users.csv"])
///     job.parseErrors = .skipRow
///     try await Import(try job.options(schema, via: .local), in: context).run()
package struct Import: Sendable {
  package struct Options: Sendable {
    let job: ImportJob
    /// The files and sheets, in order.
    package var sources: [ImportSource]
    package var table: TableOptions
    package var limits = BatchLimits()
    /// Limits the rate of writing.
    package var pacer = WritePacer(ramp: false)
    /// How the schema of the target is applied.
    package var rules = SchemaRules()
    /// The share of the documents that this one of several processes imports; nil for all.
    package var share: ImportShare?
    /// Called before anything is written, with the number of existing documents that would be deleted, if there are any.
    ///
    /// An error that it throws ends the import.
    package var willDelete: @Sendable (Int) throws -> Void = { _ in }

    package init(_ job: ImportJob, sources: [ImportSource], table: TableOptions) {
      (self.job, self.sources, self.table) = (job, sources, table)
    }
  }

  let options: Options
  let context: RunContext
  private let states: InputStates

  /// - Parameter context: The run context, whose checkpoints make the import resumable.
  package init(_ options: Options, in context: RunContext) {
    self.options = options
    self.context = context
    states = InputStates(of: options.sources)
  }

  /// Runs the import.
  ///
  /// A first pass checks every file, so that nothing is written if lines or rows are malformed, or a document occurs twice.
  /// Inputs that can be read only once are copied for that. A resumed import continues after the last completed line.
  ///
  /// - Returns: For a dry run, what would change in existing documents.
  /// - Throws: ``Failure``: `.inputMalformed` with file and line, also for a file that changes meanwhile, `.inputMissing`, and
  ///   write failures.
  @discardableResult
  package func run() async throws -> ForeseenChanges {
    let inputs = try inputs(via: filesWithCopies())
    let examined = try await examine(inputs)
    try states.assertUnchanged()
    if let collection = options.job.collection { context.counts.open(collection) }
    let lists = Lists(in: context.folder)
    let guarding = LoadGuard(options.rules.schema, options.job.mode, inputs.indices.map(inputs.guarding))
    let removed = RemovedFields(inputs, options.job.mode)
    var loader = loader(deleting: examined.maximumDeletes, without: lists.skipped)
    loader.decision.guarding = guarding
    loader.decision.recording = { change in
      guarding?.record(change)
      removed?.record(change)
    }
    let times = inputs.indices.map { options.rules.times(for: inputs.source($0)) }
    loader.decision.times = { times[$0] }
    let position = try resumed(loader, lists, isRecorded: guarding != nil || removed != nil)
    let pass = ImportPass(
      inputs,
      at: position,
      without: examined.superseded.places,
      warnings: lists.warnings,
      skipping: lists.skipped,
      options,
      in: context
    )
    defer { context.progress.end() }
    context.progress.begin("import", total: nil)
    let changes: ForeseenChanges
    if options.job.isDryRun {
      changes = try await forecast(pass, loader, examined)
    } else {
      changes = ForeseenChanges()
      try await load(pass, loader, examined, lists)
    }
    try states.assertUnchanged()
    record(pass.references)
    report(loader.droppedTimes.withLock { $0 }, guarding, removed, lists)
    return changes
  }

  /// What the pass that writes has to know of the pass that checks.
  private struct Examined {
    var superseded: Superseded
    var ids: NumberedIDs
    var deletions: ListedDeletions?
    /// The maximum number of documents to delete; nil for no limit.
    var maximumDeletes: Int?
  }

  /// What a run lists beside the documents.
  struct Lists {
    let warnings: ValidationReport
    let skipped = SkippedFields()

    init(in folder: RunDirectory) { warnings = ValidationReport(folder.file("warnings.csv")) }
  }

  /// Access to the files, with copies of inputs that can be read only once.
  private func filesWithCopies() throws(Failure) -> FileAccess {
    var files = options.table.files
    for source in options.sources where source.isStream {
      files.keep(try InputCopy(of: source.path, in: context.folder.path))
    }
    context.progress.begin("columns", total: nil)
    return files
  }

  /// Checks the inputs; those of a resumed or divided import have been checked as a whole before.
  private func examine(_ inputs: ImportInputs) async throws -> Examined {
    context.progress.begin("checking", total: nil)
    let check = InputCheck(inputs: inputs, options: options, context: context)
    let isChecked = context.checkpoints?.resumed != nil || options.share != nil
    let superseded = try await isChecked ? check.repeated() : check.report()
    context.progress.end()
    // Somebody who typed a number types what is left of it; what is divided deletes nothing.
    let isCounted = !isChecked || options.share == nil && options.job.maximumDeletes == nil
    let deletions = try await deletions(of: inputs, without: superseded, counting: isCounted)
    return Examined(
      superseded: superseded,
      ids: isChecked ? NumberedIDs() : check.numberedIDs.withLock { $0 },
      deletions: deletions,
      maximumDeletes: isCounted
        ? deletions?.count : options.job.maximumDeletes.map(context.deletions(leftOf:)) ?? 0
    )
  }

  /// Restores what an interrupted run had counted and listed, and returns where it was.
  private func resumed(
    _ loader: DocumentLoader,
    _ lists: Lists,
    isRecorded: Bool
  ) throws -> ImportPosition {
    if context.folder.isResumed, isRecorded {
      let journal = context.folder.file("journal.jsonl")
      try JournalReader.forEachWritten(in: journal) { change, _ in loader.decision.recording?(change) }
    }
    let position = try context.checkpoints?.resumed?.position() ?? ImportPosition()
    if let tally = position.tally {
      for (code, count) in tally.rejected { context.rejects.count(code, count) }
      loader.droppedTimes.withLock { $0 = tally.droppedTimes }
      lists.skipped.resume(at: tally.completed)
      lists.warnings.resume(after: tally.warnings)
    }
    return position
  }

  /// Predicts what the pass would do with existing documents.
  private func forecast(
    _ pass: ImportPass,
    _ loader: DocumentLoader,
    _ examined: Examined
  ) async throws -> ForeseenChanges {
    var forecast = ImportForecast(loader, in: context)
    try await pass.forEachBatch { documents, _ in
      try await report(documents, leaving: examined.deletions)
      try await forecast.take(documents)
    }
    forecast.report(options.job.mode)
    if forecast.hasLooked { await examined.ids.warn(in: context) }
    return forecast.changes
  }

  /// Writes the documents of the pass.
  private func load(
    _ pass: ImportPass,
    _ loader: DocumentLoader,
    _ examined: Examined,
    _ lists: Lists
  ) async throws {
    await examined.ids.warn(in: context)
    try await loader.load { intake in
      if context.checkpoints?.resumed == nil {
        try await context.checkpoints?.begin(at: ImportPosition().checkpoint)
      }
      try await pass.forEachBatch { documents, position in
        try await report(documents, leaving: examined.deletions)
        try await intake.put(documents)
        try await context.checkpoints?.mark(at: state(at: position, loader, lists)) {
          try await intake.drain()
        }
      }
    }
  }

  private func state(
    at position: ImportPosition,
    _ loader: DocumentLoader,
    _ lists: Lists
  ) -> Checkpoint.State {
    var position = position
    position.tally = ImportTally(
      rejected: context.rejects.codes,
      droppedTimes: loader.droppedTimes.withLock { $0 },
      completed: lists.skipped.count,
      warnings: lists.warnings.tally
    )
    return position.checkpoint
  }

  private func loader(
    deleting maximum: Int?,
    without skipped: SkippedFields
  ) -> DocumentLoader {
    let rules = options.rules
    var loader = DocumentLoader(
      in: context,
      mode: options.job.mode,
      times: rules.times,
      limits: options.limits,
      pacer: options.pacer,
      maximumDeletes: maximum
    )
    loader.decision.heedsTimes = true
    if rules.completes {
      loader.decision.completing = { document, isNew in
        rules.completed(document, without: skipped.fields(of: document.path), isNew: isNew)
      }
    }
    if options.job.parseErrors == .skipField { loader.decision.skipped = skipped }
    return loader
  }

  /// Checks every file, as ``run()`` does before it writes anything.
  ///
  /// - Throws: The errors of ``run()``.
  package func check() async throws {
    defer { context.progress.end() }
    context.progress.begin("checking", total: nil)
    let inputs = try inputs(via: options.table.files)
    let check = InputCheck(inputs: inputs, options: options, context: context)
    let superseded = try await check.report()
    _ = try await deletions(of: inputs, without: superseded, counting: true)
    await check.numberedIDs.withLock { $0 }.warn(in: context)
  }

  /// Returns the deletions that exports list; nil if nothing is to be deleted.
  ///
  /// - Parameter isCounted: Whether existing documents among them are counted and reported.
  private func deletions(
    of inputs: ImportInputs,
    without superseded: Superseded,
    counting isCounted: Bool
  ) async throws -> ListedDeletions? {
    let listsDeletions = inputs.indices.contains { inputs.source($0).listsDeletions }
    if options.job.mode == .create || !listsDeletions { return nil }
    let deletions = try await ListedDeletions(
      of: inputs,
      without: superseded.deletions,
      counting: isCounted,
      in: context.client
    )
    if deletions.count > 0 { try options.willDelete(deletions.count) }
    return deletions
  }

  private func inputs(via files: FileAccess) throws -> ImportInputs {
    var options = options
    options.table.files = files
    options.table.database = context.client.database
    // A divided import was checked as a whole, and a resumed one before.
    let isFirst = context.checkpoints?.resumed == nil && options.share == nil
    if isFirst {
      for source in options.sources { try options.rules.schema.assertNamed(source, in: context.environment) }
      for alteration in Set(options.sources.compactMap(\.alteration)).sorted() {
        context.logger.warning("\(alteration)")
      }
      try assertOrder(of: options.sources)
      try reportUnread(beside: options.sources)
      for warning in ImportSource.warnings(of: options.sources, importedBy: options.rules.schema) {
        context.logger.warning("\(warning)")
      }
    }
    let inputs = try ImportInputs(options, progress: context.progress)
    if isFirst {
      let report = ColumnReport(context.folder.file("columns.csv"), options.table.reading)
      try report.report(inputs.tables, context.logger)
      if let hint = options.job.collection.flatMap(options.rules.schema.hint(of:)) {
        context.logger.warning("\(hint)")
      }
      let isWhole = options.job.mode == .upsert || options.job.mode == .replace
      for (source, plan, _) in inputs.tables {
        let line = options.rules.schema.strangeness(of: source, plan, isWhole: isWhole)
        if let line { context.logger.warning("\(line)") }
      }
    }
    return inputs
  }

  /// Checks that increments follow what they add to, because duplicates are never resolved against the order of time.
  private func assertOrder(of sources: [ImportSource]) throws(Failure) {
    var manifests: [Manifest] = []
    var paths: [String] = []
    for source in sources {
      guard let manifest = source.manifest else { continue }
      let folder = FilePaths.folder(of: source.path)
      let path = source.isFromFolder ? folder : source.path
      if paths.contains(where: { $0.isIdentical(to: path) }) { continue }
      paths.append(path)
      manifests.append(source.isFromFolder ? manifest : manifest.cut(to: FilePaths.name(of: path)))
    }
    try Manifest.assertOrder(manifests, at: paths)
  }

  /// Returns the paths of the lists of rejected rows that a run left behind.
  package static func rejectedRows(in run: RunDirectory) -> [String] {
    run.allLists.filter { $0.hasSuffix(".csv") && $0.hasPrefix("rejects") }.map { run.file($0) }
  }
}
