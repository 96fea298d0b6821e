import Files
import FirestoreREST

/// The secret key that masks values; the same key masks a value in the same way everywhere.
///
/// Printing it never reveals it.
package struct MaskKey: Sendable, CustomStringConvertible {
  /// The minimum length of a key, in characters; in those of ``random()``, that is at least 128 bits.
  private static let minimumLength = 32
  private static let maximumLength = 64

  private let code: MessageCode
  /// Identifies the key without revealing anything about it: a code of a fixed text.
  package let fingerprint: String

  package var description: String { "key \(fingerprint)" }

  /// Reads the key from a file that only its owner can read.
  ///
  /// - Throws: `.configuration`.
  package init(file path: String) throws(Failure) {
    let text = try BearerToken(file: path, of: "mask key", remedy: Self.remedy).revealed
    guard (Self.minimumLength...Self.maximumLength).contains(text.utf8.count) else {
      throw Failure(
        .configuration,
        "read the mask key",
        path: path,
        cause: "it has \(text.utf8.count) characters, and a key has 32 to 64",
        remedy: Self.remedy
      )
    }
    self.init(text)
  }

  /// Creates a key from a text of 32 to 64 characters.
  package init(_ text: String) {
    code = MessageCode(key: Array(text.utf8))
    let bytes = code.code(of: Array("fingerprint".utf8))
    fingerprint = Hexadecimal.text(of: bytes.prefix(8))
  }

  private static let remedy = "Make one with 'gymmigrate mask key new FILE'."

  /// The text of a new random key of 256 bits.
  package static func random() -> String { BearerToken.random().revealed }

  /// Returns the secret bytes that represent a text, for a purpose.
  func bytes(_ purpose: String, _ text: some Sequence<UInt8>) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(purpose.utf8.count + 1 + text.underestimatedCount)
    message.append(contentsOf: purpose.utf8)
    message.append(0)
    message.append(contentsOf: text)
    return bytes(of: message)
  }

  /// Returns a text that only the key opens; the same text always has the same result.
  ///
  /// - Throws: `.internal` if the cryptography library cannot seal.
  func sealed(_ text: String) throws(Failure) -> String {
    Base64.standard(try cipher.sealed(Array(text.utf8)))
  }

  /// Returns the text that was sealed; nil for what this key did not seal.
  ///
  /// - Throws: As ``sealed(_:)``.
  func opened(_ sealed: String) throws(Failure) -> String? {
    guard let bytes = Base64.decode(sealed), let text = try cipher.opened(bytes) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  private var cipher: DeterministicCipher {
    DeterministicCipher(key: bytes("seal: authenticate", []) + bytes("seal: encrypt", []))
  }

  /// Does the same as ``bytes(_:_:)`` for a message that consists of a purpose, a zero byte and a text.
  func bytes(of message: [UInt8]) -> [UInt8] { code.code(of: message) }

  /// The first eight bytes of ``bytes(of:)`` as a number.
  func number(of message: [UInt8]) -> UInt64 { code.number(of: message) }
}
