/// A whole number of 64 bits: `{"integerValue": "4"}`, from -9223372036854775808 to 9223372036854775807.
///
/// `Int` is the Swift type, as in the service's own Swift libraries; it has 64 bits wherever this package runs. On a
/// platform with fewer, a number that does not fit is an error and never cut.
public struct IntegerValue: ScalarValue {
  /// The plain value.
  public var integerValue: Int

  /// Wraps a plain value.
  public init(_ plain: Int) { integerValue = plain }

  /// Takes an integer that fits `Int`; nil for a value of another type.
  public init?(value: Value) {
    guard case .integer(let number) = value, let plain = Int(exactly: number) else { return nil }
    integerValue = plain
  }

  /// The value.
  public var value: Value { .integer(Int64(integerValue)) }

  /// The plain value, as `integerValue`.
  public var plain: Int {
    get { integerValue }
    set { integerValue = newValue }
  }

  /// What is expected, for errors.
  public static var expectation: String { "an integer" }
}

extension IntegerValue: ExpressibleByIntegerLiteral {
  /// Makes a value of a literal.
  public init(integerLiteral value: Int) { self.init(value) }
}
