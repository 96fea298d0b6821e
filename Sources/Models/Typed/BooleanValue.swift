/// A truth value: `{"booleanValue": false}`.
public struct BooleanValue: ScalarValue {
  /// The plain value.
  public var booleanValue: Bool

  /// Wraps a plain value.
  public init(_ plain: Bool) { booleanValue = plain }

  /// Takes a boolean; nil for a value of another type.
  public init?(value: Value) {
    guard case .boolean(let plain) = value else { return nil }
    booleanValue = plain
  }

  /// The value.
  public var value: Value { .boolean(booleanValue) }

  /// The plain value, as `booleanValue`.
  public var plain: Bool {
    get { booleanValue }
    set { booleanValue = newValue }
  }

  /// What is expected, for errors.
  public static var expectation: String { "a boolean" }
}

extension BooleanValue: ExpressibleByBooleanLiteral {
  /// Makes a value of a literal.
  public init(booleanLiteral value: Bool) { self.init(value) }
}
