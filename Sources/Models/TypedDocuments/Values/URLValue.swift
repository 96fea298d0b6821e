package import FirestoreModels

#if canImport(FoundationEssentials)
  package import FoundationEssentials

  /// A URL, stored as text: `{"stringValue": "https://…"}`.
  ///
  /// A text that is not a URL (the empty one, for instance) is an error. What was read is written back byte for byte,
  /// also where `URL` would percent-encode it; two are equal if their texts' UTF-8 bytes are.
  package struct URLValue: ScalarValue {
    /// The text, as it is stored.
    package private(set) var stringValue: String

    /// The URL; setting it stores its absolute text.
    package var urlValue: URL {
      didSet { stringValue = urlValue.absoluteString }
    }

    /// Wraps a URL.
    package init(_ plain: URL) {
      urlValue = plain
      stringValue = plain.absoluteString
    }

    /// Takes a text that is a URL; nil for another text or a value of another type.
    package init?(value: Value) {
      guard case .string(let text) = value, let url = URL(string: text) else { return nil }
      urlValue = url
      stringValue = text
    }

    /// The value: a string.
    package var value: Value { .string(stringValue) }

    /// The URL, as `urlValue`.
    package var plain: URL {
      get { urlValue }
      set { urlValue = newValue }
    }

    /// What is expected, for errors.
    package static var expectation: String { "a string that is a URL" }
  }
#endif
