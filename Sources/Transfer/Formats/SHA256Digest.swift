import COpenSSL
import Models

/// A running SHA-256 (FIPS 180-4) over bytes as they come; frees its context when dropped.
struct SHA256Digest: ~Copyable {
  private let context: OpaquePointer

  /// Starts a digest.
  ///
  /// - Throws: ``Failure`` of kind `internal` where the library has no memory or no SHA-256.
  init() throws(Failure) {
    guard let context = EVP_MD_CTX_new() else {
      throw Failure(.internal, "compute a checksum", cause: "no memory for it")
    }
    guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      EVP_MD_CTX_free(context)
      throw Failure(.internal, "compute a checksum", cause: "the cryptography library has no SHA-256")
    }
    self.context = context
  }

  deinit {
    EVP_MD_CTX_free(context)
  }

  /// Takes more bytes.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty { return }
    // It fails only for a context that was not initialised.
    _ = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// Ends the digest: 64 lower-case hexadecimal digits.
  consuming func finish() -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    _ = EVP_DigestFinal_ex(context, &bytes, nil)
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
