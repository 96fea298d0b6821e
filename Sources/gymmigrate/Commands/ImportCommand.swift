import ArgumentParser
import Models
import Transfer

/// `gymmigrate import`: files to collections.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import JSON Lines.",
    discussion: """
      A line is a REST Document as export writes it: {"fields": {...}, "name": "users/u1"}; rejects.jsonl of an earlier \
      run, once mended, is taken as it is. Files are read through before anything is written: a malformed line ends \
      the command with its number. Modes:

        create   only new documents; one that is there with other fields is rejected (the default)
        upsert   new ones are created, those that are there replaced as a whole
        merge    of those that are there only the fields in the file are set
        replace  only documents that are there; a missing one is rejected

      What is there already as it should be is not written, so an interrupted import goes on with the same command.

        gymmigrate import samples/gym/users.jsonl -e local
        gymmigrate import backup/ -e local
        gymmigrate import backup/users.jsonl -e stage --mode upsert --source projects/sajarubox/databases/prod
      """
  )

  @Argument(help: "Files of JSON Lines, also .gz, or folders of an export; - is standard input.")
  var files: [String]

  @Option(help: ArgumentHelp("Put every document into this collection, under its own id.", valueName: "path"))
  var collection: String?

  @Option(help: "create, upsert, merge or replace.")
  var mode = WriteMode.create

  @Option(
    help: ArgumentHelp(
      "The database that references in the files point into (default: what manifest.json beside them says).",
      valueName: "projects/P/databases/D"
    )
  )
  var source: String?

  @Option(help: "What to do about a malformed line: stop or skip-row.")
  var parseErrors = ParseErrorPolicy.stop

  @Option(help: ArgumentHelp("Documents at the most.", valueName: "n"))
  var limit: Int?

  @Flag(name: [.customShort("n"), .long], help: "Read and check everything, write nothing.")
  var dryRun = false

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var talk: TalkOptions
  @OptionGroup var write: WriteOptions

  func validate() throws {
    if let collection, CollectionPath(collection) == nil {
      throw ValidationError("--collection: '\(collection)' is not the path of a collection.")
    }
    if let source, DatabaseName(parsing: source) == nil {
      throw ValidationError("--source is projects/P/databases/D.")
    }
    if let limit, limit < 0 { throw ValidationError("--limit is a number from 0.") }
    if files.isEmpty { throw ValidationError("Name at least one file.") }
  }

  func run() async throws {
    var files: [String] = []
    for path in self.files { files += try Manifest.files(at: path) }
    var options = Import.Options(files: files, mode: mode)
    options.collection = collection.flatMap { CollectionPath($0) }
    options.source = try source.flatMap { DatabaseName(parsing: $0) } ?? Manifest.source(of: files)
    options.parseErrors = parseErrors
    options.limit = limit
    options.isDryRun = dryRun
    options.limits = write.limits
    for file in files where file != "-" { _ = try JSONLinesReader(file) }
    let (prepared, write) = (options, write)
    try await CommandRun(name: "import", connection: connection, talk: talk, write: dryRun ? nil : write)
      .perform { session, run in
        var options = prepared
        options.pacer = write.pacer(for: session.environment)
        let rejects = RejectList(run)
        try await Import(
          client: session.client,
          options: options,
          book: session.book,
          rejects: rejects,
          progress: session.progress,
          logger: session.logger
        ).run()
        return Ending(lists: [rejects.path])
      }
  }
}
