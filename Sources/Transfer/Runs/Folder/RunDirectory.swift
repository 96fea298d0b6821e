package import Files
import Platform
import TypedDocuments

/// The directory of one run, `STATE-DIR/runs/RUN-ID`: record, log, lists, journal, checkpoint and summary.
///
/// Folders and files are readable only by their owner, because rejects and reviews contain personal data. The log is locked
/// for the lifetime of the run's process.
package final class RunDirectory: Sendable {
  /// The lists whose lengths a checkpoint records.
  static let lists = [
    "findings.csv", "findings.jsonl", "rejects.jsonl", "review.csv", "references.jsonl", "warnings.csv",
  ]

  /// The run ID: the start time in UTC, the command and four random letters.
  package let id: String
  /// The path of the directory.
  package let path: String
  /// `operation.log`.
  package let log: AppendOnlyFile
  /// The record of a resumed run; nil for a new one.
  package let resumed: RunRecord?

  /// What a resumed run continues from; nil for a new one.
  let resumption: Resumption?

  /// Whether the run is resumed.
  package var isResumed: Bool { resumed != nil }

  /// The number of the journal line that was torn when the run was resumed; nil if there was none.
  package var tornLine: Int? { resumption?.tornLine }

  /// Creates the directory of a new run.
  ///
  /// - Parameters:
  ///   - stateDirectory: The state directory, which is created if missing.
  ///   - command: The command's first word.
  /// - Throws: `.cannotWrite`.
  package init(in stateDirectory: String, command: String) throws(Failure) {
    try Self.makeDirectory(stateDirectory)
    try Self.makeDirectory("\(stateDirectory)/runs")
    // An existing folder belongs to another run.
    var id = Self.newID(command)
    while try !Self.makeDirectory("\(stateDirectory)/runs/\(id)") { id = Self.newID(command) }
    self.id = id
    path = "\(stateDirectory)/runs/\(id)"
    resumed = nil
    resumption = nil
    log = try AppendOnlyFile("\(path)/operation.log")
    _ = log.lock()
  }

  /// Creates the directory of a new run whose ID is already known.
  ///
  /// - Throws: `.cannotWrite`, including if it exists.
  package init(named id: String, in stateDirectory: String) throws(Failure) {
    try Self.makeDirectory(stateDirectory)
    try Self.makeDirectory("\(stateDirectory)/runs")
    self.id = id
    path = "\(stateDirectory)/runs/\(id)"
    guard try Self.makeDirectory(path) else { throw Failure.cannotWrite(path, "it exists already") }
    resumed = nil
    resumption = nil
    log = try AppendOnlyFile("\(path)/operation.log")
    _ = log.lock()
  }

  /// Resumes a run, deleting its previous summary.
  ///
  /// - Parameters:
  ///   - record: The run's record, as returned by ``RunHistory``.
  ///   - fromStart: Whether it reads the stage that it had begun again; its own writes are recognized nevertheless.
  /// - Throws: `.tryLater` if its process is alive, and `.inputMalformed` if its files are inconsistent; then nothing is
  ///   changed. `.cannotWrite`.
  package init(
    resuming record: RunRecord,
    in stateDirectory: String,
    fromStart: Bool = false
  ) throws(Failure) {
    id = record.id
    path = "\(stateDirectory)/runs/\(id)"
    resumed = record
    log = try AppendOnlyFile("\(path)/operation.log")
    // Listing runs briefly takes the lock.
    var isLocked = log.lock()
    for _ in 0..<10 where !isLocked {
      usleep(20_000)
      isLocked = log.lock()
    }
    if !isLocked {
      throw Failure(
        .tryLater,
        "resume",
        path: id,
        cause: "it is running",
        remedy: "Wait until it ends, or stop it first."
      )
    }
    resumption = try Resumption(of: id, in: path, fromStart: fromStart)
    if let head = resumption?.head, head.database != record.database {
      throw Resumption.damaged(
        file("journal.jsonl"),
        "it is of \(head.database), and run.json of \(record.database)"
      )
    }
    // A run without a summary counts as running or killed.
    try cut("summary.json", to: 0)
  }

  /// Copies the files of a run, whose process may still be alive, to another state directory, where it can be resumed.
  ///
  /// The summary and the checkpoint are copied first, so that the files that are copied after them contain everything that
  /// they count.
  ///
  /// - Throws: `.notPermitted` if this user did not make the run; `.cannotWrite`, `.inputMissing`.
  package static func copy(
    _ record: RunRecord,
    from stateDirectory: String,
    to other: String
  ) throws(Failure) {
    try RunHistory(in: stateDirectory).assertOwn(record)
    let (source, target) = ("\(stateDirectory)/runs/\(record.id)", "\(other)/runs/\(record.id)")
    try makeDirectory(other)
    try makeDirectory("\(other)/runs")
    try makeDirectory(target)
    let first = ["summary.json", "checkpoint.json"]
    for name in first { try copy(name, from: source, to: target) }
    for name in FilePaths.names(in: source) where !first.contains(where: { name.isIdentical(to: $0) }) {
      try copy(name, from: source, to: target)
    }
    try write(record, in: target)
  }

  /// Copies a regular file from one folder to another; anything else is left out.
  private static func copy(_ name: String, from source: String, to target: String) throws(Failure) {
    guard SystemCall.status("\(source)/\(name)").status?.isRegularFile ?? false else { return }
    try OutputFile.copy("\(source)/\(name)", to: "\(target)/\(name)")
  }

  /// The document counts with which a resumed run continues.
  package var restoredCounts: [RunSummary.Collection] { resumption?.checkpoint?.collections ?? [] }

  /// A log handler that writes to `operation.log`.
  package var logHandler: LineLogHandler { LineLogHandler(log) }

  /// Returns the path of a file in the directory.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes `run.json` atomically, with the identity that distinguishes this directory from a copy.
  ///
  /// - Throws: `.cannotWrite`.
  package func write(_ record: RunRecord) throws(Failure) { try Self.write(record, in: path) }

  private static func write(_ record: RunRecord, in folder: String) throws(Failure) {
    var record = record
    record.folder = RunFolder(folder).identity
    try JSONFile.write(Secrets.redacted(record.json), to: "\(folder)/run.json")
  }

  /// Writes `summary.json` atomically.
  ///
  /// - Throws: `.cannotWrite`.
  package func write(_ summary: RunSummary) throws(Failure) {
    try JSONFile.write(Secrets.redacted(summary.json), to: file("summary.json"))
  }

  /// Writes `checkpoint.json` atomically.
  ///
  /// - Throws: `.cannotWrite`.
  func write(_ checkpoint: Checkpoint) throws(Failure) {
    try JSONFile.write(checkpoint.json, to: file("checkpoint.json"))
  }

  /// The names of the lists that exist or may be created.
  package var allLists: [String] { Self.allLists(in: path) }

  /// Returns the same as ``allLists`` for the run in a folder.
  static func allLists(in folder: String) -> [String] {
    lists + FilePaths.names(in: folder).filter { $0.hasPrefix("rejects") && $0.hasSuffix(".csv") }
  }

  /// Syncs a list and returns its length in bytes, 0 if it does not exist.
  func synchronizedLength(of list: String) throws(Failure) -> Int {
    guard SystemCall.status(file(list)).status != nil else { return 0 }
    let file = try AppendOnlyFile(file(list))
    try file.sync()
    return file.length
  }

  /// Truncates a list, and deletes it at length 0; a missing list stays missing.
  func cut(_ list: String, to length: Int) throws(Failure) {
    let path = file(list)
    guard SystemCall.status(path).status != nil else { return }
    let code = length == 0 ? unlink(path) : truncate(path, off_t(length))
    if code != 0 { throw Failure.cannotWrite(path, errno: errno) }
  }

  /// Returns an ID for a new run.
  ///
  /// - Parameter command: The command's first word.
  package static func newID(_ command: String) -> String {
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    let chance = String((0..<4).map { _ in letters[Int.random(in: letters.indices)] })
    let time = Timestamp.now.description.prefix(19).filter { $0 != "-" && $0 != ":" }
    return "\(time)Z-\(command)-\(chance)"
  }

  /// Creates the state directory, or a folder in it; returns false if something with that name exists, which is checked only
  /// when files are created in it.
  ///
  /// - Throws: `.cannotWrite`.
  @discardableResult
  package static func makeDirectory(_ path: String) throws(Failure) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    if errno == EEXIST { return false }
    throw Failure(
      .cannotWrite,
      "create the folder",
      path: path,
      cause: String(cString: strerror(errno)),
      remedy: "Choose another folder with --state-dir."
    )
  }
}

/// A list of a run, such as its rejects, that is created with its first line.
///
/// After a failed write it accepts no further lines.
package final class LineList: Sendable {
  /// The path of the file, which exists once a line has been added.
  package let path: String
  private let header: [UInt8]
  private let file = Once<AppendOnlyFile>()

  /// Creates a list with a header, which is written before the first line.
  package init(_ path: String, header: [UInt8] = []) {
    self.path = path
    self.header = header
  }

  /// Appends a line that includes its line feed.
  ///
  /// - Throws: `.cannotWrite`.
  package func append(_ line: [UInt8]) throws(Failure) {
    // If another migration of the run has already created the list, it has a header.
    try file.value { () throws(Failure) in try AppendOnlyFile(path, header: header) }.append(line)
  }
}
