import Files
package import FirestoreModels
package import YAML

extension YAMLFile {
  /// The largest file in bytes; real ones have a few kilobytes.
  private static let maximumBytes = 1 << 20

  /// Reads the bytes of the file.
  ///
  /// - Throws: `.inputMissing` where it cannot be read, ``kind`` where it is larger than 1 MiB.
  package func bytes() throws(Failure) -> [UInt8] {
    var file = try InputFile(path)
    var bytes: [UInt8] = []
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { chunk.deallocate() }
    while true {
      let count = try file.read(into: chunk)
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
      if bytes.count > Self.maximumBytes { throw failure(at: nil, "it is larger than 1 MiB") }
    }
  }
}
