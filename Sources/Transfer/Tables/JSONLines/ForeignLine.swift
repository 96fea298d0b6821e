import Files
import Schema

/// What the first line of a file is, judging by its bytes, if it is not a REST Document in UTF-8.
package enum ForeignLine: Equatable {
  /// The beginning of JSON in UTF-16.
  case utf16
  /// The beginning of JSON in another form, such as an array or a plain object.
  case json
  /// A row of a table.
  case row

  /// Examines the beginning of a file, or its first line; nil if it is inconclusive.
  init?(_ bytes: some Collection<UInt8>) {
    var length = 0
    let marked = TextEncoding(markedBy: bytes, &length)
    let text = bytes.dropFirst(length)
    let isWide = marked.map { $0 != .utf8 } ?? text.prefix(4).contains(0)
    switch text.first(where: { $0 > 0x20 }) {
    case nil: return nil
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if !isWide, text.prefix(4096).firstRange(of: Array("\"fields\"".utf8)) != nil { return nil }
      self = isWide ? .utf16 : .json
    default:
      guard text.contains(where: { ",;\t|".utf8.contains($0) }) else { return nil }
      self = .row
    }
  }

  /// Returns the failure for JSON in UTF-16.
  static func refusal(ofUTF16 path: String) -> Failure {
    .malformed(
      path,
      "it is UTF-16, and JSON is read as UTF-8",
      remedy: "Save it as UTF-8 (iconv -f UTF-16 -t UTF-8)."
    )
  }
}
