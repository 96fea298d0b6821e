package import FirestoreModels

/// A truth value: `{"booleanValue": false}`.
package struct BooleanValue: ScalarValue {
  /// The plain value.
  package var booleanValue: Bool

  /// Wraps a plain value.
  package init(_ plain: Bool) { booleanValue = plain }

  /// Takes a boolean; nil for a value of another type.
  package init?(value: Value) {
    guard case .boolean(let plain) = value else { return nil }
    booleanValue = plain
  }

  /// The value.
  package var value: Value { .boolean(booleanValue) }

  /// The plain value, as `booleanValue`.
  package var plain: Bool {
    get { booleanValue }
    set { booleanValue = newValue }
  }

  /// What is expected, for errors.
  package static var expectation: String { "a boolean" }
}

extension BooleanValue: ExpressibleByBooleanLiteral {
  /// Makes a value of a literal.
  package init(booleanLiteral value: Bool) { self.init(value) }
}
