import Platform

/// A private copy of an input, which ensures that what was checked is what is read later.
///
/// The file is unlinked as soon as it is created, so that nobody else can change it and it disappears with the process.
package final class InputCopy: Sendable, Equatable {
  /// The path of the original; `-` is standard input.
  package let path: String
  /// The SHA-256 of the (decompressed) content in lower-case hexadecimal.
  package let sha256: String
  /// The copy, for reading at an offset.
  let descriptor: Int32

  /// Copies a file or standard input (`-`).
  ///
  /// - Parameter folder: The folder of the copy; the temporary folder if nil.
  /// - Throws: `.inputMissing`; `.inputMalformed` for damaged gzip data; `.cannotWrite` with the folder, including before
  ///   anything is read if there is not enough space; for a remote address, the errors of ``RemoteFiles/reader(of:)``.
  package init(of path: String, in folder: String? = nil, via files: FileAccess = .local) throws(Failure) {
    let folder = folder ?? FilePaths.temporaryFolder(for: "-")
    if path != "-", let size = try files.size(of: path) {
      try Self.assertRoom(for: size, of: path, in: folder)
    }
    var input = try InputFile(path, via: files)
    let (name, descriptor) = try FilePaths.createTemporary(
      beside: "\(folder)/gymmigrate-input",
      reporting: folder
    )
    unlink(name)
    do throws(Failure) {
      sha256 = try Self.fill(descriptor, from: &input, in: folder)
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  package static func == (left: InputCopy, right: InputCopy) -> Bool { left === right }

  /// Returns a path of the copy, for code that opens files only by name, any number of times.
  ///
  /// It is valid as long as the copy is held.
  ///
  /// - Throws: `.configuration` on a system without `/proc`.
  package func location() throws(Failure) -> String {
    let link = "/proc/self/fd/\(descriptor)"
    if access(link, R_OK) == 0 { return link }
    throw Failure(
      .configuration,
      "read",
      path: path,
      cause: "a temporary copy of it cannot be opened without /proc",
      remedy: "Mount /proc, or download the file and name the copy."
    )
  }

  private static func assertRoom(for size: Int, of path: String, in folder: String) throws(Failure) {
    guard let free = FilePaths.freeBytes(in: folder), free < size else { return }
    throw Failure.cannotWrite(
      folder,
      "a copy of \(path) takes \(size >> 20) MiB, and \(free >> 20) MiB are free",
      remedy: "Free some disk space there."
    )
  }

  private static func fill(
    _ descriptor: Int32,
    from input: inout InputFile,
    in folder: String
  ) throws(Failure) -> String {
    var digest = try SHA256Digest()
    try input.forEachPiece { piece throws(Failure) in
      digest.update(piece)
      let code = SystemCall.write(descriptor, piece)
      if code != 0 { throw Failure.cannotWrite(folder, errno: code) }
    }
    return digest.finish()
  }
}
