import Logging
import Transfer

/// One scheduled export: into a hidden folder, then under its name, then the marks, `latest` and the retention.
struct DatedExport {
  private let folders: any ScheduledExports
  private let files: FileAccess
  private let retention: RetentionPolicy?
  private let movesMarks: Bool
  private let session: Session

  /// Makes one.
  ///
  /// - Parameters:
  ///   - files: The files that can be reached.
  ///   - movesMarks: Whether the export takes collections whole or since their marks.
  init(
    _ folders: any ScheduledExports,
    via files: FileAccess,
    keeping retention: RetentionPolicy?,
    movesMarks: Bool,
    in session: Session
  ) {
    self.folders = folders
    self.files = files
    self.retention = retention
    self.movesMarks = movesMarks
    self.session = session
  }

  /// Narrows the reads down to what is new.
  ///
  /// - Parameter folder: The folder whose marks count where it is since the last export.
  static func narrow(
    _ options: inout Export.Options,
    since: SinceChoice,
    in folder: String?,
    via files: FileAccess,
    _ session: Session
  ) async throws {
    let marks = try folder.map { folder throws(Failure) in try HighWaterMarks(in: folder, via: files) }
    let moments = options.reads.map { read in
      switch since {
      case .moment(let moment): moment
      case .last: marks?[session.environment, read.collection]
      }
    }
    let increment = try await Increment(since: moments.compactMap { $0 }, in: session.database)
    for (index, moment) in moments.enumerated() {
      if try await increment.narrow(&options.reads[index], since: moment) {
        options.since[options.reads[index].collection] = moment
      }
    }
  }

  /// What the earlier exports of a folder tell of together, for an increment that lists what was deleted since; nil where that
  /// cannot be known.
  static func earlier(
    _ scope: Manifest.Scope,
    in folders: any ScheduledExports,
    via files: FileAccess,
    _ session: Session
  ) async throws -> EarlierDocuments? {
    session.progress.begin("read the earlier exports", total: nil)
    defer { session.progress.end() }
    do {
      let exports = try await folders.exports(of: session.environment)
      return try EarlierDocuments(
        before: scope,
        in: exports,
        at: folders.path,
        progress: session.progress,
        via: files
      )
    } catch let failure as Failure where failure.kind != .interrupted {
      // The next increment lists it, once they can be read.
      session.logger.warning("What was deleted is not listed, because of the earlier exports: \(failure)")
      return nil
    }
  }

  /// Exports, by `export`, and does what comes after.
  func run(
    _ options: Export.Options,
    _ export: (Export.Options) async throws -> Timestamp?
  ) async throws -> Timestamp? {
    let hidden = try await folders.begin()
    var options = options
    options.destination = .folder(hidden)
    options.willComplete = { [folders] in try folders.assertLocked() }
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

  /// The files by the names that they have now.
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
        "Nothing was read at one moment, so the next --since last begins where this one would have."
      )
      return
    }
    var marks = try HighWaterMarks(in: folders.path, via: files)
    try marks.move(options.reads.map(\.collection), of: session.environment, exportedAt: moment)
  }
}
