import Platform

/// The first bytes of a file, decompressed; none of a local one that is not a regular file, because its later reader needs
/// them.
package struct FileHead: Sendable {
  package enum Content: Sendable {
    /// A ZIP archive, such as a workbook.
    case workbook
    /// An OpenDocument spreadsheet (`.ods`).
    case openDocument
    /// A compound file: an `.xls`, or a workbook that is protected by a password.
    case oldWorkbook
    /// An SQLite database, such as a mirror.
    case database
    /// A picture, a PDF or an archive, which cannot be meant as a table.
    case foreign
    case markup, json, text
  }

  /// How files of other kinds begin: PNG, JPEG, GIF, PDF, RAR, 7z, Zstandard and xz.
  private static let foreign: [[UInt8]] = [
    [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8), Array("%PDF".utf8), Array("Rar!".utf8),
    [0x37, 0x7A, 0xBC, 0xAF], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58],
  ]

  package let bytes: [UInt8]
  /// Whether the file may have more bytes.
  package var isCut: Bool { bytes.count == Self.maximumBytes }

  private static let maximumBytes = 1 << 16

  /// Reads the first bytes; none if a local file cannot be read.
  ///
  /// - Throws: The errors of ``RemoteFiles/head(of:atMost:)``, only for a remote address.
  package init(_ path: String, via files: FileAccess = .local) throws(Failure) {
    guard var file = try Self.open(path, via: files) else {
      bytes = []
      return
    }
    bytes = [UInt8](unsafeUninitializedCapacity: Self.maximumBytes) { buffer, found in
      found = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
  }

  private static func open(_ path: String, via files: FileAccess) throws(Failure) -> InputFile? {
    if let remote = try files.remote(for: path) {
      return InputFile(path, beginning: try remote.head(of: path, atMost: maximumBytes))
    }
    guard path != "-", SystemCall.status(path).status?.isRegularFile ?? false else { return nil }
    return try? InputFile(path)
  }

  /// The content as recognized by the bytes; nil if there are none.
  package var content: Content? {
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      return bytes.dropFirst(30).starts(with: "mimetypeapplication/vnd.oasis".utf8)
        ? .openDocument : .workbook
    }
    if bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) { return .oldWorkbook }
    if bytes.starts(with: "SQLite format 3\0".utf8) { return .database }
    if Self.foreign.contains(where: { bytes.starts(with: $0) }) || isArchive { return .foreign }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    switch bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0).first(where: { $0 > 0x20 }) {
    case nil: return nil
    case UInt8(ascii: "<") where isMarkup: return .markup
    case UInt8(ascii: "{"), UInt8(ascii: "["): return .json
    default: return .text
    }
  }

  /// Whether it is a tar archive, which is marked after the name of its first file.
  private var isArchive: Bool { bytes.count > 262 && bytes[257..<262].elementsEqual("ustar".utf8) }

  private var isMarkup: Bool {
    let tag = bytes.drop { $0 != UInt8(ascii: "<") }.dropFirst().map { $0 | 0x20 }
    return ["!doctype", "?xml", "html", "head", "meta", "table", "style"].contains {
      tag.starts(with: $0.utf8)
    }
  }
}
