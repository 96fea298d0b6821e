import FirestoreModels
import TestSupport

extension ReferenceDatum {
  /// The value in the library's terms; references point into a database.
  func value(in database: DatabaseName) -> Value {
    switch self {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .double(let value): .double(value)
    case .timestamp(let seconds, let nanoseconds):
      Timestamp(seconds: seconds, nanoseconds: nanoseconds).map { .timestamp($0) } ?? .null
    case .string(let bytes): .string(String(decoding: bytes, as: UTF8.self))
    case .bytes(let bytes): .bytes(bytes)
    case .reference(let segments): .reference("\(database.documents)/\(segments.pathText)")
    case .geoPoint(let latitude, let longitude):
      .geoPoint(GeoPoint(latitude: latitude, longitude: longitude))
    case .array(let values): .array(values.map { $0.value(in: database) })
    case .vector(let numbers):
      .map([
        "__type__": .string("__vector__"), "value": .array(numbers.map { .double($0) }),
      ])
    case .map(let entries): .map(entries.fields(in: database))
    }
  }
}

extension [ReferenceEntry] {
  /// The fields in the library's terms.
  func fields(in database: DatabaseName) -> FieldMap {
    FieldMap(
      map {
        FieldMap.Entry(name: String(decoding: $0.key, as: UTF8.self), value: $0.value.value(in: database))
      }
    )
  }
}

extension [[UInt8]] {
  /// Segments of a path with slashes between them.
  var pathText: String {
    map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
  }

  /// Segments of a field path.
  var fieldPath: FieldPath? { FieldPath(segments: map { String(decoding: $0, as: UTF8.self) }) }
}

extension ReferenceDocument {
  /// The document in the library's terms; nil for a path that is none.
  func document(in database: DatabaseName) -> RawDocument? {
    DocumentPath(path.pathText).map { RawDocument(path: $0, fields: fields.fields(in: database)) }
  }
}

extension ReferenceFilter {
  /// The filter in the library's terms; nil where it has none, as a field path without a name.
  func filter(in database: DatabaseName) -> StructuredQuery.Filter? {
    func all(_ filters: [ReferenceFilter]) -> [StructuredQuery.Filter]? {
      let converted = filters.compactMap { $0.filter(in: database) }
      return converted.count == filters.count ? converted : nil
    }
    switch self {
    case .and(let filters): return all(filters).map { .and($0) }
    case .or(let filters): return all(filters).map { .or($0) }
    case .compare(let path, let comparison, let operand):
      guard let field = path.fieldPath, let comparison = comparison.comparison else { return nil }
      return .field(field, comparison, operand.value(in: database))
    case .test(let path, let test):
      guard let field = path.fieldPath else { return nil }
      return StructuredQuery.UnaryOperator(rawValue: test.rawValue).map { .unary(field, $0) }
    case .name(let comparison, let paths):
      guard let operation = comparison.comparison else { return nil }
      let names = paths.map { Value.reference("\(database.documents)/\($0.pathText)") }
      return .field(.documentName, operation, comparison.takesList ? .array(names) : names.first ?? .null)
    }
  }
}

extension ReferenceOperator {
  fileprivate var comparison: StructuredQuery.FieldOperator? {
    StructuredQuery.FieldOperator(rawValue: rawValue)
  }
}
