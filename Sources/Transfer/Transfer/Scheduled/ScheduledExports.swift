package import Configuration
package import Storage

/// A place for scheduled exports: a local folder or one in a bucket, which is locked while an export is written.
package protocol ScheduledExports: Sendable {
  /// The folder of the exports, without a trailing `/`.
  var path: String { get }

  /// Deletes what killed exports left behind, and returns the folder of a new one.
  ///
  /// - Throws: `.cannotWrite`; in a bucket also `.notPermitted` and `.unavailable`.
  func begin() async throws(Failure) -> String

  /// Returns access to files that completes none in a bucket unless this process still holds the lock.
  func guarding(_ files: FileAccess) -> FileAccess

  /// Makes a complete export the latest one.
  ///
  /// - Parameter unfinished: The folder from ``begin()``, with its manifest.
  /// - Returns: The folder of the export.
  /// - Throws: The errors of ``begin()``; then the export may be complete or unfinished. In a bucket, `.tryLater` if
  ///   another process has had the lock.
  func complete(_ unfinished: String) async throws(Failure) -> String

  /// Deletes the folder of a failed export, unless it is already complete.
  func discard(_ unfinished: String) async

  /// Returns the complete exports of a database on its server, or of all databases if nil, oldest first.
  ///
  /// - Throws: The reason why they cannot be listed.
  func exports(of environment: DatabaseEnvironment?) async throws(Failure) -> [DatedManifest]

  /// Returns the names of exports of which a file is missing or has another size than in the manifest.
  ///
  /// - Throws: The reason why the files cannot be listed.
  func incomplete(among exports: [DatedManifest]) async throws(Failure) -> Set<UTF8Key>

  /// Deletes an export; returns false if it contains other files, or could not be deleted.
  func remove(_ export: DatedManifest) async -> Bool

  /// Releases the lock.
  func close() async
}

/// A complete export: the name of its folder, and its manifest.
package typealias DatedManifest = (name: String, manifest: Manifest)

/// The result of applying a retention.
package struct Retention: Sendable, Equatable {
  /// The names of the deleted exports.
  package var removed: [String] = []
  /// The names of old exports that were kept because they contain other files or could not be deleted.
  package var kept: [String] = []

  package init() {}
}

extension ScheduledExports {
  /// Deletes old exports of a database that belong to the same series as the current one (see ``RetentionRule``).
  ///
  /// Only folders that an export created are considered: with a dated name, a manifest of the database, and no other files.
  ///
  /// - Parameters:
  ///   - policy: Decides which exports are kept.
  ///   - environment: The database; exports of other databases, and of other servers, are left alone.
  ///   - current: The path of the export that was just completed; it is always kept.
  /// - Throws: The reason why the exports cannot be listed; then nothing was deleted.
  package func prune(
    by policy: RetentionPolicy,
    of environment: DatabaseEnvironment,
    current: String
  ) async throws(Failure) -> Retention {
    let exports = try await exports(of: environment)
    let name = FilePaths.name(of: current)
    let incomplete = try await incomplete(among: exports)
    return await remove(RetentionRule.decisions(on: exports, like: name, by: policy, incomplete: incomplete))
  }

  /// Deletes the exports that are not kept, newest first.
  ///
  /// A whole export is deleted after everything that adds to it, and not at all if some of that remains. Otherwise
  /// increments would seem to add to the whole export before it.
  package func remove(_ decisions: [RetentionDecision]) async -> Retention {
    var retention = Retention()
    var needed: Set<UTF8Key> = []
    for decision in decisions.reversed() where !decision.stays {
      let name = decision.export.name
      let isNeeded = needed.contains(UTF8Key(decision.base ?? name))
      if !isNeeded, await remove(decision.export) {
        retention.removed.append(name)
      } else {
        retention.kept.append(name)
        needed.insert(UTF8Key(decision.base ?? name))
      }
    }
    return retention
  }

  /// Returns, for each export in the folder, whatever its database, whether and why it is kept (see ``RetentionRule``).
  ///
  /// Exports whose manifests do not record all that determines their series are left out.
  ///
  /// - Throws: The reason why the exports cannot be listed.
  package func decisions(
    by policy: RetentionPolicy
  ) async throws(Failure) -> [RetentionDecision] {
    var databases: [[DatedManifest]] = []
    let exports = try await exports(of: nil)
    let incomplete = try await incomplete(among: exports)
    for export in exports {
      if let index = databases.firstIndex(where: { $0[0].manifest.isOfSameDatabase(as: export.manifest) }) {
        databases[index].append(export)
      } else {
        databases.append([export])
      }
    }
    return databases.flatMap { RetentionRule.decisions(on: $0, by: policy, incomplete: incomplete) }
      .sorted { $0.export.name.compareUTF8($1.export.name) < 0 }
  }
}

extension [DatedManifest] {
  /// Returns the names of those that lack a file, or part of one.
  ///
  /// - Parameter size: Returns the size of a file by its path below the folder of the exports; nil if it is missing.
  func incomplete(_ size: (String) -> Int?) -> Set<UTF8Key> {
    let found = filter { export in
      export.manifest.allFiles.contains { size("\(export.name)/\($0.file)") != $0.bytes }
    }
    return Set(found.map { UTF8Key($0.name) })
  }
}

extension DatedFolders: ScheduledExports {
  /// The system keeps the lock for as long as the process exists, even while it is stopped.
  package func guarding(_ files: FileAccess) -> FileAccess { files }
  package func close() {}
}

/// Opens the folder of scheduled exports at a path or an address.
///
/// - Parameter storage: Gives access to buckets; nil for a local path.
/// - Throws: `.tryLater` if another export is writing there; `.cannotWrite`, and in a bucket `.notPermitted`,
///   `.configuration` and `.unavailable`.
package func scheduledExports(
  at path: String,
  in storage: CloudStorage?
) async throws(Failure) -> any ScheduledExports {
  guard FileAccess.isRemote(path), let storage else { return try DatedFolders(path) }
  return try await BucketFolders(path, in: storage)
}

/// Runs `body`, and releases the lock of scheduled exports however it ends.
package func closing<Result>(
  _ exports: (any ScheduledExports)?,
  _ body: () async throws -> Result
) async throws -> Result {
  do {
    let result = try await body()
    await exports?.close()
    return result
  } catch {
    await exports?.close()
    throw error
  }
}
