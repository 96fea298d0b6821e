import COpenSSL

/// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3), by OpenSSL.
enum RS256 {
  /// Why signing failed.
  enum SigningError: Error, Equatable {
    /// The key is not an RSA key in PEM without a password (PKCS#8 or PKCS#1).
    case malformedKey
    /// OpenSSL refused the key.
    case failed
  }

  /// Signs a message with a private key in PEM.
  static func signature(of message: [UInt8], pem: Secret) throws(SigningError) -> [UInt8] {
    // Otherwise libcurl's connections on this thread would report errors left in OpenSSL's queue as their own.
    defer { ERR_clear_error() }
    return try withPrivateKey(pem) { key throws(SigningError) in
      guard let context = EVP_MD_CTX_new() else { throw .failed }
      defer { EVP_MD_CTX_free(context) }
      guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { throw .failed }
      var length = 0
      guard EVP_DigestSign(context, nil, &length, message, message.count) == 1 else { throw .failed }
      var signature = [UInt8](repeating: 0, count: length)
      guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else { throw .failed }
      return Array(signature.prefix(length))
    }
  }

  private static func withPrivateKey<Result>(
    _ pem: Secret,
    _ body: (OpaquePointer) throws(SigningError) -> Result
  ) throws(SigningError) -> Result {
    let bytes = Array(pem.revealed.utf8)
    guard let length = Int32(exactly: bytes.count), let bio = BIO_new(BIO_s_mem()) else {
      throw .malformedKey
    }
    defer { BIO_free(bio) }
    guard BIO_write(bio, bytes, length) == length else { throw .malformedKey }
    // Without this callback, OpenSSL would ask for a password on the terminal.
    guard let key = PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) else { throw .malformedKey }
    defer { EVP_PKEY_free(key) }
    guard EVP_PKEY_is_a(key, "RSA") == 1 else { throw .malformedKey }
    return try body(key)
  }
}
