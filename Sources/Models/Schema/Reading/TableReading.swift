/// How people's tables are read, as the command line or `import:` of a collection says it; nil or empty where it says nothing.
package struct TableReading: Codable, Sendable, Equatable {
  /// The kinds of generated IDs.
  package enum NewIDs: String, Codable, Sendable, CaseIterable {
    /// A UUID, as the apps use for members and payments.
    case uuid
    /// 20 letters and digits, as Google's clients generate.
    case auto
  }

  /// What becomes of rows of CSV with fewer cells than the header.
  package enum ShortRows: String, Codable, Sendable, CaseIterable {
    /// They are errors: the file may be cut off.
    case refuse
    /// Their last cells are missing.
    case pad
  }

  /// How cells of CSV are quoted.
  package enum Quotes: String, Codable, Sendable, CaseIterable {
    /// In `"`, which is doubled within.
    case double
    /// In `"`, which need not be doubled: it ends a cell only before a delimiter or the end of a line.
    case loose
    /// Not at all: a quote is a character.
    case literal = "none"
  }

  /// What `16%` is under a type of numbers.
  package enum Percent: String, Codable, Sendable, CaseIterable {
    /// 0.16.
    case fraction
    /// 16.
    case number
  }

  /// Which cells of a merged area have its value.
  package enum Unmerge: String, Codable, Sendable, CaseIterable {
    /// All of them.
    case fill
    /// The first; the others are empty.
    case first
  }

  /// The delimiter of CSV; detected if nil.
  package var delimiter: CSVDelimiter?
  /// The row of the header, from 1; the first that holds something if nil.
  package var headerRow: Int?
  /// The same of single sheets.
  package var sheetRows: [SheetOption<Int>] = []
  /// The encoding of CSV without a byte order mark; UTF-8 if nil.
  package var encoding: TextEncoding?
  /// The character that begins a line of CSV that is left out; nil for none.
  package var comment: UInt8?
  /// How cells are quoted; `.double` if nil.
  package var quotes: Quotes?
  /// What merged cells of a sheet are; refused in the table if nil.
  package var unmerge: Unmerge?
  /// The text for null; `null` if nil.
  package var nullText: String?
  /// The heading of the column with the document IDs; `__name__` if nil.
  package var idColumn: String?
  /// The same of single sheets; nil for none.
  package var sheetIDs: [SheetOption<String>]?
  /// The kind of IDs for rows without one; if nil, such rows are errors.
  package var newIDs: NewIDs?
  /// What becomes of short rows; `.refuse` if nil.
  package var shortRows: ShortRows?
  /// Whether IDs may begin or end with white space; not if nil.
  package var keepsSpaces: Bool?
  /// The types of columns by their headings, which precede those of the headings and the schema; of several the last.
  package var types: [HeadingOption<ColumnType>] = []
  /// The fields of columns by their headings; of several the last.
  package var renames: [HeadingOption<FieldPath>] = []
  /// How other headings become fields; if nil, as paths in tables that export wrote, and else as names.
  package var headings: HeadingStyle?
  /// The numbers of columns that are left out, from 1.
  package var skippedColumns: Set<Int> = []
  /// The same of single sheets.
  package var sheetSkips: [SheetOption<Set<Int>>] = []
  /// Whether numbers have a comma before their decimals, and points between thousands; not if nil.
  package var usesDecimalComma: Bool?
  /// What `16%` is under a type of numbers; refused if nil.
  package var percent: Percent?
  /// The signs of currencies that numbers may have, which may then have signs between thousands; none if nil.
  package var currency: CurrencySigns?
  /// The order of dates whose year comes last; nil if nobody said it.
  package var dateOrder: DateOrder?

  package init() {}

  /// The same with what another one says where this one says nothing.
  package func completed(by other: TableReading) -> TableReading {
    var reading = self
    for option in Self.options { option.complete(&reading, other) }
    return reading
  }

  /// How one table is read: what is said of its sheet in place of what is said of all.
  ///
  /// - Parameter sheet: The name of the sheet of a workbook; nil for any other table.
  package func of(_ sheet: String?) -> TableReading {
    var reading = self
    (reading.sheetRows, reading.sheetSkips, reading.sheetIDs) = ([], [], nil)
    guard let sheet else { return reading }
    reading.idColumn = sheetIDs?.last { $0.isOf(sheet) }?.value ?? idColumn
    reading.headerRow = sheetRows.last { $0.isOf(sheet) }?.value ?? headerRow
    for skips in sheetSkips where skips.isOf(sheet) { reading.skippedColumns.formUnion(skips.value) }
    return reading
  }

  /// What it says of the content of tables alone, without where in a file they are and how it is encoded.
  package var ofContent: TableReading {
    var reading = self
    (reading.delimiter, reading.headerRow, reading.encoding) = (nil, nil, nil)
    (reading.comment, reading.quotes) = (nil, nil)
    return reading
  }

  /// The options as they are typed, in order.
  package var shown: [(name: String, texts: [String])] {
    Self.options.compactMap { option in
      let texts = option.shown(self)
      return texts.isEmpty ? nil : (option.name, texts)
    }
  }
}

/// The signs of currencies, such as `$` and `MXN`.
package struct CurrencySigns: RawRepresentable, Codable, Sendable, Equatable {
  package let rawValue: String
  /// The bytes of each.
  package var signs: [[UInt8]] { rawValue.utf8.split(separator: UInt8(ascii: ",")).map(Array.init) }

  /// Reads signs with commas between them; nil if one is empty, or could be a part of a number.
  package init?(rawValue: String) {
    let pieces = rawValue.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let numeric = Set("0123456789.-+% \t".utf8)
    guard pieces.allSatisfy({ !$0.isEmpty && $0.allSatisfy { !numeric.contains($0) } }) else { return nil }
    self.rawValue = rawValue
  }
}
