/// Files outside the file system, at addresses such as `gs://bucket/name`.
///
/// Every call blocks its thread, like a system call, and ends early if the process is asked to stop. A folder is a prefix
/// of names that ends in `/`; it exists as long as it contains something.
package protocol RemoteFiles: Sendable {
  /// Returns what an address refers to; nil if there is nothing.
  ///
  /// - Throws: `.notPermitted`, `.configuration` for a missing bucket, or `.unavailable`.
  func entry(at address: String) throws(Failure) -> RemoteEntry?

  /// Returns the names directly in a folder, sorted by bytes; those of folders end in `/`.
  ///
  /// - Throws: The errors of ``entry(at:)``.
  func names(in folder: String) throws(Failure) -> [String]

  /// Opens a file at its start.
  ///
  /// If a file is opened twice, the second reader either reads the same version or fails. The file is one of those that
  /// no output replaces (``KeptFiles``).
  ///
  /// - Throws: `.inputMissing`, `.cannotWrite` if it is an output of the command, or the errors of ``entry(at:)``.
  func reader(of address: String) throws(Failure) -> any RemoteReader

  /// Returns the first bytes of the file that ``reader(of:)`` reads, as stored: all of a smaller file, and none if there is
  /// no file.
  ///
  /// - Throws: The errors of ``reader(of:)``.
  func head(of address: String, atMost count: Int) throws(Failure) -> [UInt8]

  /// Begins a file, which replaces the one at the address when it is finished.
  ///
  /// - Throws: `.cannotWrite`, or the errors of ``entry(at:)``.
  func writer(to address: String) throws(Failure) -> any RemoteWriter

  /// Checks that a file can be written, without creating anything.
  ///
  /// - Throws: The errors of ``writer(to:)``.
  func checkWritable(_ address: String) throws(Failure)
}

/// What an address refers to.
package enum RemoteEntry: Sendable, Equatable {
  /// A file, whose version changes with every write.
  case file(bytes: Int, version: String)
  case folder

  /// The size of a file in bytes.
  package var bytes: Int? { if case .file(let bytes, _) = self { bytes } else { nil } }
}

/// Reads one remote file from its start to its end.
package protocol RemoteReader: AnyObject {
  /// Reads the next bytes and returns their number, 0 at the end.
  ///
  /// - Throws: `.inputMissing` if the file was replaced or deleted in the meantime; `.inputMalformed` if it arrives
  ///   damaged; `.unavailable`; `.interrupted`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int
}

/// Writes one remote file, which appears in ``finish()`` as a whole, or not at all.
package protocol RemoteWriter: AnyObject {
  /// Appends bytes, waiting if as many bytes as fit into memory are in flight.
  ///
  /// - Throws: `.cannotWrite`, `.unavailable`, `.interrupted`, or the failure of an earlier write.
  func write(_ bytes: UnsafeRawBufferPointer) throws(Failure)

  /// Completes the file.
  ///
  /// - Throws: The errors of ``write(_:)``; `.tryLater` if somebody else has written the file since it was begun, leaving
  ///   theirs as it is.
  func finish() throws(Failure)

  /// Discards what was written; called instead of ``finish()`` or after it failed.
  func abandon()
}
