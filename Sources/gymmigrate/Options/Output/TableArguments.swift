import ArgumentParser
import FirestoreModels
import Schema
import Tables
import Transfer

/// How the rows of CSV files and sheets become documents.
struct TableArguments: ParsableArguments {
  @Option(help: "jsonl, csv or xlsx (default: by the file's name).")
  var format: ImportSource.Format?

  @Option(
    help: ArgumentHelp(
      "A sheet of a workbook, instead of all, and the collection that its rows are put into; several times for several.",
      valueName: "name[=collection]"
    )
  )
  var sheet: [String] = []

  @Option(help: ArgumentHelp("The column that holds the ids of documents.", valueName: "heading"))
  var idColumn: String?

  @Option(
    name: .customLong("new-ids"),
    help: ArgumentHelp("Ids for rows that have none: uuid or auto.", valueName: "kind")
  )
  var newIDs: TableOptions.NewIDs?

  @Option(help: "The delimiter of CSV: comma, semicolon or tab (default: detected).")
  var delimiter: DelimiterName?

  @Option(name: .customLong("null"), help: ArgumentHelp("The text for null in a cell.", valueName: "text"))
  var nullText = "null"

  @Option(
    help: ArgumentHelp(
      "The zone of dates that have none (default: the schema's, else UTC).",
      valueName: "zone"
    )
  )
  var timeZone: String?

  func options(_ schema: DatabaseSchema) throws(Failure) -> TableOptions {
    var options = TableOptions(timeZone: try schema.zone(named: timeZone))
    options.schema = schema
    options.delimiter = delimiter?.delimiter
    options.nullText = nullText
    options.idColumn = idColumn
    options.newIDs = newIDs
    return options
  }
}
