import Configuration
import FirestoreREST
package import Runs

/// The documents that the exports of a folder tell of together: those of the last whole one, as the exports that add to it leave them.
///
/// An increment lists what is missing of them, so whole and increments together are the database, whatever happened to the folder.
package struct EarlierDocuments: Sendable {
  /// The documents.
  let snapshot: Snapshot
  /// The moment of the last export that knows what was deleted; nil where it is not of one moment.
  let lastSeen: Timestamp?

  /// The patterns of the subcollections that they have documents of.
  package var subcollections: [CollectionPath] { snapshot.patterns }

  /// Finds the exports that an increment adds to, and reads them.
  ///
  /// - Parameters:
  ///   - scope: That of the increment, which is of JSON Lines.
  ///   - exports: The complete exports in the folder, oldest first.
  ///   - path: The folder.
  /// - Returns: Nil where there is no whole export to add to, or one that is not of JSON Lines.
  /// - Throws: ``Failure``: why they cannot be read.
  package init?(
    before scope: Manifest.Scope,
    in exports: [DatedManifest],
    at path: String,
    progress: Progress,
    via files: FileAccess
  ) throws {
    let series = Self.series(before: scope, as: .jsonLines(), in: exports)
    if series.isEmpty { return nil }
    let names = series.flatMap { $0.manifest.files.map(\.file) }
    guard names.allSatisfy({ FileName($0).kind == .jsonl }) else { return nil }
    var reader = PlaceReader(files)
    let places = try series.map { try reader.place(at: "\(path)/\($0.name)") }
    snapshot = try Snapshot(layers: places, source: nil, progress: progress, via: files)
    if let defect = snapshot.defects.first {
      throw Failure(.inputMalformed, "read", path: defect.label, cause: defect.reason)
    }
    lastSeen = series.last { !$0.manifest.isIncrement || $0.manifest.deleted != nil }?.manifest.readTime
  }

  /// The exports that an increment adds to: the last whole one that was asked for in the same way, and its increments; none where
  /// there is no whole one, or where one is missing between them.
  ///
  /// - Parameters:
  ///   - scope: That of the increment.
  ///   - format: That of its files.
  ///   - exports: The complete exports of a database in the folder, oldest first.
  package static func series(
    before scope: Manifest.Scope,
    as format: ExportFormat,
    in exports: [DatedManifest]
  ) -> [DatedManifest] {
    let same = exports.filter { $0.manifest.isOfSeries(scope, format.kind) }
    guard let base = same.lastIndex(where: { !$0.manifest.isIncrement }) else { return [] }
    let series = Array(same[base...])
    let hasGap = zip(series, series.dropFirst()).contains { earlier, later in
      earlier.manifest.readTime.map { later.manifest.leavesGap(after: $0) } ?? false
    }
    return hasGap ? [] : series
  }
}
