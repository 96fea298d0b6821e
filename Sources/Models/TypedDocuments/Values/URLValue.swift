#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A URL, stored as a string: `{"stringValue": "https://…"}`.
///
/// A string that is not a URL, such as the empty string, is an error. A decoded string is encoded byte for byte, even where `URL`
/// would percent-encode it; equality compares UTF-8 bytes.
public struct URLValue: ScalarValue {
  /// The stored string.
  public private(set) var stringValue: String

  /// The URL; setting it stores its absolute string.
  public var urlValue: URL {
    didSet { stringValue = urlValue.absoluteString }
  }

  /// Creates a value that stores the absolute string of a URL.
  public init(_ plain: URL) {
    urlValue = plain
    stringValue = plain.absoluteString
  }

  /// Converts a string that is a URL; nil for any other value.
  public init?(value: Value) {
    guard case .string(let text) = value, let url = URL(string: text) else { return nil }
    urlValue = url
    stringValue = text
  }

  /// The value, untyped.
  public var value: Value { .string(stringValue) }

  /// The URL, as ``urlValue``.
  public var plain: URL {
    get { urlValue }
    set { urlValue = newValue }
  }

  /// The expected type, for error messages.
  public static var expectation: String { "a string that is a URL" }
}
