import Configuration
import Logging
import Schema
import Transfer

/// `gymmigrate diff`: compares two databases, or snapshots of them.
struct DiffCommand: AsyncParsableCommand, PlacedCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare environments or snapshots, document by document.",
    discussion: """
      A side is an environment (also at a moment, as prod@2026-01-31T12:00:00Z), a file of JSON Lines (also .gz) or the folder of an export; files also as gs://BUCKET/NAME. Prints one line per document that differs, with the signs of rclone's check:

        + PATH   missing in --to: only --from has it
        - PATH   missing in --from: only --to has it
        * PATH   in both, and different
        ! PATH   could not be read or compared
        = PATH   in both, and the same (--show-equal)

      References into the database of --from are expected to point into that of --to, as a copy leaves them. Exits with 1 when the sides differ, with 2 when something could not be compared.

        gymmigrate diff --catalogues --from prod --to stage
        gymmigrate diff users --from backup/ --to test --detail \\
            --ignore-fields updatedAt
        gymmigrate diff --all --from monday/ --to tuesday/ --format csv -o changed.csv
      """
  )

  @OptionGroup var selection: SelectionArguments

  @Option(
    help: ArgumentHelp(
      "The source: an environment, a file or a folder; repeat it for the increments of an export.",
      valueName: "env[@time]|path"
    ),
    completion: CompletionValues.environments,
    transform: TypedValue.file.read
  )
  var from: [String]

  @Option(
    help: ArgumentHelp("The destination, in the same way.", valueName: "env[@time]|path"),
    completion: CompletionValues.environments,
    transform: TypedValue.file.read
  )
  var to: [String]

  @Flag(inversion: .prefixedNo, help: "Compare subcollections, too.")
  var subcollections = true

  @Flag(name: [.long, .customLong("fields-diff")], help: "Report each field that differs, with both values.")
  var detail = false

  @Flag(help: "Report the documents that are the same, too.")
  var showEqual = false

  @Option(help: "Fields that may differ, with commas in between.", as: TypedValue.text("a,b.c"))
  var ignoreFields: String?

  @Option(help: "text, json, jsonl or csv (default: as --output ends, else text).")
  var format: DiffFormat?

  @Option(name: .shortAndLong, help: "A file instead of standard output.", as: TypedValue.file.named("path"))
  var output: String?

  @OptionGroup var moment: MomentOptions

  @Option(
    help: "The database that a snapshot in --from is of (default: what its manifest.json says).",
    as: TypedValue.database
  )
  var fromSource: DatabaseName?

  @Option(
    help: "The database that a snapshot in --to is of (default: what its manifest.json says).",
    as: TypedValue.database
  )
  var toSource: DatabaseName?

  @OptionGroup(title: "How it reads") var reading: ReadingOptions

  @OptionGroup var source: FromOptions
  @OptionGroup var common: SummaryOptions

  private var connection: ConnectionOptions { common.connection }

  func validate() throws {
    if connection.environment != nil {
      throw ValidationError("A diff has two sides: name them with --from and --to, not with -e.")
    }
    try selection.assertOne()
    for (side, name) in [(from, "--from"), (to, "--to")] {
      if side.isEmpty { throw ValidationError("A diff has two sides: name one with \(name).") }
      if side.contains("-") {
        throw ValidationError(
          "\(name): '-' is standard input, and a side is read twice; give an environment, a file or a folder."
        )
      }
    }
    if common.isJSON, output == "-" {
      throw ValidationError("--json and -o - both write to standard output.")
    }
    _ = try ignoredFields()
    _ = try listFormat()
  }

  /// The format of the list: the given one, or else that of the file name.
  private func listFormat() throws -> DiffFormat {
    if let format { return format }
    guard let output, let kind = FileName(output).kind, kind != .txt else { return .text }
    switch kind {
    case .csv: return .csv
    case .json: return .json
    case .jsonl: return .jsonl
    default:
      throw ValidationError(
        "--output: '\(output)' does not name a format; give a name that ends in .txt, .csv, .json or .jsonl, or --format."
      )
    }
  }

  func run() async throws {
    let target = connection.settings.target(try place(to, "--to")?.name ?? to[0])
    let schema = try EnvironmentResolver(target).schema()
    var options = Diff.Options(
      selection: try selection.settings.selection(isDeep: subcollections, schema)
    )
    options.hint = { schema.hint(of: $0) }
    options.reading = reading.settings
    options.ignored = try ignoredFields()
    options.failsIfEmpty = selection.emptiness.failIfEmpty
    options.format = try listFormat()
    options.isDetailed = detail
    options.showsEqual = showEqual
    // With `--json` standard output contains the summary.
    options.output = output ?? (common.isJSON ? nil : "-")
    options.isColored = options.output == "-" && Colors.output
    let access = try StorageAccess(for: from + to + (output.map { [$0] } ?? []), connection.settings)
    options.files = access.files
    try access.files.assertWritable(output)
    let sides = try (
      from: side(from, "--from", source.isGiven, access.files),
      to: side(to, "--to", connection.settings.namesDatabase, access.files)
    )
    var command = common.command("diff")
    command.paths = (
      sides.from == nil ? FilePaths.list(from) : nil, sides.to == nil ? FilePaths.list(to) : nil
    )
    let choices = (try sides.from?.choice(moment.readTime), try sides.to?.choice(moment.readTime))
    try await command.performReading(
      from: sides.from.map { source.connection(to: $0.name, beside: connection.settings) },
      to: sides.to.map { connection.settings.target($0.name) }
    ) { [options] context, fromConnection, toConnection in
      context.progress.begin("read the snapshot", total: nil)
      defer { context.progress.end() }
      func open(
        _ connected: Connection?,
        _ choice: ReadTimeChoice?,
        _ paths: [String],
        _ database: DatabaseName?
      ) throws -> Diff.Side {
        if let connected, let choice { return .database(connected.environment, connected.client, at: choice) }
        let snapshot = try Snapshot(paths, source: database, progress: context.progress, via: access.files)
        for warning in snapshot.warnings { context.logger.warning("\(warning)") }
        return .snapshot(snapshot)
      }
      let diff = Diff(
        from: try open(fromConnection, choices.0, from, fromSource),
        to: try open(toConnection, choices.1, to, toSource),
        options: options,
        runCounts: context.counts,
        progress: context.progress,
        logger: context.logger
      )
      let (counts, moment) = try await diff.run()
      return CommandResult(
        status: counts.unreadable > 0 ? .incomplete : counts.areDifferent ? .differences : .done,
        readTime: moment,
        lists: output.map { $0 == "-" ? [] : [$0] } ?? [],
        sections: [counts]
      )
    }
  }

  /// Returns the environment that a side names, with its read time; nil if it names none.
  private func place(_ names: [String], _ option: String) throws -> EnvironmentMoment? {
    let known = try EnvironmentResolver(connection).configuration().environments.map(\.name)
    let places = try names.map { try EnvironmentMoment($0, among: known, of: option) }
    if names.count > 1, let place = places.compactMap({ $0 }).first {
      throw Failure(
        .usage,
        "compare \(option)",
        path: place.name,
        cause: "it is an environment, and several places are an export and its increments"
      )
    }
    return places[0]
  }

  /// Returns a side: an environment if one has the name, or else a path (nil).
  private func side(
    _ names: [String],
    _ option: String,
    _ namesDatabase: Bool,
    _ files: FileAccess
  ) throws -> EnvironmentMoment? {
    if let place = try place(names, option) { return place }
    for name in names where try !files.exists(name) {
      let known = try EnvironmentResolver(connection).configuration().environments.map(\.name)
      let cause = "it is no environment (\(known.joined(separator: ", "))), and there is no such file"
      throw Failure(.inputMissing, "compare \(option)", path: name, cause: cause)
    }
    if namesDatabase {
      let cause = "it is a file, and options name a project, a database, an endpoint or credentials for it"
      throw Failure(.usage, "compare \(option)", path: names[0], cause: cause)
    }
    return nil
  }

  private func ignoredFields() throws -> [FieldPath] {
    try ignoreFields.map { try TypedValue.fields($0, of: "--ignore-fields") } ?? []
  }
}
