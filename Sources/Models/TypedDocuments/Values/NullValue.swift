package import FirestoreModels

/// Null, as a value of its own: `{"nullValue": null}`.
///
/// A field of type `NullValue?` tells a field that is null from one that is absent.
package struct NullValue: ScalarValue {
  /// Makes null.
  package init() {}

  /// Makes null of nothing.
  package init(_ plain: Void) {}

  /// Takes null; nil for a value of another type.
  package init?(value: Value) {
    guard value.isNull else { return nil }
  }

  /// The value.
  package var value: Value { .null }

  /// Nothing.
  package var plain: Void {
    get { () }
    set {}
  }

  /// Null is what it holds.
  package static var acceptsNull: Bool { true }

  /// What is expected, for errors.
  package static var expectation: String { "null" }
}
