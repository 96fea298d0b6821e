/// The names of Cloud Storage buckets (https://cloud.google.com/storage/docs/buckets#naming).
package enum BucketName {
  /// The permitted lengths; names of more than 63 characters need dots, which only the service checks.
  package static let lengths = 3...222

  /// Whether a text is a valid name: lower-case letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.
  package static func isValid(_ text: String) -> Bool {
    func isEnd(_ byte: UInt8) -> Bool { byte.isASCIISmallLetter || byte.isASCIIDigit }
    guard lengths.contains(text.utf8.count), let first = text.utf8.first, let last = text.utf8.last else {
      return false
    }
    return isEnd(first) && isEnd(last) && text.utf8.allSatisfy { isEnd($0) || "-_.".utf8.contains($0) }
  }
}
