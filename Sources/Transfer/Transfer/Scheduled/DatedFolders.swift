package import Configuration
import Platform

/// A folder of scheduled exports, one folder per run named by its start time: `2026-11-21T020000Z`.
///
/// An export is written under a hidden name in the folder, and renamed once it is complete and on disk, so that a dated
/// name never refers to an incomplete export. The folder is locked against other processes for the lifetime of this object.
package final class DatedFolders: Sendable {
  /// The name of the link to the most recently completed export.
  package static let latestName = "latest"
  static let lockName = ".gymmigrate.lock"

  package let path: String
  private let lock: AppendOnlyFile

  /// Creates the folder if it is missing, and locks it.
  ///
  /// - Throws: `.tryLater` if another process holds the lock; `.cannotWrite` if the folder cannot be written, or if `latest`
  ///   is not a link.
  package init(_ path: String) throws(Failure) {
    let bare = FilePaths.bare(path)
    self.path = bare
    try ExportOutput.checkFolder(bare)
    try FilePaths.ensureFolder(bare)
    lock = try AppendOnlyFile("\(bare)/\(Self.lockName)")
    guard lock.lock() else {
      throw Failure(
        .tryLater,
        "lock",
        path: bare,
        cause: "another export is writing there, or old ones are being removed",
        remedy: "Wait until it ends."
      )
    }
    if let status = SystemCall.linkStatus("\(bare)/\(Self.latestName)").status,
      status.st_mode & S_IFMT != S_IFLNK
    {
      throw Failure.cannotWrite(
        "\(bare)/\(Self.latestName)",
        "it is not a symbolic link",
        remedy: "Move it away."
      )
    }
  }

  // MARK: Exporting

  /// Deletes what killed exports left behind, and creates the hidden folder of a new export.
  ///
  /// - Returns: The path of the hidden folder, which only its owner can read because it will contain personal data.
  /// - Throws: `.cannotWrite`.
  package func begin() throws(Failure) -> String {
    removeLeftovers()
    let hidden = "\(path)/\(DatedName.hidden(DatedName.name(at: .now)))"
    let code = FilePaths.makeFolder(hidden)
    if code != 0 { throw Failure.cannotWrite(hidden, errno: code) }
    return hidden
  }

  /// Renames a complete export to its dated name, and links `latest` to it.
  ///
  /// - Parameter hidden: The folder from ``begin()``, with its manifest.
  /// - Returns: The path of the export. Its name is the start time, or the second after the newest name in the folder, so
  ///   that names are in the order of exports even if the clock was set back.
  /// - Throws: `.cannotWrite`; then either nothing has changed, or the export is complete and `latest` is unchanged.
  package func complete(_ hidden: String) throws(Failure) -> String {
    guard let stamp = DatedName.stamp(ofHidden: FilePaths.name(of: hidden)) else {
      throw Failure(
        .internal,
        "complete",
        path: hidden,
        cause: "it is not the folder of an unfinished export"
      )
    }
    let name = DatedName.next(stamp, after: FilePaths.names(in: path))
    SystemCall.synchronizeFolder(hidden)
    let target = "\(path)/\(name)"
    guard rename(hidden, target) == 0 else { throw Failure.cannotWrite(target, errno: errno) }
    SystemCall.synchronizeFolder(path)
    try link(Self.latestName, to: name)
    return target
  }

  /// Deletes the hidden folder of a failed export.
  package func discard(_ hidden: String) { Self.removeFlat(hidden) }

  private func link(_ link: String, to name: String) throws(Failure) {
    let temporary = "\(path)/\(DatedName.hidden(link))"
    guard symlink(name, temporary) == 0 else { throw Failure.cannotWrite("\(path)/\(link)", errno: errno) }
    guard rename(temporary, "\(path)/\(link)") == 0 else {
      let code = errno
      unlink(temporary)
      throw Failure.cannotWrite("\(path)/\(link)", errno: code)
    }
    SystemCall.synchronizeFolder(path)
  }

  private func removeLeftovers() {
    for name in FilePaths.names(in: path) where DatedName.isHidden(name) {
      let path = "\(path)/\(name)"
      switch SystemCall.linkStatus(path).status.map({ $0.st_mode & S_IFMT }) {
      case S_IFDIR?: Self.removeFlat(path)
      case S_IFLNK?: unlink(path)
      default: break
      }
    }
  }

  // MARK: Retention

  package func exports(of environment: DatabaseEnvironment?) -> [DatedManifest] {
    FilePaths.names(in: path).compactMap { name in
      guard DatedName.isName(name), SystemCall.linkStatus("\(path)/\(name)").status?.isFolder ?? false,
        let manifest = try? Manifest.read(from: "\(path)/\(name)"),
        environment.map(manifest.isOf) ?? true
      else { return nil }
      return (name, manifest)
    }
  }

  package func incomplete(among exports: [DatedManifest]) -> Set<UTF8Key> {
    exports.incomplete { file in
      SystemCall.status("\(path)/\(file)").status.flatMap { $0.isRegularFile ? Int($0.st_size) : nil }
    }
  }

  /// Deletes a folder, renaming it to a hidden name before its files are deleted.
  package func remove(_ export: DatedManifest) -> Bool {
    let folder = "\(path)/\(export.name)"
    let known = export.manifest.knownFiles
    guard FilePaths.names(in: folder).allSatisfy({ known.contains(UTF8Key($0)) }) else { return false }
    let hidden = "\(path)/\(DatedName.hidden(export.name))"
    guard rename(folder, hidden) == 0 else { return false }
    return Self.removeFlat(hidden)
  }

  /// Deletes a folder of files; a folder with subfolders remains, with these.
  @discardableResult
  private static func removeFlat(_ folder: String) -> Bool {
    for name in FilePaths.names(in: folder) { unlink("\(folder)/\(name)") }
    return rmdir(folder) == 0
  }
}

/// The names of dated exports, such as `2026-11-21T020000Z`, which are in UTC and sort by time.
enum DatedName {
  private static let ending = ".partial"
  private static let form = Array("0000-00-00T000000Z".utf8)

  /// Returns the name for a time, to the second.
  static func name(at time: Timestamp) -> String {
    String(time.description.prefix(19).filter { $0 != ":" }) + "Z"
  }

  static func isName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    return bytes.count == form.count
      && zip(bytes, form).allSatisfy { byte, wanted in
        wanted == UInt8(ascii: "0") ? byte.isASCIIDigit : byte == wanted
      }
  }

  /// Returns the time of a name; nil if it is not a valid time.
  static func time(of name: String) -> Timestamp? {
    var text = Array(name)
    guard isName(name) else { return nil }
    text.insert(":", at: 13)
    text.insert(":", at: 16)
    return Timestamp(String(text))
  }

  /// Returns the name of the next second; nil if the name is not a valid time.
  static func following(_ name: String) -> String? {
    time(of: name).flatMap { Timestamp(seconds: $0.seconds + 1) }.map { self.name(at: $0) }
  }

  /// Returns the name of an export that begins at a time: its own, or that of the second after the newest other one, so
  /// that names are in the order of exports even if the clock was set back.
  static func next(_ name: String, after others: [String]) -> String {
    let next = others.compactMap(following).max { $0.compareUTF8($1) < 0 }
    return next.flatMap { name.compareUTF8($0) < 0 ? $0 : nil } ?? name
  }

  /// Returns a temporary hidden name for a folder or link.
  static func hidden(_ name: String) -> String {
    ".\(name).\(String(UInt32.random(in: 0...UInt32.max), radix: 36))\(ending)"
  }

  /// Returns the dated name within a hidden name.
  static func stamp(ofHidden name: String) -> String? {
    guard isHidden(name) else { return nil }
    let stamp = String(name.dropFirst().prefix(form.count))
    return isName(stamp) ? stamp : nil
  }

  /// Whether a name is one that ``hidden(_:)`` returns for an export or for the link.
  static func isHidden(_ name: String) -> Bool {
    guard name.hasPrefix("."), name.hasSuffix(ending) else { return false }
    let parts = name.dropFirst().dropLast(ending.count).split(
      separator: ".",
      omittingEmptySubsequences: false
    )
    guard parts.count == 2, !parts[1].isEmpty,
      parts[1].allSatisfy({ $0.isASCII && ($0.isNumber || $0.isLowercase) })
    else { return false }
    let name = String(parts[0])
    return isName(name) || name.isIdentical(to: DatedFolders.latestName)
  }
}
