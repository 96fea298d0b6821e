import COpenSSL

/// HMAC with SHA-256 (RFC 2104): a digest that only holders of the key can compute.
package struct MessageCode: Sendable {
  private static let block = 64
  private let key: gm_hmac_sha256_key

  /// - Parameter key: At most 64 bytes, because no caller needs longer keys to be digested.
  package init(key: [UInt8]) {
    precondition(key.count <= Self.block, "a key is a block at most")
    let padded = key + [UInt8](repeating: 0, count: Self.block - key.count)
    self.key = gm_hmac_sha256_make(padded.map { $0 ^ 0x36 }, padded.map { $0 ^ 0x5C })
  }

  /// Returns the 32 bytes of the code of a message.
  package func code(of message: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { code, count in
      write(message, to: code)
      count = 32
    }
  }

  /// Returns the first eight bytes of ``code(of:)`` as a number.
  package func number(of message: [UInt8]) -> UInt64 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { code in
      write(message, to: code)
      return UnsafeBufferPointer(code).head
    }
  }

  private func write(_ message: [UInt8], to code: UnsafeMutableBufferPointer<UInt8>) {
    withUnsafePointer(to: key) { gm_hmac_sha256($0, message, message.count, code.baseAddress) }
  }
}
