import Logging
import Shards
import Tables
import Transfer
import TypedDocuments

/// `gymmigrate import`: imports files into collections.
struct ImportCommand: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import JSON Lines, other JSON, CSV, XLSX and managed exports.",
    discussion: """
      A line of JSON Lines is a REST Document as export writes it. A table has a header of field names or labels; its \
      collection is the name of its file or sheet, or --collection. Types are those of the schema, or of the heading \
      (amount:double), or of all the values. A folder is an export, of Google's too, or holds such files. -n says how each \
      file is read, and which options help. All files are read before anything is written. Modes:

        create   only new documents; one that is there with other fields is rejected (the default)
        upsert   new ones are created, those that are there replaced as a whole
        merge    of those that are there only the fields in the file are set
        replace  only documents that are there; a missing one is rejected

        gymmigrate import samples/gym/users.jsonl -e local
        gymmigrate import customers.csv -e local --mode upsert
        gymmigrate import socios.csv -e local --id-column 'Número de socio' \\
            --encoding windows-1252 -n
        gymmigrate import gs://my-backups/nightly/latest/ -e stage
      """
  )

  @Argument(
    help:
      "Files of JSON or CSV, also .gz, workbooks, or folders of these, each also as gs://BUCKET/NAME. - is standard input.",
    transform: TypedValue.file.read
  )
  var files: [String]

  @Option(
    help:
      "Import into this collection instead, with what is below it; of JSON Lines it takes the place of theirs.",
    as: TypedValue.text("path")
  )
  var collection: String?

  @Flag(
    help: "With --collection: put the documents of all levels, sheets and files into that one collection."
  )
  var flatten = false

  @Option(
    help: "Which of several documents with the same path to import: first or last (default: refuse them)."
  )
  var duplicates: DuplicatePolicy?

  @Option(help: "create, upsert, merge or replace.")
  var mode = WriteMode.create

  @Option(
    help:
      "The database that references in the files point into (default: what manifest.json beside them says).",
    as: TypedValue.database
  )
  var source: DatabaseName?

  @Option(help: "What to do with a malformed line or cell: stop, skip-row or skip-field.")
  var parseErrors = ParseErrorPolicy.stop

  @Option(
    name: .customLong("validate"),
    help:
      "What to do with documents that break the schema: reject, warn or off (default: reject for tables, warn for JSON Lines, off for the folder of an export)."
  )
  var schemaPolicy: SchemaPolicy?

  @Flag(help: "Fill missing fields with the defaults of the schema, and the field of the id with the id.")
  var defaults = false

  @Flag(
    help:
      "Let the server set the times of creation and of the last change, whatever the file has."
  )
  var serverTimes = false

  @Flag(
    help:
      "Write the times of last change as the file has them, also earlier ones (default: for the folders of exports)."
  )
  var keepTimes = false

  @OptionGroup(title: "Tables") var table: TableArguments

  @Option(help: "Maximum documents.", from: 0)
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Files read at a time, 1 to 16, or auto: 8.").withDefault("1"),
    as: TypedValue.parallelism
  )
  var parallel = 1

  @Option(
    help: "Write nothing if increments list more documents than this as deleted that are there.",
    from: 0
  )
  var maxDelete: Int?

  @OptionGroup var trial: DryRunOption

  @OptionGroup var common: WritingOptions

  func validate() throws {
    if let collection, let defect = CollectionSelection.defect(of: collection) {
      throw ValidationError("--collection: '\(collection)' \(defect).")
    }
    if let collection, CollectionPath(collection)?.isReserved ?? false {
      throw ValidationError("--collection: '\(collection)' is gymmigrate's own.")
    }
    if files.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("Standard input can be read only once.")
    }
    if flatten, collection == nil { throw ValidationError("--flatten needs --collection.") }
    if files.isEmpty { throw ValidationError("Name at least one file.") }
    if keepTimes, serverTimes { throw ValidationError("Give --keep-times or --server-times, not both.") }
  }

  func jobRun() -> JobRun {
    var job = ImportJob(files: files)
    table.complete(&job)
    (job.collection, job.flattens) = (collection.flatMap { CollectionPath($0) }, flatten)
    (job.duplicates, job.mode, job.source) = (duplicates, mode, source)
    (job.parseErrors, job.schemaPolicy, job.fillsDefaults) = (parseErrors, schemaPolicy, defaults)
    (job.serverTimes, job.keepTimes) = (serverTimes, keepTimes)
    (job.limit, job.maximumDeletes, job.isDryRun) = (limit, maxDelete, trial.dryRun)
    job.parallel = parallel == 1 ? nil : parallel
    return common.jobRun(job)
  }
}

extension ImportJob: DivisibleJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    let prepared = try options(run)
    var command = CommandRun(run)
    command.inputs = prepared.sources.flatMap(\.files)
    command.digests = try prepared.generations()
    try run.part?.plan.assertReads(command.inputs, command.digests)
    return try await command.perform { session, folder in
      var options = prepared
      options.share = run.part.map { ImportShare(index: $0.range.number, count: $0.plan.ranges.count) }
      options.table.newIDSeed = run.part?.plan.run ?? folder.id
      options.pacer = run.write.pacer(in: session)
      options.willDelete = willDelete(as: run, in: session)
      let context = session.context(folder)
      let changes = try await Import(options, in: context).run()
      if !run.output.json, run.part == nil {
        ImportText.report(changes, leftAlone: context.rejects.codes).map(session.report)
      }
      var result = CommandResult(lists: context.lists + Import.rejectedRows(in: folder))
      // A dry run ends as the actual run would.
      if isDryRun, session.counts.totals.leavesSomething { result.status = .incomplete }
      return result
    }
  }

  /// Why shards do not delete the documents that increments list as deleted.
  private static var divided: String { "what deletes documents for good is never divided" }

  /// Returns what decides on deletions, which somebody must allow.
  private func willDelete(as run: JobRun, in session: Session) -> @Sendable (Int) throws -> Void {
    let (bound, isDryRun) = (DeletionBound(maximum: maximumDeletes, options: run.confirmation), isDryRun)
    return { count in
      if isDryRun {
        session.logger.notice("\(NumberText.counted(count, "document")) would be deleted.")
      } else {
        if bound.maximum == nil { try bound.assertMayAsk() }
        _ = try bound.allow(count, by: Self.kind, in: session.environment)
      }
    }
  }

  private func options(_ run: JobRun) throws -> Import.Options {
    let access = try StorageAccess(for: files, run.connection, counting: run.traffic)
    var options = try options(EnvironmentResolver(run.connection).schema(), via: access.files)
    options.limits = run.write.limits
    return options
  }

  // MARK: Parts

  func assertDivisible(_ run: JobRun) throws {
    if isDryRun { throw refusal(of: "--dry-run", "one process reads and checks it as well") }
    if maximumDeletes != nil { throw refusal(of: "--max-delete", Self.divided) }
    if limit != nil { throw refusal(of: "--limit", "no task knows how many documents the others have") }
    if let stream = files.first(where: ImportSource.isStream) {
      throw refusal(of: stream, "every task reads the files, and this can be read once only")
    }
    try run.write.assertDivisible()
  }

  /// Checks all files once, before anything is planned; the tasks do not check them again.
  func division(in session: Session, as run: JobRun) async throws -> ShardDivision {
    var options = try options(run)
    let folder = try RunDirectory(in: run.connection.stateDir, command: "import")
    options.table.newIDSeed = folder.id
    options.willDelete = { _ in throw refusal(of: FilePaths.list(files), Self.divided) }
    try await Import(options, in: session.context(folder)).check()
    return ShardDivision(inputs: options.sources.flatMap(\.files), digests: try options.generations())
  }
}

extension Import.Options {
  /// Returns the generations of the files that are objects in buckets, by path.
  fileprivate func generations() throws(Failure) -> [UTF8Key: String] {
    var generations: [UTF8Key: String] = [:]
    for file in sources.flatMap(\.files) { generations[UTF8Key(file)] = try table.files.version(of: file) }
    return generations
  }
}
