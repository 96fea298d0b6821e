import Configuration
import LocalFirestore
import Logging
import Mirror
import Transfer

extension EnvironmentResolver {
  /// Returns the environment that exported files represent, as far as it is known without reading them all.
  ///
  /// - Throws: `.inputMissing` if a file does not exist; as ``PlaceReader``.
  func snapshot(_ paths: [String]) throws(Failure) -> DatabaseEnvironment {
    let files = try snapshotFiles(paths)
    for path in paths where try !files.exists(path) {
      throw Failure(
        .inputMissing,
        "read",
        path: path,
        cause: "there is no such file or folder",
        remedy: "Name an environment with -e."
      )
    }
    var reader = PlaceReader(files)
    let database = try reader.place(at: paths[0]).database
    var environment = DatabaseEnvironment(
      name: FilePaths.list(paths),
      database: database ?? DatabaseName(project: "-")
    )
    environment.snapshot = paths
    environment.storageBucket = try storageBucket(of: environment.database)
    return environment
  }

  /// Reads the files of an environment, and reports what they contain.
  ///
  /// - Returns: Nil for an environment that is not represented by files.
  /// - Throws: As ``Snapshot/init(_:source:progress:via:)``; `.inputMalformed` if a line is not a document.
  func openSnapshot(of environment: DatabaseEnvironment, in context: CommandContext) throws -> Snapshot? {
    guard let paths = environment.snapshot else { return nil }
    let (progress, logger) = (context.progress, context.logger)
    progress.begin("read the export", total: nil)
    defer { progress.end() }
    let snapshot = try Snapshot(
      paths,
      source: environment.database,
      progress: progress,
      via: snapshotFiles(paths)
    )
    try snapshot.assertIntact(to: "read")
    let moment = snapshot.moment.map { " at \($0)" } ?? ""
    logger.notice(
      "Reading \(NumberText.counted(snapshot.count, "document")) of \(snapshot.path)\(moment): what is not in it counts as missing, and it has no times of documents."
    )
    for warning in snapshot.warnings { logger.warning("\(warning)") }
    return snapshot
  }

  /// Warns that edits in a mirror are not part of what is read.
  func warnOfEdits(in environment: DatabaseEnvironment, _ logger: Logger) throws(Failure) {
    guard let path = environment.mirror else { return }
    let edits = try MirrorFile(path, for: .reading).editCount()
    if edits == 0 { return }
    logger.warning(
      "\(path) has edits of \(NumberText.counted(edits, "document")) that were not pushed: all is read as it was pulled."
    )
  }

  private func snapshotFiles(_ paths: [String]) throws(Failure) -> FileAccess {
    try StorageAccess(for: paths, options).files
  }
}

extension LocalFirestoreServer {
  /// Serves the documents of exported files while `body` runs.
  ///
  /// - Throws: ``Failure``; errors of `body`.
  static func withSnapshot<Result>(
    _ snapshot: Snapshot,
    of database: DatabaseName,
    access: Access,
    _ body: (LocalFirestoreServer) async throws -> Result
  ) async throws -> Result {
    let scratch = try Scratch()
    defer { withExtendedLifetime(scratch) {} }
    let documents = try snapshot.documents()
    var root = 0
    func next() throws -> [RawDocument]? {
      try Task.checkCancellation()
      while root < snapshot.roots.count {
        if let page = try documents.next(root) { return page }
        root += 1
      }
      return nil
    }
    return try await withDocuments(
      of: database,
      at: snapshot.moment ?? .now,
      in: "\(scratch.path)/documents.sqlite",
      access: access,
      next,
      body
    )
  }
}
