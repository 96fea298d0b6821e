package import Configuration

/// The state that a restore restores: a database as of a moment, a mirror, or exported files.
package struct WantedState: Sendable {
  package let side: Diff.Side
  package let knowledge: WantedKnowledge
  /// The moment that it represents, by the clock of the restored database; nil if unknown.
  package let moment: Timestamp?

  package init(_ side: Diff.Side, _ knowledge: WantedKnowledge = WantedKnowledge(), at moment: Timestamp?) {
    (self.side, self.knowledge, self.moment) = (side, knowledge, moment)
  }

  /// Reads files: one folder or file, or a whole export and its increments, in order.
  ///
  /// - Parameters:
  ///   - source: The database of the files, if the user names it.
  ///   - isPartial: Whether they may be less than a whole export.
  /// - Throws: ``Failure``: `.inputMalformed` for damage, `.notPermitted` for files of another database that was not named
  ///   and for those that are less than a whole export, `.usage` for folders that are not a whole export and its
  ///   increments, in order.
  package init(
    files paths: [String],
    of environment: DatabaseEnvironment,
    source: DatabaseName?,
    isPartial: Bool,
    progress: Progress,
    via access: FileAccess
  ) throws {
    var reader = PlaceReader(access)
    let places = try paths.map { try reader.place(at: $0) }
    let manifests = try places.map { try Self.manifest(of: $0, via: access) }
    for (place, manifest) in zip(places, manifests) {
      try manifest?.assertStored(place.path)
      try manifest?.assertUnmasked(place.path)
    }
    for place in places { try Self.assertOf(environment, place, source) }
    try Manifest.assertSeries(manifests, at: paths, to: "restore from")
    let last = manifests.last ?? nil
    moment = last.flatMap { places[0].managed == nil && $0.isOf(environment) ? $0.readTime : nil }
    var knowledge = try WantedKnowledge(manifests.first.flatMap { $0?.scope })
    if manifests[0] == nil { knowledge.knowsAbsentFields = places[0].knowsFields }
    if paths.count > 1 {
      knowledge.unchangedUntil = moment
      // The present of another database cannot fill in what the increments leave open.
      if moment == nil { knowledge.knowsAbsence = manifests.dropFirst().allSatisfy { $0?.deleted != nil } }
    } else if last?.isIncrement ?? false {
      knowledge.knowsAbsence = false
    }
    self.knowledge = knowledge
    if !knowledge.isWhole, !isPartial, last != nil || places[0].isFolder {
      // A folder without documents cannot be restored from in any case.
      _ = try places[0].sources(via: access)
      throw Self.notWhole(places[0], last)
    }
    let snapshot = try Snapshot(layers: places, source: source, progress: progress, via: access)
    if let defect = snapshot.defects.first { throw Self.damaged(defect.label, defect.reason) }
    side = .snapshot(snapshot)
  }

  /// Returns the manifest of a folder after verifying its files; for a file, that beside it, reduced to this file; nil if
  /// there is none.
  private static func manifest(of place: DocumentPlace, via access: FileAccess) throws -> Manifest? {
    let path = place.path
    // The manifest of a managed export lists no files.
    if !place.isFolder || place.managed != nil && place.manifest != nil { return place.ownManifest }
    if place.manifest == nil {
      let folders = try FolderVerification.folders(in: path, via: access)
      if folders.count > 1 || folders != [FilePaths.bare(path)] { throw severalExports(path, folders) }
      return nil
    }
    let verified = try FolderVerification(of: FilePaths.bare(path), via: access)
    if let file = verified.files.first(where: { !$0.problems.isEmpty }) {
      throw damaged("\(FilePaths.bare(path))/\(file.entry.file)", file.problems.joined(separator: "; "))
    }
    return verified.manifest
  }

  /// - Parameter last: The manifest of the last given path.
  private static func notWhole(_ place: DocumentPlace, _ last: Manifest?) -> Failure {
    let isIncrement = place.manifest?.isIncrement ?? false
    let partial = "--scope partial: nothing is deleted or removed then that it cannot know."
    return Failure(
      .notPermitted,
      "restore from",
      path: place.path,
      cause: isIncrement
        ? "it is an increment, which lacks what had not changed"
        : last == nil
          ? "it has no \(Manifest.fileName): what it lacks may have been there"
          : "it is no export of everything: what it lacks may have been there",
      remedy: isIncrement
        ? "Name the whole export and the increments since, each with a --from, in their order. Or give \(partial)"
        : "Give \(partial)"
    )
  }

  private static func severalExports(_ path: String, _ folders: [String]) -> Failure {
    Failure(
      .usage,
      "restore from",
      path: path,
      cause: "it holds \(NumberText.counted(folders.count, "export"))",
      remedy: "Name one, as \(folders.last ?? path), or a whole one and its increments."
    )
  }

  private static func damaged(_ file: String, _ cause: String) -> Failure {
    Failure(
      .inputMalformed,
      "restore from",
      path: file,
      cause: cause,
      remedy: "Take another export; 'gymmigrate export verify' finds those that are whole."
    )
  }

  private static func assertOf(
    _ environment: DatabaseEnvironment,
    _ place: DocumentPlace,
    _ source: DatabaseName?
  ) throws(Failure) {
    guard let database = place.database, database != environment.database, source != database else { return }
    throw Failure(
      .notPermitted,
      "restore from",
      path: place.path,
      cause: "it is an export of \(database), and this is \(environment.database)",
      remedy: "Name the right environment with -e, or give --source \(database) if that is what you want."
    )
  }
}

extension Manifest {
  /// Returns the manifest reduced to one of its files.
  func cut(to name: String) -> Manifest {
    var manifest = self
    manifest.files = files.filter { $0.file.isIdentical(to: name) }
    manifest.scope?.collections = manifest.files.map(\.collection)
    return manifest
  }
}
