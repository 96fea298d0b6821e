import COpenSSL

/// AES-SIV with keys of 256 bits (RFC 5297), by OpenSSL: a text has the same ciphertext every time, and only the key opens it.
package struct DeterministicCipher: Sendable {
  private static let tagLength = 16
  private let key: [UInt8]

  /// - Parameter key: 64 bytes, of which one half authenticates and the other encrypts.
  package init(key: [UInt8]) {
    precondition(key.count == 64, "the key is two keys of 256 bits")
    self.key = key
  }

  /// Returns the tag and the ciphertext of a text.
  ///
  /// - Throws: `.internal` if the library has no AES-SIV or no memory.
  package func sealed(_ text: [UInt8]) throws(Failure) -> [UInt8] {
    // OpenSSL leaves an empty text out.
    let text = [0] + text
    var tag = [UInt8](repeating: 0, count: Self.tagLength)
    let ciphertext = try converted(
      text,
      encrypts: true,
      after: { EVP_CIPHER_CTX_ctrl($0, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1 }
    )
    guard let ciphertext else { throw Failure(.internal, "seal a text", cause: "OpenSSL refused to") }
    return tag + ciphertext
  }

  /// Returns the text of a tag and a ciphertext; nil for what the key did not seal.
  ///
  /// - Throws: As ``sealed(_:)``.
  package func opened(_ sealed: [UInt8]) throws(Failure) -> [UInt8]? {
    guard sealed.count > Self.tagLength else { return nil }
    var tag = Array(sealed.prefix(Self.tagLength))
    let ciphertext = Array(sealed.dropFirst(Self.tagLength))
    let text = try converted(
      ciphertext,
      encrypts: false,
      before: { context in
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
      }
    )
    return text.map { Array($0.dropFirst()) }
  }

  /// Returns the converted bytes; nil if a step failed.
  private func converted(
    _ bytes: [UInt8],
    encrypts: Bool,
    before: (OpaquePointer) -> Bool = { _ in true },
    after: (OpaquePointer) -> Bool = { _ in true }
  ) throws(Failure) -> [UInt8]? {
    // Otherwise libcurl's connections on this thread would report errors left in OpenSSL's queue as their own.
    defer { ERR_clear_error() }
    guard let cipher = EVP_CIPHER_fetch(nil, "AES-256-SIV", nil), let context = EVP_CIPHER_CTX_new() else {
      throw Failure(.internal, "seal a text", cause: "OpenSSL has no AES-256-SIV or no memory")
    }
    defer {
      EVP_CIPHER_CTX_free(context)
      EVP_CIPHER_free(cipher)
    }
    var result = [UInt8](repeating: 0, count: bytes.count)
    var length: Int32 = 0
    guard EVP_CipherInit_ex(context, cipher, nil, key, nil, encrypts ? 1 : 0) == 1, before(context),
      EVP_CipherUpdate(context, &result, &length, bytes, Int32(bytes.count)) == 1,
      length == bytes.count, EVP_CipherFinal_ex(context, nil, &length) == 1, after(context)
    else { return nil }
    return result
  }
}
