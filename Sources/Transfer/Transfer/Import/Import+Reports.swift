import FirestoreREST
import Logging
import Tables

/// What an import says beside its counts.
extension Import {
  /// Says what the run left out and what is doubtful.
  func report(_ droppedTimes: Int, _ guarding: LoadGuard?, _ removed: RemovedFields?, _ lists: Lists) {
    if droppedTimes > 0 {
      context.logger.warning(
        "--server-times leaves out the time of creation that the input has for \(NumberText.counted(droppedTimes, "document"))."
      )
    }
    let doubts = guarding?.warnings(isDryRun: options.job.isDryRun) ?? []
    let losses = removed?.warnings(isDryRun: options.job.isDryRun) ?? []
    for line in doubts + losses { context.logger.warning("\(line)") }
    if let line = lists.skipped.notice(isDryRun: options.job.isDryRun) { context.logger.notice("\(line)") }
    for line in lists.warnings.lines { context.logger.warning("\(line)") }
    if lists.warnings.count > 0 { context.logger.notice("See \(lists.warnings.path) for the values.") }
  }

  /// Warns of the collections that remain below documents that are deleted.
  func report(_ documents: [LoadDocument], leaving deletions: ListedDeletions?) async throws {
    guard let leaving = try await deletions?.leaving(among: documents) else { return }
    let verb = options.job.isDryRun ? "would be" : "is"
    for (path, ids) in leaving.sorted(by: { $0.key < $1.key }) {
      context.logger.warning(
        "\(path) \(verb) deleted, and what is below it stays: \(ids.joined(separator: ", "))."
      )
    }
  }

  /// Reports sheets that are not read, incomplete exports, and files in the given folders that are not imported.
  func reportUnread(beside sources: [ImportSource]) throws(Failure) {
    for source in sources {
      let leftOut: [(Logger.Level, String, [String])] = [
        (.warning, "hidden sheets", source.hiddenSheets),
        (.notice, "sheets of no declared collection", source.otherSheets),
      ]
      for (level, what, sheets) in leftOut where !sheets.isEmpty {
        let names = FilePaths.list(sheets.map { "'\($0)'" })
        context.logger.log(
          level: level,
          "\(source.path): \(what) are left out: \(names). --sheet NAME imports one."
        )
      }
    }
    let placed = sources.filter(\.isFromFolder).map { (FilePaths.folder(of: $0.path), $0.manifest) }
    let folders = Dictionary(placed, uniquingKeysWith: { first, _ in first })
    let exports = folders.compactMapValues { $0 }
    let bases = exports.values.filter { !$0.isIncrement }
    let alone = exports.filter { $0.value.isIncrement && !bases.contains(where: $0.value.overlaps) }
    if options.job.mode == .create, let folder = alone.keys.min() {
      context.logger.warning("\(Snapshot.warning(ofIncrement: folder))")
    }
    for folder in folders.keys.sorted() {
      let read = Set(sources.map { UTF8Key($0.path) } + [UTF8Key("\(folder)/\(Manifest.fileName)")])
      let others = try options.table.files.names(in: folder).filter {
        !read.contains(UTF8Key("\(folder)/\($0)"))
      }
      report(others, in: folder, "Name what is to be imported, and convert .xls and .ods to .xlsx.")
    }
    for source in sources {
      guard let root = source.root else { continue }
      let others = source.unread.map { String($0.dropFirst(root.count + 1)) }
      report(others, in: root, "The file of a document is called as its folder: ID/ID.json.")
    }
  }

  /// Reports the files of a folder that are not read, with the litter of systems and programs apart from the others.
  private func report(_ others: [String], in folder: String, _ advice: String) {
    let litter = others.filter { DocumentPlace.isLitter(FilePaths.name(of: $0)) }
    if !litter.isEmpty { context.logger.notice("\(folder): skipped \(FilePaths.list(litter)).") }
    let unread = others.filter { !DocumentPlace.isLitter(FilePaths.name(of: $0)) }
    if unread.isEmpty { return }
    context.logger.warning("\(folder): not read: \(FilePaths.list(unread)). \(advice)")
  }

  /// Says how many references were rewritten or kept.
  func record(_ references: SourceReferences) {
    let counts = references.counts
    if counts.rewritten > 0 {
      let rewritten = NumberText.counted(counts.rewritten, "reference")
      context.logger.info("Rewritten to \(context.client.database): \(rewritten).")
    }
    func kept(_ count: Int) -> String {
      "Kept as \(count == 1 ? "it is" : "they are"): \(NumberText.counted(count, "reference"))"
    }
    let unplaced = references.keptUnplaced
    if counts.kept > unplaced { context.logger.notice("\(kept(counts.kept - unplaced)).") }
    if unplaced > 0 {
      let come = unplaced == 1 ? "it comes" : "they come"
      let first = references.elsewhere.map {
        "; --source \($0) makes those into it references into the target"
      }
      // They may overwrite references into the target.
      context.logger.warning(
        "\(kept(unplaced)): the database that \(come) from is not known\(first ?? " (--source)")."
      )
    }
  }
}
