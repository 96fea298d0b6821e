package import FirestoreREST
package import Schema
package import Tables
package import TypedDocuments

/// An import as specified on the command line or in a record.
package struct ImportJob: Job {
  package static let kind = "import"

  /// Files and folders as given by the user.
  package var files: [String]
  package var format: InputFormat?
  /// The sheets of workbooks, each as `NAME` or `NAME=COLLECTION`.
  package var sheets: [String] = []
  /// The collection that documents of JSON Lines are put into; nil to go by each document's name.
  @Text package var collection: CollectionPath? = nil
  /// Whether every document is put directly into ``collection``, ignoring any parents in the input.
  package var flattens = false
  /// Which of several documents with the same path is imported; nil to refuse duplicates, except across increments.
  package var duplicates: DuplicatePolicy?
  /// The write mode, which decides about existing documents.
  package var mode = WriteMode.create
  @Text package var source: DatabaseName? = nil
  package var parseErrors = ParseErrorPolicy.stop
  package var schemaPolicy: SchemaPolicy?
  package var fillsDefaults = false
  package var serverTimes = false
  package var keepTimes = false
  /// How tables are read, which takes precedence over the schema.
  package var reading = TableReading()
  /// Columns of IDs that may be specific to a sheet, as `SHEET=HEADING`; nil for none.
  package var idColumns: [String]?
  package var timeZone: String?
  /// The meaning of the members of JSON objects; nil to detect it.
  package var jsonForm: JSONForm?
  /// The maximum number of documents to import; nil for all.
  package var limit: Int?
  /// How many files are read at the same time; nil for one.
  package var parallel: Int?
  /// The maximum number of documents that increments may delete; nil to ask.
  ///
  /// It is for a run that is resumed; otherwise the count of the check applies.
  package var maximumDeletes: Int?
  /// Whether to only read, check and count.
  package var isDryRun = false

  package init(files: [String]) { self.files = files }

  package var name: String { Self.kind }
  package var writes: Bool { !isDryRun }
  package var writesItsInput: Bool { true }

  /// The options of the import, with the files resolved.
  ///
  /// - Throws: The errors of ``ImportSource/resolve(_:format:collection:flattens:sheets:schema:via:)``; `.configuration`
  ///   for a time zone that this system does not know.
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
    var options = Import.Options(self, sources: sources, table: try table(schema, via: access))
    try addIDColumns(to: &options.table.reading, sources)
    options.rules.schema = schema
    options.rules.policy = schemaPolicy
    options.rules.fillsDefaults = fillsDefaults
    options.rules.times = serverTimes ? .server : keepTimes ? .kept : .changed
    options.rules.isPartial = mode == .merge
    return options
  }

  /// Adds the ID columns of sheets; a text that does not begin with a sheet's name is a heading that contains the sign
  /// itself.
  ///
  /// - Throws: `.usage` for such a heading if there is another one for all tables.
  private func addIDColumns(to reading: inout TableReading, _ sources: [ImportSource]) throws(Failure) {
    let sheets = sources.compactMap(\.ownSheet)
    var headings = reading.idColumn.map { [$0] } ?? []
    for text in idColumns ?? [] {
      let named = sheets.filter { text.hasPrefix("\($0)=") }
      guard let sheet = named.max(by: { $0.utf8.count < $1.utf8.count }) else {
        headings.append(text)
        continue
      }
      let heading = String(text.dropFirst(sheet.count + 1))
      reading.sheetIDs = (reading.sheetIDs ?? []) + [SheetOption(sheet: sheet, value: heading)]
    }
    // A list of rejected rows is of one sheet, and the option may be for others.
    if headings.count > 1, sources.areListsOfSheets { headings.removeAll { $0.contains("=") } }
    reading.idColumn = headings.first
    guard headings.count > 1 else { return }
    throw Failure(
      .usage,
      "use",
      path: "--id-column '\(headings[1])'",
      cause: "no sheet of that name is imported, and there is another column for all tables",
      remedy: "Write the name of the sheet as the workbook has it."
    )
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
