package import Platform

/// A file, a remote file or standard input (`-`) that is read sequentially.
///
/// Gzip is detected by its first bytes and decompressed, unless the stored bytes are requested.
package struct InputFile: ~Copyable {
  private static let chunkSize = 1 << 20
  private static let compressedChunkSize = 128 << 10

  package let path: String
  private let origin: Origin
  private var inflater: GzipInflater?
  private var compressed: UnsafeMutableRawBufferPointer?
  private var waiting: Range<Int> = 0..<0
  private var isAtEnd = false
  /// Whether the next bytes are the first ones, which reveal whether it is gzip.
  private var isFirst = true
  private var received = 0

  /// The number of bytes of the file that were read and, if compressed, decompressed.
  package var position: Int { inflater == nil ? received : received - waiting.count }

  /// Opens a file.
  ///
  /// - Parameter decompresses: Whether gzip is decompressed.
  /// - Throws: ``Failure`` of kind `inputMissing` with the system's message; for a remote address, the errors of
  ///   ``RemoteFiles/reader(of:)``.
  package init(
    _ path: String,
    decompresses: Bool = true,
    via files: FileAccess = .local
  ) throws(Failure) {
    origin = try Origin(path, files)
    self.path = path
    isFirst = decompresses
  }

  /// Where the bytes come from.
  private enum Origin {
    /// A descriptor; `mayWait` says whether another program or a person provides the data, so that a read may block.
    case file(descriptor: Int32, closes: Bool, mayWait: Bool)
    case remote(any RemoteReader)
    /// A copy, whose descriptor is shared with other readers.
    case copy(InputCopy)

    init(_ path: String, _ files: FileAccess) throws(Failure) {
      if let copy = files.copy(of: path) {
        self = .copy(copy)
        return
      }
      if let remote = try files.remote(for: path) {
        self = .remote(try remote.reader(of: path))
        return
      }
      if path == "-" {
        self = .file(descriptor: STDIN_FILENO, closes: false, mayWait: SystemCall.mayWait(STDIN_FILENO))
        return
      }
      if let status = SystemCall.status(path).status {
        if status.isFolder { throw Failure(.inputMissing, "read", path: path, cause: "it is a folder") }
        if status.isRegularFile { try KeptFiles.willRead(status, path) }
      }
      let (descriptor, mayWait, code) = SystemCall.openToRead(path)
      if descriptor < 0 { throw Failure.cannotRead(path, errno: code) }
      self = .file(descriptor: descriptor, closes: true, mayWait: mayWait)
    }
  }

  /// Checks that a file can be opened, without consuming anything from a pipe.
  ///
  /// - Throws: The errors of ``init(_:decompresses:via:)``.
  package static func assertReadable(_ path: String) throws(Failure) {
    let status = SystemCall.status(path).status
    if let status, !status.isFolder, !status.isRegularFile {
      // Opening and closing a pipe would look to its writer as if its only reader had left.
      if access(path, R_OK) != 0 { throw Failure.cannotRead(path, errno: errno) }
      return
    }
    _ = try InputFile(path)
  }

  /// Reads a copy from its start.
  package init(_ copy: InputCopy) {
    path = copy.path
    origin = .copy(copy)
  }

  /// Reads bytes with which a remote file begins, as if they were all of it.
  init(_ path: String, beginning bytes: [UInt8]) {
    self.path = path
    origin = .remote(MemoryReader(bytes))
  }

  deinit {
    if case .file(let descriptor, true, _) = origin { close(descriptor) }
    compressed?.deallocate()
  }

  /// Reads the next bytes into `buffer` and returns their number, 0 at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing` for a read error, `inputMalformed` for damaged or truncated gzip data,
  ///   `interrupted` if a signal arrives while waiting for another program.
  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    if isFirst {
      isFirst = false
      let count = try fill(buffer)
      if count == 0, FileName(path).isCompressed { throw cutOff }
      guard count >= 2, buffer[0] == 0x1F, buffer[1] == 0x8B else { return count }
      inflater = try GzipInflater()
      let compressed = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(Self.compressedChunkSize, count),
        alignment: 16
      )
      compressed.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
      self.compressed = compressed
      waiting = 0..<count
    }
    guard let compressed, inflater != nil else { return try receive(buffer) }
    while true {
      if waiting.isEmpty, !isAtEnd {
        waiting = 0..<(try receive(compressed))
        isAtEnd = waiting.isEmpty
      }
      let input = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(compressed)[waiting])
      let (taken, produced, defect) = inflater?.inflate(input, into: buffer) ?? (0, 0, nil)
      waiting = (waiting.lowerBound + taken)..<waiting.upperBound
      if let defect { throw Failure(.inputMalformed, "read", path: path, cause: defect) }
      if produced > 0 { return produced }
      if isAtEnd, waiting.isEmpty {
        if inflater?.isComplete ?? true { return 0 }
        throw cutOff
      }
    }
  }

  /// Returns the status of the open file.
  ///
  /// - Throws: `.inputMissing` if it has none, as for a remote file.
  package func status() throws(Failure) -> stat {
    guard case .file(let descriptor, _, _) = origin else { throw Failure.cannotRead(path, errno: EBADF) }
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw Failure.cannotRead(path, errno: errno) }
    return status
  }

  /// Calls `body` with the rest of the file, piece by piece.
  ///
  /// - Throws: The errors of ``read(into:)`` and of `body`.
  package mutating func forEachPiece(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try read(into: buffer)
      if count == 0 { return }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Returns the rest of the file.
  ///
  /// - Throws: The errors of ``read(into:)``; `tooLarge` if there are more bytes than `limit`.
  package mutating func bytes(
    atMost limit: Int,
    orThrow tooLarge: @autoclosure () -> Failure
  ) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachPiece { piece throws(Failure) in
      if bytes.count + piece.count > limit { throw tooLarge() }
      bytes.append(contentsOf: piece)
    }
    return bytes
  }

  /// Reads until the two bytes that identify gzip have arrived, or the file has ended.
  private mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    var count = 0
    while count < 2 {
      let more = try receive(UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
      if more == 0 { break }
      count += more
    }
    return count
  }

  /// The failure of a truncated file; even an empty gzip file has a header and a trailer.
  private var cutOff: Failure {
    .malformed(path, "the compressed data ends early", remedy: "The file is truncated: get it again.")
  }

  private mutating func receive(_ buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    let count: Int
    switch origin {
    case .remote(let remote): count = try remote.read(into: buffer)
    case .copy(let copy):
      count = pread(copy.descriptor, buffer.baseAddress, buffer.count, off_t(received))
      if count < 0 { throw Failure.cannotRead(path, errno: errno) }
    case .file(let descriptor, _, let mayWait):
      let (read, code, isStopped) =
        mayWait
        ? SystemCall.readUnlessStopped(descriptor, into: buffer)
        : { ($0.count, $0.error, false) }(SystemCall.read(descriptor, into: buffer))
      let name = path == "-" ? "standard input" : path
      if isStopped { throw Failure.stopped("read", name) }
      if code != 0 { throw Failure.cannotRead(name, errno: code) }
      count = read
    }
    received += count
    return count
  }
}

/// Reads bytes in memory.
private final class MemoryReader: RemoteReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let part = rest.prefix(buffer.count)
    buffer.copyBytes(from: part)
    rest = rest.dropFirst(part.count)
    return part.count
  }
}
