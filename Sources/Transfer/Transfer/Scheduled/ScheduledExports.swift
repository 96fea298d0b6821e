package import Configuration
import Files
package import FirestoreModels
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

  /// Deletes old exports of a database that have the same scope as the current one (see ``RetentionRule``).
  ///
  /// - Parameters:
  ///   - count: The number of full exports to keep, at least 1.
  ///   - environment: The database; exports of other databases, and of other servers, are left alone.
  ///   - current: The path of the export that was just completed; it is always kept.
  /// - Throws: Why the exports cannot be listed; nothing was deleted then.
  func prune(
    keeping count: Int,
    of environment: DatabaseEnvironment,
    current: String
  ) async throws(Failure) -> DatedFolders.Retention

  /// Gives the lock back.
  func close() async
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
package func closing(_ exports: (any ScheduledExports)?, _ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch {
    await exports?.close()
    throw error
  }
  await exports?.close()
}

/// Which of the exports in a folder a retention deletes.
///
/// The newest full exports are kept, and all increments after the oldest of them, which are of no use without it. An export with
/// other collections, filters, limit or fields neither counts nor is deleted, nor is one whose manifest has no scope.
enum RetentionRule {
  typealias Export = (name: String, manifest: Manifest)

  /// Returns the exports to delete, oldest first.
  ///
  /// - Parameters:
  ///   - all: The exports of one database, oldest first.
  ///   - count: The number of full exports to keep, at least 1.
  ///   - current: The name of the export that was just completed.
  static func expired(_ all: [Export], keeping count: Int, current: String) -> [Export] {
    // The full export that each export belongs to: for an increment, the last one before it with the same scope.
    let bases = all.indices.map { index in
      let manifest = all[index].manifest
      if !manifest.isIncrement { return Optional(manifest) }
      return all[..<index].last { $0.manifest.isBase(of: manifest) }?.manifest
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
