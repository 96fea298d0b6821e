package import FirestoreModels

#if canImport(FoundationEssentials)
  package import FoundationEssentials

  /// A URL, stored as a string: `{"stringValue": "https://…"}`.
  ///
  /// A string that is not a URL, such as the empty one, is an error. A decoded string is encoded byte for byte, even
  /// where `URL` would percent-encode it; equality compares UTF-8 bytes.
  package struct URLValue: ScalarValue {
    /// The stored string.
    package private(set) var stringValue: String

    /// The URL; setting it stores its absolute string.
    package var urlValue: URL {
      didSet { stringValue = urlValue.absoluteString }
    }

    package init(_ plain: URL) {
      urlValue = plain
      stringValue = plain.absoluteString
    }

    package init?(value: Value) {
      guard case .string(let text) = value, let url = URL(string: text) else { return nil }
      urlValue = url
      stringValue = text
    }

    package var value: Value { .string(stringValue) }

    package var plain: URL {
      get { urlValue }
      set { urlValue = newValue }
    }

    package static var expectation: String { "a string that is a URL" }
  }
#endif
