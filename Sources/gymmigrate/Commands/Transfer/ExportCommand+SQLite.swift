import Mirror
import Transfer

extension ExportCommand {
  /// Refuses what SQLite files do not support: a part of collections, or a stream.
  func validateSQLite(_ job: ExportJob) throws {
    guard job.format == .sqlite else { return }
    if job.isDated { throw ValidationError("A backup is JSON Lines, CSV or XLSX: no --dated for SQLite.") }
    let isPart = job.isPart || subcollections == false || moment.readTime != nil
    if isPart || !job.additions.isEmpty || collections.contains(where: { $0.contains("/") }) {
      throw ValidationError(
        "A SQLite file holds whole root collections with everything below them, at one moment: only --all, or their names."
      )
    }
    if FileAccess.isRemote(output) {
      throw ValidationError(
        "--output: a SQLite file can only be a file of this machine; copy it with 'gcloud storage cp' then."
      )
    }
    if output == "-" || FileCheck.isFolder(output) {
      throw ValidationError("--output: a SQLite file is neither a folder nor standard output; name a file.")
    }
  }
}

extension ExportJob {
  /// Refuses to read an export of a part into a format that cannot say so.
  ///
  /// - Parameter scope: The scope of what is read.
  /// - Throws: `.usage`.
  func assertHolds(_ scope: Manifest.Scope) throws(Failure) {
    let isOfWholeDocuments = scope.fields == nil && !scope.isView
    let isOfWholeCollections =
      scope.subcollections && scope.filters.isEmpty && scope.limit == nil && scope.orderBy == nil
    let rule: String
    switch format {
    case .managed where !isOfWholeDocuments: rule = "a managed export has whole documents"
    case .sqlite where !isOfWholeDocuments || !isOfWholeCollections:
      rule = "a SQLite file holds whole root collections with everything below them"
    default: return
    }
    throw Failure(
      .usage,
      "export to",
      path: output,
      cause: "\(rule), and what --from names was exported with less",
      remedy: "Name an export of everything, or export to JSON Lines."
    )
  }

  /// Exports what the first pull of a mirror creates, without marks.
  func exportSQLite(_ scope: Manifest.Scope, as run: JobRun) async throws -> RunEnding {
    try OutputFile.checkWritable(output, isDatabase: true)
    try MirrorFile.assertReplaceable(output)
    var options = MirrorPull.Options()
    options.isExport = true
    options.mask = try mask.map { try PulledMask($0, EnvironmentResolver(run.connection).schema()) }
    options.selection = all ? nil : CollectionSelection(collections, isDeep: true)
    (options.readsPart, options.mayLackFields) = (scope.isPartial, !scope.knowsFields)
    options.readsMasked = scope.isMasked
    return try await CommandRun(run).perform { [options] session, _ in
      session.progress.begin("export", total: nil)
      defer { session.progress.end() }
      return CommandResult(readTime: try await MirrorPull(in: session, to: output, options).run().readTime)
    }
  }
}
