extension String {
  /// Returns the parts between the occurrences of a scalar, which may be empty.
  ///
  /// `split(separator:)` would not find it before a combining mark, with which it is another `Character`.
  package func parts(at separator: Unicode.Scalar, maxSplits: Int = .max) -> [String] {
    unicodeScalars.split(separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: false)
      .map { String($0) }
  }

  /// Returns the text with another one in place of each occurrence of a scalar, also before combining marks.
  package func replacing(scalar: Unicode.Scalar, with text: String) -> String {
    parts(at: scalar).joined(separator: text)
  }
}
