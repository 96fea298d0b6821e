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
  ///   - scope: That of the increment.
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
    guard let base = exports.lastIndex(where: { $0.manifest.isBase(of: scope) }) else { return nil }
    let whole = exports[base].manifest
    let series = [exports[base]] + exports[(base + 1)...].filter { $0.manifest.adds(to: whole) }
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
}
