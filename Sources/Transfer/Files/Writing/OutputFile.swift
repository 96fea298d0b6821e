import Platform

/// A file that is written completely or not at all.
///
///     var file = try OutputFile("users.csv", digest: true)
///     try file.write("__name__,name\r\n")
///     let receipt = try file.finish()
///     print(receipt.bytes, receipt.sha256 ?? "")
///
/// Bytes go to a temporary file in the same folder; ``finish()`` flushes, syncs and renames it. Dropping the value without
/// ``finish()`` (after an error or a cancellation) deletes it; a killed process may leave it behind, but never a partial
/// file under the final name.
///
/// `-` is standard output. Devices and pipes are written directly, and so are remote addresses, where nothing appears
/// before the file is complete. A symbolic link is kept, and its target replaced. An existing file keeps its permissions; a
/// new one is readable only by its owner, because it may contain personal data.
package struct OutputFile: ~Copyable {
  package struct Receipt: Sendable, Equatable {
    /// The path; `-` for standard output.
    package var path: String
    /// The size on disk, after compression.
    package var bytes: Int
    /// The SHA-256 of those bytes in lower-case hexadecimal, if requested.
    package var sha256: String?

    package init(path: String, bytes: Int, sha256: String? = nil) {
      self.path = path
      self.bytes = bytes
      self.sha256 = sha256
    }
  }

  package let path: String
  /// The bytes written so far, before compression.
  package private(set) var bytesAccepted = 0

  private static let bufferSize = 64 << 10

  private var destination: Destination
  private var buffer: [UInt8] = []
  private var sink: FileSink
  private var deflater: GzipDeflater?

  /// Starts a file.
  ///
  /// A name that ends in `.gz` is compressed unless `gzip` is set.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` with the path and the system's message; for a remote address, the errors
  ///   of ``RemoteFiles/writer(to:)``.
  package init(
    _ path: String,
    gzip: Bool? = nil,
    digest: Bool = false,
    via files: FileAccess = .local
  ) throws(Failure) {
    if !FileAccess.isRemote(path) { try Self.checkWritable(path) }
    let sha256: SHA256Digest? = digest ? try SHA256Digest() : nil
    let deflater: GzipDeflater? = gzip ?? FileName(path).isCompressed ? try GzipDeflater() : nil
    let destination = try Destination(path, files)
    self.path = path
    self.deflater = deflater
    self.destination = destination
    sink = FileSink(
      path: path,
      descriptor: destination.descriptor,
      remote: destination.remote,
      digest: sha256,
      behind: destination.temporary == nil ? nil : WriteBehind()
    )
    buffer.reserveCapacity(Self.bufferSize)
  }

  deinit {
    if destination.closes, sink.descriptor >= 0 { close(sink.descriptor) }
    if let temporary = destination.temporary { unlink(temporary) }
    sink.remote?.abandon()
  }

  /// Appends bytes.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`, at the latest in ``finish()``; then drop the file.
  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    bytesAccepted += bytes.count
    if buffer.count + bytes.count > Self.bufferSize { try flush() }
    if bytes.count < Self.bufferSize {
      buffer.append(contentsOf: bytes)
    } else {
      try send(bytes)
    }
  }

  package mutating func write(_ bytes: [UInt8]) throws(Failure) {
    try bytes.withUnsafeBufferPointer { bytes throws(Failure) in try write(UnsafeRawBufferPointer(bytes)) }
  }

  /// Appends text as UTF-8.
  package mutating func write(_ text: String) throws(Failure) { try write(Array(text.utf8)) }

  /// Whether its bytes can be reclaimed with ``spool()``.
  package var canBecomeSpool: Bool { destination.temporary != nil && deflater == nil }

  /// Gives up the file, and returns what was written so far for reading; nil unless ``canBecomeSpool``.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package consuming func spool() throws(Failure) -> SpoolFile? {
    guard canBecomeSpool, let name = destination.temporary else { return nil }
    try flush()
    unlink(name)
    destination.temporary = nil
    let descriptor = sink.descriptor
    sink.descriptor = -1
    return SpoolFile(taking: descriptor, of: path, count: sink.bytes)
  }

  /// Flushes, syncs and renames the file.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`; then the final path is unchanged.
  package consuming func finish() throws(Failure) -> Receipt {
    try flush()
    try deflater?.deflate(UnsafeRawBufferPointer(start: nil, count: 0), finishing: true, into: &sink)
    if let failure = sink.failure { throw failure }
    if let remote = sink.remote {
      try destination.willPublish()
      try remote.finish()
      sink.remote = nil
    } else {
      let code = SystemCall.synchronize(sink.descriptor)
      if code != 0 { throw Failure.cannotWrite(path, errno: code) }
    }
    if destination.closes {
      let descriptor = sink.descriptor
      sink.descriptor = -1
      if close(descriptor) != 0, errno != EINTR { throw Failure.cannotWrite(path, errno: errno) }
    }
    if let name = destination.temporary {
      let target = destination.target
      if rename(name, target) != 0 { throw Failure.cannotWrite(path, errno: errno) }
      destination.temporary = nil
      SystemCall.synchronizeFolder(FilePaths.folder(of: target))
    }
    return Receipt(path: path, bytes: sink.bytes, sha256: sink.digest.take()?.finish())
  }

  private mutating func flush() throws(Failure) {
    if buffer.isEmpty { return }
    var full: [UInt8] = []
    swap(&full, &buffer)
    try full.withUnsafeBufferPointer { full throws(Failure) in try send(UnsafeRawBufferPointer(full)) }
    full.removeAll(keepingCapacity: true)
    swap(&full, &buffer)
  }

  private mutating func send(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    if deflater != nil {
      try deflater?.deflate(bytes, into: &sink)
    } else {
      try sink.write(bytes)
    }
  }
}

/// The destination of an output file, where bytes are counted and digested.
struct FileSink: ~Copyable {
  let path: String
  var descriptor: Int32
  var digest: SHA256Digest?
  private(set) var bytes = 0
  /// Why it accepts no more data, so that a file with a gap is never completed.
  private(set) var failure: Failure?
  /// Receives the bytes instead of the descriptor.
  var remote: (any RemoteWriter)?
  /// Set for a regular file that belongs to this output alone.
  private var behind: WriteBehind?
  /// Whether a write may block on a reader.
  private let mayWait: Bool

  init(
    path: String,
    descriptor: Int32,
    remote: (any RemoteWriter)? = nil,
    digest: consuming SHA256Digest?,
    behind: WriteBehind? = nil
  ) {
    self.path = path
    self.descriptor = descriptor
    self.remote = remote
    self.digest = digest
    self.behind = behind
    mayWait = remote == nil && SystemCall.mayWait(descriptor)
  }

  mutating func write(_ span: UnsafeRawBufferPointer) throws(Failure) {
    if span.isEmpty { return }
    if let failure { throw failure }
    do throws(Failure) {
      try put(span)
    } catch {
      failure = error
      throw error
    }
    digest?.update(span)
    bytes += span.count
  }

  private mutating func put(_ span: UnsafeRawBufferPointer) throws(Failure) {
    if let remote { return try remote.write(span) }
    var (code, isStopped) =
      mayWait
      ? SystemCall.writeUnlessStopped(descriptor, span) : (SystemCall.write(descriptor, span), false)
    if isStopped { throw Failure.stopped("write", path == "-" ? StandardOutput.name : path) }
    if code == 0 { code = behind?.advance(descriptor, to: bytes + span.count) ?? 0 }
    if code == 0 { return }
    throw path == "-" ? StandardOutput.failure(errno: code) : Failure.cannotWrite(path, errno: code)
  }
}

// MARK: - Before and around

extension OutputFile {
  /// Checks that a file can be written, before anything is read.
  ///
  /// Its folder has to exist and be writable, and the path must not be a folder or one of ``KeptFiles``. Nothing is
  /// created.
  ///
  /// - Parameter isDatabase: Whether the caller writes a database, and has determined which one it may replace.
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package static func checkWritable(_ path: String, isDatabase: Bool = false) throws(Failure) {
    if path == "-" { return }
    if path.isEmpty { throw Failure.cannotWrite("''", "the file has no name") }
    let (found, code) = SystemCall.status(path)
    if let found {
      if found.isFolder { throw Failure.cannotWrite(path, "it is a folder", remedy: "Name a file in it.") }
      if access(path, W_OK) != 0 { throw Failure.cannotWrite(path, errno: errno) }
      if !found.isRegularFile { return }
    } else if code != ENOENT {
      throw Failure.cannotWrite(path, errno: code)
    } else if path.hasSuffix("/") {
      throw Failure.cannotWrite(path, "it names a folder", remedy: "Name a file in it.")
    }
    try KeptFiles.assertReplaceable(FilePaths.resolved(path), isDatabase: isDatabase)
    let folder = FilePaths.folder(of: FilePaths.resolved(path))
    let parent = SystemCall.status(folder)
    guard let status = parent.status else { throw Failure.cannotWrite(path, errno: parent.error) }
    if !status.isFolder { throw Failure.cannotWrite(path, "\(folder) is not a folder") }
    if access(folder, W_OK | X_OK) != 0 { throw Failure.cannotWrite(path, errno: errno) }
  }

  /// Writes a whole file atomically.
  ///
  /// - Throws: The errors of ``init(_:gzip:digest:via:)``.
  package static func write(
    _ bytes: [UInt8],
    to path: String,
    via files: FileAccess = .local
  ) throws(Failure) {
    var file = try OutputFile(path, via: files)
    try file.write(bytes)
    _ = try file.finish()
  }

  /// Copies a local file atomically; a missing source counts as empty.
  ///
  /// - Throws: `.cannotWrite`, `.inputMissing`; for a remote address, the errors of ``init(_:gzip:digest:via:)``.
  package static func copy(
    _ source: String,
    to path: String,
    via files: FileAccess = .local
  ) throws(Failure) {
    var output = try OutputFile(path, via: files)
    if SystemCall.status(source).status != nil {
      var input = try InputFile(source)
      try input.forEachPiece { piece throws(Failure) in try output.write(piece) }
    }
    _ = try output.finish()
  }

  /// The destination of the bytes until the file is complete.
  private struct Destination {
    var target: String
    var temporary: String?
    var descriptor: Int32
    var closes: Bool
    var remote: (any RemoteWriter)?
    let willPublish: @Sendable () throws(Failure) -> Void

    init(_ path: String, _ files: FileAccess) throws(Failure) {
      willPublish = files.willPublish
      if let remote = try files.remote(for: path) {
        (target, temporary, descriptor, closes) = (path, nil, -1, false)
        self.remote = try remote.writer(to: path)
        return
      }
      if path == "-" {
        _ = SystemCall.ignoringBrokenPipes
        (target, temporary, descriptor, closes) = (path, nil, STDOUT_FILENO, false)
        return
      }
      closes = true
      if let status = SystemCall.status(path).status, !status.isRegularFile {
        _ = SystemCall.ignoringBrokenPipes
        let (descriptor, code, isStopped) = SystemCall.openToWrite(path)
        if isStopped { throw Failure.stopped("write", path) }
        if descriptor < 0 { throw Failure.cannotWrite(path, errno: code) }
        (target, temporary, self.descriptor) = (path, nil, descriptor)
        return
      }
      let target = FilePaths.resolved(path)
      let (name, descriptor) = try FilePaths.createTemporary(beside: target, reporting: path)
      if let mode = SystemCall.status(target).status?.st_mode { fchmod(descriptor, mode & 0o7777) }
      (self.target, temporary, self.descriptor) = (target, name, descriptor)
    }
  }
}
