/// Bytes: `{"bytesValue": "AAE="}`, read in both base64 alphabets, padded or not, written in the standard one.
public struct BytesValue: ScalarValue {
  /// The plain value.
  public var bytesValue: [UInt8]

  /// Wraps a plain value.
  public init(_ plain: [UInt8]) { bytesValue = plain }

  /// Takes bytes; nil for a value of another type.
  public init?(value: Value) {
    guard case .bytes(let plain) = value else { return nil }
    bytesValue = plain
  }

  /// The value.
  public var value: Value { .bytes(bytesValue) }

  /// The plain value, as `bytesValue`.
  public var plain: [UInt8] {
    get { bytesValue }
    set { bytesValue = newValue }
  }

  /// What is expected, for errors.
  public static var expectation: String { "bytes" }
}
