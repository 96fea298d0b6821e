import Logging
import Schema
import Transfer

/// One scheduled export: first into a hidden folder, then renamed, followed by marks, `latest` and retention.
struct DatedExport {
  let folders: any ScheduledExports
  /// The files that can be reached, as ``ScheduledExports/guarding(_:)`` returns them.
  let files: FileAccess
  let retention: RetentionPolicy?
  /// Whether the export covers collections entirely or since their marks.
  let movesMarks: Bool
  let session: Session

  /// Restricts the reads to what is new, and reads the earlier exports, unless an increment would have none that can be used.
  ///
  /// A read that is restricted no longer includes what is below its collection; any other remains as it is.
  ///
  /// - Parameter folders: The folder of the exports; nil for an export without a date.
  /// - Returns: The kinds of collections in the schema and in the files of the earlier exports.
  static func narrow(
    _ options: inout Export.Options,
    since: SinceChoice,
    in folders: (any ScheduledExports)?,
    _ session: Session
  ) async throws -> [CollectionPath] {
    var series: [DatedManifest] = []
    if let folders, let scope = options.scope {
      series = EarlierDocuments.series(
        before: scope,
        as: options.format,
        in: try await folders.exports(of: session.environment)
      )
    }
    let whole = options
    var known: HighWaterMarks?
    if case .last = since, let folders {
      // JSON Lines are read below, where what was deleted is searched.
      let isReadBelow = if case .jsonLines = options.format { true } else { false }
      do throws(Failure) {
        try EarlierDocuments.assertComplete(
          series,
          at: folders.path,
          readingFiles: !isReadBelow,
          via: options.files
        )
        known = try HighWaterMarks(in: folders.path, via: options.files)
      } catch {
        guard error.isDamage else { throw error }
        session.logger.warning("Everything is exported, because of the earlier exports: \(error)")
        series = []
      }
    }
    options.after = series.last?.manifest.readTime
    try since.assertContinues(series.compactMap(\.manifest.readTime).max(), at: options.readTime)
    let moments: [Timestamp?]
    switch since {
    case .moment(let moment): moments = options.reads.map { _ in moment }
    case .last: moments = beginnings(of: options.reads, by: known, series, in: folders, session)
    }
    let increment = try await Increment(since: moments.compactMap { $0 }, in: session.database)
    for (index, moment) in moments.enumerated() {
      var read = options.reads[index].withoutBelow
      guard try await increment.narrow(&read, since: moment) else { continue }
      options.reads[index] = read
      options.since[read.collection] = moment
    }
    // Without anything to add to, the export is whole, and nothing can be missing from it.
    if let folders, case .jsonLines = options.format, options.after != nil || !options.since.isEmpty {
      do {
        options.earlier = try await earlier(options, in: folders, session)
      } catch let failure as Failure where failure.kind != .interrupted {
        if case .last = since, failure.isDamage {
          session.logger.warning("Everything is exported, because of the earlier exports: \(failure)")
          options = whole
        } else {
          // The next increment lists the deletions once the earlier exports can be read.
          session.logger.warning("What was deleted is not listed, because of the earlier exports: \(failure)")
        }
      }
    }
    return session.database.schema.collections.map(\.pattern)
      + series.flatMap { $0.manifest.files.compactMap { CollectionPath($0.collection) } }
  }

  /// Returns the marks of reads; nil for collections that are exported entirely, as those of which the series has no
  /// document: what is below them is not known either.
  ///
  /// - Parameters:
  ///   - marks: Those of the folder; nil if the earlier exports cannot be added to.
  ///   - series: The exports that an increment would continue.
  private static func beginnings(
    of reads: [CollectionRead],
    by marks: HighWaterMarks?,
    _ series: [DatedManifest],
    in folders: (any ScheduledExports)?,
    _ session: Session
  ) -> [Timestamp?] {
    guard let folders, let marks else { return reads.map { _ in nil } }
    let schema = session.database.schema
    let moments = reads.map { marks[session.environment, $0.name, by: schema.changeTime(of: $0.name)] }
    let end = series.compactMap(\.manifest.readTime).last
    guard let mark = end.flatMap(HighWaterMarks.mark) else {
      if moments.contains(where: { $0 != nil }) {
        session.logger.warning(
          "\(folders.path) lacks the whole export, asked for in the same way and of one moment, that this one would add to, or an increment of it, so everything is exported."
        )
      }
      return reads.map { _ in nil }
    }
    let held = series.flatMap(\.manifest.files).filter { $0.documents > 0 }.map(\.collection)
    let known = Set(held.compactMap { CollectionPath($0) })
    // Other exports, including those that were moved away since, have also moved the marks.
    return zip(reads, moments).map { read, moment in
      known.contains(read.name) ? moment.map { min($0, mark) } : nil
    }
  }

  /// Returns what the earlier exports of a folder contain in total, for an increment that lists deletions; nil if that cannot be
  /// determined.
  private static func earlier(
    _ options: Export.Options,
    in folders: any ScheduledExports,
    _ session: Session
  ) async throws -> EarlierDocuments? {
    guard let scope = options.scope else { return nil }
    session.progress.begin("read the earlier exports", total: nil)
    defer { session.progress.end() }
    return try EarlierDocuments(
      before: scope,
      in: try await folders.exports(of: session.environment),
      at: folders.path,
      progress: session.progress,
      via: options.files
    )
  }

  /// Performs an export with `export`, and what follows it.
  func run(
    _ options: Export.Options,
    _ export: (Export.Options) async throws -> Timestamp?
  ) async throws -> Timestamp? {
    let hidden = try await folders.begin()
    var options = options
    options.destination = .folder(hidden)
    options.files = files
    let moment: Timestamp?
    let folder: String
    do {
      moment = try await export(options)
      folder = try await folders.complete(hidden)
    } catch {
      await folders.discard(hidden)
      throw error
    }
    name(folder, insteadOf: hidden)
    try moveMarks(options, exportedAt: moment)
    session.logger.notice("Exported to \(folder).")
    guard let retention else { return moment }
    let result: Retention
    do throws(Failure) {
      result = try await folders.prune(by: retention, of: session.environment, current: folder)
    } catch {
      // The export itself is done, and the next one removes what is old.
      session.logger.warning("Old exports stay for now: \(error)")
      return moment
    }
    for name in result.removed { session.logger.info("Removed \(folders.path)/\(name).") }
    for name in result.kept {
      session.logger.warning(
        "\(folders.path)/\(name) is old and stays: it holds something that the export did not write, or cannot be removed."
      )
    }
    return moment
  }

  /// Updates the file names in the counts to the final folder.
  private func name(_ folder: String, insteadOf hidden: String) {
    for collection in session.counts.collections {
      guard let file = collection.file, let path = CollectionPath(collection.name), file.hasPrefix(hidden)
      else {
        continue
      }
      session.counts.setFile(folder + file.dropFirst(hidden.count), of: path)
    }
  }

  private func moveMarks(_ options: Export.Options, exportedAt moment: Timestamp?) throws(Failure) {
    guard movesMarks else { return }
    guard let moment else {
      session.logger.warning(
        "Nothing was read at one moment, so the next --since last begins where this one did."
      )
      return
    }
    var marks = try presentMarks()
    try marks.move(options.reads.map(\.name), of: session.environment, exportedAt: moment) {
      session.database.schema.changeTime(of: $0)
    }
  }

  /// Returns the marks of the folder; none if their file is damaged, because collections without a mark are exported entirely.
  private func presentMarks() throws(Failure) -> HighWaterMarks {
    do throws(Failure) {
      return try HighWaterMarks(in: folders.path, via: files)
    } catch {
      guard error.kind == .inputMalformed else { throw error }
      session.logger.notice("The marks of the last exports are replaced: \(error)")
      return HighWaterMarks(startingIn: folders.path, via: files)
    }
  }
}

extension SinceChoice {
  /// Refuses an increment that would not continue the exports that it adds to, or would begin after its own moment.
  ///
  /// - Parameters:
  ///   - last: The moment of these exports; nil for none.
  ///   - moment: Its read time; nil for the present.
  /// - Throws: `.usage`.
  fileprivate func assertContinues(_ last: Timestamp?, at moment: Timestamp?) throws(Failure) {
    if let last, let moment, moment <= last {
      throw Failure(
        .usage,
        "add to the last export",
        cause: "it is as of \(last), and this one would be as of \(moment)",
        remedy: "Leave out --read-time; or --since, for a full export as of that moment."
      )
    }
    guard case .moment(let beginning) = self, let end = last ?? moment, end < beginning else { return }
    throw Failure(
      .usage,
      "export what is new since",
      path: beginning.description,
      cause: "that is after the \(last == nil ? "" : "last ")export, which is as of \(end)",
      remedy: "Give an earlier time."
    )
  }
}

extension Failure {
  /// Whether a file is lost or damaged, and not only out of reach for now.
  fileprivate var isDamage: Bool { kind == .inputMissing || kind == .inputMalformed }
}
