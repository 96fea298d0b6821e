import Platform

/// A folder for temporary files, which is removed with the object.
final class Scratch: Sendable {
  let path: String

  /// - Throws: `.cannotWrite`.
  init() throws(Failure) {
    let base = Invocation.current.variables["TMPDIR"] ?? "/tmp"
    var template = Array("\(base)/gymmigrate-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure.cannotWrite(base, errno: errno) }
    path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  private static func remove(_ folder: String) {
    for name in FilePaths.names(in: folder) {
      let path = "\(folder)/\(name)"
      // Links are not followed: only what cannot be unlinked is a folder.
      if unlink(path) != 0 { remove(path) }
    }
    rmdir(folder)
  }
}
