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
  /// The code of the text takes the place of a random start, as in RFC 5297.
  func sealed(_ text: String) -> String {
    let code = bytes("seal", text.utf8)
    return Base64.standard(code + ciphered(Array(text.utf8), from: code))
  }

  /// Returns the text that was sealed; nil for what this key did not seal.
  func opened(_ sealed: String) -> String? {
    guard let bytes = Base64.decode(sealed), bytes.count >= 32 else { return nil }
    let code = Array(bytes.prefix(32))
    let text = String(decoding: ciphered(bytes.dropFirst(32), from: code), as: UTF8.self)
    return self.bytes("seal", text.utf8) == code ? text : nil
  }

  /// Combines bytes with those that the key makes from a start, which also undoes it.
  private func ciphered(_ bytes: some Sequence<UInt8>, from start: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = []
    return bytes.enumerated().map { index, byte in
      if index % 32 == 0 { stream = self.bytes("stream", start + Array("\(index)".utf8)) }
      return byte ^ stream[index % 32]
    }
  }

  /// Does the same as ``bytes(_:_:)`` for a message that consists of a purpose, a zero byte and a text.
  func bytes(of message: [UInt8]) -> [UInt8] { code.code(of: message) }

  /// The first eight bytes of ``bytes(of:)`` as a number.
  func number(of message: [UInt8]) -> UInt64 { code.number(of: message) }
}
