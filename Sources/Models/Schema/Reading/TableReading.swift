/// How people's tables are read, as set on the command line or by `import:` of a collection; nil or empty if not set.
package struct TableReading: Codable, Sendable, Equatable {
  /// The kinds of generated IDs.
  package enum NewIDs: String, Codable, Sendable, CaseIterable {
    /// A UUID, as the apps use for members and payments.
    case uuid
    /// 20 letters and digits, as Google's clients generate.
    case auto
  }

  /// How rows of CSV with fewer cells than the header are handled.
  package enum ShortRows: String, Codable, Sendable, CaseIterable {
    /// As errors, because the file may be truncated.
    case refuse
    /// As if the last cells were missing.
    case pad
  }

  /// How cells of CSV are quoted.
  package enum Quotes: String, Codable, Sendable, CaseIterable {
    /// In `"`, doubled within a cell.
    case double
    /// In `"`, which need not be doubled: it ends a cell only before a delimiter or the end of a line.
    case loose
    /// Not at all: a quote is an ordinary character.
    case literal = "none"
  }

  /// What `16%` means in a column of numbers.
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
  /// The row of the header, from 1; if nil, the first row that is not empty.
  package var headerRow: Int?
  /// The header rows of individual sheets.
  package var sheetRows: [SheetOption<Int>] = []
  /// The encoding of CSV without a byte order mark; UTF-8 if nil.
  package var encoding: TextEncoding?
  /// The character that begins a comment line of CSV, which is skipped; nil for none.
  package var comment: UInt8?
  /// How cells are quoted; `.double` if nil.
  package var quotes: Quotes?
  /// How merged cells of a sheet are read; if nil, they are refused within the table.
  package var unmerge: Unmerge?
  /// The text that means null; `null` if nil.
  package var nullText: String?
  /// The heading of the column with the document IDs; `__name__` if nil.
  package var idColumn: String?
  /// The ID columns of individual sheets; nil for none.
  package var sheetIDs: [SheetOption<String>]?
  /// The kind of IDs for rows without one; if nil, such rows are errors.
  package var newIDs: NewIDs?
  /// How short rows are handled; `.refuse` if nil.
  package var shortRows: ShortRows?
  /// Whether IDs may begin or end with white space; false if nil.
  package var keepsSpaces: Bool?
  /// The types of columns by heading, which override those in headings and in the schema; the last one for a heading wins.
  package var types: [HeadingOption<ColumnType>] = []
  /// The fields of columns by heading; the last one for a heading wins.
  package var renames: [HeadingOption<FieldPath>] = []
  /// How other headings become fields; if nil, as paths in tables written by export, otherwise as names.
  package var headings: HeadingStyle?
  /// The numbers of the columns to skip, from 1.
  package var skippedColumns: Set<Int> = []
  /// The columns to skip in individual sheets.
  package var sheetSkips: [SheetOption<Set<Int>>] = []
  /// Whether numbers have a decimal comma, and points between thousands; false if nil.
  package var usesDecimalComma: Bool?
  /// What `16%` means in a column of numbers; refused if nil.
  package var percent: Percent?
  /// The currency signs that numbers may have, which may then also have thousands separators; none if nil.
  package var currency: CurrencySigns?
  /// The order of dates with the year last; nil if not stated.
  package var dateOrder: DateOrder?

  package init() {}

  /// Returns these options completed with those of another reading where they are not set.
  package func completed(by other: TableReading) -> TableReading {
    var reading = self
    for option in Self.options { option.complete(&reading, other) }
    return reading
  }

  /// Returns the options for one table, where those for its sheet replace those for all tables.
  ///
  /// - Parameter sheet: The name of the workbook's sheet; nil for any other table.
  package func of(_ sheet: String?) -> TableReading {
    var reading = self
    (reading.sheetRows, reading.sheetSkips, reading.sheetIDs) = ([], [], nil)
    guard let sheet else { return reading }
    reading.idColumn = sheetIDs?.last { $0.isOf(sheet) }?.value ?? idColumn
    reading.headerRow = sheetRows.last { $0.isOf(sheet) }?.value ?? headerRow
    for skips in sheetSkips where skips.isOf(sheet) { reading.skippedColumns.formUnion(skips.value) }
    return reading
  }

  /// The options for the content of tables, without those for the location in a file and the encoding.
  package var ofContent: TableReading {
    var reading = self
    (reading.delimiter, reading.headerRow, reading.encoding) = (nil, nil, nil)
    (reading.comment, reading.quotes) = (nil, nil)
    return reading
  }

  /// The options as typed, in order.
  package var shown: [(name: String, texts: [String])] {
    Self.options.compactMap { option in
      let texts = option.shown(self)
      return texts.isEmpty ? nil : (option.name, texts)
    }
  }
}

/// Currency signs, such as `$` and `MXN`.
package struct CurrencySigns: RawRepresentable, Codable, Sendable, Equatable {
  package let rawValue: String
  /// The UTF-8 bytes of each sign.
  package var signs: [[UInt8]] { rawValue.utf8.split(separator: UInt8(ascii: ",")).map(Array.init) }

  /// Parses comma-separated signs; nil if one is empty or could be part of a number.
  package init?(rawValue: String) {
    let pieces = rawValue.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
    let numeric = Set("0123456789.-+% \t".utf8)
    guard pieces.allSatisfy({ !$0.isEmpty && $0.allSatisfy { !numeric.contains($0) } }) else { return nil }
    self.rawValue = rawValue
  }
}
