import Tables
import Transfer

/// How the rows of CSV files and sheets become documents.
struct TableArguments: ParsableArguments {
  @Option(help: "jsonl, csv or xlsx (default: by the file's name, else its content).")
  var format: InputFormat?

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

  @Flag(help: "Take ids that begin or end with white space as they are (default: they are refused).")
  var keepSpaces = false

  @Option(
    help: "Rows of CSV with fewer cells than the header: refuse, or pad with empty cells (default: refuse)."
  )
  var shortRows = TableOptions.ShortRows.refuse

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

  @Option(
    help: ArgumentHelp(
      "The types of columns by their headings, with commas between them; precedes those of the file and of the schema.",
      valueName: "heading=type"
    ),
    transform: TypedValue.columnTypes
  )
  var types: [String] = []

  @Flag(help: "Numbers have a comma before their decimals, and may have points between thousands: 1.234,56.")
  var decimalComma = false

  @Option(
    help: ArgumentHelp(
      "The order of dates such as 01/02/2026: dd/MM/yyyy, MM/dd/yyyy or yyyy/MM/dd (default: the day first under a type; without a type what the cells show).",
      valueName: "pattern"
    ),
    transform: TypedValue.dateOrder
  )
  var dateFormat: DateOrder?

  /// Puts them into an import.
  func complete(_ job: inout ImportJob) {
    (job.format, job.sheets) = (format, sheet)
    (job.idColumn, job.newIDs, job.keepsSpaces) = (idColumn, newIDs, keepSpaces)
    (job.shortRows, job.delimiter, job.nullText) = (shortRows, delimiter?.delimiter, nullText)
    (job.timeZone, job.types) = (timeZone, types)
    (job.usesDecimalComma, job.dateOrder) = (decimalComma, dateFormat)
  }
}
