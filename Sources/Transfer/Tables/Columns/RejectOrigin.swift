package import FirestoreModels
package import Schema

/// What a list of rejected rows says of the table that its rows come from, in the heading of its reasons.
///
///     __reason__ gymmigrate.zone.Asia_2FTokyo gymmigrate.null.NULL
///
/// It is what decides how the cells are read, and neither the cells nor the options of the import say. In a heading, it stays
/// with the list whatever format a spreadsheet saves it in, and however it moves the columns and sorts the rows. It is ASCII,
/// so it is the same in any encoding, and has no delimiter. The words are those of an exported sheet (``SheetMark``).
package struct RejectOrigin: Sendable, Equatable {
  /// A sheet, and its number among those of its workbook, from 1.
  package struct Sheet: Sendable, Equatable {
    package var name: String
    package var number: Int

    package init(_ name: String, number: Int) { (self.name, self.number) = (name, number) }
  }

  /// How an export wrote the table.
  package var writing = TableWriting()
  /// The database of the export that the table belongs to.
  package var database: DatabaseName?
  /// The sheet that the table is.
  package var sheet: Sheet?
  /// Whether the columns that an option skips are left out, so that its numbers mean none in the list.
  package var lacksSkipped = false

  /// More sheets than any real workbook has.
  private static let maximumSheets = 10_000

  package init() {}

  /// Reads the header of a table; nil if the table is no list of rejected rows.
  package init?(header: CellRow) {
    for text in header.texts {
      guard let origin = RejectOrigin(heading: PlainText.trimmed(text, where: Spacing.isInvisible)) else {
        continue
      }
      self = origin
      return
    }
    return nil
  }

  /// Reads a heading without spaces around it; nil if it is not that of the reasons.
  ///
  /// Words that have no meaning are ignored.
  package init?(heading: String) {
    let words = heading.split(separator: " ").map(String.init)
    guard words.first?.isIdentical(to: TablePlan.reasonHeading) ?? false else { return nil }
    var number = 1
    for case let (writing, value)? in words.dropFirst().map({ SheetMark.writing(of: $0) }) {
      switch writing {
      case .zone: self.writing.timeZone = value
      case .schema: self.writing.schema = value
      case .null: self.writing.nullText = value
      case .comma: self.writing.usesDecimalComma = true
      case .database: database = DatabaseName(parsing: value)
      case .sheet: sheet = Sheet(value, number: 1)
      case .number: number = Int(value).map { min(max(1, $0), Self.maximumSheets) } ?? 1
      case .skipped: lacksSkipped = true
      // The headings of a list are fields.
      case .header: break
      }
    }
    sheet?.number = number
  }

  /// The heading of the reasons.
  package var heading: String {
    let values: [(SheetMark.Writing, String?)] = [
      (.zone, writing.timeZone), (.schema, writing.schema), (.null, writing.nullText),
      (.comma, writing.usesDecimalComma ?? false ? "1" : nil), (.database, database?.description),
      (.sheet, sheet?.name), (.number, sheet.map { "\($0.number)" }), (.skipped, lacksSkipped ? "1" : nil),
    ]
    let words = values.compactMap { writing, value in value.map { SheetMark.name(of: writing, $0) } }
    return ([TablePlan.reasonHeading] + words).joined(separator: " ")
  }

  /// Returns the options for a table that apply to the list as well.
  package func applicable(_ reading: TableReading) -> TableReading {
    var reading = reading.ofContent
    if lacksSkipped { reading.skippedColumns = [] }
    return reading
  }
}
