import FirestoreModels
import Schema

@testable import Tables
@testable import Transfer

/// A sheet as people make it, read as import does: the first column has the ids, and cells come below headings.
struct SheetTable {
  private static let schema = """
    schema: shop
    collections:
      things:
        fields:
          text: string
          whole: integer
          number: double
          truth: boolean
          time: timestamp
    """

  let folder: ScratchFolder
  var book = HandMadeWorkbook()
  /// The zone of dates.
  var zone = "UTC"

  init() throws { folder = try ScratchFolder() }

  /// Reads rows of cells in XML below headings, which are texts or cells, too.
  ///
  /// - Returns: The fields of each row that is a document, and what was expected in the cells that are wrong, with their
  ///   places.
  mutating func read(
    _ headings: [String],
    _ rows: [[String]]
  ) throws -> (fields: [FieldMap], faults: [String]) {
    func row(_ cells: [String]) -> String { "<row>\(cells.joined())</row>" }
    book.rows = row((["id"] + headings).map { $0.hasPrefix("<c") ? $0 : Self.text($0) })
    for (index, cells) in rows.enumerated() { book.rows += row([Self.text("d\(index)")] + cells) }
    return try read(book.write(to: folder))
  }

  /// Reads one cell below a heading; nil if its field is missing.
  mutating func value(_ heading: String, _ cell: String) throws -> Value? {
    let found = try read([heading], [[cell]])
    if let fault = found.faults.first { throw Refused(fault: fault) }
    return found.fields.first?[heading]
  }

  /// Why a cell below a heading is refused; nil if it is not.
  mutating func fault(_ heading: String, _ cell: String) throws -> String? {
    try read([heading], [[cell]]).faults.first
  }

  struct Refused: Error { var fault: String }

  static func text(_ text: String) -> String { "<c t=\"inlineStr\"><is><t>\(text)</t></is></c>" }

  private func read(_ path: String) throws -> (fields: [FieldMap], faults: [String]) {
    var options = TableOptions(timeZone: try LocalTimeZone(named: zone))
    options.schema = try SchemaReader.schema(parsing: Self.schema, path: "shop.yaml")
    options.idColumn = "id"
    let collection = CollectionPath(nil, "things")
    var fields: [FieldMap] = []
    var faults: [String] = []
    for source in try ImportSource.resolve([path], collection: collection, schema: options.schema) {
      guard
        let plan = try TableSurvey.plan(
          of: source,
          collection: collection,
          options: options,
          report: { _, _ in }
        )
      else { continue }
      let input = try TableInput(source, plan: plan, options: options, stage: 0)
      while let row = try input.next() {
        if let document = row.document, row.faults.isEmpty { fields.append(document.fields) }
        faults += row.faults.map { "row \($0.row), column \($0.column ?? 0): \($0.expected)" }
      }
    }
    return (fields, faults)
  }
}
