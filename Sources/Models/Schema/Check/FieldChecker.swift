extension FieldSchema {
  /// Returns what the field expects if a value of a permitted type violates its values, format or range; nil if it does not.
  package func problem(of value: Value) -> String? {
    let checker = FieldChecker(self, index: 0)
    return inMemory { () throws(WireError) in try checker.violation(of: value, value.view())?.expected }
  }
}

/// The check of one field, of a collection or of array elements.
///
/// A class with only what nearly every check needs, because copying the schema's field would cost more than most checks.
final class FieldChecker: Sendable {
  /// The index among the collection's fields.
  let index: Int
  /// The first segment of the path.
  let top: String
  /// The other segments of the path.
  let nested: ArraySlice<String>
  private let head: UInt64

  private let path: FieldPath
  /// The segments of the map that holds it; none for a field of the document itself.
  private let parent: ArraySlice<String>
  private let types: [FieldType]
  private let expectedType: String
  private let isRequired: Bool
  private let isReference: Bool
  private let values: [Value]?
  /// The expected values in words, if they are closed.
  private let expectedValues: String
  private let format: FieldFormat?
  private let range: ValueRange
  private let elements: [FieldChecker]

  init(_ field: FieldSchema, index: Int) {
    self.index = index
    top = field.path.segments.first ?? ""
    head = top.withBytes(\.head)
    nested = field.path.segments.dropFirst()
    path = field.path
    parent = field.path.segments.dropLast()
    types = field.types
    expectedType = field.typeNames
    isRequired = field.isRequired
    isReference = field.reference != nil
    values = field.values
    let shown = (field.values ?? []).filter { !field.deprecated.lists($0) }.map(\.literal)
    expectedValues = "one of \(shown.joined(separator: ", "))"
    format = field.format
    range = field.range
    elements = field.elements.map { FieldChecker($0, index: 0) }
  }

  /// Compares a name with the first segment; 0 for the same bytes.
  @inline(__always)
  func order(of name: UnsafeBufferPointer<UInt8>) -> Int {
    let other = name.head
    if other != head { return other < head ? -1 : 1 }
    return -top.compareUTF8(name)
  }

  fileprivate func violation<Source: ReadableValue>(
    of source: Source,
    _ view: ValueView<Source>
  ) throws(WireError) -> SchemaViolation? {
    if let values, try !Self.contains(values, source, view) {
      return SchemaViolation(.unknownValue, path, try source.value(), expected: expectedValues)
    }
    if let format, case .string(let text) = view, !text.withBytes({ format.matches($0) }) {
      return SchemaViolation(.format, path, try source.value(), expected: format.description)
    }
    if !range.contains(view) {
      return SchemaViolation(.range, path, try source.value(), expected: range.description)
    }
    if !elements.isEmpty, case .array = view, case .array(let values) = try source.value() {
      return elementViolation(in: values)
    }
    return nil
  }

  private static func contains<Source: ReadableValue>(
    _ values: [Value],
    _ source: Source,
    _ view: ValueView<Source>
  ) throws(WireError) -> Bool {
    guard case .string(let text) = view else { return values.lists(try source.value()) }
    return text.withBytes { bytes in
      values.contains { value in
        guard case .string(let other) = value else { return false }
        return other.withBytes { $0.count == bytes.count && $0.elementsEqual(bytes) }
      }
    }
  }

  /// Returns the violation of the first element that differs from the declared elements.
  private func elementViolation(in values: [Value]) -> SchemaViolation? {
    for (index, value) in values.enumerated() {
      let fields = FieldMap([.init(name: FieldSchema.elementName, value: value)])
      let first = inMemory { () throws(WireError) -> SchemaViolation? in
        for element in elements {
          let content = try fields.content(at: element.path.segments[...])
          if let violation = try element.violation(of: content, in: fields) { return violation }
        }
        return nil
      }
      guard var violation = first else { continue }
      let below = violation.field?.segments.dropFirst().joined(separator: ".") ?? ""
      violation.field = path
      violation.expected = "\(violation.expected) in element \(index)\(below.isEmpty ? "" : ", \(below)")"
      return violation
    }
    return nil
  }

  /// Returns how the field of a document differs from the schema; nil if it does not.
  ///
  /// - Parameter content: The value in the document; nil if absent. Null counts as absent.
  func violation<Fields: ReadableFields>(
    of content: Fields.Content?,
    in document: Fields
  ) throws(WireError) -> SchemaViolation? {
    guard let content, case let view = try content.view(), !view.isNull else {
      guard isRequired, try isParentPresent(in: document) else { return nil }
      return missing(nil)
    }
    if try !accepts(view) {
      return SchemaViolation(.type, path, try content.value(), expected: expectedType)
    }
    if case .string(let text) = view, text.isBlank {
      // Optional fields are often written as an empty text, which counts as absent.
      return isRequired && !isReference ? missing(try content.value()) : nil
    }
    return try violation(of: content, view)
  }

  private func missing(_ value: Value?) -> SchemaViolation {
    SchemaViolation(.missing, path, value, expected: types.isEmpty ? "a value" : expectedType)
  }

  private func isParentPresent<Fields: ReadableFields>(in document: Fields) throws(WireError) -> Bool {
    if parent.isEmpty { return true }
    guard let content = try document.content(at: parent), case .map(let members) = try content.view() else {
      return false
    }
    return try members.vectorComponents() == nil
  }

  private func accepts<Source: ReadableValue>(_ view: ValueView<Source>) throws(WireError) -> Bool {
    if types.isEmpty { return true }
    var isVector = false
    if case .map(let members) = view { isVector = try members.vectorComponents() != nil }
    guard let type = FieldType(of: view, isVector: isVector) else { return false }
    return types.contains { $0.includes(type) }
  }
}
