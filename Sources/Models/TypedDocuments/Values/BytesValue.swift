package import FirestoreModels

/// Bytes: `{"bytesValue": "AAE="}`, read in both base64 alphabets, padded or not, written in the standard one.
package struct BytesValue: ScalarValue {
  /// The plain value.
  package var bytesValue: [UInt8]

  /// Wraps a plain value.
  package init(_ plain: [UInt8]) { bytesValue = plain }

  /// Takes bytes; nil for a value of another type.
  package init?(value: Value) {
    guard case .bytes(let plain) = value else { return nil }
    bytesValue = plain
  }

  /// The value.
  package var value: Value { .bytes(bytesValue) }

  /// The plain value, as `bytesValue`.
  package var plain: [UInt8] {
    get { bytesValue }
    set { bytesValue = newValue }
  }

  /// What is expected, for errors.
  package static var expectation: String { "bytes" }
}
