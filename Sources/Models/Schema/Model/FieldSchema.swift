/// The description of a field: its types, permitted values and roles.
package struct FieldSchema: Sendable {
  /// The path; the fields of a map are declared below it: `address.city`.
  package let path: FieldPath
  /// The permitted types; empty for any.
  package var types: [FieldType] = []
  /// Whether every document has the field.
  ///
  /// Null and blank text count as absent.
  package var isRequired = false
  /// The only permitted values; nil if they are not closed.
  package var values: [Value]?
  /// The values among ``values`` that new documents should no longer use.
  package var deprecated: [Value] = []
  package var format: FieldFormat?
  package var range = ValueRange()
  /// The value that an import with `--defaults` writes if the field is missing.
  package var defaultValue: Value?
  package var reference: FieldReference?
  /// The names for people, by language.
  package var labels: [String: String] = [:]
  /// Whether its digits are not a number, as in IDs and phone numbers.
  package var isIdentifier = false
  /// The number format of its cells in a workbook, such as `0.00`.
  package var numberFormat: String?
  /// The width of its column in a workbook, in characters.
  package var width: Double?
  /// Which of its cells are highlighted in a workbook.
  package var highlight: FieldHighlight?
  /// The description of an array's elements; empty if not declared.
  ///
  /// The element comes first, followed by its fields if it is a map. Their paths begin with ``elementName``.
  package var elements: [FieldSchema] = []
  /// How its values are masked; nil if not declared.
  package var mask: MaskRule?
  /// How the keys of a map are masked; nil if not declared.
  package var keyMask: MaskRule?

  /// The path segment that denotes the elements of an array in the paths of ``elements``.
  package static let elementName = "[]"

  package init(_ path: FieldPath, _ types: [FieldType] = []) {
    self.path = path
    self.types = types
  }

  /// Whether a value has one of the permitted types.
  ///
  /// An integer is accepted as a double, as client libraries read it.
  package func accepts(_ value: Value) -> Bool { types.isEmpty || types.contains { $0.accepts(value) } }

  /// Whether its texts may consist of more than digits and the signs of phone numbers; a pattern is judged by its own letters.
  var mayHoldLetters: Bool {
    switch format {
    case .phone, .digits: false
    case .pattern(let pattern): pattern.text.utf8.contains(where: \.isASCIILetter)
    case nil: types.isEmpty || !Set(types).isDisjoint(with: [.string, .array, .map])
    default: true
    }
  }

  /// Applies a mask to the elements of an array and to their fields, unless they have their own.
  package mutating func maskElements(by rule: MaskRule) {
    let isMapOfFields = elements.count > 1
    for index in elements.indices {
      elements[index].maskElements(by: rule)
      if elements[index].mask == nil, index > 0 || !isMapOfFields { elements[index].mask = rule }
    }
  }

  /// The types in words, for messages: "string or integer".
  package var typeNames: String { types.map(\.rawValue).joined(separator: " or ") }

  /// The columns of a table of the array's elements.
  package var elementColumns: [Column] { CollectionSchema.columns(elements, isIdentifier: \.isIdentifier) }
}

extension [Value] {
  /// Whether a value is one of these.
  ///
  /// The service orders integers and doubles together, so that 1 and 1.0 are the same.
  package func lists(_ value: Value) -> Bool {
    contains { $0.isNumber && value.isNumber ? ValueOrder.compare($0, value) == 0 : $0 == value }
  }
}

/// The types of a field, named as in Firestore's documentation.
package enum FieldType: String, Sendable, CaseIterable {
  case string, integer, double, boolean, timestamp, map, array, reference, geopoint, bytes, vector

  /// Returns the type of a value; nil for null.
  package init?(of value: Value) { self.init(of: value.view(), isVector: value.map?.vector != nil) }

  /// Returns the type of a viewed value; nil for null.
  ///
  /// - Parameter isVector: Whether the value is a vector, that is, a map with components.
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

  /// Whether a value has this type; an integer also counts as a double.
  package func accepts(_ value: Value) -> Bool { FieldType(of: value).map(includes) ?? false }

  /// Whether values of another type are also accepted as this one.
  func includes(_ other: FieldType) -> Bool { other == self || (self == .double && other == .integer) }
}

/// The documents that a field refers to.
package struct FieldReference: Sendable, Equatable {
  /// The collection of the documents, whose IDs the field holds.
  package var collection: CollectionPath
  /// The field of the referenced document that refers back to this one.
  package var mirror: FieldPath?
}

/// Which cells of a field are highlighted in a workbook.
package enum FieldHighlight: Sendable, Hashable {
  /// Numbers within inclusive bounds, at least one of which is set.
  case range(minimum: Double?, maximum: Double?)
  /// Times from the day on which the workbook is opened up to the given number of days later.
  case withinDays(Int)
}

/// The inclusive bounds of a number, of a time, or of the length of a text or an array.
package struct ValueRange: Sendable, Equatable {
  package var minimum: Value?
  package var maximum: Value?

  package var isEmpty: Bool { minimum == nil && maximum == nil }

  /// Whether a value is within the bounds; a value of a type that has no bounds always is.
  package func contains(_ value: Value) -> Bool { contains(value.view()) }

  /// As ``contains(_:)-(Value)``, for a viewed value.
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
    // NaN sorts before all numbers, so a maximum alone would accept it.
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
