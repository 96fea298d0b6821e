/// A moment with its nanoseconds: `{"timestampValue": "2026-01-02T03:04:05.000001Z"}`.
///
/// Nothing of it is rounded. The conversion to `Date` is explicit (`date`), because `Date` holds no nanoseconds.
public struct TimestampValue: ScalarValue {
  /// The plain value.
  public var timestampValue: Timestamp

  /// Wraps a plain value.
  public init(_ plain: Timestamp) { timestampValue = plain }

  /// Takes a timestamp; nil for a value of another type.
  public init?(value: Value) {
    guard case .timestamp(let plain) = value else { return nil }
    timestampValue = plain
  }

  /// The value.
  public var value: Value { .timestamp(timestampValue) }

  /// The plain value, as `timestampValue`.
  public var plain: Timestamp {
    get { timestampValue }
    set { timestampValue = newValue }
  }

  /// What is expected, for errors.
  public static var expectation: String { "a timestamp" }
}
