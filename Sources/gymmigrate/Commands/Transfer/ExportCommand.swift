import Schema
import Transfer

extension ExportJob.Format: ExpressibleByArgument {}

/// `gymmigrate export`: exports collections to files.
struct ExportCommand: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export collections to CSV, XLSX, JSON, SQLite or a managed export.",
    discussion: """
      Reads page by page in constant memory, everything at one read time where the service allows it. A file is written as a whole or not at all. JSON Lines keep every value exactly, CSV keeps values as text, XLSX is for people, json and ndjson are plain JSON for other programs, bigquery is rows and a schema for bq load; managed is a folder as 'gcloud firestore export' writes it.

        gymmigrate export users -e test -o users.csv
        gymmigrate export --all -e prod -o backup/ --format jsonl
        gymmigrate export --all -e prod -o gs://my-backups/nightly --dated --keep 14

      'gymmigrate export verify FOLDER' checks what an export wrote.
      """
  )

  @Argument(help: CollectionArguments.help, completion: CompletionValues.collections)
  var collections: [String] = []

  @Flag(help: "Export every root collection.")
  var all = false

  @Option(
    name: .shortAndLong,
    help: "A file or a folder, also as gs://BUCKET/NAME, or - for standard output.",
    as: TypedValue.file.named("path")
  )
  var output: String

  @Option(help: "csv, xlsx, jsonl, json, ndjson, bigquery, sqlite or managed (default: by the file's name).")
  var format: ExportJob.Format?

  @Option(help: "Fields to read and write, with commas in between.", as: TypedValue.text("a,b.c"))
  var fields: String?

  @OptionGroup(title: "Which documents") var query: QueryOptions

  @Flag(
    inversion: .prefixedNo,
    help:
      "Export what is below the collections, too, also below documents that are missing (default: yes for --all to JSON Lines or a managed export, and for --dated, but not with --where, --group, --order-by or --limit). With --since, those that the schema or an earlier export has."
  )
  var subcollections: Bool?

  @Option(
    help: "The order of the documents, as 'lastName,createdAt desc'; those without the field are left out.",
    as: TypedValue.text("fields")
  )
  var orderBy: String?

  @Option(help: "Maximum documents per collection (which ones: docs/filters.md).", from: 0)
  var limit: Int?

  @OptionGroup(title: "How it reads") var reading: ReadingOptions

  @OptionGroup var moment: MomentOptions

  @OptionGroup var snapshot: SnapshotOptions

  @OptionGroup var masking: MaskOptions

  @Option(
    name: [.long, .customLong("lang")],
    help: ArgumentHelp(
      "The header of CSV and XLSX: fields, or the labels of the schema in a language: english, spanish, or its code."
    ).withDefault("fields"),
    as: TypedValue.header
  )
  var header = Column.HeaderLanguage.fieldNames

  @Option(
    help: ArgumentHelp("The delimiter of CSV: comma, semicolon, tab, pipe, or a character such as ^.")
      .withDefault("comma"),
    as: TypedValue.writtenDelimiter
  )
  var delimiter = CSVDelimiter.comma

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

  @Flag(help: "In CSV with --plain, write a comma before decimals: 1234,5.")
  var decimalComma = false

  @Flag(
    help:
      "In one workbook, write references to documents of other sheets as links to their rows; they are formulas, and slow where there are many."
  )
  var links = false

  @Flag(help: "Compress the JSON Lines files of a folder; a single file is if its name ends in .gz.")
  var gzip = false

  @OptionGroup(title: "Application") var application: RegisteredApplication.ExportOptions

  @OptionGroup(title: "Scheduled exports") var schedule: ScheduleOptions

  @OptionGroup var common: SummaryOptions

  func validate() throws {
    try CollectionArguments.validate(collections, all: all, query)
    try snapshot.validate(common.connection, moment)
    let job = job
    try masking.validate(
      collections,
      without: [
        ("--where", !query.filters.isEmpty), ("--group", query.group), ("--dated", job.isDated),
        ("--since", job.since != nil),
        ("options of an application", !job.additions.isEmpty),
      ]
    )
    if !snapshot.snapshot.isEmpty, job.isDated || job.since != nil {
      throw ValidationError("--dated and --since are about a database: not with --from.")
    }
    let target = FilePaths.resolved(output)
    if snapshot.snapshot.contains(where: { FilePaths.resolved($0).isIdentical(to: target) }) {
      throw ValidationError("--output: '\(output)' is what --from reads; name another place.")
    }
    try schedule.validate(job)
    try application.validate(job)
    try validateSQLite(job)
    try validateSelection()
    try validateOutput(job)
    try validateFormat(job)
  }

  private func validateSelection() throws {
    if subcollections == true, query.group || !query.filters.isEmpty || orderBy != nil {
      throw ValidationError("--subcollections takes everything: no --where, --order-by or --group.")
    }
    if orderBy != nil, collections.contains(where: { $0.contains("/") && $0.contains("*") }) {
      throw ValidationError("--order-by is for collections, not for a pattern of subcollections.")
    }
    _ = try orderBy.map { try StructuredQuery.Order.list(parsing: $0) }
    _ = try fields.map { try TypedValue.fields($0, of: "--fields") }
  }

  /// Checks that the output can hold what is exported.
  private func validateOutput(_ job: ExportJob) throws {
    let isNamed = ExportJob.Format(fileName: output) != nil
    if format == nil, !job.isDated, !isNamed {
      throw ValidationError("--output: '\(output)' does not name a format; \(formatAdvice).")
    }
    if job.format.holdsOneCollection, job.namesSeveral || job.isDeep, isNamed || output == "-",
      !FileCheck.isFolder(output), !job.isDated
    {
      throw ValidationError(
        output == ShardPart.placeholder
          ? "Tasks write several collections as JSON Lines alone: leave out --format \(job.format.rawValue), or plan one."
          : "One \(job.format == .csv ? "CSV" : "JSON") file holds one collection: name a folder, or export to .xlsx or .jsonl."
      )
    }
    if links, !job.isOneWorkbook {
      throw ValidationError("--links is about the sheets of one workbook: name a file that ends in .xlsx.")
    }
    if output == "-" {
      if job.format == .bigquery {
        throw ValidationError(
          "An export for BigQuery is two files, rows and schema: name a file or a folder."
        )
      }
      if job.format == .managed {
        throw ValidationError("A managed export is a folder: name it with --output.")
      }
      if common.isJSON { throw ValidationError("--json and -o - both write to standard output.") }
    }
  }

  /// Checks that the options suit the format.
  private func validateFormat(_ job: ExportJob) throws {
    if job.isDated, [.json, .ndjson, .bigquery, .managed].contains(job.format) {
      throw ValidationError("A backup is JSON Lines, CSV or XLSX: no --dated for \(job.format.rawValue).")
    }
    if job.format == .managed, fields != nil {
      throw ValidationError("A managed export has whole documents: no --fields.")
    }
    let isCSV = job.format == .csv
    let isTable = isCSV || job.format == .xlsx
    let idle = [
      ("--plain", plain && !isCSV, "CSV"), ("--excel", excel && !isCSV, "CSV"),
      ("--decimal-comma", decimalComma && !plain, "CSV with --plain"),
      ("--delimiter", delimiter != .comma && !isCSV, "CSV"),
      ("--header", job.headerLanguage != nil && !isTable, "CSV and XLSX"),
      ("--null", nullText != "null" && !isTable, "CSV and XLSX"),
      ("--gzip", gzip && job.format != .jsonl, "folders of JSON Lines"),
    ].first { $0.1 }
    if let idle {
      throw ValidationError("\(idle.0) is about \(idle.2): export to such a file, or say it with --format.")
    }
    if !output.isIdentical(to: ShardPart.placeholder), let advice = job.gzipAdvice {
      throw ValidationError("--gzip is about the files of a folder: \(advice).")
    }
    if plain, job.isDated { throw ValidationError("--plain is not for backups: no --dated.") }
  }

  /// How to specify the format if the name of the output does not.
  private var formatAdvice: String {
    switch FileName(output).kind {
    case .tsv: "a table with tabs is --format csv --delimiter tab"
    case .psv: "a table with bars is --format csv --delimiter pipe"
    default: "give --format csv, xlsx, jsonl, json, ndjson, bigquery, sqlite or managed"
    }
  }

  /// Whether to export everything below the collections: a backup is complete unless an option says otherwise.
  private var isDeep: Bool {
    if let subcollections { return subcollections }
    let isBackup = schedule.dated || (all && (format ?? ExportJob.Format(fileName: output))?.isExact ?? false)
    return isBackup && query.filters.isEmpty && !query.group && orderBy == nil && limit == nil
      && (schedule.since == nil || schedule.dated)
  }

  func jobRun() throws -> JobRun {
    var job = job
    job.mask = try masking.settings()
    var run = common.jobRun(job)
    run.connection = snapshot.connection(common.connection)
    run.connection.hidesNames = masking.hidesNames
    return run
  }

  private var job: ExportJob {
    var job = ExportJob(collections, all: all)
    (job.output, job.format) = (output, format ?? ExportJob.Format(fileName: output) ?? .jsonl)
    (job.fields, job.query, job.isDeep) = (fields, query.settings, isDeep)
    (job.orderBy, job.limit) = (orderBy, limit)
    (job.reading, job.readTime) = (reading.settings, moment.readTime ?? .pinned)
    if case .labels(let language) = header { job.headerLanguage = language }
    (job.delimiter, job.nullText, job.isForExcel) = (delimiter, nullText, excel)
    (job.isPlain, job.links, job.gzip) = (plain, links, gzip)
    job.usesDecimalComma = decimalComma ? true : nil
    (job.isDated, job.retention, job.since) = (
      schedule.dated, schedule.retention.policy, schedule.since?.text
    )
    job.additions = application.values
    return job
  }
}
