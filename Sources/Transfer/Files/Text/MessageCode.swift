import COpenSSL

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
  package func code(of message: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    gm_hmac_sha256(inner, outer, message, message.count, &code)
    return code
  }
}
