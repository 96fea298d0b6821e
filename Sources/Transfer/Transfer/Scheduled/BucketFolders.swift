package import Configuration
import FirestoreREST
import Platform
package import Storage

/// Scheduled exports in a folder of a bucket, one folder per run named by its start time: `2026-11-21T020000Z`.
///
/// Folders in a bucket cannot be renamed, so an export is written under its final name, with its manifest last: a dated
/// name without a manifest is unfinished, and no reader takes it for an export. `latest` is an object that contains the
/// name of the newest export. The lock is an object, too, which is renewed until ``close()``.
///
/// A process may be suspended between a check of the lock and the request that depends on it, while another takes the lock
/// over. So an export only counts after the service has confirmed, with its manifest written, that nobody else has had the
/// lock; and `latest` is only replaced in the version that this process has seen.
package final class BucketFolders: ScheduledExports {
  package let path: String
  private let storage: CloudStorage
  private let store: BucketObjectStore
  private let lock: ObjectLock
  /// The version of `latest`, read while the lock is held.
  private let latest = Locked<Int64?>(nil)

  /// Locks the folder against other processes.
  ///
  /// - Throws: `.tryLater`, with the holder, if another process holds the lock; `.notPermitted`, `.configuration`,
  ///   `.unavailable`.
  package init(_ path: String, in storage: CloudStorage) async throws(Failure) {
    let bare = FilePaths.bare(path)
    self.path = bare
    self.storage = storage
    store = try storage.store(at: bare)
    lock = try await ObjectLock.take(
      "\(bare)/\(DatedFolders.lockName)",
      protecting: bare,
      holder: Self.holder,
      in: storage
    )
    do throws(Failure) {
      let version = try await storage.pointer(at: "\(bare)/\(LatestPointer.name)")
      latest.withLock { $0 = version }
    } catch {
      await close()
      throw error
    }
  }

  /// Identifies this process to others that encounter its lock.
  private static var holder: String {
    "process \(getpid())\(SystemCall.hostName.map { " on \($0)" } ?? "")"
  }

  package func guarding(_ files: FileAccess) -> FileAccess {
    files.publishing { [lock] () throws(Failure) in try lock.assertHeld() }
  }

  package func close() async {
    let lock = lock
    try? await RunClock.system.finishing { await lock.release() }
  }

  // MARK: Exporting

  package func begin() async throws(Failure) -> String {
    let contents = try await contents()
    for (_, objects) in contents where !Self.isComplete(objects) {
      // Delete only what an export wrote; anything else may be somebody's data.
      for object in objects where object.isOwnFile {
        // Otherwise they may be the files of an export that is being written.
        try lock.assertHeld()
        _ = try? await remove(object)
      }
    }
    return "\(path)/\(DatedName.next(DatedName.name(at: .now), after: contents.map(\.name)))"
  }

  package func complete(_ unfinished: String) async throws(Failure) -> String {
    do throws(Failure) {
      try await assertWhole(unfinished)
    } catch {
      throw await withdraw(unfinished, after: error)
    }
    let version = try await storage.point(
      "\(path)/\(LatestPointer.name)",
      to: FilePaths.name(of: unfinished),
      replacing: latest.withLock { $0 }
    )
    latest.withLock { $0 = version }
    return unfinished
  }

  /// Checks that the files of an export are there as this process wrote them, and that nobody else has had the lock since
  /// it was taken.
  private func assertWhole(_ folder: String) async throws(Failure) {
    var found: [UTF8Key: ObjectVersion] = [:]
    for object in try await store.list("\(FilePaths.name(of: folder))/") {
      found[UTF8Key("\(path)/\(object.name)")] = object.version
    }
    func assertWritten(_ name: String) throws(Failure) {
      let file = "\(folder)/\(name)"
      let written = try storage.files.version(of: file)
      if written.map({ ObjectVersion($0) }) == found[UTF8Key(file)] { return }
      throw Failure(.tryLater, "complete", path: file, cause: "somebody else has deleted or replaced it")
    }
    try assertWritten(Manifest.fileName)
    for file in try Manifest.read(from: folder, via: storage.files)?.allFiles ?? [] {
      try assertWritten(file.file)
    }
    try await lock.confirmHeld()
  }

  /// Deletes the manifest of an export that does not count; returns the failure that says so.
  private func withdraw(_ folder: String, after failure: Failure) async -> Failure {
    let (store, files) = (store, storage.files)
    let isGone = try? await RunClock.system.finishing {
      let version = try files.version(of: "\(folder)/\(Manifest.fileName)").map { ObjectVersion($0) }
      return try await store.delete("\(FilePaths.name(of: folder))/\(Manifest.fileName)", version: version)
    }
    return failure.advising(
      isGone == nil
        ? "Delete \(folder), which may lack files, and run the command again."
        : "Nothing of this run counts as an export; run the command again."
    )
  }

  package func discard(_ unfinished: String) async {
    let (store, name) = (store, FilePaths.name(of: unfinished))
    try? await RunClock.system.finishing {
      let objects = (try? await store.list("\(name)/")) ?? []
      // If the manifest exists, the export is complete, and only the pointer to it failed.
      if objects.contains(where: Self.isManifest) { return }
      for object in objects where object.isOwnFile {
        _ = try? await store.delete(object.name, version: object.version)
      }
    }
  }

  /// Returns the objects in dated folders, with the folders sorted by name.
  private func contents() async throws(Failure) -> [(name: String, objects: [ObjectInfo])] {
    var folders: [(name: String, objects: [ObjectInfo])] = []
    for object in try await store.list("") {
      let folder = FilePaths.root(of: object.name)
      if folder.utf8.count == object.name.utf8.count || !DatedName.isName(folder) { continue }
      if folders.last?.name.isIdentical(to: folder) ?? false {
        folders[folders.count - 1].objects.append(object)
      } else {
        folders.append((folder, [object]))
      }
    }
    return folders
  }

  private static func isComplete(_ objects: [ObjectInfo]) -> Bool { objects.contains(where: isManifest) }

  private static func isManifest(_ object: ObjectInfo) -> Bool {
    object.name.utf8.dropFirst(FilePaths.root(of: object.name).utf8.count)
      .elementsEqual("/\(Manifest.fileName)".utf8)
  }

  private func remove(_ object: ObjectInfo) async throws(Failure) -> Bool {
    try await store.delete(object.name, version: object.version)
  }

  // MARK: Retention

  package func exports(of environment: DatabaseEnvironment?) async throws(Failure) -> [DatedManifest] {
    var exports: [DatedManifest] = []
    for (name, objects) in try await contents() where Self.isComplete(objects) {
      guard let manifest = try? Manifest.read(from: "\(path)/\(name)", via: storage.files),
        environment.map(manifest.isOf) ?? true
      else { continue }
      exports.append((name, manifest))
    }
    return exports
  }

  package func incomplete(among exports: [DatedManifest]) async throws(Failure) -> Set<UTF8Key> {
    if exports.isEmpty { return [] }
    var sizes: [UTF8Key: Int] = [:]
    for object in try await store.list("") { sizes[UTF8Key(object.name)] = object.bytes }
    return exports.incomplete { sizes[UTF8Key($0)] }
  }

  /// Deletes the manifest first, so that the rest is never taken for an export, and the next export deletes it.
  package func remove(_ export: DatedManifest) async -> Bool {
    let folder = "\(export.name)/"
    let known = export.manifest.knownFiles
    guard let objects = try? await store.list(folder),
      objects.allSatisfy({ object in
        let name = String(decoding: object.name.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
        return object.isOwnFile && known.contains(UTF8Key(name))
      })
    else { return false }
    for object in objects.filter(Self.isManifest) + objects.filter({ !Self.isManifest($0) }) {
      guard (try? lock.assertHeld()) != nil, (try? await remove(object)) == true else { return false }
    }
    return true
  }
}
