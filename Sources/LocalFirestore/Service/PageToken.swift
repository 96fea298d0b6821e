/// The position of the next page: the order values of the last document, bound to the request that returned it.
enum PageToken {
  /// Decodes a token for a request with these parts; nil if it is empty.
  ///
  /// - Parameter parts: The request without page size and token.
  /// - Throws: ``FirestoreError`` `.invalidArgument` if it is not a token or belongs to another request.
  static func decode(
    _ text: String,
    for parts: [String],
    _ decoder: RequestDecoder
  ) throws(FirestoreError) -> [Value]? {
    if text.isEmpty { return nil }
    guard let bytes = Base64.decode(text), bytes.count > 8 else { throw .invalid("Invalid page token.") }
    var digest: UInt64 = 0
    for byte in bytes[..<8] { digest = digest << 8 | UInt64(byte) }
    guard digest == Self.digest(parts) else {
      throw .invalid("The page token does not match the other parameters of the request.")
    }
    return try decoder.decode(Array(bytes[8...])) { json, wire throws(WireError) in
      try wire.elements(of: json).map { element throws(WireError) in try wire.value(element) }
    }
  }

  static func encode(_ values: [Value], for parts: [String]) -> String {
    let digest = digest(parts)
    var bytes = (0..<8).map { UInt8(truncatingIfNeeded: digest >> UInt64(56 - 8 * $0)) }
    var json = JSONWriter()
    json.array { list in
      for value in values { list.value(value) }
    }
    bytes += json.bytes
    return Base64.urlSafe(bytes)
  }

  /// FNV-1a over the parts with their lengths.
  private static func digest(_ parts: [String]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    for part in parts {
      for shift in 0..<4 { add(UInt8(truncatingIfNeeded: part.utf8.count >> (8 * shift))) }
      for byte in part.utf8 { add(byte) }
    }
    return hash
  }
}
