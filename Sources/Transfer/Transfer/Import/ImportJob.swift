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
  /// How tables are read, which precedes what the schema says.
  package var reading = TableReading()
  /// Columns of IDs that may be of one sheet, as `SHEET=HEADING`; nil for none.
  package var idColumns: [String]?
  package var timeZone: String?
  /// What the members of objects in JSON are; found out if nil.
  package var jsonForm: JSONForm?
  package var limit: Int?
  /// How many files are read at a time; nil for one.
  package var parallel: Int?
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
    try addIDColumns(to: &options.table.reading, sources.compactMap(\.sheet))
    options.collection = collection
    options.flattens = flattens
    options.duplicates = duplicates
    options.source = source ?? ImportSource.database(of: sources)
    options.parseErrors = parseErrors
    options.limit = limit
    options.parallel = parallel ?? 1
    options.isDryRun = isDryRun
    options.maximumDeletes = maximumDeletes
    options.rules.schema = schema
    options.rules.policy = schemaPolicy
    options.rules.fillsDefaults = fillsDefaults
    // Times are written as they are on request, and where only exports are restored.
    options.rules.times =
      serverTimes ? .server : keepTimes || sources.allSatisfy(\.isExported) ? .kept : .changed
    options.rules.isPartial = mode == .merge
    return options
  }

  /// Adds the columns of IDs of sheets; a text that begins with none of their names is a heading with that sign.
  ///
  /// - Throws: `.usage` for such a text where there is another heading for all tables.
  private func addIDColumns(to reading: inout TableReading, _ sheets: [String]) throws(Failure) {
    for text in idColumns ?? [] {
      let named = sheets.filter { text.utf8.starts(with: "\($0)=".utf8) }
      if let sheet = named.max(by: { $0.utf8.count < $1.utf8.count }) {
        let heading = String(decoding: text.utf8.dropFirst(sheet.utf8.count + 1), as: UTF8.self)
        reading.sheetIDs = (reading.sheetIDs ?? []) + [SheetOption(sheet: sheet, value: heading)]
        continue
      }
      if reading.idColumn != nil {
        throw Failure(
          .usage,
          "use",
          path: "--id-column '\(text)'",
          cause: "no sheet of that name is imported, and there is another column for all tables",
          remedy: "Write the name of the sheet as the workbook has it."
        )
      }
      reading.idColumn = text
    }
  }

  private func table(_ schema: DatabaseSchema, via access: FileAccess) throws(Failure) -> TableOptions {
    var options = TableOptions(timeZone: try schema.zone(named: timeZone))
    options.isZoneGiven = timeZone != nil
    options.files = access
    options.schema = schema
    options.flattens = flattens
    options.reading = reading
    options.jsonForm = jsonForm
    return options
  }
}
