import Files
package import YAML

extension YAMLFile {
  /// The maximum size of a file in bytes; real ones have a few kilobytes.
  private static let maximumBytes = 1 << 20

  /// Reads the bytes of the file.
  ///
  /// - Throws: `.inputMissing` if it cannot be read, ``kind`` if it is larger than 1 MiB.
  package func bytes() throws(Failure) -> [UInt8] {
    var file = try InputFile(path)
    return try file.bytes(
      atMost: Self.maximumBytes,
      orThrow: failure(at: nil, "it is larger than 1 MiB")
    )
  }

  /// Reads the text of the file.
  ///
  /// - Throws: The errors of ``bytes()``, and ``kind`` if it is not UTF-8.
  package func text() throws(Failure) -> String { try text(of: bytes()) }
}
