import ArgumentParser
import Files
import FirestoreModels
import FirestoreREST
import Runs
import Shards
import Tables
import Transfer
import TypedDocuments

/// `gymmigrate import`: files to collections.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import JSON Lines, CSV and XLSX.",
    discussion: """
      A line of JSON Lines is a REST Document as export writes it: {"fields": {...}, "name": "orders/o1"}. A table \
      (CSV, or a sheet of a workbook) has a header of field names, or of the English or Spanish labels, and one \
      document per row; its collection is the name of its file or sheet, or --collection. Types are those of the \
      catalogue, or of the heading (amount:double), or of all the values. rejects.jsonl and rejects.csv of an \
      earlier run can be imported once corrected. All files are read before anything is written: a malformed line \
      or cell ends the command with its position. Modes:

        create   only new documents; one that is there with other fields is rejected (the default)
        upsert   new ones are created, those that are there replaced as a whole
        merge    of those that are there only the fields in the file are set
        replace  only documents that are there; a missing one is rejected

      A document that is in the files twice is refused, unless --duplicates decides. Documents that are already as they should be are not written. Resume an interrupted import with 'gymmigrate runs resume'.

        gymmigrate import samples/gym/users.jsonl -e local
        gymmigrate import customers.csv -e local --mode upsert
        gymmigrate import backup/ -e local
        gymmigrate import gs://my-backups/nightly/latest/ -e stage
        gymmigrate import backup/users.jsonl -e stage --mode upsert --source projects/my-project/databases/prod
      """
  )

  @Argument(
    help:
      "Files of JSON Lines or CSV, also .gz, workbooks, or folders of an export, each also as gs://BUCKET/NAME. - is standard input.",
    transform: TypedValue.file
  )
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "Import into this collection instead, with what is below it; of JSON Lines it takes the place of theirs.",
      valueName: "path"
    )
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
    help: ArgumentHelp(
      "The database that references in the files point into (default: what manifest.json beside them says).",
      valueName: "projects/P/databases/D"
    ),
    transform: TypedValue.database
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
      "Let the server set the times that the schema gives it: of creation in new documents, of the last change in those that change. Those of the file are ignored."
  )
  var serverTimes = false

  @Flag(
    help:
      "Write the times of last change as the file has them, also earlier ones (default: for the folders of exports); otherwise the server sets that of a document that changes, unless the file has a later one."
  )
  var keepTimes = false

  @OptionGroup(title: "Tables") var table: TableArguments

  @Option(help: ArgumentHelp("Maximum documents.", valueName: "n"), from: 0)
  var limit: Int?

  @Flag(name: [.customShort("n"), .long], help: "Read and check everything, write nothing.")
  var dryRun = false

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var logging: LoggingOptions
  @OptionGroup var write: WriteOptions

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

  /// The options of the import, with the files resolved.
  func options() throws -> Import.Options {
    let target = collection.flatMap { CollectionPath($0) }
    let schema = try EnvironmentResolver(connection).schema()
    let access = try StorageAccess(for: files, connection)
    let sources = try ImportSource.resolve(
      files,
      format: table.format,
      collection: target,
      flattens: flatten,
      sheets: table.sheet,
      schema: schema,
      via: access.files
    )
    var options = Import.Options(sources: sources, table: try table.options(schema), mode: mode)
    options.collection = target
    options.flattens = flatten
    options.table.flattens = flatten
    options.duplicates = duplicates
    options.table.files = access.files
    options.source = source ?? ImportSource.database(of: sources)
    options.parseErrors = parseErrors
    options.limit = limit
    options.isDryRun = dryRun
    options.rules.schema = schema
    options.rules.policy = schemaPolicy
    options.rules.fillsDefaults = defaults
    options.rules.times = serverTimes ? .server : try carriesTimes(access.files) ? .kept : .changed
    options.rules.isPartial = mode == .merge
    options.limits = write.limits
    return options
  }

  /// Whether the times of the files are written as they are: on request, and where only exports are restored.
  private func carriesTimes(_ access: FileAccess) throws(Failure) -> Bool {
    if keepTimes { return true }
    for file in files {
      guard file != "-", try access.isFolder(file), try Manifest.read(from: file, via: access) != nil
      else { return false }
    }
    return true
  }

  func run() async throws {
    let prepared = try options()
    var command = CommandRun(
      name: "import",
      connection: connection,
      logging: logging,
      write: dryRun ? nil : write,
      inputs: prepared.sources.map(\.path)
    )
    for file in command.inputs { command.digests[file] = try prepared.table.files.version(of: file) }
    try await command.perform { session, run in
      let shard = Invocation.current.shard
      var options = prepared
      options.share = shard.map { ImportShare(index: $0.range.number, count: $0.plan.ranges.count) }
      options.table.newIDSeed = shard?.plan.run ?? run.id
      options.pacer = write.pacer(for: session.environment)
      let context = session.context(run)
      try await Import(options, in: context).run()
      return CommandResult(lists: [context.rejects.path] + Import.rejectedRows(in: run))
    }
  }
}
