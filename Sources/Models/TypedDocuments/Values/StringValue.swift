package import FirestoreModels

/// A text: `{"stringValue": "…"}`; two are equal if their UTF-8 bytes are.
package struct StringValue: ScalarValue {
  /// The plain value.
  package var stringValue: String

  /// Wraps a plain value.
  package init(_ plain: String) { stringValue = plain }

  /// Takes a string; nil for a value of another type.
  package init?(value: Value) {
    guard case .string(let plain) = value else { return nil }
    stringValue = plain
  }

  /// The value.
  package var value: Value { .string(stringValue) }

  /// The plain value, as `stringValue`.
  package var plain: String {
    get { stringValue }
    set { stringValue = newValue }
  }

  /// What is expected, for errors.
  package static var expectation: String { "a string" }
}

extension StringValue: ExpressibleByStringInterpolation {
  /// Makes a value of a literal.
  package init(stringLiteral value: String) { self.init(value) }
}
