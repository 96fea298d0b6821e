import CMinizip
import Files

/// A compressed entry of a ZIP archive, read sequentially; an excessive compression ratio is refused.
package struct ZIPEntry: ~Copyable {
  /// The number of decompressed bytes allowed for any entry.
  package static let freeBytes = 32 << 20
  /// The largest compression ratio for larger entries.
  ///
  /// Sheets are compressed by a factor of 10 to 30, endless repetition by 1,000.
  package static let maximumRatio = 400

  package let path: String
  package let name: String
  private let archive: unzFile
  private let limit: Int
  private var count = 0
  /// The compressed size in bytes.
  package let packedBytes: Int
  /// The decompressed size in bytes according to the archive, which may be wrong.
  package let unpackedBytes: Int

  deinit {
    unzCloseCurrentFile(archive)
    unzClose(archive)
  }

  /// Opens an entry; nil if it does not exist.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing`, or `inputMalformed` if the archive is incomplete or not a
  ///   ZIP file.
  package static func open(_ name: String, in path: String) throws(Failure) -> ZIPEntry? {
    guard let archive = unzOpen64(path) else {
      throw Failure.malformed(
        path,
        "it is not a complete ZIP file, as workbooks are",
        remedy: "It is truncated or not a workbook: get it again."
      )
    }
    guard unzLocateFile(archive, name, 2) == UNZ_OK || locate(name, in: archive) else {
      unzClose(archive)
      return nil
    }
    var info = unz_file_info64()
    let isSound =
      unzGetCurrentFileInfo64(archive, &info, nil, 0, nil, 0, nil, 0) == UNZ_OK && info.flag & 1 == 0
      && unzOpenCurrentFile(archive) == UNZ_OK
    if !isSound {
      unzClose(archive)
      let cause = info.flag & 1 == 0 ? "its \(name) cannot be unpacked" : "it is protected by a password"
      throw Failure.malformed(path, cause)
    }
    let packed = Int(clamping: info.compressed_size)
    return ZIPEntry(
      path: path,
      name: name,
      archive: archive,
      limit: max(freeBytes, packed.multipliedClamped(by: maximumRatio)),
      packedBytes: packed,
      unpackedBytes: Int(clamping: info.uncompressed_size)
    )
  }

  /// Finds an entry whose name has backslashes or a leading slash, as some Windows programs write it.
  private static func locate(_ name: String, in archive: unzFile) -> Bool {
    let wanted = Array(name.utf8)
    var found = [CChar](repeating: 0, count: wanted.count + 3)
    var status = unzGoToFirstFile(archive)
    while status == UNZ_OK {
      let isRead =
        unzGetCurrentFileInfo64(archive, nil, &found, UInt(found.count - 1), nil, 0, nil, 0) == UNZ_OK
      let entry = found.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      if isRead, entry.map(plain).drop(while: { $0 == UInt8(ascii: "/") }).elementsEqual(wanted.map(plain)) {
        return true
      }
      status = unzGoToNextFile(archive)
    }
    return false
  }

  /// Returns a byte of a name in lower case, with a slash for a backslash.
  private static func plain(_ byte: UInt8) -> UInt8 {
    byte == UInt8(ascii: "\\") ? UInt8(ascii: "/") : (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }

  /// Returns the compressed size of an entry; nil if it does not exist.
  ///
  /// - Throws: The errors of ``open(_:in:)``.
  package static func packedBytes(of name: String, in path: String) throws(Failure) -> Int? {
    guard let entry = try open(name, in: path) else { return nil }
    return entry.packedBytes
  }

  /// Reads the next bytes and returns their number, 0 at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for a damaged, truncated or excessively compressed entry.
  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    let read = unzReadCurrentFile(archive, buffer.baseAddress, UInt32(clamping: buffer.count))
    if read < 0 {
      throw Failure.malformed(path, "its \(name) is damaged or truncated", remedy: "Get it again.")
    }
    count += Int(read)
    if count > limit {
      throw Failure.malformed(
        path,
        "its \(name) inflates to more than \(limit >> 20) MiB, which no sheet does"
      )
    }
    // Closing after the last byte compares the checksum; the second close later has no effect.
    if read == 0, unzCloseCurrentFile(archive) == UNZ_CRCERROR {
      throw Failure.malformed(path, "its \(name) is damaged: the checksum is wrong", remedy: "Get it again.")
    }
    return Int(read)
  }
}
