package import Runs

/// The documents that the exports of a folder represent together: those of the last whole export, updated by the exports
/// that add to it.
///
/// An increment lists what has disappeared of them, so that whole export and increments together are the database.
package struct EarlierDocuments: Sendable {
  /// The documents.
  let snapshot: Snapshot
  /// The read time of the last export that records deletions; nil if that had no single read time.
  let lastSeen: Timestamp?

  /// The patterns of the subcollections that contain any of them.
  package var subcollections: [CollectionPath] { snapshot.patterns }

  /// Finds the exports that an increment adds to, and reads them.
  ///
  /// - Parameters:
  ///   - scope: The scope of the increment, which is in JSON Lines.
  ///   - exports: The complete exports in the folder, oldest first.
  ///   - path: The folder.
  /// - Returns: Nil if there is no whole export to add to, or if it is not in JSON Lines.
  /// - Throws: ``Failure`` if they cannot be read.
  package init?(
    before scope: Manifest.Scope,
    in exports: [DatedManifest],
    at path: String,
    progress: Progress,
    via files: FileAccess
  ) throws {
    let series = Self.series(before: scope, as: .jsonLines(), in: exports)
    if series.isEmpty { return nil }
    try Self.assertComplete(series, at: path, readingFiles: false, via: files)
    let names = series.flatMap { $0.manifest.files.map(\.file) }
    guard names.allSatisfy({ FileName($0).kind == .jsonl }) else { return nil }
    var reader = PlaceReader(files)
    let places = try series.map { try reader.place(at: "\(path)/\($0.name)") }
    snapshot = try Snapshot(layers: places, source: nil, progress: progress, via: files)
    if let altered = snapshot.alteredFiles.first { throw Self.altered(altered) }
    if let defect = snapshot.defects.first {
      throw Failure(.inputMalformed, "read", path: defect.label, cause: defect.reason)
    }
    for (folder, manifest) in series {
      guard let file = manifest.deleted?.file else { continue }
      var list = try DeletedDocuments("\(path)/\(folder)/\(file)", via: files)
      while try list.next() != nil { try Task.checkCancellation() }
    }
    lastSeen = series.last { !$0.manifest.isIncrement || $0.manifest.deleted != nil }?.manifest.readTime
  }

  /// Checks that no file of exports is missing or has another size than their manifests say.
  ///
  /// - Parameter readingFiles: Whether also their SHA-256 is compared, for files that nothing else reads.
  /// - Throws: `.inputMissing`, `.inputMalformed`; in a bucket also the reason why its objects cannot be listed or read.
  package static func assertComplete(
    _ exports: [DatedManifest],
    at path: String,
    readingFiles: Bool,
    via files: FileAccess
  ) throws(Failure) {
    for (folder, manifest) in exports {
      for entry in manifest.allFiles {
        let file = "\(path)/\(folder)/\(entry.file)"
        guard let size = try files.size(of: file) else {
          throw Failure(.inputMissing, "add to", path: file, cause: "it is missing")
        }
        if size != entry.bytes {
          throw .malformed(file, "it has \(size) bytes, and \(entry.bytes) in the manifest")
        }
        if readingFiles, try entry.isAltered(at: file, via: files) { throw altered(file) }
      }
    }
  }

  private static func altered(_ file: String) -> Failure {
    .malformed(file, "its SHA-256 differs from the manifest's")
  }

  /// Returns the exports that an increment adds to: the last whole export that was requested in the same way, and its
  /// increments.
  ///
  /// The result is empty if there is no whole export, or if one of the increments does not continue the one before it.
  ///
  /// - Parameters:
  ///   - scope: The scope of the increment.
  ///   - format: The format of its files.
  ///   - exports: The complete exports of a database in the folder, oldest first.
  package static func series(
    before scope: Manifest.Scope,
    as format: ExportFormat,
    in exports: [DatedManifest]
  ) -> [DatedManifest] {
    let same = exports.filter { $0.manifest.isOfSeries(scope, format.kind) }
    guard let base = same.lastIndex(where: { !$0.manifest.isIncrement }) else { return [] }
    let series = Array(same[base...])
    let hasGap = series.indices.contains {
      series[$0].manifest.gap(behind: series[..<$0].map(\.manifest)) != nil
    }
    return hasGap ? [] : series
  }
}
