/// What the values of a field are.
package struct FieldSchema: Sendable {
  /// The field; the fields of a map are declared below it: `address.city`.
  package let path: FieldPath
  /// The types; any where there are none.
  package var types: [FieldType] = []
  /// Whether every document has the field.
  ///
  /// Null and blank text count as absent.
  package var isRequired = false
  /// The only values, where they are closed.
  package var values: [Value]?
  /// The values among ``values`` that new documents no longer use.
  package var deprecated: [Value] = []
  package var format: FieldFormat?
  package var range = ValueRange()
  /// What an import with `--defaults` writes where the field is missing.
  package var defaultValue: Value?
  package var reference: FieldReference?
  /// The name for people, by language.
  package var labels: [String: String] = [:]
  /// Whether digits in it are no number: IDs and phone numbers.
  package var isIdentifier = false
  /// The number format of its cells in a workbook, such as `0.00`.
  package var numberFormat: String?
  /// The width of its column in a workbook, in characters.
  package var width: Double?
  /// Which of its cells stand out in a workbook.
  package var highlight: FieldHighlight?
  /// What the elements of an array are; empty where the schema does not say.
  ///
  /// The element comes first, then the fields below it where it is a map. Their paths begin with ``elementName``.
  package var elements: [FieldSchema] = []
  /// How its values are masked; nil if nothing is said.
  package var mask: MaskRule?
  /// How the keys of a map are masked; nil if nothing is said.
  package var keyMask: MaskRule?

  /// The segment of an element in the paths of ``elements``.
  package static let elementName = "[]"

  package init(_ path: FieldPath, _ types: [FieldType] = []) {
    self.path = path
    self.types = types
  }

  /// Whether a value is of one of the types.
  ///
  /// An integer is a double, as client libraries read it.
  package func accepts(_ value: Value) -> Bool { types.isEmpty || types.contains { $0.accepts(value) } }

  /// Gives a rule of masking to the elements of an array, and to what is within them, unless they have their own.
  package mutating func maskElements(by rule: MaskRule) {
    let isMapOfFields = elements.count > 1
    for index in elements.indices {
      elements[index].maskElements(by: rule)
      if elements[index].mask == nil, index > 0 || !isMapOfFields { elements[index].mask = rule }
    }
  }

  /// The types in words, for messages: "string", "integer or double".
  package var typeNames: String { types.map(\.rawValue).joined(separator: " or ") }

  /// The columns of a table of the elements.
  package var elementColumns: [Column] { CollectionSchema.columns(elements, isIdentifier: \.isIdentifier) }
}

/// The types of a field, by their names in Firestore's documentation.
package enum FieldType: String, Sendable, CaseIterable {
  case string, integer, double, boolean, timestamp, map, array, reference, geopoint, bytes, vector

  /// The type of a value; nil for null.
  package init?(of value: Value) { self.init(of: value.view(), isVector: value.map?.vector != nil) }

  /// The type of a value that is looked at; nil for null.
  ///
  /// - Parameter isVector: Whether it is a vector, which is a map with components.
  init?<Source: ReadableValue>(of view: ValueView<Source>, isVector: Bool) {
    switch view {
    case .null: return nil
    case .boolean: self = .boolean
    case .integer: self = .integer
    case .double: self = .double
    case .timestamp: self = .timestamp
    case .string: self = .string
    case .bytes: self = .bytes
    case .reference: self = .reference
    case .geoPoint: self = .geopoint
    case .array: self = .array
    case .map: self = isVector ? .vector : .map
    }
  }

  /// Whether a value is of the type; an integer also is a double.
  package func accepts(_ value: Value) -> Bool { FieldType(of: value).map(includes) ?? false }

  /// Whether values of another type are of this one, too.
  func includes(_ other: FieldType) -> Bool { other == self || (self == .double && other == .integer) }
}

/// The documents that a field names.
package struct FieldReference: Sendable, Equatable {
  /// The collection of the documents that it names by their IDs.
  package var collection: CollectionPath
  /// The field of the named document that names this one back.
  package var mirror: FieldPath?
}

/// Which cells of a field stand out in a workbook.
package enum FieldHighlight: Sendable, Hashable {
  /// Numbers within bounds, both included; at least one is there.
  case range(minimum: Double?, maximum: Double?)
  /// Times from the reader's today to so many days later.
  case withinDays(Int)
}

/// The bounds of a value, both included: a number, a time, or the length of a text or of an array.
package struct ValueRange: Sendable, Equatable {
  package var minimum: Value?
  package var maximum: Value?

  package var isEmpty: Bool { minimum == nil && maximum == nil }

  /// Whether a value is within the bounds; a value that they say nothing about is.
  package func contains(_ value: Value) -> Bool { contains(value.view()) }

  /// As ``contains(_:)-(Value)``, for a value that is looked at.
  func contains<Source: ReadableValue>(_ view: ValueView<Source>) -> Bool {
    if isEmpty { return true }
    let measured: Value
    switch view {
    case .integer(let number): measured = .integer(number)
    case .double(let number): measured = .double(number)
    case .timestamp(let time): measured = .timestamp(time.timestamp)
    case .string(let text):
      measured = .integer(text.withBytes { Int64($0.count(where: Self.isFirstOfScalar)) })
    case .array(let elements):
      var count: Int64 = 0
      var iterator = elements.makeIterator()
      while iterator.next() != nil { count += 1 }
      measured = .integer(count)
    default: return true
    }
    // It sorts before all numbers, so a maximum alone would take it.
    if case .double(let number) = measured, number.isNaN {
      return minimum?.isNumber != true && maximum?.isNumber != true
    }
    func isComparable(_ bound: Value) -> Bool { bound.isNumber == measured.isNumber }
    if let minimum, isComparable(minimum), ValueOrder.compare(measured, minimum) < 0 { return false }
    if let maximum, isComparable(maximum), ValueOrder.compare(measured, maximum) > 0 { return false }
    return true
  }

  private static func isFirstOfScalar(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }
}

extension Value {
  /// Whether it is an integer or a double.
  package var isNumber: Bool {
    switch self {
    case .integer, .double: true
    default: false
    }
  }
}
