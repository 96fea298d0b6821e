package import Configuration
import Files
package import FirestoreModels
import Platform
import Runs
package import Storage

/// Scheduled exports in a folder of a bucket, one folder per run named by its start time: `2026-11-21T020000Z`.
///
/// A bucket has no folders to rename, so an export is written under its name, its manifest last: a dated name without a manifest is
/// unfinished, and no reader takes it for an export. `latest` is an object that holds the name of the newest one. The lock is an
/// object, too, which is renewed until ``close()``.
package final class BucketFolders: ScheduledExports {
  package let path: String
  private let storage: CloudStorage
  private let lock: ObjectLock

  /// Locks the folder for other processes.
  ///
  /// - Throws: `.tryLater` if another process holds the lock, naming it; `.notPermitted`, `.configuration`, `.unavailable`.
  package init(_ path: String, in storage: CloudStorage) async throws(Failure) {
    var bare = path
    while bare.hasSuffix("/") { bare.removeLast() }
    self.path = bare
    self.storage = storage
    lock = try await ObjectLock.take(
      "\(bare)/\(DatedFolders.lockName)",
      protecting: bare,
      holder: Self.holder,
      in: storage
    )
  }

  /// This process, for others that meet its lock.
  private static var holder: String {
    var name = [CChar](repeating: 0, count: 256)
    let known = gethostname(&name, name.count - 1) == 0
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "process \(getpid())\(known && !host.isEmpty ? " on \(host)" : "")"
  }

  package func assertLocked() throws(Failure) { try lock.assertHeld() }

  package func close() async {
    let lock = lock
    // Also after this task was cancelled, which would end its requests.
    await Task { await lock.release() }.value
  }

  // MARK: Exporting

  package func begin() async throws(Failure) -> String {
    let contents = try await contents()
    for (name, objects) in contents where !Self.isComplete(objects) {
      // Only what an export wrote; whatever else is there is somebody's.
      for object in objects where object.isOwnFile { _ = try? await remove(name, object) }
    }
    var name = DatedName.name(at: .now)
    let next = contents.map(\.name).compactMap(DatedName.following).max { $0.compareUTF8($1) < 0 }
    if let next, name.compareUTF8(next) < 0 { name = next }
    return "\(path)/\(name)"
  }

  package func complete(_ unfinished: String) async throws(Failure) -> String {
    try assertLocked()
    try await storage.point("\(path)/\(LatestPointer.name)", to: FilePaths.name(of: unfinished))
    return unfinished
  }

  package func discard(_ unfinished: String) async {
    let (storage, path) = (storage, path)
    let name = FilePaths.name(of: unfinished)
    // Also after this task was cancelled, which would end its requests.
    await Task {
      let objects = (try? await storage.objects(below: "\(path)/\(name)/")) ?? []
      // Only the pointer to it failed.
      if Self.isComplete(objects) { return }
      for object in objects where object.isOwnFile {
        _ = try? await storage.delete("\(path)/\(name)/\(object.name)", version: object.version)
      }
    }.value
  }

  /// Returns the objects in dated folders, by the names of the folders, which are in order.
  private func contents() async throws(Failure) -> [(name: String, objects: [OwnedObject])] {
    var folders: [(name: String, objects: [OwnedObject])] = []
    for var object in try await storage.objects(below: "\(path)/") {
      guard let slash = object.name.utf8.firstIndex(of: UInt8(ascii: "/")) else { continue }
      let folder = String(object.name[..<slash])
      if !DatedName.isName(folder) { continue }
      object.name = String(object.name[object.name.utf8.index(after: slash)...])
      if folders.last?.name.isIdentical(to: folder) ?? false {
        folders[folders.count - 1].objects.append(object)
      } else {
        folders.append((folder, [object]))
      }
    }
    return folders
  }

  private static func isComplete(_ objects: [OwnedObject]) -> Bool {
    objects.contains { $0.name.isIdentical(to: Manifest.fileName) }
  }

  private func remove(_ folder: String, _ object: OwnedObject) async throws(Failure) -> Bool {
    try await storage.delete("\(path)/\(folder)/\(object.name)", version: object.version)
  }

  // MARK: Retention

  /// Deletes old exports; the manifest of each is deleted first, so that what is left of it is never taken for an export, and the
  /// next one deletes it.
  package func prune(
    keeping count: Int,
    of environment: DatabaseEnvironment,
    current: String
  ) async throws(Failure) -> DatedFolders.Retention {
    var retention = DatedFolders.Retention()
    let contents = try await contents()
    var exports: [RetentionRule.Export] = []
    for (name, objects) in contents where Self.isComplete(objects) {
      guard let manifest = try? Manifest.read(from: "\(path)/\(name)", via: storage.files),
        manifest.isOf(environment)
      else { continue }
      exports.append((name, manifest))
    }
    let expired = RetentionRule.expired(exports, keeping: count, current: FilePaths.name(of: current))
    for (name, manifest) in expired {
      let objects = contents.first { $0.name.isIdentical(to: name) }?.objects ?? []
      if await remove(name, manifest, objects) {
        retention.removed.append(name)
      } else {
        retention.kept.append(name)
      }
    }
    return retention
  }

  private func remove(_ name: String, _ manifest: Manifest, _ objects: [OwnedObject]) async -> Bool {
    var known: Set = [UTF8Key(Manifest.fileName)]
    for file in manifest.files { known.insert(UTF8Key(file.file)) }
    guard objects.allSatisfy({ known.contains(UTF8Key($0.name)) && $0.isOwnFile }) else { return false }
    let isManifest = { (object: OwnedObject) in object.name.isIdentical(to: Manifest.fileName) }
    for object in objects.filter(isManifest) + objects.filter({ !isManifest($0) }) {
      let isGone = try? await remove(name, object)
      if isGone != true { return false }
    }
    return true
  }
}
