import Platform

/// Checks for local files.
package enum FileCheck {
  package static func exists(_ path: String) -> Bool { SystemCall.status(path).status != nil }

  /// Refuses a pipe, a device or a socket in the place of a file of our own: reading it might wait for ever.
  ///
  /// - Throws: `.inputMalformed`.
  package static func assertNoPipe(_ path: String) throws(Failure) {
    guard let status = SystemCall.status(path).status, !status.isRegularFile, !status.isFolder else { return }
    throw .malformed(path, "it is a pipe, a device or a socket, and not a file")
  }

  /// Whether a name exists, even as a dangling symbolic link.
  package static func isTaken(_ path: String) -> Bool { SystemCall.linkStatus(path).status != nil }

  /// Whether nothing has a name; false if that is not known, as behind a symbolic link to nothing, which may be a disk that is
  /// not mounted.
  package static func isMissing(_ path: String) -> Bool {
    let (status, error) = SystemCall.status(path)
    if status != nil || (error != ENOENT && error != ENOTDIR) { return false }
    var place = FilePaths.bare(path)
    while !isTaken(place) {
      let folder = FilePaths.folder(of: place)
      if folder.isIdentical(to: place) { return true }
      place = folder
    }
    return exists(place)
  }

  /// - Throws: `.inputMissing` for a file or a folder that cannot be opened.
  package static func assertReadable(_ path: String) throws(Failure) {
    let (descriptor, error) = SystemCall.open(path, O_RDONLY | O_NONBLOCK)
    if descriptor < 0 { throw Failure.cannotRead(path, errno: error) }
    close(descriptor)
  }

  /// Whether a path is that of a folder, by its trailing slash or by what exists.
  package static func isFolder(_ path: String) -> Bool {
    path.hasSuffix("/") || SystemCall.status(path).status?.isFolder ?? false
  }
}
