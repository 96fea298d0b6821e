import Files
package import FirestoreModels
import Platform

/// The runs of a state directory, as the files that they left describe them.
package struct RunHistory: Sendable {
  /// One run.
  package struct Entry: Sendable, Equatable {
    /// What it was asked to do.
    package var record: RunRecord
    /// How it ended, nil where it has not, or was killed.
    package var ending: CommandResult?
    /// Whether its process is alive.
    package var isRunning: Bool
    /// What was made of it afterwards: `undone` or `cleared`.
    package var verdict: String?
    /// The run that undid it.
    package var undoneBy: String?

    /// How it is, in a word: that of its summary, else `running` or `killed`.
    package var status: String {
      isRunning ? "running" : verdict ?? ending?.status ?? "killed"
    }

    /// Whether it stopped before its end and can be resumed.
    package var isResumable: Bool {
      record.writes && ["failed", "interrupted", "killed"].contains(status)
    }
  }

  /// What the summary of a run says.
  package struct CommandResult: Sendable, Equatable {
    /// As ``RunSummary/Status``.
    package var status: String
    /// The exit code.
    package var exitCode: Int
    /// The sum of its counts.
    package var totals: DocumentCounts
    /// The counts of each collection.
    package var collections: [RunSummary.Collection]
    /// The error that ended it.
    package var error: String?
  }

  /// A run whose files cannot be read.
  private struct Damage {
    /// The name of its folder, which is its id.
    var id: String
    var failure: Failure
  }

  private let folder: String
  private let warn: @Sendable (String) -> Void

  /// The runs below a state directory, which may be missing.
  ///
  /// - Parameter warn: Takes a line about each run that is skipped because it is damaged; by default it is written to
  ///   standard error, once in a process.
  package init(in stateDirectory: String, warn: @escaping @Sendable (String) -> Void = Self.warnOnce) {
    self.warn = warn
    folder = "\(stateDirectory)/runs"
  }

  /// All of them, the latest last.
  ///
  /// A folder that holds no run is left out; a run that is damaged is, too, with a warning: what an old run left must not
  /// keep a new one from its work.
  package func entries() -> [Entry] {
    let (entries, damaged) = survey()
    for damage in damaged { warn("warning: a run is skipped: \(damage.failure)") }
    return entries
  }

  private func survey() -> (entries: [Entry], damaged: [Damage]) {
    var entries: [Entry] = []
    var damaged: [Damage] = []
    for id in names() {
      do throws(Failure) {
        if let entry = try entry(id) { entries.append(entry) }
      } catch {
        var failure = error
        failure.remedy = "Move the folder \(folder)/\(id) away."
        damaged.append(Damage(id: id, failure: failure))
      }
    }
    entries.sort { ($0.record.startedAt, $0.record.id) < ($1.record.startedAt, $1.record.id) }
    return (entries, damaged)
  }

  /// Writes a warning to standard error unless this process has written it before: a command may look at its runs
  /// several times.
  package static let warnOnce: @Sendable (String) -> Void = { line in
    if warned.withLock({ $0.insert(line).inserted }) { Terminal.standardError.line(line) }
  }

  private static let warned = Locked<Set<String>>([])

  /// The run of an id, of the beginning of one that only one has, or the `last` one.
  ///
  /// - Parameter condition: What holds of the runs that are meant by `last`.
  /// - Throws: `.inputMissing` where there is none, `.usage` where several begin so, `.inputMalformed` where the run is
  ///   damaged. A damaged one may be the last where it did not begin before the last of the others, by the time in its
  ///   id and then that of its record: to undo the run before it would be worse than an error.
  package func entry(
    named name: String,
    where condition: (Entry) -> Bool = { _ in true }
  ) throws(Failure) -> Entry {
    let (entries, damaged) = survey()
    if name.isIdentical(to: "last") {
      let last = entries.last(where: condition)
      if let latest = damaged.last, last.map({ !began($0.record, after: latest.id) }) ?? true {
        throw latest.failure
      }
      if let last {
        for damage in damaged { warn("warning: a run is skipped: \(damage.failure)") }
        return last
      }
    } else if let named = damaged.first(where: { $0.id.isIdentical(to: name) }) {
      throw named.failure
    }
    let matching = entries.filter { $0.record.id.hasPrefix(name) }
    if let exact = matching.first(where: { $0.record.id.isIdentical(to: name) }) { return exact }
    if matching.count > 1 {
      throw Failure(
        .usage,
        "find the run",
        path: name,
        cause: "\(matching.count) runs begin so",
        remedy: "Give more of the id; 'gymmigrate runs list' shows them."
      )
    }
    guard let found = matching.first else {
      if let named = damaged.first(where: { $0.id.hasPrefix(name) }) { throw named.failure }
      throw Failure(
        .inputMissing,
        "find the run",
        path: name,
        cause: "there is none in \(folder)",
        remedy: "'gymmigrate runs list' shows them; --state-dir says where they are."
      )
    }
    return found
  }

  /// Whether a run began after a damaged one: by the seconds in their ids, then by when that one's record was written.
  private func began(_ run: RunRecord, after damaged: String) -> Bool {
    let length = "20261121T020000Z".utf8.count
    let order = String(damaged.prefix(length)).compareUTF8(String(run.id.prefix(length)))
    if order != 0 { return order < 0 }
    guard let status = SystemCall.status(file("run.json", of: damaged)).status else { return false }
    let written = Timestamp(
      seconds: Int64(status.st_mtim.tv_sec),
      nanoseconds: Int32(status.st_mtim.tv_nsec)
    )
    return written.map { $0 < run.startedAt } ?? false
  }

  /// Keeps what was made of a run after its end.
  ///
  /// - Parameter undo: The run that undid it.
  /// - Throws: `.cannotWrite`.
  package func judge(_ id: String, as verdict: String, by undo: String? = nil) throws(Failure) {
    try Self.write(verdict, by: undo, to: file(Self.verdictFile, of: id))
  }

  /// Takes back what ``judge(_:as:by:)-(String,_,_)`` kept.
  package func withdrawVerdict(of id: String) { unlink(file(Self.verdictFile, of: id)) }

  private static let verdictFile = "verdict.json"

  /// Keeps what was made of a run that was to be resumed.
  ///
  /// - Throws: `.cannotWrite`.
  package static func judge(
    _ run: RunDirectory,
    as verdict: String,
    by undo: String? = nil
  ) throws(Failure) {
    try write(verdict, by: undo, to: run.file(verdictFile))
  }

  private static func write(_ verdict: String, by undo: String?, to path: String) throws(Failure) {
    var json = JSONWriter()
    json.object {
      $0.key("status")
      $0.string(verdict)
      guard let undo else { return }
      $0.key("undoneBy")
      $0.string(undo)
    }
    try JSONFile.write(json.bytes, to: path)
  }

  /// Checks that nobody but this user can have written what a run left.
  ///
  /// - Throws: `.notPermitted` in one line: the folder or a file of it leads elsewhere, belongs to another user, or may be
  ///   written by others.
  package func assertPrivate(_ record: RunRecord) throws(Failure) {
    try RunFolder("\(folder)/\(record.id)").assertPrivate()
  }

  /// Checks that a run is one that this user made, in the folder that it is in, so that its command and its database can be trusted.
  ///
  /// - Throws: As ``assertPrivate(_:)``; `.notPermitted` also for a folder that was copied or unpacked.
  package func assertOwn(_ record: RunRecord) throws(Failure) {
    try assertPrivate(record)
    try RunFolder("\(folder)/\(record.id)").assertMade(by: record)
  }

  /// Whether ``assertOwn(_:)`` holds.
  package func isOwn(_ record: RunRecord) -> Bool {
    do throws(Failure) {
      try assertOwn(record)
      return true
    } catch {
      return false
    }
  }

  /// The path of a file of a run.
  package func file(_ name: String, of id: String) -> String { "\(folder)/\(id)/\(name)" }

  /// The names of the files of a run, sorted.
  package func files(of id: String) -> [String] { Self.names(in: "\(folder)/\(id)") }

  private func entry(_ id: String) throws(Failure) -> Entry? {
    let record = try JSONFile.read(file("run.json", of: id)) { json throws(WireError) in try RunRecord(json) }
    guard let record else { return nil }
    // What is written for a run is written to the folder of its id.
    if !record.id.isIdentical(to: id) {
      throw Failure(
        .inputMalformed,
        "read",
        path: file("run.json", of: id),
        cause: "it is of run \(record.id), and not of that of its folder"
      )
    }
    let isRunning = isLocked(file("operation.log", of: id))
    let ending = try JSONFile.read(file("summary.json", of: id)) { json throws(WireError) in
      var collections: [RunSummary.Collection] = []
      if let list = json["collections"] {
        for element in list.elements { collections.append(try RunSummary.Collection(element)) }
      }
      return CommandResult(
        status: json["status"]?.string ?? "",
        exitCode: json["exitCode"].flatMap { WireDecoder.count($0) } ?? 0,
        totals: collections.reduce(DocumentCounts()) { $0 + $1.counts },
        collections: collections,
        error: json["error"]?.string
      )
    }
    let verdict = try JSONFile.read(file(Self.verdictFile, of: id)) { json in
      (status: json["status"]?.string, undoneBy: json["undoneBy"]?.string)
    }
    return Entry(
      record: record,
      ending: ending,
      isRunning: isRunning,
      verdict: verdict?.status,
      undoneBy: verdict?.undoneBy
    )
  }

  private func names() -> [String] { Self.names(in: folder) }

  private static func names(in folder: String) -> [String] {
    guard let handle = opendir(folder) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let item = readdir(handle) {
      let name = withUnsafePointer(to: &item.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private func isLocked(_ path: String) -> Bool {
    let (descriptor, _) = SystemCall.open(path, O_RDONLY)
    if descriptor < 0 { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0
  }
}
