import Files
import FirestoreREST

/// The secret under which values are masked: the same key makes the same of a value, everywhere.
///
/// Printing it never reveals it.
package struct MaskKey: Sendable, CustomStringConvertible {
  /// The smallest key, in characters: 128 bits and more of what ``random()`` makes.
  private static let minimumLength = 32
  private static let maximumLength = 64

  private let code: MessageCode
  /// What tells keys apart, and says nothing of the key: a code of a fixed text.
  package let fingerprint: String

  package var description: String { "key \(fingerprint)" }

  /// Reads the key in a file that its owner alone may read.
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

  /// Makes a key of a text of 32 to 64 characters.
  package init(_ text: String) {
    code = MessageCode(key: Array(text.utf8))
    let bytes = code.code(of: Array("fingerprint".utf8))
    fingerprint = Hexadecimal.text(of: bytes.prefix(8))
  }

  private static let remedy = "Make one with 'gymmigrate mask key new FILE'."

  /// The text of a new random key of 256 bits.
  package static func random() -> String { BearerToken.random().revealed }

  /// The secret bytes that stand for a text, for a purpose.
  func bytes(_ purpose: String, _ text: some Sequence<UInt8>) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(purpose.utf8.count + 1 + text.underestimatedCount)
    message.append(contentsOf: purpose.utf8)
    message.append(0)
    message.append(contentsOf: text)
    return bytes(of: message)
  }

  /// As ``bytes(_:_:)``, of a purpose, a zero byte and a text.
  func bytes(of message: [UInt8]) -> [UInt8] { code.code(of: message) }

  /// The first eight bytes of ``bytes(of:)`` as a number.
  func number(of message: [UInt8]) -> UInt64 { code.number(of: message) }
}
