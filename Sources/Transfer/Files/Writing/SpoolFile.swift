import Platform

/// A temporary file that is written sequentially and then read.
///
/// The file is unlinked as soon as it is created, so that it disappears with the process.
package struct SpoolFile: ~Copyable {
  private static let bufferSize = 64 << 10

  private let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  /// Why it accepts no more data, because data after a gap would be misread.
  private var failure: Failure?
  /// The bytes written so far.
  package private(set) var count = 0

  /// Creates an empty spool in a folder.
  ///
  /// - Parameter path: The file to name in errors; the folder if nil.
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package init(in folder: String, for path: String? = nil) throws(Failure) {
    let (name, descriptor) = try FilePaths.createTemporary(
      beside: "\(folder)/gymmigrate-spool",
      reporting: path ?? folder
    )
    unlink(name)
    self.init(taking: descriptor, of: path ?? folder, count: 0)
  }

  /// Takes over an unlinked file that contains `count` bytes and is positioned at its end.
  init(taking descriptor: Int32, of path: String, count: Int) {
    self.path = path
    self.descriptor = descriptor
    self.count = count
    buffer.reserveCapacity(Self.bufferSize)
  }

  deinit { close(descriptor) }

  /// Appends bytes.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package mutating func append(_ bytes: [UInt8]) throws(Failure) {
    if buffer.count + bytes.count > Self.bufferSize { try flush() }
    count += bytes.count
    if bytes.count < Self.bufferSize {
      buffer.append(contentsOf: bytes)
    } else {
      try put(bytes)
    }
  }

  /// Calls `body` with the content from an offset on, piece by piece; may be called repeatedly.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` for a disk error, or the errors of `body`.
  package mutating func read(
    from start: Int = 0,
    pieces size: Int = 256 << 10,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    try flush()
    if lseek(descriptor, off_t(start), SEEK_SET) < 0 { throw Failure.cannotWrite(path, errno: errno) }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
    defer { piece.deallocate() }
    var left = count - start
    while left > 0 {
      let (read, code) = SystemCall.read(descriptor, into: piece)
      if code != 0 { throw Failure.cannotWrite(path, errno: code) }
      if read == 0 { throw Failure.cannotWrite(path, "its temporary file is truncated") }
      left -= read
      try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<read]))
    }
  }

  /// Reads at an offset into `buffer`, which is left unchanged beyond the end of the spool.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` for a disk error.
  package mutating func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Failure) {
    try flush()
    var done = 0
    while done < buffer.count {
      let read = pread(
        descriptor,
        buffer.baseAddress.map { $0 + done },
        buffer.count - done,
        off_t(position + done)
      )
      if read < 0, errno == EINTR { continue }
      if read < 0 { throw Failure.cannotWrite(path, errno: errno) }
      if read == 0 { return }
      done += read
    }
  }

  /// Returns bytes at an offset; zeros beyond the end of the spool.
  ///
  /// - Throws: The errors of ``read(at:into:)``.
  package mutating func bytes(_ count: Int, at position: Int) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.withUnsafeMutableBufferPointer { bytes throws(Failure) in
      try read(at: position, into: UnsafeMutableRawBufferPointer(bytes))
    }
    return bytes
  }

  private mutating func flush() throws(Failure) {
    if buffer.isEmpty { return }
    try put(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private mutating func put(_ bytes: [UInt8]) throws(Failure) {
    if let failure { throw failure }
    let code = bytes.withUnsafeBytes { SystemCall.write(descriptor, $0) }
    if code == 0 { return }
    let failed = Failure.cannotWrite(path, errno: code)
    failure = failed
    throw failed
  }
}
