package import FirestoreModels
import Platform

/// Bytes that wait on disk: written once from front to back, then read once.
///
/// The file has no name from its first moment on, so that it is gone with the process, however that ends.
package struct SpoolFile: ~Copyable {
  private static let bufferSize = 64 << 10

  private let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  /// Why it takes nothing more: behind a gap the rest would be read as something else.
  private var failure: Failure?
  /// What has been written so far, in bytes.
  package private(set) var count = 0

  /// Makes an empty spool in a folder.
  ///
  /// - Parameter path: The file that the bytes are for, which errors name; the folder where nil.
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package init(in folder: String, for path: String? = nil) throws(Failure) {
    let (name, descriptor) = try FilePaths.createTemporary(
      beside: "\(folder)/gymmigrate-spool",
      reporting: path ?? folder
    )
    unlink(name)
    self.path = path ?? folder
    self.descriptor = descriptor
    buffer.reserveCapacity(Self.bufferSize)
  }

  deinit {
    close(descriptor)
  }

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

  /// Hands the whole content to `body`, piece by piece from the front; a spool may be read again.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` where the disk gives trouble, else what `body` throws.
  package mutating func read(
    pieces size: Int = 256 << 10,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    try flush()
    if lseek(descriptor, 0, SEEK_SET) != 0 { throw Failure.cannotWrite(path, errno: errno) }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
    defer { piece.deallocate() }
    var left = count
    while left > 0 {
      let (read, code) = SystemCall.read(descriptor, into: piece)
      if code != 0 { throw Failure.cannotWrite(path, errno: code) }
      if read == 0 { throw Failure.cannotWrite(path, "a temporary file for it has lost its end") }
      left -= read
      try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(piece)[..<read]))
    }
  }

  /// Reads from a place into `buffer`, which stays as it is behind the spool's end.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` where the disk gives trouble.
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
