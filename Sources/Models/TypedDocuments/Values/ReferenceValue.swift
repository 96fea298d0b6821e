package import FirestoreModels

/// The full name of a document: `{"referenceValue": "projects/P/databases/D/documents/users/u1"}`.
///
/// The name is kept as it is, even where it is no full name; see ``DocumentLimits`` for what the service refuses.
package struct ReferenceValue: ScalarValue {
  /// The plain value.
  package var referenceValue: String

  /// Wraps a plain value.
  package init(_ plain: String) { referenceValue = plain }

  /// Takes a reference; nil for a value of another type.
  package init?(value: Value) {
    guard case .reference(let plain) = value else { return nil }
    referenceValue = plain
  }

  /// The value.
  package var value: Value { .reference(referenceValue) }

  /// The plain value, as `referenceValue`.
  package var plain: String {
    get { referenceValue }
    set { referenceValue = newValue }
  }

  /// What is expected, for errors.
  package static var expectation: String { "a reference" }
}

extension ReferenceValue {
  /// The path of the document below its database; nil where the name is not a full one.
  package var path: DocumentPath? { DatabaseName.split(referenceValue)?.path }

  /// The database that the document is in; nil where the name is not a full one.
  package var database: DatabaseName? { DatabaseName.split(referenceValue)?.database }

  /// A reference to a document of a database.
  package init(_ path: DocumentPath, in database: DatabaseName) { self.init(database.name(of: path)) }
}

extension ReferenceValue: ExpressibleByStringInterpolation {
  /// Makes a value of a literal.
  package init(stringLiteral value: String) { self.init(value) }
}
