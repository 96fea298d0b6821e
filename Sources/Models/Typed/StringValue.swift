/// A text: `{"stringValue": "…"}`; two are equal if their UTF-8 bytes are.
public struct StringValue: ScalarValue {
  /// The plain value.
  public var stringValue: String

  /// Wraps a plain value.
  public init(_ plain: String) { stringValue = plain }

  /// Takes a string; nil for a value of another type.
  public init?(value: Value) {
    guard case .string(let plain) = value else { return nil }
    stringValue = plain
  }

  /// The value.
  public var value: Value { .string(stringValue) }

  /// The plain value, as `stringValue`.
  public var plain: String {
    get { stringValue }
    set { stringValue = newValue }
  }

  /// What is expected, for errors.
  public static var expectation: String { "a string" }
}

extension StringValue: ExpressibleByStringInterpolation {
  /// Makes a value of a literal.
  public init(stringLiteral value: String) { self.init(value) }
}
