import CMinizip
package import FirestoreModels

/// One compressed file of a ZIP archive, read from front to back; what inflates beyond reason is refused.
package struct ZIPEntry: ~Copyable {
  /// Bytes that may come out whatever went in.
  package static let freeBytes = 32 << 20
  /// Beyond those, times that what comes out may be as long as what went in.
  ///
  /// Sheets shrink to a tenth or a thirtieth, endless repetition to a thousandth.
  package static let maximumRatio = 400

  /// The archive.
  package let path: String
  /// The name of the entry.
  package let name: String
  private let archive: unzFile
  private let limit: Int
  private var count = 0
  /// Bytes of the entry in the archive.
  package let packedBytes: Int
  /// Bytes of it unpacked, as the archive has it: perhaps a lie.
  package let unpackedBytes: Int

  private init(path: String, name: String, archive: unzFile, limit: Int, packed: Int, unpacked: Int) {
    packedBytes = packed
    unpackedBytes = unpacked
    self.path = path
    self.name = name
    self.archive = archive
    self.limit = limit
  }

  deinit {
    unzCloseCurrentFile(archive)
    unzClose(archive)
  }

  /// Opens an entry; nil where the archive has none of that name.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing`, or `inputMalformed` for what is no whole archive.
  package static func open(_ name: String, in path: String) throws(Failure) -> ZIPEntry? {
    guard let archive = unzOpen64(path) else {
      throw Failure(
        .inputMalformed,
        "read",
        path: path,
        cause: "it is not a whole ZIP file, as workbooks are",
        remedy: "It was cut off, or is no workbook: get it again."
      )
    }
    guard unzLocateFile(archive, name, 2) == UNZ_OK else {
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
      throw Failure(.inputMalformed, "read", path: path, cause: cause)
    }
    let packed = Int(clamping: info.compressed_size)
    let (product, overflow) = packed.multipliedReportingOverflow(by: maximumRatio)
    return ZIPEntry(
      path: path,
      name: name,
      archive: archive,
      limit: overflow ? .max : max(freeBytes, product),
      packed: packed,
      unpacked: Int(clamping: info.uncompressed_size)
    )
  }

  /// Bytes of an entry in its archive; nil where the archive has none of that name.
  ///
  /// - Throws: As ``open(_:in:)``.
  package static func packedBytes(of name: String, in path: String) throws(Failure) -> Int? {
    guard let entry = try open(name, in: path) else { return nil }
    return entry.packedBytes
  }

  /// Reads what comes next: how many bytes, 0 at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for what is damaged, cut off or a bomb.
  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    let read = unzReadCurrentFile(archive, buffer.baseAddress, UInt32(clamping: buffer.count))
    if read < 0 { throw failure("its \(name) is damaged or cut off", remedy: "Get it again.") }
    count += Int(read)
    if count > limit {
      throw failure("its \(name) inflates to more than \(limit >> 20) MiB, which no sheet does", remedy: nil)
    }
    // The checksum is looked at when all is read; the entry is closed once more for nothing.
    if read == 0, unzCloseCurrentFile(archive) == UNZ_CRCERROR {
      throw failure("its \(name) is damaged: the checksum is wrong", remedy: "Get it again.")
    }
    return Int(read)
  }

  private func failure(_ cause: String, remedy: String?) -> Failure {
    Failure(.inputMalformed, "read", path: path, cause: cause, remedy: remedy)
  }
}
