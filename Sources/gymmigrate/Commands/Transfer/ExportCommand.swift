import ArgumentParser
import Files
import FirestoreModels
import FirestoreREST
import GymModels
import Logging
import Schema
import Tables
import Transfer

/// The formats by their names on the command line.
enum FormatName: String, CaseIterable, ExpressibleByArgument {
  case csv, xlsx, jsonl, sqlite

  /// The format of a file by its name.
  init?(fileName: String) {
    let name = fileName.hasSuffix(".gz") ? String(fileName.dropLast(3)) : fileName
    guard let found = Self.allCases.first(where: { name.hasSuffix(".\($0.rawValue)") }) else { return nil }
    self = found
  }
}

/// The delimiters by their names on the command line.
enum DelimiterName: String, CaseIterable, ExpressibleByArgument {
  case comma, semicolon, tab

  var delimiter: CSVOptions.Delimiter {
    switch self {
    case .comma: .comma
    case .semicolon: .semicolon
    case .tab: .tab
    }
  }
}

/// `gymmigrate export`: collections to files.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export collections to CSV, XLSX, JSON Lines or SQLite.",
    discussion: """
      Reads page by page in constant memory, everything at one read time where the service allows it. A file is written as a whole or not at all. JSON Lines keep every value exactly; CSV keeps values as text; XLSX is for people.

        gymmigrate export users -e test -o users.csv
        gymmigrate export --all -e prod -o all.xlsx --header spanish
        gymmigrate export --all -e prod -o all.xlsx --summary
        gymmigrate export --all -e prod -o backup/ --format jsonl
        gymmigrate export users -e prod -o - --format csv --fields firstName,phone
        gymmigrate export orders --subcollections -e prod -o orders.jsonl
        gymmigrate export 'log*' 'orders/*/items' -e prod -o tables/ --format csv
        gymmigrate export payments --where 'status == completed and amount >= 500.0' -e prod -o payments.csv
        gymmigrate export --all -e prod -o nightly --dated --keep 14
        gymmigrate export --all -e prod -o gs://my-backups/nightly --dated --keep 14

      'gymmigrate export verify FOLDER' checks what an export wrote.
      """
  )

  @Argument(help: CollectionArguments.help)
  var collections: [String] = []

  @Flag(help: "Export every root collection.")
  var all = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "A file or a folder, also as gs://BUCKET/NAME, or - for standard output.",
      valueName: "path"
    ),
    transform: TypedValue.file
  )
  var output: String

  @Option(help: "csv, xlsx, jsonl or sqlite (default: by the file's name).")
  var format: FormatName?

  @Option(help: ArgumentHelp("Fields to read and write, with commas in between.", valueName: "a,b.c"))
  var fields: String?

  @OptionGroup var query: QueryOptions

  @Flag(
    inversion: .prefixedNo,
    help:
      "Export what is below the collections, too, also below documents that are missing (default: yes for --all to JSON Lines and for --dated, but not with --where, --group, --order-by, --limit or --since). CSV and XLSX get a table a kind of subcollection, JSON Lines take everything in the order of names."
  )
  var subcollections: Bool?

  @Option(
    help: ArgumentHelp(
      "The order of the documents, as 'lastName,createdAt desc'; those without the field are left out.",
      valueName: "fields"
    )
  )
  var orderBy: String?

  @Option(help: ArgumentHelp("Maximum documents per collection.", valueName: "n"), from: 0)
  var limit: Int?

  @OptionGroup var reading: ReadingOptions

  @Option(
    help: ArgumentHelp("The moment to read at: a time, now, or none.", valueName: "time"),
    transform: TypedValue.readTime
  )
  var readTime: ReadTimeChoice?

  @Option(
    help: ArgumentHelp(
      "The header of CSV and XLSX: fields, or the labels of the schema in a language: english, spanish, or its code.",
      valueName: "language"
    ).withDefault("fields"),
    transform: TypedValue.header
  )
  var header = Column.HeaderLanguage.fieldNames

  @Option(help: "The delimiter of CSV: comma, semicolon or tab.")
  var delimiter = DelimiterName.comma

  @Option(
    name: .customLong("null"),
    help: ArgumentHelp("How null is written in CSV and XLSX.", valueName: "text")
  )
  var nullText = "null"

  @Flag(help: "Write CSV for Excel: a byte order mark, and formulas neutralised.")
  var excel = false

  @Flag(
    help:
      "Write CSV for people: what they expect to see, without types ('5512345678', not '{\"integerValue\":\"5512345678\"}'), times in the time zone. Such a file does not round-trip exactly."
  )
  var plain = false

  @Flag(
    help:
      "In one workbook, write references to documents of other sheets as links to their rows; they are formulas, and slow where there are many."
  )
  var links = false

  @Flag(help: "Compress the JSON Lines files of a folder; a single file is if its name ends in .gz.")
  var gzip = false

  @Flag(
    help:
      "Of users, write fullName, phone and isActive as the app reads them (unified, else iOS, else Android), and the era of each document; --where on these fields means what is written, and reads all users. Such a file is for people, not a backup."
  )
  var asApp = false

  @OptionGroup var summary: SummaryOptions

  @OptionGroup var schedule: ScheduleOptions

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var logging: LoggingOptions

  func validate() throws {
    try CollectionArguments.validate(collections, all: all, query)
    try schedule.validate(self)
    try summary.validate(self)
    try validateSQLite()
    if format == nil, !schedule.dated, FormatName(fileName: output) == nil {
      throw ValidationError(
        "--output: '\(output)' does not name a format; give --format csv, xlsx, jsonl or sqlite."
      )
    }
    if subcollections == true, query.group || !query.filters.isEmpty || orderBy != nil {
      throw ValidationError("--subcollections takes everything: no --where, --order-by or --group.")
    }
    if isCSV, namesSeveral || isDeep,
      FormatName(fileName: output) != nil || output == "-",
      !FileCheck.isFolder(output), !schedule.dated
    {
      throw ValidationError("One CSV file holds one collection: name a folder, or export to .xlsx or .jsonl.")
    }
    if plain, !isCSV { throw ValidationError("--plain is about CSV: export to .csv, or with --format csv.") }
    if plain, schedule.dated { throw ValidationError("--plain is not for backups: no --dated.") }
    if links, !isOneWorkbook {
      throw ValidationError("--links is about the sheets of one workbook: name a file that ends in .xlsx.")
    }
    if asApp, schedule.dated { throw ValidationError("--as-app is not for backups: no --dated.") }
    if asApp, !all, !collections.contains("users") {
      throw ValidationError("--as-app is about users: export users.")
    }
    if orderBy != nil, collections.contains(where: { $0.contains("/") && $0.contains("*") }) {
      throw ValidationError("--order-by is for collections, not for a pattern of subcollections.")
    }
    for order in try orderBy.map({ try StructuredQuery.Order.list(parsing: $0) }) ?? [] where asApp {
      guard AppUser.isShown(order.field) else { continue }
      throw ValidationError("--order-by: the service cannot order by \(order.field) as the app reads it.")
    }
    if logging.json, output == "-" { throw ValidationError("--json and -o - both write to standard output.") }
    _ = try fieldPaths()
  }

  /// Whether there may be more than one collection, what is below aside.
  private var namesSeveral: Bool {
    all || collections.count > 1 || CollectionSelection(collections, isDeep: false).wantsRoots
  }

  /// Whether what is below the collections is exported, too: a backup is whole unless an option says otherwise.
  var isDeep: Bool {
    if let subcollections { return subcollections }
    let isBackup = schedule.dated || (all && (format ?? FormatName(fileName: output)) == .jsonl)
    return isBackup && query.filters.isEmpty && !query.group && orderBy == nil && limit == nil
      && schedule.since == nil
  }

  var scope: Manifest.Scope {
    Manifest.Scope(
      collections: all ? nil : collections,
      subcollections: isDeep,
      filters: query.filters,
      limit: limit,
      orderBy: orderBy,
      fields: fields?.split(separator: ",").map(String.init),
      isGroup: query.group
    )
  }

  func run() async throws {
    if isSQLite { return try await exportSQLite() }
    let schema = try EnvironmentResolver(connection).schema()
    if asApp { try schema.assertGym("--as-app") }
    let format = try exportFormat(schema)
    let summary = try summary.summary(schema, header)
    let fields = try fieldPaths()
    let shard = Invocation.current.shard
    let readTime = shard?.readTime ?? readTime ?? .pinned
    let scope = scope
    let selection = CollectionSelection(all ? nil : collections, isDeep: isDeep)
    let orderBy = try orderBy.map { try StructuredQuery.Order.list(parsing: $0) } ?? []
    let isDeep = isDeep
    let isWhole = limit == nil && fields == nil && query.filters.isEmpty && !query.group
    let access = try StorageAccess(for: [output], connection)
    // What cannot be written is found out before anything is read.
    let dated = schedule.dated ? try await scheduledExports(at: output, in: access.storage) : nil
    let count = namesSeveral || isDeep ? max(2, collections.count) : 1
    let destination =
      dated.map { .folder($0.path) } ?? ExportDestination(output: output, format: format, collections: count)
    // A folder of scheduled exports has been written to already, for its lock.
    if dated == nil { _ = try ExportOutput(destination, format, via: access.files) }
    try await closing(dated) {
      try await CommandRun(name: "export", connection: connection, logging: logging).perform { session, run in
        let moment = try await session.moment(readTime)
        var reads = try await session.reads(of: selection, query, at: moment)
        if summary != nil { SummaryOptions.arrange(&reads) }
        if !isDeep, shard == nil { session.logger.reportSubcollections(of: reads, schema) }
        for index in reads.indices {
          // What the app reads follows from other fields.
          reads[index].mask = asApp ? nil : fields
          reads[index].orderBy = orderBy
          reading.apply(to: &reads[index])
        }
        var options = Export.Options(reads: reads, destination: destination, format: format)
        options.fields = fields
        if asApp {
          options.transform = AppUser.asRead
          options.filter = AppUser.takeFilter(from: &options.reads)
        }
        options.limit = limit
        options.files = access.files
        options.summary = summary
        options.scope = scope
        options.readTime = moment
        options.isPart = shard != nil
        let scheduledExport = dated.map {
          DatedExport($0, via: access.files, keeping: schedule.keep, movesMarks: isWhole, in: session)
        }
        if let since = schedule.since {
          try await DatedExport.narrow(&options, since: since, in: dated?.path, via: access.files, session)
        }
        func export(_ options: Export.Options) async throws -> Timestamp? {
          try await Export(options, in: session.context(run)).run { shard?.setColumns($0) }
        }
        if let scheduledExport {
          return CommandResult(readTime: try await scheduledExport.run(options, export))
        }
        return CommandResult(readTime: try await export(options))
      }
    }
  }

  /// Whether all collections are sheets of the same workbook.
  var isOneWorkbook: Bool {
    (format ?? FormatName(fileName: output)) == .xlsx && !schedule.dated && !FileCheck.isFolder(output)
      && !output.hasSuffix("/")
  }

  private var isCSV: Bool { (format ?? FormatName(fileName: output)) == .csv }

  func fieldPaths() throws -> [FieldPath]? {
    try fields.map { try TypedValue.fields($0, of: "--fields") }
  }

  func exportFormat(_ schema: DatabaseSchema) throws(Failure) -> ExportFormat {
    if case .labels(let language) = header, !schema.languages.contains(language) {
      let known = schema.languages.joined(separator: ", ")
      throw Failure(
        .usage,
        "write the header",
        path: language,
        cause:
          "the schema '\(schema.name)' has no labels in that language\(known.isEmpty ? "" : ", but in \(known)")",
        remedy: "Leave --header out, or add labels to the schema."
      )
    }
    let zone = try query.zone.timeZone.map { name throws(Failure) in try schema.zone(named: name) }
    switch format ?? FormatName(fileName: output) ?? .jsonl {
    case .csv:
      var options = CSVOptions()
      options.delimiter = delimiter.delimiter
      options.header = header
      options.nullText = nullText
      options.timeZone = plain ? try schema.zone(named: query.zone.timeZone) : zone
      options.isForExcel = excel
      options.isPlain = plain
      options.schema = schema
      options.isPart = Invocation.current.shard != nil
      return .csv(options)
    case .xlsx:
      var options = XLSXOptions(timeZone: try schema.zone(named: query.zone.timeZone))
      options.header = header
      options.nullText = nullText
      options.links = links
      options.schema = schema
      return .xlsx(options)
    case .jsonl: return .jsonLines(gzip: gzip)
    case .sqlite: throw Failure(.internal, "export", path: output, cause: "SQLite is no format of tables")
    }
  }
}

extension AppUser {
  /// Takes the filter off the reads of users where it is about fields that the app does not read as they are stored.
  ///
  /// - Returns: The filter of what is written instead.
  fileprivate static func takeFilter(from reads: inout [CollectionRead]) -> DocumentFilter? {
    guard let filter = reads.lazy.compactMap(\.filter).first, filter.fields.contains(where: isShown) else {
      return nil
    }
    for index in reads.indices where reads[index].collection.id.isIdentical(to: "users") {
      reads[index].filter = nil
    }
    return DocumentFilter(filter)
  }
}

extension Logger {
  /// Reports what an export leaves out, where the schema knows of collections below.
  fileprivate func reportSubcollections(of reads: [CollectionRead], _ schema: DatabaseSchema) {
    for read in reads where read.reach == .collection && read.filter == nil {
      let below = schema.collections.map(\.pattern.string).filter {
        $0.utf8.starts(with: "\(read.collection)/".utf8)
      }
      if below.isEmpty { continue }
      notice(
        "\(read.collection) may have subcollections (\(below.joined(separator: ", "))), which are not in this export; --subcollections takes them along."
      )
    }
  }
}
