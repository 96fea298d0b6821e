import Files
import Platform
import TypedDocuments

/// The runs of a state directory, read from the files that they left.
package struct RunHistory: Sendable {
  /// One run.
  package struct Entry: Sendable, Equatable {
    /// The run record.
    package var record: RunRecord
    /// The result in its summary; nil if it is running or was killed.
    package var ending: CommandResult?
    /// Whether its process is alive.
    package var isRunning: Bool
    /// How it was resolved after it ended: `undone` or `cleared`.
    package var resolution: String?
    /// The ID of the run that undid it.
    package var undoneBy: String?
    /// The number of documents that the undo could not restore, so that the run may be undone again.
    package var leftToUndo = 0

    /// Whether it was undone completely.
    package var isUndone: Bool { resolution == "undone" && leftToUndo == 0 }

    /// The status in one word.
    ///
    /// It is the resolution or the status of the summary, or else `running` or `killed`, or `sharded` for a run with
    /// unfinished tasks.
    package var status: String {
      if leftToUndo > 0, !isRunning { return "undone-in-part" }
      return isRunning
        ? "running" : resolution ?? ending?.status ?? (record.shards == nil ? "killed" : "sharded")
    }

    /// Whether it reached its end and was not undone.
    package var isComplete: Bool { ["done", "incomplete", "differences"].contains(status) }

    /// Whether it stopped before it was done, with work left to do.
    package var stoppedEarly: Bool {
      guard record.writes else { return false }
      return status == "killed" || (["failed", "interrupted"].contains(status) && ending?.canResume ?? true)
    }

    /// Whether it stopped early and can be resumed by this version, which requires a recorded job.
    package var isResumable: Bool { stoppedEarly && record.job != nil }
  }

  /// The result of a run, as read from its summary.
  package struct CommandResult: JSONRecord, Equatable {
    /// The status, as in ``RunSummary/Status``.
    package var status: String
    /// The exit code.
    package var exitCode: Int
    /// The document counts of each collection.
    package var collections: [RunSummary.Collection]
    /// The error that ended it.
    package var error: String?
    /// Whether it can be resumed; nil for a run that reached its end, and for one of a version that did not record this.
    package var canResume: Bool?
    /// The command that resumes it; nil also if no command can before something else is changed.
    package var resumeCommand: String?
    /// As ``RunSummary/journalBytes``; nil also for a run of a version that did not record this.
    package var journalBytes: Int?

    /// The document counts over all collections.
    package var totals: DocumentCounts { collections.reduce(DocumentCounts()) { $0 + $1.counts } }
  }

  /// A run whose files cannot be read.
  private struct Damage {
    /// The name of its folder, which is the run ID.
    var id: String
    var failure: Failure
  }

  private let folder: String
  private let warn: @Sendable (String) -> Void

  /// Creates the history of a state directory, which may be missing.
  ///
  /// - Parameter warn: Receives one line for each damaged run that is skipped; by default, the line is written to standard
  ///   error, once per process.
  package init(in stateDirectory: String, warn: @escaping @Sendable (String) -> Void = Self.warnOnce) {
    self.warn = warn
    folder = "\(stateDirectory)/runs"
  }

  /// Returns all runs, the latest last.
  ///
  /// A folder without a run is left out. A damaged run is left out with a warning, so that it cannot prevent new runs from
  /// starting.
  package func entries() -> [Entry] {
    let (entries, damaged) = survey()
    for damage in damaged { warn("warning: a run is skipped: \(damage.failure)") }
    return entries
  }

  private func survey() -> (entries: [Entry], damaged: [Damage]) {
    var entries: [Entry] = []
    var damaged: [Damage] = []
    for id in Self.names(in: folder) {
      do throws(Failure) {
        if let entry = try entry(id) { entries.append(entry) }
      } catch {
        damaged.append(Damage(id: id, failure: error.advising("Move the folder \(folder)/\(id) away.")))
      }
    }
    entries.sort { ($0.record.startedAt, $0.record.id) < ($1.record.startedAt, $1.record.id) }
    return (entries, damaged)
  }

  /// Writes a warning to standard error unless this process already did, because a command may read the history several
  /// times.
  package static let warnOnce: @Sendable (String) -> Void = { line in
    if warned.withLock({ $0.insert(line).inserted }) { Terminal.standardError.line(line) }
  }

  private static let warned = Locked<Set<String>>([])

  /// Returns the last of the runs that a condition holds for; nil if there is none.
  ///
  /// - Parameter preference: The preferred ones among them; if there are none, it is the newest run, so that a refusal can say
  ///   why.
  /// - Throws: `.inputMalformed` if the run is damaged. A damaged run may be the last one unless it began before the last of the
  ///   others, by the time in its ID and then the time of its record: undoing the run before it would be worse than an error.
  package func last(
    where condition: (Entry) -> Bool = { _ in true },
    preferring preference: (Entry) -> Bool = { _ in true }
  ) throws(Failure) -> Entry? {
    let (entries, damaged) = survey()
    let known = entries.filter(condition)
    let last = known.last(where: preference) ?? known.last
    if let latest = damaged.last, last.map({ !began($0.record, after: latest.id) }) ?? true {
      throw latest.failure
    }
    if last != nil { for damage in damaged { warn("warning: a run is skipped: \(damage.failure)") } }
    return last
  }

  /// Returns the run with an ID or with a part that only its ID has, or the `last` run.
  ///
  /// - Parameters:
  ///   - condition: The runs that `last` applies to.
  ///   - preference: As in ``last(where:preferring:)``.
  /// - Throws: `.inputMissing` if there is none, `.usage` if several IDs match, `.inputMalformed` if the run is damaged.
  package func entry(
    named name: String,
    where condition: (Entry) -> Bool = { _ in true },
    preferring preference: (Entry) -> Bool = { _ in true }
  ) throws(Failure) -> Entry {
    let isLast = name.isIdentical(to: "last")
    if isLast, let last = try last(where: condition, preferring: preference) { return last }
    let (entries, damaged) = survey()
    if isLast, !entries.isEmpty { throw missing(name, "no run in \(folder) has written to the database") }
    if let named = damaged.first(where: { $0.id.isIdentical(to: name) }) { throw named.failure }
    let matching = entries.filter { !name.isEmpty && $0.record.id.contains(name) }
    if let exact = matching.first(where: { $0.record.id.isIdentical(to: name) }) { return exact }
    if matching.count > 1 {
      throw Failure(
        .usage,
        "find the run",
        path: name,
        cause: "it is part of \(matching.count) run IDs",
        remedy: "Enter more of the ID; 'gymmigrate runs list' shows the IDs."
      )
    }
    guard let match = matching.first else {
      if let named = damaged.first(where: { $0.id.hasPrefix(name) }) { throw named.failure }
      throw missing(name, "\(folder) has no such run")
    }
    return match
  }

  private func missing(_ name: String, _ cause: String) -> Failure {
    Failure(
      .inputMissing,
      "find the run",
      path: name,
      cause: cause,
      remedy: "'gymmigrate runs list' shows the runs; --state-dir names the folder that holds them."
    )
  }

  /// Whether a run began after a damaged one, by the seconds in their IDs and then the time of the damaged run's record.
  private func began(_ run: RunRecord, after damaged: String) -> Bool {
    let length = "20261121T020000Z".utf8.count
    let order = String(damaged.prefix(length)).compareUTF8(String(run.id.prefix(length)))
    if order != 0 { return order < 0 }
    let written = SystemCall.status(file("run.json", of: damaged)).status?.modified
    return written.map { $0 < run.startedAt } ?? false
  }

  /// Records the resolution of a run that has ended.
  ///
  /// - Parameters:
  ///   - undo: The ID of the run that undid it.
  ///   - left: The number of documents that the undo could not restore.
  /// - Throws: `.cannotWrite`.
  package func resolve(
    _ id: String,
    as resolution: String,
    by undo: String? = nil,
    left: Int = 0
  ) throws(Failure) {
    try Self.write(resolution, by: undo, left, to: file(Self.resolutionFile, of: id))
  }

  /// Removes the resolution that ``resolve(_:as:by:left:)-(String,_,_,_)`` recorded.
  package func withdrawResolution(of id: String) { unlink(file(Self.resolutionFile, of: id)) }

  private static let resolutionFile = "verdict.json"

  /// Records the resolution of a run that was going to be resumed.
  ///
  /// - Throws: `.cannotWrite`.
  package static func resolve(
    _ run: RunDirectory,
    as resolution: String,
    by undo: String? = nil,
    left: Int = 0
  ) throws(Failure) {
    try write(resolution, by: undo, left, to: run.file(resolutionFile))
  }

  private struct Resolution: JSONRecord {
    var status: String?
    var undoneBy: String?
    var leftToUndo: Int?
  }

  private static func write(
    _ resolution: String,
    by undo: String?,
    _ left: Int,
    to path: String
  ) throws(Failure) {
    let record = Resolution(status: resolution, undoneBy: undo, leftToUndo: left > 0 ? left : nil)
    try JSONFile.write(record.json, to: path)
  }

  /// Checks that only this user can have written the files of a run.
  ///
  /// - Throws: `.notPermitted` if the folder or a file in it is a link, belongs to another user, or is writable by others.
  package func assertPrivate(_ record: RunRecord) throws(Failure) {
    try RunFolder("\(folder)/\(record.id)").assertPrivate()
  }

  /// Checks that the journal of a run is not only a part of it.
  ///
  /// - Parameter bytes: Its length according to another record, in bytes.
  /// - Throws: `.inputMalformed` if it is shorter than that, its summary or its checkpoint says.
  package func assertWholeJournal(_ record: RunRecord, atLeast bytes: Int = 0) throws(Failure) {
    try RunFolder("\(folder)/\(record.id)").assertWholeJournal(atLeast: bytes)
  }

  /// Checks that this user created the run in its present folder, so that its command and database can be trusted.
  ///
  /// - Throws: The errors of ``assertPrivate(_:)``; also `.notPermitted` for a folder that was copied or unpacked.
  package func assertOwn(_ record: RunRecord) throws(Failure) {
    try assertPrivate(record)
    try RunFolder("\(folder)/\(record.id)").assertMade(by: record)
  }

  /// Whether ``assertOwn(_:)`` holds.
  package func isOwn(_ record: RunRecord) -> Bool { (try? assertOwn(record)) != nil }

  /// Removes the folder of a run, renaming it to a hidden name first, so that an incomplete removal leaves no run behind.
  ///
  /// - Throws: `.cannotWrite`.
  package func remove(_ record: RunRecord) throws(Failure) {
    let (path, hidden) = ("\(folder)/\(record.id)", "\(folder)/.\(record.id)\(Self.removed)")
    guard rename(path, hidden) == 0 else { throw Failure.cannotWrite(path, errno: errno) }
    try FilePaths.remove(hidden)
  }

  /// Removes the remains of runs whose removal was interrupted.
  ///
  /// - Throws: `.cannotWrite`.
  package func removeLeftovers() throws(Failure) {
    for name in FilePaths.names(in: folder) where name.hasPrefix(".") && name.hasSuffix(Self.removed) {
      try FilePaths.remove("\(folder)/\(name)")
    }
  }

  /// The suffix of the hidden name of a run that is being removed.
  private static let removed = ".removed"

  /// Returns the path of a file of a run.
  package func file(_ name: String, of id: String) -> String { "\(folder)/\(id)/\(name)" }

  /// Returns the names of the files of a run, sorted.
  package func files(of id: String) -> [String] { Self.names(in: "\(folder)/\(id)") }

  private func entry(_ id: String) throws(Failure) -> Entry? {
    guard let record = try JSONFile.read(file("run.json", of: id), as: RunRecord.self) else { return nil }
    // The files of a run are in the folder with its ID.
    if !record.id.isIdentical(to: id) {
      let cause = "it belongs to run \(record.id), not to that of its folder"
      throw .malformed(file("run.json", of: id), cause)
    }
    let isRunning = isLocked(file("operation.log", of: id))
    let ending = try JSONFile.read(file("summary.json", of: id), as: CommandResult.self)
    let resolution = try JSONFile.read(file(Self.resolutionFile, of: id), as: Resolution.self)
    return Entry(
      record: record,
      ending: ending,
      isRunning: isRunning,
      resolution: resolution?.status,
      undoneBy: resolution?.undoneBy,
      leftToUndo: resolution?.leftToUndo ?? 0
    )
  }

  /// The names of the run folders.
  var names: [String] { Self.names(in: folder) }

  private static func names(in folder: String) -> [String] {
    FilePaths.names(in: folder).filter { !$0.hasPrefix(".") }
  }

  private func isLocked(_ path: String) -> Bool {
    let (descriptor, _, _) = SystemCall.openToRead(path)
    if descriptor < 0 { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0
  }
}
