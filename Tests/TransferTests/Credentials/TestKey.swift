import COpenSSL
import Testing

/// An RSA key that is made when the tests run: none is ever kept in a file.
struct TestKey: Sendable {
  /// PKCS#8, as Google's key files have it.
  let pkcs8: String
  /// PKCS#1, `BEGIN RSA PRIVATE KEY`.
  let pkcs1: String
  /// PKCS#8 under a password.
  let encrypted: String
  /// The public half.
  let publicKey: String

  /// One for all tests: making one takes its time.
  static let shared = Result { try TestKey() }

  private init() throws {
    let context = try #require(EVP_PKEY_CTX_new_from_name(nil, "RSA", nil))
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    try #require(EVP_PKEY_keygen_init(context) == 1)
    try #require(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1)
    try #require(EVP_PKEY_keygen(context, &key) == 1)
    defer { EVP_PKEY_free(key) }
    pkcs8 = try Self.pem { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
    pkcs1 = try Self.pem { PEM_write_bio_PrivateKey_traditional($0, key, nil, nil, 0, nil, nil) }
    encrypted = try Self.pem {
      PEM_write_bio_PKCS8PrivateKey($0, key, EVP_aes_256_cbc(), "pass", 4, nil, nil)
    }
    publicKey = try Self.pem { PEM_write_bio_PUBKEY($0, key) }
  }

  /// A key of another algorithm.
  static func ellipticCurve() throws -> String {
    let context = try #require(EVP_PKEY_CTX_new_from_name(nil, "ED25519", nil))
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    try #require(EVP_PKEY_keygen_init(context) == 1)
    try #require(EVP_PKEY_keygen(context, &key) == 1)
    defer { EVP_PKEY_free(key) }
    return try pem { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
  }

  /// Whether a signature (RSASSA-PKCS1-v1_5, SHA-256) is this key's.
  func verifies(_ signature: [UInt8], of message: [UInt8]) throws -> Bool {
    let bio = try #require(BIO_new(BIO_s_mem()))
    defer { BIO_free(bio) }
    BIO_write(bio, publicKey, Int32(publicKey.utf8.count))
    let key = try #require(PEM_read_bio_PUBKEY(bio, nil, nil, nil))
    defer { EVP_PKEY_free(key) }
    let context = try #require(EVP_MD_CTX_new())
    defer { EVP_MD_CTX_free(context) }
    try #require(EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1)
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  private static func pem(_ write: (OpaquePointer) -> Int32) throws -> String {
    let bio = try #require(BIO_new(BIO_s_mem()))
    defer { BIO_free(bio) }
    try #require(write(bio) == 1)
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = BIO_read(bio, &bytes, Int32(bytes.count))
    return String(decoding: bytes.prefix(Int(max(0, count))), as: UTF8.self)
  }
}
