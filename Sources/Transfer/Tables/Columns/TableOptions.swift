package import Files
package import Schema

/// Options for converting the rows of a table to documents.
package struct TableOptions: Sendable {
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
    /// Not at all: a quote is a character.
    case none
  }

  /// The delimiter of CSV; detected if nil.
  package var delimiter: CSVOptions.Delimiter?
  /// The row of the header, from 1; the first that holds something if nil.
  package var headerRow: Int?
  /// The encoding of CSV without a byte order mark; UTF-8 if nil.
  package var encoding: TextEncoding?
  /// The character that begins a line of CSV that is left out; nil for none.
  package var comment: UInt8?
  package var quotes = Quotes.double
  package var nullText = "null"
  /// The time zone of dates without one.
  package var timeZone: LocalTimeZone
  /// The heading of the column with the document IDs; `__name__` if nil.
  package var idColumn: String?
  /// The kind of IDs for rows without one; if nil, such rows are errors.
  package var newIDs: NewIDs?
  package var shortRows = ShortRows.refuse
  /// Whether IDs may begin or end with white space.
  package var keepsSpaces = false
  /// The seed of generated IDs, so that a resumed run generates the same ones.
  package var newIDSeed = ""
  /// The types of columns by their headings, which precede those of the headings and the schema.
  package var types: [HeadingOption<ColumnType>] = []
  /// The fields of columns by their headings.
  package var renames: [HeadingOption<FieldPath>] = []
  /// How other headings become fields; if nil, as paths in tables that export wrote, and else as names.
  package var headings: HeadingStyle?
  /// The numbers of columns that are left out, from 1.
  package var skippedColumns: Set<Int> = []
  /// Whether numbers have a comma before their decimals, and points between thousands.
  package var usesDecimalComma = false
  /// The order of dates whose year comes last; nil if nobody said it.
  package var dateOrder: DateOrder?
  /// The database that references without one (`cars/c1`) point into.
  package var database: DatabaseName?

  /// Whether of a path below the collection only the ID counts, so that every row is in the collection itself.
  package var flattens = false

  package var schema = DatabaseSchema.none
  package var files = FileAccess.local

  package init(timeZone: LocalTimeZone) {
    self.timeZone = timeZone
  }
}
