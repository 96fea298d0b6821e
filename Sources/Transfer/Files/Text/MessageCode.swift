/// HMAC with SHA-256 (RFC 2104): a digest that only who has the key can compute.
package struct MessageCode: Sendable {
  private static let block = 64
  private let inner: [UInt8]
  private let outer: [UInt8]

  /// - Parameter key: At most 64 bytes; more are digested by no caller.
  package init(key: [UInt8]) {
    precondition(key.count <= Self.block, "a key is a block at most")
    let padded = key + [UInt8](repeating: 0, count: Self.block - key.count)
    inner = padded.map { $0 ^ 0x36 }
    outer = padded.map { $0 ^ 0x5C }
  }

  /// Returns the 32 bytes of the code of a message.
  ///
  /// - Throws: As ``SHA256Digest/init()``.
  package func code(of message: [UInt8]) throws(Failure) -> [UInt8] {
    try digest(outer, try digest(inner, message))
  }

  private func digest(_ pad: [UInt8], _ message: [UInt8]) throws(Failure) -> [UInt8] {
    var digest = try SHA256Digest()
    pad.withUnsafeBytes { digest.update($0) }
    message.withUnsafeBytes { digest.update($0) }
    return digest.finishBytes()
  }
}
