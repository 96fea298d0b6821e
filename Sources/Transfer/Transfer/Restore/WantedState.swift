package import Configuration
import FirestoreREST
import Tables

/// What a restore puts back: a database at a moment, a mirror, or the files of exports.
package struct WantedState: Sendable {
  package let side: Diff.Side
  package let knowledge: WantedKnowledge
  /// The moment that it shows, in the time of the database that is restored; nil where that is not known.
  package let moment: Timestamp?

  package init(_ side: Diff.Side, _ knowledge: WantedKnowledge = WantedKnowledge(), at moment: Timestamp?) {
    (self.side, self.knowledge, self.moment) = (side, knowledge, moment)
  }

  /// What a command line allows of files.
  package struct Permissions: Sendable {
    /// The database of the files, where the user names it.
    package var source: DatabaseName?
    /// Whether they may be less than a whole export.
    package var isPartial = false

    package init(source: DatabaseName?, isPartial: Bool) {
      (self.source, self.isPartial) = (source, isPartial)
    }
  }

  /// Reads files: one folder or file, or a whole export and its increments in their order.
  ///
  /// - Throws: ``Failure``: `.inputMalformed` for damage, `.notPermitted` for files of another database that was not named and for
  ///   those that are less than a whole export, `.usage` for folders that are none in their order.
  package init(
    files paths: [String],
    of environment: DatabaseEnvironment,
    allowing permissions: Permissions,
    progress: Progress,
    via access: FileAccess
  ) throws {
    let manifests = try paths.map { try Self.manifest(of: $0, via: access) }
    for (path, manifest) in zip(paths, manifests) {
      let database = try manifest?.database ?? ManagedExport(at: path, via: access)?.database
      try Self.assertOf(environment, path, database, permissions.source)
    }
    if paths.count > 1 { try Self.assertSeries(paths, manifests) }
    let last = manifests.last ?? nil
    moment = last.flatMap { $0.isOf(environment) ? $0.readTime : nil }
    var knowledge = try WantedKnowledge(manifests.first.flatMap { $0?.scope })
    if paths.count > 1 {
      knowledge.unchangedUntil = moment
      if moment == nil { knowledge.knowsAbsence = false }
    } else if last?.isIncrement ?? false {
      knowledge.knowsAbsence = false
    }
    self.knowledge = knowledge
    if !knowledge.isWhole, !permissions.isPartial, try last != nil || access.isFolder(paths[0]) {
      throw Failure(
        .notPermitted,
        "restore from",
        path: paths[0],
        cause: "it is no export of everything: what it lacks may have been there",
        remedy: "Give --scope partial: nothing is deleted or removed then that it cannot know."
      )
    }
    let snapshot = try Snapshot(layers: paths, source: permissions.source, progress: progress, via: access)
    if let defect = snapshot.defects.first { throw Self.damaged(defect.label, defect.reason) }
    side = .snapshot(snapshot)
  }

  /// The manifest of a folder, whose files are as it says; that beside a file; nil where there is none.
  private static func manifest(of path: String, via access: FileAccess) throws -> Manifest? {
    guard try access.isFolder(path) else {
      var reader = ManifestReader(access)
      return try reader.manifest(naming: path).map { $0.cut(to: FilePaths.name(of: path)) }
    }
    guard try Manifest.read(from: path, via: access) != nil else {
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

  private static func severalExports(_ path: String, _ folders: [String]) -> Failure {
    Failure(
      .usage,
      "restore from",
      path: path,
      cause: "it holds \(folders.count) exports",
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
    _ path: String,
    _ database: DatabaseName?,
    _ source: DatabaseName?
  ) throws(Failure) {
    guard let database, database != environment.database, source != database else { return }
    throw Failure(
      .notPermitted,
      "restore from",
      path: path,
      cause: "it is an export of \(database), and this is \(environment.database)",
      remedy: "Name the right environment with -e, or give --source \(database) if that is what you want."
    )
  }

  /// Checks that the first of several is whole, and that the others add to it, in their order.
  private static func assertSeries(_ paths: [String], _ manifests: [Manifest?]) throws(Failure) {
    func refusal(_ index: Int, _ cause: String) -> Failure {
      Failure(
        .usage,
        "restore from",
        path: paths[index],
        cause: cause,
        remedy: "Name the whole export first, then its increments in the order in which they were made."
      )
    }
    guard let base = manifests[0], !base.isIncrement else { throw refusal(0, "it is no whole export") }
    var last = base.readTime
    for (index, manifest) in manifests.enumerated().dropFirst() {
      guard let manifest, manifest.isIncrement, manifest.database == base.database, base.isBase(of: manifest)
      else { throw refusal(index, "it is no increment of \(paths[0])") }
      if let last, let time = manifest.readTime, time <= last {
        throw refusal(index, "it is older than \(paths[index - 1])")
      }
      last = manifest.readTime ?? last
    }
  }
}

extension Manifest {
  /// The manifest of one of the files alone.
  fileprivate func cut(to name: String) -> Manifest {
    var manifest = self
    manifest.files = files.filter { $0.file.isIdentical(to: name) }
    manifest.scope?.collections = manifest.files.map(\.collection)
    return manifest
  }
}
