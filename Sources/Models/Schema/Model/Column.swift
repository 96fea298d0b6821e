/// A column of a collection's table: the field, its type and its headings.
package struct Column: Sendable, Hashable {
  /// The type of a column's values.
  package enum ValueType: String, Sendable, CaseIterable {
    case string, integer, double, boolean, timestamp, array, reference, geopoint, bytes
    /// Any type, for fields that are undeclared or have no single type.
    case any
  }

  /// The language of a table's headings.
  package enum HeaderLanguage: Sendable, Hashable {
    /// Field paths as in Firestore.
    case fieldNames
    /// The labels of a language: `en`, `es`.
    case labels(String)
  }

  package let path: FieldPath
  package private(set) var type: ValueType
  /// Whether the values are identifiers even if they consist of digits, such as IDs and phone numbers, which a spreadsheet must
  /// not convert.
  package let isTextLike: Bool
  package let labels: [String: String]
  /// The number format of its cells in a workbook; nil for the default.
  package private(set) var numberFormat: String?
  /// The width in a workbook, in characters; nil to fit the cells.
  package private(set) var width: Double?
  /// Which cells are highlighted in a workbook.
  package private(set) var highlight: FieldHighlight?
  /// The collection whose document IDs are the values; nil if they are not references.
  package private(set) var reference: CollectionPath?
  /// Whether its texts are calendar dates, such as 2026-12-31.
  package private(set) var isDay = false
  /// Whether its texts are times of day, such as 07:30.
  package private(set) var isTimeOfDay = false
  /// Whether its values are vectors, which have no type of their own in a table.
  private var isVector = false

  package init(
    _ path: FieldPath,
    _ type: ValueType,
    isTextLike: Bool = false,
    labels: [String: String] = [:]
  ) {
    self.path = path
    self.type = type
    self.isTextLike = isTextLike
    self.labels = labels
  }

  /// Creates the column of an undeclared field.
  package init(unknown path: FieldPath) { self.init(path, .any, isTextLike: IdentifierName.matches(path)) }

  /// Creates the column of a declared field.
  init(_ field: FieldSchema, isIdentifier: Bool) {
    let type: ValueType = field.types.count == 1 ? ValueType(rawValue: field.types[0].rawValue) ?? .any : .any
    self.init(
      field.path,
      type,
      isTextLike: isIdentifier || IdentifierName.matches(field.path),
      labels: field.labels
    )
    numberFormat = field.numberFormat
    width = field.width
    highlight = field.highlight
    reference = field.reference?.collection
    (isDay, isTimeOfDay) = (field.format == .date, field.format == .time)
    isVector = field.types == [.vector]
  }

  /// Returns the vector for an array of numbers in a column of vectors, and any other value unchanged.
  ///
  /// A vector is not empty.
  package func fitting(_ value: Value?) -> Value? {
    guard isVector, case .array(let elements)? = value, !elements.isEmpty else { return value }
    let numbers = elements.compactMap { element -> Value? in
      switch element {
      case .integer(let number): Double(exactly: number).map { .double($0) }
      case .double: element
      default: nil
      }
    }
    guard numbers.count == elements.count else { return value }
    return .map(["__type__": .string("__vector__"), "value": .array(numbers)])
  }

  /// Returns the same column with another type.
  package func typed(_ type: ValueType) -> Column {
    var column = self
    column.type = type
    return column
  }

  /// The heading in a language; the field path if there is no label.
  package func heading(_ language: HeaderLanguage) -> String {
    switch language {
    case .fieldNames: path.description
    case .labels(let language): labels[language] ?? path.description
    }
  }

  /// Whether a text is the label of the column in any language.
  package func isLabelled(_ text: String) -> Bool { labels.values.contains { $0.isIdentical(to: text) } }

  /// Whether a text equals a label of the column apart from case, accents and extra white space.
  package func isLabelled(like text: String) -> Bool {
    labels.values.contains { PlainText.saySame($0, text) }
  }
}
