import Files
package import FirestoreModels
import Platform
import Runs

/// A folder that takes one whole export a run, each under the moment at which it began: `2026-11-21T020000Z`.
///
/// An export is written under a hidden name beside its target and renamed once it is complete and on the disk, so that a
/// name of that form is never half of one. As long as the value lives, no other process works on the folder.
package final class DatedFolders: Sendable {
  /// The link to the export that was completed last.
  package static let latestName = "latest"
  static let lockName = ".gymmigrate.lock"

  /// The folder.
  package let path: String
  private let lock: AppendOnlyFile

  /// Makes the folder where it is missing, and takes it for this process.
  ///
  /// - Throws: `.tryLater` where another process works on it; `.cannotWrite` where it cannot be written, or where
  ///   something that is no link is called `latest`.
  package init(_ path: String) throws(Failure) {
    var bare = path
    while bare.utf8.count > 1, bare.hasSuffix("/") { bare.removeLast() }
    self.path = bare
    try ExportOutput.checkFolder(bare)
    let code = FilePaths.makeFolder(bare)
    if code != 0, code != EEXIST { throw Failure.cannotWrite(bare, errno: code) }
    lock = try AppendOnlyFile("\(bare)/\(Self.lockName)")
    guard lock.lock() else {
      throw Failure(
        .tryLater,
        "export to",
        path: bare,
        cause: "another export is writing there",
        remedy: "Wait for its end."
      )
    }
    if let status = Self.ownStatus("\(bare)/\(Self.latestName)"), status.st_mode & S_IFMT != S_IFLNK {
      throw Failure.cannotWrite(
        "\(bare)/\(Self.latestName)",
        "it is no symbolic link",
        remedy: "Move it away."
      )
    }
  }

  // MARK: One export

  /// Takes away what killed exports left, and makes the hidden folder of a new one.
  ///
  /// - Returns: The hidden folder's path, readable by its owner alone because it will hold people's data.
  /// - Throws: `.cannotWrite`.
  package func begin() throws(Failure) -> String {
    removeLeftovers()
    let hidden = "\(path)/\(DatedName.hidden(DatedName.name(at: .now)))"
    let code = FilePaths.makeFolder(hidden)
    if code != 0 { throw Failure.cannotWrite(hidden, errno: code) }
    return hidden
  }

  /// Gives a complete export its name, and leads `latest` to it.
  ///
  /// - Parameter hidden: The folder that ``begin()`` made, with its manifest.
  /// - Returns: The path of the export: the moment at which it began, or the second after the newest one there, so that
  ///   the order of the names is the order of the exports also where the clock was set back.
  /// - Throws: `.cannotWrite`; nothing has changed then, or the export is there and `latest` is as it was.
  package func complete(_ hidden: String) throws(Failure) -> String {
    guard var name = DatedName.stamp(ofHidden: FilePaths.name(of: hidden)) else {
      throw Failure(.internal, "complete", path: hidden, cause: "it is no folder of an export under way")
    }
    let next = FilePaths.names(in: path).compactMap(DatedName.following).max { $0.compareUTF8($1) < 0 }
    if let next, name.compareUTF8(next) < 0 { name = next }
    SystemCall.synchronizeFolder(hidden)
    let target = "\(path)/\(name)"
    guard rename(hidden, target) == 0 else { throw Failure.cannotWrite(target, errno: errno) }
    SystemCall.synchronizeFolder(path)
    try link(Self.latestName, to: name)
    return target
  }

  /// Takes away the hidden folder of an export that failed.
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
      switch Self.ownStatus(path).map({ $0.st_mode & S_IFMT }) {
      case S_IFDIR?: Self.removeFlat(path)
      case S_IFLNK?: unlink(path)
      default: break
      }
    }
  }

  // MARK: Retention

  /// What a retention came to.
  package struct Retention: Sendable, Equatable {
    /// The names of the exports that were removed.
    package var removed: [String] = []
    /// The names of old ones that were not, because they hold what no export wrote or cannot be removed.
    package var kept: [String] = []
  }

  /// Removes old exports of a database that were asked for in the same way as the current one.
  ///
  /// The newest `count` ones stay, the current one among them; so do increments that begin after the oldest of
  /// those, because one is needed to make use of the other. An export of other collections, or with another filter, limit
  /// or choice of fields, neither counts nor is removed, nor is one whose manifest does not say what was asked for. Only
  /// folders that an export made are looked at: by name, with a manifest of the database, and with nothing else in them. A
  /// folder is renamed to a hidden name before its files go.
  ///
  /// - Parameters:
  ///   - count: How many whole exports stay, at least 1.
  ///   - database: Exports of other databases are left alone.
  ///   - current: The path of the export that was just completed; it always stays.
  package func prune(keeping count: Int, of database: DatabaseName, current: String) -> Retention {
    let all = exports(of: database)
    let current = FilePaths.name(of: current)
    var retention = Retention()
    // What an export belongs to: an increment to the last whole one before it.
    let bases = all.indices.map { index in
      let manifest = all[index].manifest
      if !manifest.isIncrement { return Optional(manifest) }
      return all[..<index].last { $0.manifest.isBase(of: manifest) }?.manifest
    }
    guard let index = all.firstIndex(where: { $0.name.isIdentical(to: current) }), let asked = bases[index]
    else {
      return retention
    }
    let exports = all.indices.filter { bases[$0].map { asked.isOfSameSeries(as: $0) } ?? false }.map {
      all[$0]
    }
    let whole = exports.filter { !$0.manifest.isIncrement }.map(\.name)
    guard let oldest = whole.suffix(max(1, count)).first else { return retention }
    for (name, manifest) in exports where name.compareUTF8(oldest) < 0 && !name.isIdentical(to: current) {
      if remove(name, manifest) { retention.removed.append(name) } else { retention.kept.append(name) }
    }
    return retention
  }

  /// The exports of a database, oldest first.
  private func exports(of database: DatabaseName) -> [(name: String, manifest: Manifest)] {
    FilePaths.names(in: path).compactMap { name in
      guard DatedName.isName(name), Self.ownStatus("\(path)/\(name)")?.isFolder ?? false,
        let manifest = try? Manifest.read(from: "\(path)/\(name)"), manifest.database == database
      else { return nil }
      return (name, manifest)
    }
  }

  private func remove(_ name: String, _ manifest: Manifest) -> Bool {
    var own: Set = [UTF8Key(Manifest.fileName)]
    for file in manifest.files { own.insert(UTF8Key(file.file)) }
    let folder = "\(path)/\(name)"
    guard FilePaths.names(in: folder).allSatisfy({ own.contains(UTF8Key($0)) }) else { return false }
    let hidden = "\(path)/\(DatedName.hidden(name))"
    guard rename(folder, hidden) == 0 else { return false }
    return Self.removeFlat(hidden)
  }

  /// Removes a folder of files; one that holds a folder is left with what could not be removed.
  @discardableResult
  private static func removeFlat(_ folder: String) -> Bool {
    for name in FilePaths.names(in: folder) { unlink("\(folder)/\(name)") }
    return rmdir(folder) == 0
  }

  /// What a name itself is, a link not followed.
  private static func ownStatus(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }
}

/// The names of dated exports: `2026-11-21T020000Z`, in UTC, in the order of their times.
enum DatedName {
  private static let ending = ".partial"
  private static let form = Array("0000-00-00T000000Z".utf8)

  /// The name of a moment, to the second.
  static func name(at moment: Timestamp) -> String {
    String(moment.description.prefix(19).filter { $0 != ":" }) + "Z"
  }

  static func isName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    return bytes.count == form.count
      && zip(bytes, form).allSatisfy { byte, wanted in
        wanted == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == wanted
      }
  }

  /// The name of the second after; nil for what is no moment.
  static func following(_ name: String) -> String? {
    var text = Array(name)
    guard isName(name) else { return nil }
    text.insert(":", at: 13)
    text.insert(":", at: 16)
    return Timestamp(String(text)).flatMap { Timestamp(seconds: $0.seconds + 1) }.map { self.name(at: $0) }
  }

  /// A hidden name for the time until something has its own.
  static func hidden(_ name: String) -> String {
    ".\(name).\(String(UInt32.random(in: 0...UInt32.max), radix: 36))\(ending)"
  }

  /// What a hidden name of an export will be called.
  static func stamp(ofHidden name: String) -> String? {
    guard isHidden(name) else { return nil }
    let stamp = String(name.dropFirst().prefix(form.count))
    return isName(stamp) ? stamp : nil
  }

  /// Whether a name is one that ``hidden(_:)`` gives to an export or to the link.
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
