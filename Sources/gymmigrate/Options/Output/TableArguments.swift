import Schema
import Tables
import Transfer

/// Options for how rows of CSV files and sheets become documents.
struct TableArguments: ParsableArguments {
  @Option(help: "jsonl, json, csv, xlsx or managed (default: by the file's name and content).")
  var format: InputFormat?

  @Option(
    help:
      "What the members of an object in JSON are: documents by their ids, or collections of documents (default: found out)."
  )
  var jsonForm: JSONForm?

  @Option(
    help:
      "A sheet of a workbook by its name or number, instead of all, and the collection that its rows are put into; several times for several.",
    as: TypedValue.text("name[=collection]")
  )
  var sheet: [String] = []

  @Option(
    name: [.customLong("id-column"), .customLong("id-field")],
    help:
      "The column, or the member of plain JSON, that holds the ids of documents; of one sheet as 'Hoja 2=Clave'.",
    as: TypedValue.text("heading")
  )
  var idColumn: [String] = []

  @Option(
    name: .customLong("new-ids"),
    help: ArgumentHelp("Ids for rows that have none: uuid or auto.", valueName: "kind")
  )
  var newIDs: TableReading.NewIDs?

  @Flag(
    inversion: .prefixedNo,
    help:
      "Take ids that begin or end with white space as they are (default: they are refused), and texts without a warning."
  )
  var keepSpaces: Bool?

  @Option(
    help: "Rows of CSV with fewer cells than the header: refuse, or pad with empty cells (default: refuse)."
  )
  var shortRows: TableReading.ShortRows?

  @Option(
    help:
      "The row of the headings, below a title (default: the first row that holds something); of one sheet as 'Hoja 2=3'.",
    as: TypedValue.sheetRow
  )
  var headerRow: [SheetOption<Int>] = []

  @Option(help: "Rows above the headings to leave out.", from: 0)
  var skipRows: Int?

  @Option(
    help: "A character such as #: lines of CSV that begin with it are left out.",
    as: TypedValue.character
  )
  var comment: UInt8?

  @Option(help: "double, loose (not doubled within cells), or none: they are characters (default: double).")
  var quote: TableReading.Quotes?

  @Option(
    help:
      "The encoding of CSV files without a byte order mark: utf-8, utf-16le, utf-16be, windows-1252, iso-8859-1 or iso-8859-15 (default: utf-8)."
  )
  var encoding: TextEncoding?

  @Option(
    help: "The delimiter of CSV: comma, semicolon, tab, pipe, or a character such as ^ (default: detected).",
    as: TypedValue.delimiter
  )
  var delimiter: CSVDelimiter?

  @Option(
    name: .customLong("null"),
    help: "The text for null in a cell (default: null).",
    as: TypedValue.text("text")
  )
  var nullText: String?

  @Option(
    help: "The zone of dates that have none (default: the schema's, else UTC).",
    as: TypedValue.text("zone")
  )
  var timeZone: String?

  @Option(
    help:
      "The types of columns by their headings, with commas between them; precedes those of the file and of the schema.",
    as: TypedValue.columnTypes
  )
  var types: [[HeadingOption<ColumnType>]] = []

  @Option(
    help:
      "How headings become fields: literal, as they are written; path, with dots into maps; snake or camel (default: path in tables that export wrote, else literal)."
  )
  var headings: HeadingStyle?

  @Option(
    help: "The fields of columns by their headings, with commas between them: 'Fecha de alta=joinedAt'.",
    as: TypedValue.renames
  )
  var rename: [[HeadingOption<FieldPath>]] = []

  @Option(
    help: "The numbers of columns to leave out, with commas between them; of one sheet as 'Hoja 2=3,7'.",
    as: TypedValue.columnNumbers
  )
  var skipColumns: [SheetOption<Set<Int>>] = []

  @Flag(
    inversion: .prefixedNo,
    help: "Numbers have a comma before their decimals, and may have points between thousands: 1.234,56."
  )
  var decimalComma: Bool?

  @Option(
    help: "What 16% is: fraction, 0.16; or number, 16 (default: it is refused)."
  )
  var percent: TableReading.Percent?

  @Option(
    help:
      "The signs of currencies that numbers may have, which may then have commas between thousands, as $1,200.00 (default: they are refused).",
    as: TypedValue.currency
  )
  var currency: CurrencySigns?

  @Option(
    help:
      "Merged cells of a sheet: fill, all of them have the value; or first, the first one alone (default: those in the table are refused)."
  )
  var unmerge: TableReading.Unmerge?

  @Option(
    help:
      "The order of dates such as 01/02/2026: dd/MM/yyyy, MM/dd/yyyy or yyyy/MM/dd (default: the day first, or what the cells show).",
    as: TypedValue.dateOrder
  )
  var dateFormat: DateOrder?

  func validate() throws {
    if !headerRow.isEmpty, skipRows != nil {
      throw ValidationError("Give --header-row or --skip-rows, not both.")
    }
    if Set(idColumn.filter { !Self.mayNameSheet($0) }.map(UTF8Key.init)).count > 1 {
      throw ValidationError("Give --id-column once, or of one sheet as SHEET=HEADING.")
    }
    if let comment, comment == UInt8(ascii: "\"") || comment == delimiter?.rawValue.utf8.first {
      throw ValidationError("--comment: cells are quoted or divided by that character; give another.")
    }
  }

  func complete(_ job: inout ImportJob) {
    (job.format, job.sheets, job.timeZone) = (format, sheet, timeZone)
    job.jsonForm = jsonForm
    job.reading = reading
    let named = idColumn.filter(Self.mayNameSheet)
    job.idColumns = named.isEmpty ? nil : named
  }

  /// Whether an ID column may be for one sheet, which can only be decided once the workbooks are read.
  private static func mayNameSheet(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: "=")) }

  private var reading: TableReading {
    var reading = TableReading()
    reading.idColumn = idColumn.last { !Self.mayNameSheet($0) }
    (reading.newIDs, reading.keepsSpaces) = (newIDs, keepSpaces)
    (reading.shortRows, reading.delimiter, reading.nullText) = (shortRows, delimiter, nullText)
    let row = headerRow.last { $0.sheet == nil }?.value
    (reading.headerRow, reading.encoding) = (row ?? skipRows.map { $0 + 1 }, encoding)
    reading.sheetRows = headerRow.filter { $0.sheet != nil }
    reading.sheetSkips = skipColumns.filter { $0.sheet != nil }
    (reading.comment, reading.quotes, reading.unmerge) = (comment, quote, unmerge)
    (reading.types, reading.renames) = (types.flatMap { $0 }, rename.flatMap { $0 })
    (reading.headings, reading.skippedColumns) = (
      headings, skipColumns.filter { $0.sheet == nil }.reduce([]) { $0.union($1.value) }
    )
    (reading.usesDecimalComma, reading.dateOrder) = (decimalComma, dateFormat)
    (reading.percent, reading.currency) = (percent, currency)
    return reading
  }
}
