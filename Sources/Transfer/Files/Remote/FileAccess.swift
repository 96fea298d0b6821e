import Platform

/// The files that a command can reach: those of this machine and, where it is given, those at remote addresses.
///
///     let files = FileAccess(remote: storage.files)
///     var output = try OutputFile("gs://example-backups/users.csv", via: files)
///
/// It is passed to all code that opens files by names that a user has typed. A function without it reaches local files only.
package struct FileAccess: Sendable {
  /// The scheme of remote addresses.
  package static let scheme = "gs://"

  package static let local = FileAccess(remote: nil)

  private let remote: (any RemoteFiles)?
  /// Copies that are read in place of what can be read only once.
  private var copies: [InputCopy] = []

  package init(remote: (any RemoteFiles)?) { self.remote = remote }

  /// Has a copy read wherever its original is named.
  package mutating func keep(_ copy: InputCopy) { copies.append(copy) }

  func copy(of path: String) -> InputCopy? { copies.first { $0.path.isIdentical(to: path) } }

  /// Returns whether a name is a remote address and not a path.
  package static func isRemote(_ path: String) -> Bool { path.utf8.starts(with: scheme.utf8) }

  /// Returns the scheme of an address with its `://`, such as `s3://`; nil for a path.
  package static func scheme(of text: String) -> String? {
    let isPart: (Character) -> Bool = { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    let scheme = "\(text.prefix(while: isPart))://"
    return scheme.utf8.count > 3 && text.utf8.starts(with: scheme.utf8) ? scheme : nil
  }

  /// Returns what opens an address; nil for a path of this machine.
  ///
  /// - Throws: `.usage` for an address where only local files can be used.
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

  /// Returns what a remote address refers to; nil for nothing.
  ///
  /// - Throws: As ``RemoteFiles/entry(at:)``; `.usage` for a path of this machine, which is asked by its status.
  package func entry(at address: String) throws(Failure) -> RemoteEntry? {
    guard let remote = try remote(for: address) else {
      throw Failure(.internal, "look for", path: address, cause: "it is not a remote address")
    }
    return try remote.entry(at: address)
  }

  /// Returns whether there is a file or folder.
  ///
  /// - Throws: As ``RemoteFiles/entry(at:)``, for a remote address only.
  package func exists(_ path: String) throws(Failure) -> Bool {
    guard let remote = try remote(for: path) else { return access(path, F_OK) == 0 }
    return try remote.entry(at: path) != nil
  }

  /// Returns whether a path names a folder that exists, or an address ends in `/`.
  ///
  /// - Throws: As ``RemoteFiles/entry(at:)``, for a remote address only.
  package func isFolder(_ path: String) throws(Failure) -> Bool {
    guard let remote = try remote(for: path) else { return SystemCall.status(path).status?.isFolder ?? false }
    return path.utf8.last == UInt8(ascii: "/") ? true : try remote.entry(at: path) == .folder
  }

  /// Returns the names in a folder, sorted by bytes, without those of remote subfolders; none if it cannot be read locally.
  ///
  /// - Throws: As ``RemoteFiles/names(in:)``, for a remote address only.
  package func names(in folder: String) throws(Failure) -> [String] {
    guard let remote = try remote(for: folder) else { return FilePaths.names(in: folder) }
    return try remote.names(in: folder).filter { $0.utf8.last != UInt8(ascii: "/") }
  }

  /// Returns the names of the subfolders of a folder, without `/`, sorted by bytes; those of a local one may be names of files.
  ///
  /// - Throws: As ``RemoteFiles/names(in:)``.
  package func folders(in folder: String) throws(Failure) -> [String] {
    guard let remote = try remote(for: folder) else { return FilePaths.names(in: folder) }
    return try remote.names(in: folder).filter { $0.utf8.last == UInt8(ascii: "/") }.map {
      String($0.dropLast())
    }
  }

  /// Returns the size of a file in bytes; nil if it is unknown, as that of a pipe.
  ///
  /// - Throws: As ``RemoteFiles/entry(at:)``, for a remote address only.
  package func size(of path: String) throws(Failure) -> Int? {
    guard let remote = try remote(for: path) else {
      guard let status = SystemCall.status(path).status, status.isRegularFile else { return nil }
      return Int(status.st_size)
    }
    return try remote.entry(at: path)?.bytes
  }

  /// Returns what changes whenever a remote file does; nil for a file of this machine, whose content is its identity.
  ///
  /// - Throws: `.inputMissing`, or as ``RemoteFiles/entry(at:)``.
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
