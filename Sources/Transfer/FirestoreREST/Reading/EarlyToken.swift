/// Finds the page token at the end of a response, so that the next page can be requested before this one is parsed.
///
/// A match must be the last member of the root object. If the body is valid JSON, it is:
///
/// - The last byte except white space is the `}` of the root, because nothing may follow the root.
/// - A quote before it ends the value of the root's last member: after a nested object or array, a bracket would come
///   first.
/// - The token and the name contain neither quotes nor backslashes, and neither is preceded by a backslash. So their first
///   quotes are not escaped, whereas a quote inside a string always is: no match begins inside a string.
///
/// A token with escapes, or with anything after it, does not match; it is found when the page is parsed. If the body is not
/// valid JSON, the caller discards what it did with the token.
enum EarlyToken {
  /// The maximum length of a token, in bytes.
  static let maximumBytes = 8192

  /// Returns the token; nil if the body does not end with one.
  static func find(in body: [UInt8]) -> UTF8Key? {
    body.withUnsafeBufferPointer { bytes in
      var scan = BackwardScan(bytes: bytes, end: bytes.count)
      guard scan.skip(UInt8(ascii: "}")), scan.skip(UInt8(ascii: "\"")),
        let token = scan.plainText(atMost: maximumBytes), !token.isEmpty,
        scan.skip(UInt8(ascii: ":")), scan.skip(UInt8(ascii: "\"")),
        let name = scan.plainText(atMost: memberName.utf8.count), name.elementsEqual(memberName.utf8),
        scan.follows(UInt8(ascii: ",")) || scan.follows(UInt8(ascii: "{"))
      else { return nil }
      return String(validating: token, as: UTF8.self).map { UTF8Key($0) }
    }
  }

  private static let memberName = "nextPageToken"
}

/// Reads JSON from its end.
private struct BackwardScan {
  let bytes: UnsafeBufferPointer<UInt8>
  /// The end of the part that has not been read.
  var end: Int

  /// Skips white space, then a byte; returns false if there is another byte.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard follows(byte) else { return false }
    end -= 1
    return true
  }

  /// Skips white space, and returns whether the byte before it is the given one.
  mutating func follows(_ byte: UInt8) -> Bool {
    while end > 0, Self.isSpace(bytes[end - 1]) { end -= 1 }
    return end > 0 && bytes[end - 1] == byte
  }

  /// Reads a string without escapes, whose closing quote has been read, and its opening quote.
  mutating func plainText(atMost count: Int) -> Slice<UnsafeBufferPointer<UInt8>>? {
    var start = end
    while start > 0, bytes[start - 1] != UInt8(ascii: "\"") {
      if bytes[start - 1] == UInt8(ascii: "\\") || end - start == count { return nil }
      start -= 1
    }
    guard start > 1, bytes[start - 2] != UInt8(ascii: "\\") else { return nil }
    defer { end = start - 1 }
    return bytes[start..<end]
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
