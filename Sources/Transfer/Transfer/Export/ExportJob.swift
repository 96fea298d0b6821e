package import FirestoreREST
package import Schema
import Tables
import TypedDocuments

/// An export as specified on the command line or in a record.
package struct ExportJob: Job {
  /// The formats by their names on the command line.
  package enum Format: String, Codable, Sendable, CaseIterable {
    case csv, xlsx, jsonl, json, ndjson, bigquery, sqlite, managed

    /// Whether it preserves every value, as a backup has to.
    package var isExact: Bool { self == .jsonl || self == .managed }

    /// Whether a file holds only one collection.
    package var holdsOneCollection: Bool { [.csv, .json, .ndjson, .bigquery].contains(self) }

    /// Creates the format of a file from its name.
    package init?(fileName: String) {
      guard let kind = FileName(fileName).kind else { return nil }
      self.init(rawValue: kind.rawValue)
    }
  }

  package static let kind = "export"
  package static let onlyReads = true

  package var collections: [String]
  package var all: Bool
  package var output = "-"
  package var format = Format.jsonl
  /// Field paths as typed; nil for all fields.
  package var fields: String?
  package var query = QuerySettings()
  /// Whether everything below the collections is exported, too.
  package var isDeep = false
  package var orderBy: String?
  package var limit: Int?
  package var reading = ReadingSettings()
  @Text package var readTime = ReadTimeChoice.pinned
  /// The language of a table's header; nil for field names.
  package var headerLanguage: String?
  package var delimiter = CSVDelimiter.comma
  package var nullText = "null"
  package var isForExcel = false
  package var isPlain = false
  /// Whether plain cells use a decimal comma; nil, as in older records, means no.
  package var usesDecimalComma: Bool?
  package var links = false
  package var gzip = false
  package var isDated = false
  /// How many of the newest dated exports to keep.
  package var retention: RetentionPolicy?
  /// A time or `last`.
  package var since: String?
  /// What the options that an application adds were set to, by name.
  package var additions: [String: String] = [:]
  package var mask: MaskSettings?

  package init(_ collections: [String], all: Bool) {
    self.collections = collections
    self.all = all
  }

  package var name: String { Self.kind }
  package var writes: Bool { false }

  /// Whether there may be more than one collection, not counting subcollections.
  package var namesSeveral: Bool {
    all || collections.count > 1 || CollectionSelection(collections, isDeep: false).wantsRoots
  }

  /// Whether only some of the documents, or some of their fields, are exported.
  package var isPart: Bool {
    fields != nil || limit != nil || orderBy != nil || query.group || !query.filters.isEmpty || since != nil
  }

  /// Whether all collections become sheets of one workbook.
  package var isOneWorkbook: Bool {
    format == .xlsx && !isDated && !FileCheck.isFolder(output) && !output.hasSuffix("/")
  }

  /// What to do instead of `gzip` for a single file, whose name decides on compression; nil for a folder.
  package var gzipAdvice: String? {
    guard gzip, !isDated else { return nil }
    let count = namesSeveral || isDeep ? 2 : 1
    switch ExportDestination(output: output, format: .jsonLines(), collections: count) {
    case .folder: return nil
    case .file(let file): return FileName(file).isCompressed ? nil : "name the file \(file).gz"
    case .standardOutput: return "pipe the output through gzip"
    }
  }

  package var selection: CollectionSelection { CollectionSelection(all ? nil : collections, isDeep: isDeep) }

  /// Returns the scope, for the manifest.
  ///
  /// - Throws: `.configuration` for a time zone that this system does not know.
  package func scope(by schema: DatabaseSchema) throws(Failure) -> Manifest.Scope {
    var scope = Manifest.Scope(
      collections: all ? nil : collections,
      subcollections: isDeep || format == .sqlite,
      filters: query.filters,
      limit: limit,
      orderBy: orderBy,
      fields: fields?.split(separator: ",").map(String.init),
      isGroup: query.group,
      isMasked: mask != nil
    )
    if scope.dependsOnZone { scope.timeZone = try schema.zone(named: query.timeZone).name }
    return scope
  }

  /// The format with its options; nil for SQLite, which is written as a mirror.
  ///
  /// - Parameters:
  ///   - database: The database that is exported, which a managed export records.
  ///   - isPart: Whether this is one part of an export that several processes share.
  /// - Throws: `.usage` for a header in a language that the schema does not have; `.configuration` for a time zone that this
  ///   system does not know.
  package func exportFormat(
    _ schema: DatabaseSchema,
    of database: DatabaseName? = nil,
    isPart: Bool
  ) throws(Failure) -> ExportFormat? {
    if let headerLanguage { try assertLabels(headerLanguage, schema) }
    let header = headerLanguage.map { Column.HeaderLanguage.labels($0) } ?? .fieldNames
    let zone = try query.timeZone.map { name throws(Failure) in try schema.zone(named: name) }
    switch format {
    case .csv:
      var options = CSVOptions()
      options.delimiter = delimiter
      options.header = header
      options.nullText = nullText
      options.timeZone = isPlain ? try schema.zone(named: query.timeZone) : zone
      options.isForExcel = isForExcel
      options.isPlain = isPlain
      options.usesDecimalComma = usesDecimalComma ?? false
      options.schema = schema
      options.isPart = isPart
      return .csv(options)
    case .xlsx:
      var options = XLSXOptions(timeZone: try schema.zone(named: query.timeZone))
      options.header = header
      options.nullText = nullText
      options.links = links
      options.schema = schema
      return .xlsx(options)
    case .jsonl: return .jsonLines(gzip: gzip)
    case .json, .ndjson: return .plainJSON(isArray: format == .json)
    case .bigquery: return .bigQuery(schema)
    case .managed: return database.map { .managed($0) }
    case .sqlite: return nil
    }
  }

  private func assertLabels(_ language: String, _ schema: DatabaseSchema) throws(Failure) {
    if schema.languages.contains(language) { return }
    let known = schema.languages.joined(separator: ", ")
    throw Failure(
      .usage,
      "write the header",
      path: language,
      cause:
        "the schema '\(schema.name)' has no labels in that language\(known.isEmpty ? "" : ", but in \(known)")",
      remedy: "Leave --header or --lang out, or add labels to the schema."
    )
  }
}
