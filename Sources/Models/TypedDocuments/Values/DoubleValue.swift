package import FirestoreModels

/// A 64-bit floating point number: `{"doubleValue": 1.5}`, and `"NaN"`, `"Infinity"`, `"-Infinity"` as texts.
///
/// The sign of -0.0 is kept. An integer value is refused even where it is whole: the key tells the type.
package struct DoubleValue: ScalarValue {
  /// The plain value.
  package var doubleValue: Double

  /// Wraps a plain value.
  package init(_ plain: Double) { doubleValue = plain }

  /// Takes a double; nil for a value of another type.
  package init?(value: Value) {
    guard case .double(let plain) = value else { return nil }
    doubleValue = plain
  }

  /// The value.
  package var value: Value { .double(doubleValue) }

  /// The plain value, as `doubleValue`.
  package var plain: Double {
    get { doubleValue }
    set { doubleValue = newValue }
  }

  /// What is expected, for errors.
  package static var expectation: String { "a double" }
}

extension DoubleValue: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// Makes a value of a literal.
  package init(floatLiteral value: Double) { self.init(value) }

  /// Makes a value of a literal.
  package init(integerLiteral value: Int64) { self.init(Double(value)) }
}
