import COpenSSL

/// An incremental SHA-256 (FIPS 180-4).
package struct SHA256Digest: ~Copyable {
  private let context: OpaquePointer
  /// The algorithm, which is looked up once because that takes longer than a short digest; never changed or freed.
  private nonisolated(unsafe) static let algorithm = EVP_MD_fetch(nil, "SHA256", nil)

  /// Starts a digest.
  ///
  /// - Throws: ``Failure`` of kind `internal` if the library has no memory or no SHA-256.
  package init() throws(Failure) {
    guard let context = EVP_MD_CTX_new() else {
      throw Failure(.internal, "compute a checksum", cause: "there is not enough memory")
    }
    guard EVP_DigestInit_ex(context, Self.algorithm, nil) == 1 else {
      EVP_MD_CTX_free(context)
      throw Failure(.internal, "compute a checksum", cause: "the cryptography library has no SHA-256")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if bytes.isEmpty { return }
    // It fails only for an uninitialized context.
    _ = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  package consuming func finishBytes() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 32)
    _ = EVP_DigestFinal_ex(context, &bytes, nil)
    return bytes
  }

  /// Returns the digest of a text in Base64, in the form in which a Content-Security-Policy refers to a script.
  ///
  /// - Throws: The errors of ``init()``.
  package static func base64(of text: String) throws(Failure) -> String {
    var digest = try SHA256Digest()
    Array(text.utf8).withUnsafeBytes { digest.update($0) }
    return Base64.standard(digest.finishBytes())
  }

  /// Completes the digest and returns 64 lower-case hexadecimal digits.
  package consuming func finish() -> String { Hexadecimal.text(of: finishBytes()) }

  /// Returns the digests of small files, as they are, by path.
  ///
  /// - Throws: As ``hexadecimal(ofFileAt:decompresses:)``.
  package static func hexadecimal(of files: [String]) throws(Failure) -> [UTF8Key: String] {
    var digests: [UTF8Key: String] = [:]
    for file in files { digests[UTF8Key(file)] = try hexadecimal(ofFileAt: file, decompresses: false) }
    return digests
  }

  /// Returns the digest of a file as 64 lower-case hexadecimal digits.
  ///
  /// - Parameter decompresses: Whether the content of a gzip file is digested, rather than its bytes.
  /// - Throws: The errors of ``InputFile/init(_:decompresses:via:)``.
  package static func hexadecimal(
    ofFileAt path: String,
    decompresses: Bool = true,
    via files: FileAccess = .local
  ) throws(Failure) -> String {
    var file = try InputFile(path, decompresses: decompresses, via: files)
    var digest = try SHA256Digest()
    try file.forEachPiece { digest.update($0) }
    return digest.finish()
  }

  /// Returns the digest of bytes as 64 lower-case hexadecimal digits.
  ///
  /// - Throws: The errors of ``init()``.
  package static func checksum(of bytes: [UInt8]) throws(Failure) -> String {
    var digest = try SHA256Digest()
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.finish()
  }
}
