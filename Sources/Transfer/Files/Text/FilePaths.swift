import Platform

/// Functions on file paths: folders, links and temporary files.
package enum FilePaths {
  /// Returns the names in a folder, sorted by bytes; none if it cannot be read.
  package static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
            String(cString: $0)
          }
        }
      )
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted { $0.compareUTF8($1) < 0 }
  }

  /// Removes a file, or a folder with everything in it; links are removed, not followed.
  ///
  /// - Throws: `.cannotWrite`.
  package static func remove(_ path: String) throws(Failure) {
    let isFolder = SystemCall.linkStatus(path).status?.isFolder ?? false
    if isFolder { for name in names(in: path) { try remove("\(path)/\(name)") } }
    if (isFolder ? rmdir(path) : unlink(path)) != 0 { throw Failure.cannotWrite(path, errno: errno) }
  }

  /// Returns the folder of a file; `.` for a bare name.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the last component of a path.
  package static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// Returns names for a message, at most ten.
  package static func list(_ names: [String]) -> String {
    let more = names.count > 10 ? " and \(names.count - 10) more" : ""
    return names.prefix(10).joined(separator: ", ") + more
  }

  /// Returns the first component of a relative path.
  package static func root(of path: String) -> String {
    path.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? path
  }

  /// Returns the path of a folder without trailing slashes, unless it is the root.
  package static func bare(_ folder: String) -> String {
    var folder = folder
    while folder.utf8.count > 1, folder.utf8.last == UInt8(ascii: "/") { folder.removeLast() }
    return folder
  }

  /// Creates a folder that only its owner can access; returns 0 or the error number.
  package static func makeFolder(_ path: String) -> Int32 { mkdir(path, 0o700) == 0 ? 0 : errno }

  /// Creates a folder that only its owner can access, unless something with that name exists.
  ///
  /// Whether that is a folder is checked only when files are created in it.
  ///
  /// - Returns: Whether it was created.
  /// - Throws: `.cannotWrite`.
  @discardableResult
  package static func ensureFolder(_ path: String) throws(Failure) -> Bool {
    let code = makeFolder(path)
    if code != 0, code != EEXIST { throw Failure.cannotWrite(path, errno: code) }
    return code == 0
  }

  /// Returns the free space on the disk of a folder, in bytes; nil if unknown.
  package static func freeBytes(in folder: String) -> Int? {
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return nil }
    return bytes(inBlocks: UInt64(status.f_bavail), of: UInt64(status.f_frsize))
  }

  /// The number of bytes in the free blocks of a disk.
  static func bytes(inBlocks count: UInt64, of size: UInt64) -> Int {
    Int(clamping: count.multipliedClamped(by: size))
  }

  /// Resolves symbolic links; returns the path itself if that fails.
  package static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Checks that a file is not a symbolic link out of its folder, because an untrusted folder must not refer to files
  /// elsewhere.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed`.
  package static func assertWithin(_ folder: String, _ file: String) throws(Failure) {
    // A bucket has no links.
    if FileAccess.isRemote(folder) { return }
    let inside = resolved(folder.isEmpty ? "/" : folder)
    let prefix = inside.utf8.last == UInt8(ascii: "/") ? inside : "\(inside)/"
    let real = resolved(file)
    // A missing path stays as it is, and fails when it is read.
    if real.isIdentical(to: file) || real.utf8.starts(with: prefix.utf8) { return }
    let cause = "it is a symbolic link that leads out of its folder"
    throw .malformed(file, cause, remedy: "Name the file itself if you mean it.")
  }

  /// Creates an empty file with a hidden, unique name beside `target`, readable only by its owner.
  package static func createTemporary(
    beside target: String,
    reporting path: String
  ) throws(Failure) -> (name: String, descriptor: Int32) {
    // A name may have at most 255 bytes.
    let stem = String(decoding: Array(name(of: target).utf8.prefix(200)), as: UTF8.self)
    for _ in 0..<100 {
      let name =
        "\(folder(of: target))/.\(stem).\(String(UInt32.random(in: 0...UInt32.max), radix: 36)).partial"
      let (descriptor, code) = SystemCall.open(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
      if descriptor >= 0 { return (name, descriptor) }
      if code != EEXIST { throw Failure.cannotWrite(path, errno: code) }
    }
    throw Failure.cannotWrite(path, "no temporary name is available in its folder")
  }

  /// Removes temporary files that killed processes left beside a target, as far as these can be recognized.
  ///
  /// Files with content that nobody has locked are removed. So this is only for files that are locked from their first byte
  /// on, as SQLite's are.
  package static func removeAbandoned(beside target: String) {
    let prefix = ".\(String(decoding: Array(name(of: target).utf8.prefix(200)), as: UTF8.self))."
    let folder = folder(of: target)
    for name in names(in: folder) where name.utf8.starts(with: prefix.utf8) && name.hasSuffix(".partial") {
      let path = "\(folder)/\(name)"
      guard let status = SystemCall.linkStatus(path).status, status.isRegularFile, status.st_size > 0 else {
        continue
      }
      let (descriptor, _) = SystemCall.open(path, O_RDWR)
      guard descriptor >= 0 else { continue }
      var lock = flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
      if fcntl(descriptor, F_SETLK, &lock) == 0 { unlink(path) }
      close(descriptor)
    }
  }

  /// Returns the folder for temporary files.
  ///
  /// For a regular file, this is its own folder, which needs the capacity anyway; for standard output, devices and remote
  /// addresses, it is `TMPDIR` or `/tmp`.
  package static func temporaryFolder(for path: String) -> String {
    if path != "-", !FileAccess.isRemote(path), SystemCall.status(path).status.map(\.isRegularFile) ?? true {
      return folder(of: resolved(path))
    }
    guard let value = getenv("TMPDIR"), value.pointee != 0 else { return "/tmp" }
    return String(cString: value)
  }
}
