package import FirestoreREST
import Logging
import Schema
package import Tables
import TypedDocuments

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
    /// The database that references in the files point into, if known.
    package var source: DatabaseName?
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

  private let options: Options
  private let context: RunContext
  private let guarding: LoadGuard?

  /// - Parameter context: The run context, whose checkpoints make the import resumable.
  package init(_ options: Options, in context: RunContext) {
    self.options = options
    self.context = context
    let policies = Set(options.sources.map(options.rules.policy(for:)))
    // In all other formats, each value states its type.
    let readsUntyped = options.sources.contains { $0.format.isTable || $0.format == .json }
    guarding = LoadGuard(
      options.rules.schema,
      options.job.mode,
      policies,
      untypedIn: readsUntyped ? options.table.timeZone : nil
    )
  }

  /// Runs the import.
  ///
  /// A first pass checks every file, so that nothing is written if lines or rows are malformed, or a document occurs twice.
  /// Inputs that can be read only once are copied for that. A resumed import continues after the last completed line.
  ///
  /// - Returns: For a dry run, what would change in existing documents.
  /// - Throws: ``Failure``: `.inputMalformed` with file and line, `.inputMissing`, and write failures.
  @discardableResult
  package func run() async throws -> ForeseenChanges {
    var files = options.table.files
    for source in options.sources where source.isStream {
      files.keep(try InputCopy(of: source.path, in: context.folder.path))
    }
    context.progress.begin("columns", total: nil)
    let inputs = try inputs(via: files)
    context.progress.begin("checking", total: nil)
    let check = InputCheck(inputs: inputs, options: options, context: context)
    // If several processes share the import, the whole input has been checked already.
    let isChecked = context.checkpoints?.resumed != nil || options.share != nil
    let superseded = try await isChecked ? check.repeated() : check.report()
    // The input of a resumed or divided import has been examined already.
    let ids = isChecked ? NumberedIDs() : check.numberedIDs.withLock { $0 }
    context.progress.end()
    let deletions = try await deletions(of: inputs, without: superseded, counting: !isChecked)
    if let collection = options.job.collection { context.counts.open(collection) }
    let warnings = ValidationReport(context.folder.file("warnings.csv"))
    let skipped = SkippedFields()
    let position = try context.checkpoints?.resumed?.position() ?? ImportPosition()
    let pass = ImportPass(
      inputs,
      at: position,
      without: superseded.places,
      warnings: warnings,
      skipping: skipped,
      options,
      in: context
    )
    defer { context.progress.end() }
    context.progress.begin("import", total: nil)
    var changes = ForeseenChanges()
    let maximum = isChecked ? options.job.maximumDeletes.map(context.deletions(leftOf:)) : deletions?.count
    let removed = RemovedFields(inputs, options.job.mode)
    let recording: @Sendable (Change) -> Void = { [guarding] change in
      guarding?.record(change)
      removed?.record(change)
    }
    let loader = loader(deleting: maximum, recording: recording, keeping: skipped)
    if context.folder.isResumed, guarding != nil || removed != nil {
      let journal = context.folder.file("journal.jsonl")
      try JournalReader.forEachWritten(in: journal) { change, _ in recording(change) }
    }
    if let tally = position.tally {
      for (code, count) in tally.rejected { context.rejects.count(code, count) }
      loader.droppedTimes.withLock { $0 = tally.droppedTimes }
      skipped.resume(at: tally.completed)
      warnings.resume(after: tally.warnings)
    }
    if options.job.isDryRun {
      var forecast = ImportForecast(loader, in: context, recording: recording)
      try await pass.forEachBatch { documents, _ in
        try await report(documents, leaving: deletions)
        try await forecast.take(documents)
      }
      forecast.report(options.job.mode)
      if forecast.hasLooked { await ids.warn(in: context) }
      changes = forecast.changes
    } else {
      await ids.warn(in: context)
      try await loader.load { intake in
        if context.checkpoints?.resumed == nil {
          try await context.checkpoints?.begin(at: ImportPosition().checkpoint)
        }
        try await pass.forEachBatch { documents, position in
          try await report(documents, leaving: deletions)
          try await intake.put(documents)
          func state() -> Checkpoint.State {
            var position = position
            position.tally = ImportTally(
              rejected: context.rejects.codes,
              droppedTimes: loader.droppedTimes.withLock { $0 },
              completed: skipped.count,
              warnings: warnings.tally
            )
            return position.checkpoint
          }
          try await context.checkpoints?.mark(at: state()) { try await intake.drain() }
        }
      }
    }
    record(pass.references)
    let dropped = loader.droppedTimes.withLock { $0 }
    if dropped > 0 {
      context.logger.warning(
        "--server-times leaves out the time of creation that the input has for \(NumberText.counted(dropped, "document"))."
      )
    }
    let doubts = guarding?.warnings(isDryRun: options.job.isDryRun) ?? []
    let losses = removed?.warnings(isDryRun: options.job.isDryRun) ?? []
    for line in doubts + losses { context.logger.warning("\(line)") }
    if let line = skipped.notice(isDryRun: options.job.isDryRun) { context.logger.notice("\(line)") }
    for line in warnings.lines { context.logger.warning("\(line)") }
    if warnings.count > 0 { context.logger.notice("See \(warnings.path) for the values.") }
    return changes
  }

  private func loader(
    deleting maximum: Int?,
    recording: @escaping @Sendable (Change) -> Void,
    keeping skipped: SkippedFields
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
    loader.decision.guarding = guarding
    loader.decision.recording = recording
    loader.decision.heedsTimes = true
    if rules.isPartial, rules.fillsDefaults {
      loader.decision.completing = { rules.completed($0, without: skipped.fields(of: $0.path)) }
    }
    let isWhole = options.job.mode == .upsert || options.job.mode == .replace
    if isWhole, options.job.parseErrors == .skipField { loader.decision.keeping = skipped }
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

  /// Warns of the collections that remain below documents that are deleted.
  private func report(_ documents: [LoadDocument], leaving deletions: ListedDeletions?) async throws {
    guard let leaving = try await deletions?.leaving(among: documents) else { return }
    let verb = options.job.isDryRun ? "would be" : "is"
    for (path, ids) in leaving.sorted(by: { $0.key < $1.key }) {
      context.logger.warning(
        "\(path) \(verb) deleted, and what is below it stays: \(ids.joined(separator: ", "))."
      )
    }
  }

  private func inputs(via files: FileAccess) throws -> ImportInputs {
    var options = options
    options.table.files = files
    options.table.database = context.client.database
    options.table.source = options.source
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

  /// Reports sheets that are not read, incomplete exports, and files in the given folders that are not imported.
  private func reportUnread(beside sources: [ImportSource]) throws(Failure) {
    for source in sources {
      let leftOut: [(Logger.Level, String, [String])] = [
        (.warning, "hidden sheets", source.hiddenSheets),
        (.notice, "sheets of no declared collection", source.otherSheets),
      ]
      for (level, what, sheets) in leftOut where !sheets.isEmpty {
        let names = FilePaths.list(sheets.map { "'\($0)'" })
        context.logger.log(
          level: level,
          "\(source.path): \(what) are left out: \(names). --sheet NAME imports one."
        )
      }
    }
    let exports = sources.filter { $0.isFromFolder && $0.manifest != nil }
    if options.job.mode == .create, exports.allSatisfy({ $0.manifest?.isIncrement ?? false }),
      let first = exports.first
    {
      context.logger.warning("\(Snapshot.warning(ofIncrement: FilePaths.folder(of: first.path)))")
    }
    for folder in Set(sources.filter(\.isFromFolder).map { FilePaths.folder(of: $0.path) }).sorted() {
      let read = Set(sources.map { UTF8Key($0.path) } + [UTF8Key("\(folder)/\(Manifest.fileName)")])
      let others = try options.table.files.names(in: folder).filter {
        !read.contains(UTF8Key("\(folder)/\($0)"))
      }
      report(others, in: folder, "Name what is to be imported, and convert .xls and .ods to .xlsx.")
    }
    for source in sources {
      guard let root = source.root else { continue }
      let others = source.unread.map { String($0.dropFirst(root.count + 1)) }
      report(others, in: root, "The file of a document is called as its folder: ID/ID.json.")
    }
  }

  /// Reports the files of a folder that are not read, with the litter of systems and programs apart from the others.
  private func report(_ others: [String], in folder: String, _ advice: String) {
    let litter = others.filter { DocumentPlace.isLitter(FilePaths.name(of: $0)) }
    if !litter.isEmpty { context.logger.notice("\(folder): skipped \(FilePaths.list(litter)).") }
    let unread = others.filter { !DocumentPlace.isLitter(FilePaths.name(of: $0)) }
    if unread.isEmpty { return }
    context.logger.warning("\(folder): not read: \(FilePaths.list(unread)). \(advice)")
  }

  /// Returns the paths of the lists of rejected rows that a run left behind.
  package static func rejectedRows(in run: RunDirectory) -> [String] {
    run.allLists.filter { $0.hasSuffix(".csv") && $0.hasPrefix("rejects") }.map { run.file($0) }
  }

  private func record(_ references: ReferenceRewriter) {
    let counts = references.counts
    if counts.rewritten > 0 {
      let rewritten = NumberText.counted(counts.rewritten, "reference")
      context.logger.info("Rewritten to \(context.client.database): \(rewritten).")
    }
    if counts.kept > 0 {
      let (are, come) = counts.kept == 1 ? ("it is", "it comes") : ("they are", "they come")
      let kept = "Kept as \(are): \(NumberText.counted(counts.kept, "reference"))"
      if options.source != nil { return context.logger.notice("\(kept).") }
      let first = references.elsewhere.map {
        "; --source \($0) makes those into it references into the target"
      }
      // They may overwrite references into the target.
      context.logger.warning(
        "\(kept): the database that \(come) from is not known\(first ?? " (--source)")."
      )
    }
  }
}
