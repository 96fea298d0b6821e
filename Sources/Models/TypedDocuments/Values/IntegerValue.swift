package import FirestoreModels

/// A whole number of 64 bits: `{"integerValue": "4"}`, from -9223372036854775808 to 9223372036854775807.
///
/// `Int` is the Swift type, as in the service's own Swift libraries; it has 64 bits wherever this package runs. On a
/// platform with fewer, a number that does not fit is an error and never cut.
package struct IntegerValue: ScalarValue {
  /// The plain value.
  package var integerValue: Int

  /// Wraps a plain value.
  package init(_ plain: Int) { integerValue = plain }

  /// Takes an integer that fits `Int`; nil for a value of another type.
  package init?(value: Value) {
    guard case .integer(let number) = value, let plain = Int(exactly: number) else { return nil }
    integerValue = plain
  }

  /// The value.
  package var value: Value { .integer(Int64(integerValue)) }

  /// The plain value, as `integerValue`.
  package var plain: Int {
    get { integerValue }
    set { integerValue = newValue }
  }

  /// What is expected, for errors.
  package static var expectation: String { "an integer" }
}

extension IntegerValue: ExpressibleByIntegerLiteral {
  /// Makes a value of a literal.
  package init(integerLiteral value: Int) { self.init(value) }
}
