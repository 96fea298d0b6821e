package import Configuration
package import Storage

/// Where scheduled exports are kept: a folder of this machine or of a bucket, which is locked as long as one is written.
package protocol ScheduledExports: Sendable {
  /// The folder of the exports, without `/` at its end.
  var path: String { get }

  /// Deletes what killed exports left, and returns the folder of a new one.
  ///
  /// - Throws: `.cannotWrite`; in a bucket also `.notPermitted` and `.unavailable`.
  func begin() async throws(Failure) -> String

  /// Checks that nobody else writes there.
  ///
  /// - Throws: `.tryLater`.
  func assertLocked() throws(Failure)

  /// Makes a complete export the latest one.
  ///
  /// - Parameter unfinished: The folder from ``begin()``, with its manifest.
  /// - Returns: The folder of the export.
  /// - Throws: As ``begin()``; the export is complete or unfinished then.
  func complete(_ unfinished: String) async throws(Failure) -> String

  /// Deletes the folder of a failed export; one that is complete already is kept.
  func discard(_ unfinished: String) async

  /// Returns the complete exports of a database on its server, oldest first.
  ///
  /// - Throws: Why they cannot be listed.
  func exports(of environment: DatabaseEnvironment) async throws(Failure) -> [DatedManifest]

  /// Deletes an export; false if it holds other files, or could not be deleted.
  func remove(_ export: DatedManifest) async -> Bool

  /// Gives the lock back.
  func close() async
}

/// A complete export: the name of its folder, and its manifest.
package typealias DatedManifest = (name: String, manifest: Manifest)

/// The result of applying a retention.
package struct Retention: Sendable, Equatable {
  /// The names of the deleted exports.
  package var removed: [String] = []
  /// The names of old exports that were kept, because they hold other files or could not be deleted.
  package var kept: [String] = []
}

extension ScheduledExports {
  /// Deletes old exports of a database that have the same scope as the current one (see ``RetentionRule``).
  ///
  /// Only folders that an export made are considered: with a dated name, a manifest of the database, and no other files.
  ///
  /// - Parameters:
  ///   - count: The number of full exports to keep, at least 1.
  ///   - environment: The database; exports of other databases, and of other servers, are left alone.
  ///   - current: The path of the export that was just completed; it is always kept.
  /// - Throws: Why the exports cannot be listed; nothing was deleted then.
  package func prune(
    keeping count: Int,
    of environment: DatabaseEnvironment,
    current: String
  ) async throws(Failure) -> Retention {
    var retention = Retention()
    let current = FilePaths.name(of: current)
    let exports = try await exports(of: environment)
    for export in RetentionRule.expired(exports, keeping: count, current: current) {
      if await remove(export) {
        retention.removed.append(export.name)
      } else {
        retention.kept.append(export.name)
      }
    }
    return retention
  }
}

extension DatedFolders: ScheduledExports {
  package func assertLocked() {}
  package func close() {}
}

/// Opens the folder of scheduled exports at a path or an address.
///
/// - Parameter storage: What reaches buckets; nil for a path of this machine.
/// - Throws: `.tryLater` if another export is writing there; `.cannotWrite`, and in a bucket `.notPermitted`, `.configuration` and
///   `.unavailable`.
package func scheduledExports(
  at path: String,
  in storage: CloudStorage?
) async throws(Failure) -> any ScheduledExports {
  guard FileAccess.isRemote(path), let storage else { return try DatedFolders(path) }
  return try await BucketFolders(path, in: storage)
}

/// Runs `body`, and gives the lock of scheduled exports back however it ends.
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

/// Which of the exports in a folder a retention deletes.
///
/// The newest full exports are kept, and all increments after the oldest of them, which are of no use without it. An export with
/// other collections, filters, limit or fields neither counts nor is deleted, nor is one whose manifest has no scope.
enum RetentionRule {
  /// Returns the exports to delete, oldest first.
  ///
  /// - Parameters:
  ///   - all: The exports of one database, oldest first.
  ///   - count: The number of full exports to keep, at least 1.
  ///   - current: The name of the export that was just completed.
  static func expired(_ all: [DatedManifest], keeping count: Int, current: String) -> [DatedManifest] {
    // The full export that each export belongs to: for an increment, the last one before it with the same scope.
    let bases = all.indices.map { index in
      let manifest = all[index].manifest
      if !manifest.isIncrement { return Optional(manifest) }
      return all[..<index].last { $0.manifest.isBase(of: manifest.scope) }?.manifest
    }
    guard let index = all.firstIndex(where: { $0.name.isIdentical(to: current) }),
      let currentBase = bases[index]
    else { return [] }
    let exports = all.indices
      .filter { bases[$0].map { currentBase.isOfSameSeries(as: $0) } ?? false }
      .map { all[$0] }
    let full = exports.filter { !$0.manifest.isIncrement }.map(\.name)
    guard let oldest = full.suffix(max(1, count)).first else { return [] }
    return exports.filter { $0.name.compareUTF8(oldest) < 0 && !$0.name.isIdentical(to: current) }
  }
}
