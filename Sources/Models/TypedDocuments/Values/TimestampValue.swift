package import FirestoreModels

/// A moment with its nanoseconds: `{"timestampValue": "2026-01-02T03:04:05.000001Z"}`.
///
/// Nothing of it is rounded. The conversion to `Date` is explicit (`date`), because `Date` holds no nanoseconds.
package struct TimestampValue: ScalarValue {
  /// The plain value.
  package var timestampValue: Timestamp

  /// Wraps a plain value.
  package init(_ plain: Timestamp) { timestampValue = plain }

  /// Takes a timestamp; nil for a value of another type.
  package init?(value: Value) {
    guard case .timestamp(let plain) = value else { return nil }
    timestampValue = plain
  }

  /// The value.
  package var value: Value { .timestamp(timestampValue) }

  /// The plain value, as `timestampValue`.
  package var plain: Timestamp {
    get { timestampValue }
    set { timestampValue = newValue }
  }

  /// What is expected, for errors.
  package static var expectation: String { "a timestamp" }
}
