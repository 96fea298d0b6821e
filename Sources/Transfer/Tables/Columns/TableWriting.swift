package import Schema

/// How an export wrote the cells of a table, as far as they do not show it themselves; nil for what is usual or not known.
package struct TableWriting: Sendable, Equatable {
  /// The zone of times without one.
  package var timeZone: String?
  /// The name of the schema that determines the types of the cells.
  package var schema: String?
  /// The token for null.
  package var nullText: String?
  /// The language of the headings, if they are labels of the schema.
  package var headerLanguage: String?
  /// The delimiter of CSV.
  package var delimiter: CSVDelimiter?
  /// Whether numbers have a decimal comma.
  package var usesDecimalComma: Bool?

  package init() {}

  /// Returns options that read the table as it was written, unless they say otherwise.
  package func completing(_ reading: TableReading) -> TableReading {
    var reading = reading
    reading.nullText = reading.nullText ?? nullText
    reading.usesDecimalComma = reading.usesDecimalComma ?? usesDecimalComma
    return reading
  }
}

extension CSVOptions {
  package var writing: TableWriting {
    var writing = TableWriting()
    if isPlain { writing.timeZone = timeZone?.name }
    writing.nullText = nullText.recordedNull
    writing.headerLanguage = header.language
    if delimiter != .comma { writing.delimiter = delimiter }
    if isPlain, usesDecimalComma { writing.usesDecimalComma = true }
    return writing
  }
}

extension XLSXOptions {
  /// The names that record how a sheet is written, for the import.
  func marks(of collection: CollectionPath, inSheet name: String) -> [String] {
    let values: [(SheetMark.Writing, String?)] = [
      (.zone, timeZone.name), (.schema, schema.collection(collection).map { _ in schema.name }),
      (.null, nullText.recordedNull), (.header, header.language), (.sheet, name),
    ]
    return values.compactMap { writing, value in
      value.flatMap { SheetMark.name(of: writing, $0, inSheet: name) }
    }
  }
}

extension String {
  /// The token for null, if it has to be recorded.
  fileprivate var recordedNull: String? { isIdentical(to: "null") ? nil : self }
}

extension Column.HeaderLanguage {
  fileprivate var language: String? { if case .labels(let language) = self { language } else { nil } }
}
