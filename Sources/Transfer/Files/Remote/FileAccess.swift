import Platform

/// The files that a command can access: local ones and, if provided for, those at remote addresses.
///
///     let files = FileAccess(remote: storage.files)
///     var output = try OutputFile("gs://example-backups/users.csv", via: files)
///
/// It is passed to all code that opens files whose names a user has typed. A function without it accesses local files only.
package struct FileAccess: Sendable {
  /// The scheme of remote addresses.
  package static let scheme = "gs://"

  package static let local = FileAccess(remote: nil)

  private let remote: (any RemoteFiles)?
  /// Copies that are read instead of inputs that can be read only once.
  private var copies: [InputCopy] = []

  /// Checks what has to hold whenever a remote file is completed.
  private(set) var willPublish: @Sendable () throws(Failure) -> Void = {}

  package init(remote: (any RemoteFiles)?) { self.remote = remote }

  /// Returns the same access, where remote files are only completed if a check, made immediately before, throws nothing.
  package func publishing(if check: @escaping @Sendable () throws(Failure) -> Void) -> FileAccess {
    var checked = self
    checked.willPublish = check
    return checked
  }

  /// Makes a copy be read wherever its original is named.
  package mutating func keep(_ copy: InputCopy) { copies.append(copy) }

  func copy(of path: String) -> InputCopy? { copies.first { $0.path.isIdentical(to: path) } }

  /// Whether a name is a remote address rather than a path.
  package static func isRemote(_ path: String) -> Bool { path.utf8.starts(with: scheme.utf8) }

  /// Returns the scheme of an address with its `://`, such as `s3://`; nil for a path.
  package static func scheme(of text: String) -> String? {
    let isPart: (Character) -> Bool = { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    let scheme = "\(text.prefix(while: isPart))://"
    return scheme.utf8.count > 3 && text.utf8.starts(with: scheme.utf8) ? scheme : nil
  }

  /// Returns what gives access to an address; nil for a local path.
  ///
  /// - Throws: `.usage` for an address if only local files can be used.
  func remote(for path: String) throws(Failure) -> (any RemoteFiles)? {
    guard Self.isRemote(path) else { return nil }
    if let remote { return remote }
    throw Failure(
      .usage,
      "use",
      path: path,
      cause: "only a file of this machine can be used here",
      remedy: "Copy it with 'gcloud storage cp', and name the copy."
    )
  }

  // MARK: Looking

  /// Whether there is a file or folder.
  ///
  /// - Throws: The errors of ``RemoteFiles/entry(at:)``, only for a remote address.
  package func exists(_ path: String) throws(Failure) -> Bool {
    guard let remote = try remote(for: path) else { return access(path, F_OK) == 0 }
    return try remote.entry(at: path) != nil
  }

  /// Whether a path is that of an existing folder, or an address ends in `/` or refers to a folder.
  ///
  /// - Throws: The errors of ``RemoteFiles/entry(at:)``, only for a remote address.
  package func isFolder(_ path: String) throws(Failure) -> Bool {
    guard let remote = try remote(for: path) else { return SystemCall.status(path).status?.isFolder ?? false }
    return path.utf8.last == UInt8(ascii: "/") ? true : try remote.entry(at: path) == .folder
  }

  /// Returns the names in a folder, sorted by bytes, except those of remote subfolders; none if a local folder cannot be
  /// read.
  ///
  /// - Throws: The errors of ``RemoteFiles/names(in:)``, only for a remote address.
  package func names(in folder: String) throws(Failure) -> [String] {
    guard let remote = try remote(for: folder) else { return FilePaths.names(in: folder) }
    return try remote.names(in: folder).filter { $0.utf8.last != UInt8(ascii: "/") }
  }

  /// Returns the names of the subfolders of a folder, without `/`, sorted by bytes; for a local folder, they include files.
  ///
  /// - Throws: The errors of ``RemoteFiles/names(in:)``.
  package func folders(in folder: String) throws(Failure) -> [String] {
    guard let remote = try remote(for: folder) else { return FilePaths.names(in: folder) }
    return try remote.names(in: folder).filter { $0.utf8.last == UInt8(ascii: "/") }.map {
      String($0.dropLast())
    }
  }

  /// Returns the size of a file in bytes; nil if unknown, as for a pipe.
  ///
  /// - Throws: The errors of ``RemoteFiles/entry(at:)``, only for a remote address.
  package func size(of path: String) throws(Failure) -> Int? {
    guard let remote = try remote(for: path) else {
      guard let status = SystemCall.status(path).status, status.isRegularFile else { return nil }
      return Int(status.st_size)
    }
    return try remote.entry(at: path)?.bytes
  }

  /// Returns a text that changes whenever a remote file does; nil for a local file, which is identified by its content.
  ///
  /// - Throws: `.inputMissing`, or the errors of ``RemoteFiles/entry(at:)``.
  package func version(of path: String) throws(Failure) -> String? {
    guard let remote = try remote(for: path) else { return nil }
    return try Self.version(of: path, in: remote)
  }

  private static func version(of path: String, in remote: any RemoteFiles) throws(Failure) -> String {
    switch try remote.entry(at: path) {
    case .file(_, let version)?: return version
    case .folder?: throw Failure(.inputMissing, "read", path: path, cause: "it is a folder")
    case nil: throw Failure(.inputMissing, "read", path: path, cause: "there is no such object")
    }
  }

  // MARK: Checking

  /// Checks that a file can be written, before anything is read; nothing is created.
  ///
  /// - Throws: `.cannotWrite`; for a remote address also `.notPermitted`, `.configuration` and `.unavailable`.
  package func checkWritable(_ path: String) throws(Failure) {
    guard let remote = try remote(for: path) else { return try OutputFile.checkWritable(path) }
    if path.utf8.last == UInt8(ascii: "/") {
      throw Failure.cannotWrite(path, "it names a folder", remedy: "Name a file in it.")
    }
    try remote.checkWritable(path)
  }

  /// Checks that a file can be opened, without consuming anything.
  ///
  /// - Throws: `.inputMissing`; for a remote address also `.notPermitted`, `.configuration` and `.unavailable`.
  package func assertReadable(_ path: String) throws(Failure) {
    guard let remote = try remote(for: path) else { return try InputFile.assertReadable(path) }
    _ = try Self.version(of: path, in: remote)
  }
}
