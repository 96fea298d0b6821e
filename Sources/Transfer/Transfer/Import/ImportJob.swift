package import FirestoreREST
package import Schema
package import Tables
package import TypedDocuments

/// An import, as its command line or a record says it.
package struct ImportJob: Job {
  package static let kind = "import"

  /// Files and folders as they are named.
  package var files: [String]
  package var format: InputFormat?
  /// The sheets of workbooks, each as `NAME` or `NAME=COLLECTION`.
  package var sheets: [String] = []
  @Text package var collection: CollectionPath? = nil
  package var flattens = false
  package var duplicates: DuplicatePolicy?
  package var mode = WriteMode.create
  @Text package var source: DatabaseName? = nil
  package var parseErrors = ParseErrorPolicy.stop
  package var schemaPolicy: SchemaPolicy?
  package var fillsDefaults = false
  package var serverTimes = false
  package var keepTimes = false
  package var idColumn: String?
  package var newIDs: TableOptions.NewIDs?
  package var keepsSpaces = false
  package var shortRows = TableOptions.ShortRows.refuse
  package var delimiter: CSVOptions.Delimiter?
  package var headerRow: Int?
  package var encoding: TextEncoding?
  /// The character that begins a line of CSV that is left out.
  package var comment: UInt8?
  package var quotes = TableOptions.Quotes.double
  package var nullText = "null"
  package var timeZone: String?
  /// The types of columns, each as `HEADING=TYPE`.
  package var types: [String] = []
  /// The fields of columns, each as `HEADING=FIELD`.
  package var renames: [String] = []
  package var headings: HeadingStyle?
  package var skippedColumns: [Int] = []
  package var usesDecimalComma = false
  package var dateOrder: DateOrder?
  package var limit: Int?
  /// The most documents that increments may delete; nil to ask.
  package var maximumDeletes: Int?
  package var isDryRun = false

  package init(files: [String]) { self.files = files }

  package var name: String { Self.kind }
  package var writes: Bool { !isDryRun }
  package var deletesForGood: Bool { maximumDeletes != nil }

  /// The options of the import, with the files resolved.
  ///
  /// - Throws: As ``ImportSource/resolve(_:format:collection:flattens:sheets:schema:via:)``; `.configuration` for a time zone
  ///   that this system does not know.
  package func options(_ schema: DatabaseSchema, via access: FileAccess) throws(Failure) -> Import.Options {
    let sources = try ImportSource.resolve(
      files,
      format: format,
      collection: collection,
      flattens: flattens,
      sheets: sheets,
      schema: schema,
      via: access
    )
    var options = Import.Options(sources: sources, table: try table(schema, via: access), mode: mode)
    options.collection = collection
    options.flattens = flattens
    options.duplicates = duplicates
    options.source = source ?? ImportSource.database(of: sources)
    options.parseErrors = parseErrors
    options.limit = limit
    options.isDryRun = isDryRun
    options.rules.schema = schema
    options.rules.policy = schemaPolicy
    options.rules.fillsDefaults = fillsDefaults
    // Times are written as they are on request, and where only exports are restored.
    options.rules.times =
      serverTimes ? .server : keepTimes || sources.allSatisfy(\.isExported) ? .kept : .changed
    options.rules.isPartial = mode == .merge
    return options
  }

  private func table(_ schema: DatabaseSchema, via access: FileAccess) throws(Failure) -> TableOptions {
    var options = TableOptions(timeZone: try schema.zone(named: timeZone))
    options.files = access
    options.schema = schema
    options.flattens = flattens
    options.delimiter = delimiter
    (options.headerRow, options.encoding) = (headerRow, encoding)
    (options.comment, options.quotes) = (comment, quotes)
    options.nullText = nullText
    options.idColumn = idColumn
    options.newIDs = newIDs
    options.keepsSpaces = keepsSpaces
    options.shortRows = shortRows
    options.types = types.flatMap { HeadingOption.types(parsing: $0) ?? [] }
    options.renames = renames.flatMap { HeadingOption.renames(parsing: $0) ?? [] }
    options.headings = headings
    options.skippedColumns = Set(skippedColumns)
    options.usesDecimalComma = usesDecimalComma
    options.dateOrder = dateOrder
    return options
  }
}
