import Files
import Platform

/// An object store in a local or network folder, which several machines may share (NFS, a parallel file system).
///
/// An object is created by `link`, which fails if there already is one, and replaced by `rename`. Checking a version and
/// renaming happen under a lock of the folder (`flock`); a file system without locks leaves a short interval between the
/// two. The version of a file consists of its inode number, size and modification time.
package struct LocalObjectStore: ObjectStore {
  package let folder: String

  /// The name of the file that is locked; no object's name begins with a dot.
  private static let lockName = ".lock"

  /// Creates the store of a folder, creating the folder if it is missing.
  ///
  /// - Throws: `.cannotWrite`.
  package init(creating folder: String) throws(Failure) {
    self.folder = FilePaths.bare(folder)
    try Self.makeFolders(self.folder)
  }

  /// Opens the store of an existing folder.
  ///
  /// - Throws: `.inputMissing`.
  package init(_ folder: String) throws(Failure) {
    self.folder = FilePaths.bare(folder)
    guard SystemCall.status(self.folder).status?.isFolder ?? false else {
      throw Failure(.inputMissing, "open the folder", path: folder, cause: "there is none of that name")
    }
  }

  package var description: String { folder }

  package func path(of name: String) -> String { "\(folder)/\(name)" }

  // MARK: Reading and writing

  package func read(
    _ name: String,
    version: ObjectVersion?,
    _ body: (ObjectInfo, UnsafeRawBufferPointer) throws(Failure) -> Void
  ) async throws(Failure) -> ObjectInfo? {
    guard var file = try Self.open(try checkedPath(name)) else { return nil }
    let info = try Self.info(name, file.status())
    if let version, version != info.version { return nil }
    try file.forEachPiece { piece throws(Failure) in try body(info, piece) }
    return info
  }

  /// Opens an object for reading; returns nil if it does not exist.
  private static func open(_ path: String) throws(Failure) -> InputFile? {
    do throws(Failure) {
      try FileCheck.assertNoPipe(path)
      return try InputFile(path, decompresses: false)
    } catch {
      // It may have been deleted just now.
      if SystemCall.status(path).error == ENOENT { return nil }
      throw error
    }
  }

  package func write(
    _ bytes: [UInt8],
    to name: String,
    if precondition: ObjectPrecondition
  ) async throws(Failure) -> ObjectWrite {
    try put(name, if: precondition) { descriptor, path throws(Failure) in
      let code = bytes.withUnsafeBytes { SystemCall.write(descriptor, $0) }
      if code != 0 { throw Failure.cannotWrite(path, errno: code) }
    }
  }

  package func upload(
    _ path: String,
    to name: String,
    if precondition: ObjectPrecondition
  ) async throws(Failure) -> ObjectWrite {
    try put(name, if: precondition) { descriptor, target throws(Failure) in
      var source = try InputFile(path, decompresses: false)
      try source.forEachPiece { piece throws(Failure) in
        let code = SystemCall.write(descriptor, piece)
        if code != 0 { throw Failure.cannotWrite(target, errno: code) }
      }
    }
  }

  // MARK: Listing and deleting

  package func list(_ prefix: String) async throws(Failure) -> [ObjectInfo] {
    // Only the folder that the prefix leads to is searched.
    let bytes = Array(prefix.utf8)
    let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
    let base = slash.map { String(decoding: bytes[..<$0], as: UTF8.self) } ?? ""
    var found: [ObjectInfo] = []
    try list(base, into: &found)
    return found.filter { $0.name.utf8.starts(with: prefix.utf8) }.sorted { $0.name.compareUTF8($1.name) < 0 }
  }

  private func list(_ below: String, into found: inout [ObjectInfo]) throws(Failure) {
    let path = below.isEmpty ? folder : try checkedPath(below)
    for name in FilePaths.names(in: path) where !name.hasPrefix(".") {
      let object = below.isEmpty ? name : "\(below)/\(name)"
      guard let status = SystemCall.linkStatus("\(path)/\(name)").status else { continue }
      if status.isFolder {
        try list(object, into: &found)
      } else if status.isRegularFile {
        found.append(try Self.info(object, status))
      }
    }
  }

  package func delete(_ name: String, version: ObjectVersion?) async throws(Failure) -> Bool {
    let path = try checkedPath(name)
    return try locked { () throws(Failure) in
      guard let status = SystemCall.linkStatus(path).status else { return true }
      if let version, version != (try Self.info(name, status).version) { return false }
      if unlink(path) != 0, errno != ENOENT { throw Failure.cannotWrite(path, errno: errno) }
      SystemCall.synchronizeFolder(FilePaths.folder(of: path))
      return true
    }
  }

  // MARK: Replacing

  /// Writes a file beside the object, and moves it into place if the precondition holds.
  private func put(
    _ name: String,
    if precondition: ObjectPrecondition,
    _ fill: (Int32, String) throws(Failure) -> Void
  ) throws(Failure) -> ObjectWrite {
    let path = try checkedPath(name)
    try Self.makeFolders(FilePaths.folder(of: path))
    let (temporary, descriptor) = try FilePaths.createTemporary(beside: path, reporting: path)
    defer {
      close(descriptor)
      unlink(temporary)
    }
    try fill(descriptor, path)
    let code = SystemCall.synchronize(descriptor)
    if code != 0 { throw Failure.cannotWrite(path, errno: code) }
    switch precondition {
    case .none:
      if rename(temporary, path) != 0 { throw Failure.cannotWrite(path, errno: errno) }
    case .missing:
      // The response of a network file system may be lost, so the number of links shows whether the link was created.
      if link(temporary, path) != 0 {
        let error = errno
        var status = stat()
        if fstat(descriptor, &status) != 0 || status.st_nlink < 2 {
          if error == EEXIST { return .refused }
          throw Failure.cannotWrite(path, errno: error)
        }
      }
    case .version(let version):
      let isReplaced = try locked { () throws(Failure) in
        guard let status = SystemCall.linkStatus(path).status, try Self.info(name, status).version == version
        else { return false }
        if rename(temporary, path) != 0 { throw Failure.cannotWrite(path, errno: errno) }
        return true
      }
      if !isReplaced { return .refused }
    }
    SystemCall.synchronizeFolder(FilePaths.folder(of: path))
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw Failure.cannotWrite(path, errno: errno) }
    return .written(try Self.info(name, status))
  }

  /// Runs `body` while no other process using the store checks and replaces objects.
  private func locked<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    // Without locks, the version is checked nevertheless.
    try FileLock.holding("\(folder)/\(Self.lockName)", isRequired: false, body)
  }

  private static func info(_ name: String, _ status: stat) throws(Failure) -> ObjectInfo {
    guard let updatedAt = status.modified else {
      let cause = "its modification time is no time of a calendar"
      throw Failure(.inputMalformed, "read", path: name, cause: cause)
    }
    return ObjectInfo(
      name: name,
      bytes: Int(status.st_size),
      version: ObjectVersion(
        "\(status.st_ino)-\(status.st_size)-\(updatedAt.seconds).\(updatedAt.nanoseconds)"
      ),
      updatedAt: updatedAt
    )
  }

  private func checkedPath(_ name: String) throws(Failure) -> String {
    let segments = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isPlain = segments.allSatisfy { segment in
      !segment.isEmpty && segment.first != UInt8(ascii: ".") && !segment.contains(0)
    }
    if isPlain { return path(of: name) }
    throw Failure(.internal, "name the object", path: name, cause: "it is not a relative name")
  }

  private static func makeFolders(_ path: String) throws(Failure) {
    if SystemCall.status(path).status?.isFolder ?? false { return }
    let parent = FilePaths.folder(of: path)
    if parent != path { try makeFolders(parent) }
    try FilePaths.ensureFolder(path)
  }
}
