package import Files
package import FirestoreModels
import Platform

/// The folder of one run, `STATE-DIR/runs/RUN-ID`: its record, its log, its lists, its journal and checkpoint, its
/// summary.
///
/// Folders and files are readable by their owner alone, because rejects and reviews hold people's data. As long as the
/// process of a run lives, the log is locked.
package final class RunDirectory: Sendable {
  /// The lists that a checkpoint keeps the length of.
  static let lists = ["findings.csv", "findings.jsonl", "rejects.jsonl", "review.csv", "references.jsonl"]

  /// The run's id: when it began, in UTC, the command, and four letters of chance.
  package let id: String
  /// The folder.
  package let path: String
  /// `operation.log`.
  package let log: AppendOnlyFile
  /// What it was asked to do, where it is resumed.
  package let resumed: RunRecord?

  /// The checkpoint that it resumes from.
  let resumption: Resumption?

  /// Whether the run is resumed.
  package var isResumed: Bool { resumed != nil }

  /// The line of its journal that was torn and stepped over when it was resumed; nil where none was.
  package var tornLine: Int? { resumption?.tornLine }

  /// Makes the folder of a new run.
  ///
  /// - Parameters:
  ///   - stateDirectory: Made where it is missing.
  ///   - command: The command's first word.
  /// - Throws: `.cannotWrite`.
  package init(in stateDirectory: String, command: String) throws(Failure) {
    try Self.makeDirectory(stateDirectory)
    try Self.makeDirectory("\(stateDirectory)/runs")
    // A folder that is there belongs to another run.
    var id = Self.newID(command)
    while try !Self.makeDirectory("\(stateDirectory)/runs/\(id)") { id = Self.newID(command) }
    self.id = id
    path = "\(stateDirectory)/runs/\(id)"
    resumed = nil
    resumption = nil
    log = try AppendOnlyFile("\(path)/operation.log")
    _ = log.lock()
  }

  /// Takes up a run again; how it ended before is forgotten.
  ///
  /// - Parameters:
  ///   - record: The run's own, as ``RunHistory`` found it.
  ///   - fromStart: Whether it reads everything once more; its own writes are recognised all the same.
  /// - Throws: `.tryLater` where its process is alive, and `.inputMalformed` where its files are not what a run leaves;
  ///   nothing is changed then. `.cannotWrite`.
  package init(
    resuming record: RunRecord,
    in stateDirectory: String,
    fromStart: Bool = false
  ) throws(Failure) {
    id = record.id
    path = "\(stateDirectory)/runs/\(id)"
    resumed = record
    log = try AppendOnlyFile("\(path)/operation.log")
    // Whoever lists the runs has the lock for a moment.
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
        remedy: "Wait for its end, or stop it first."
      )
    }
    resumption = try Resumption(of: id, in: path, fromStart: fromStart)
    if let head = resumption?.head, head.database != record.database {
      throw Resumption.damaged(
        file("journal.jsonl"),
        "it is of \(head.database), and run.json of \(record.database)"
      )
    }
    // Until it ends again it is running, or was killed.
    try cut("summary.json", to: 0)
  }

  /// The counts that it resumes from.
  package var restoredCounts: [RunSummary.Collection] { resumption?.checkpoint?.collections ?? [] }

  /// Log lines into `operation.log`.
  package var logHandler: FileLogHandler { FileLogHandler(log) }

  /// The path of a file in the folder.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes `run.json`, whole or not at all, with what distinguishes this folder from a copy of it.
  ///
  /// - Throws: `.cannotWrite`.
  package func write(_ record: RunRecord) throws(Failure) {
    var record = record
    record.folder = RunFolder(path).identity
    try JSONFile.write(Secrets.redacted(record.json), to: file("run.json"))
  }

  /// Writes `summary.json`, whole or not at all.
  ///
  /// - Throws: `.cannotWrite`.
  package func write(_ summary: RunSummary) throws(Failure) {
    try JSONFile.write(Secrets.redacted(summary.json), to: file("summary.json"))
  }

  /// Writes `checkpoint.json`, whole or not at all.
  ///
  /// - Throws: `.cannotWrite`.
  func write(_ checkpoint: Checkpoint) throws(Failure) {
    try JSONFile.write(checkpoint.json, to: file("checkpoint.json"))
  }

  /// The lists that there are, and those that there may be.
  package var allLists: [String] { Self.allLists(in: path) }

  /// As ``allLists``, of the run in a folder.
  static func allLists(in folder: String) -> [String] {
    lists + FilePaths.names(in: folder).filter { $0.hasPrefix("rejects") && $0.hasSuffix(".csv") }
  }

  /// Brings a list to the disk: its length in bytes, 0 where there is none.
  func synchronizedLength(of list: String) throws(Failure) -> Int {
    guard SystemCall.status(file(list)).status != nil else { return 0 }
    let file = try AppendOnlyFile(file(list))
    try file.sync()
    return file.length
  }

  /// Cuts a list to a length; one that is not there stays so.
  func cut(_ list: String, to length: Int) throws(Failure) {
    let path = file(list)
    guard SystemCall.status(path).status != nil else { return }
    let code = length == 0 ? unlink(path) : truncate(path, off_t(length))
    if code != 0 { throw Failure.cannotWrite(path, errno: errno) }
  }

  /// Makes the folder of runs and of the embedded store where it is missing.
  ///
  /// - Throws: `.cannotWrite`.
  package static func makeStateDirectory(_ path: String) throws(Failure) {
    try makeDirectory(path)
  }

  private static func newID(_ command: String) -> String {
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    let chance = String((0..<4).map { _ in letters[Int.random(in: letters.indices)] })
    let time = Timestamp.now.description.prefix(19).filter { $0 != "-" && $0 != ":" }
    return "\(time)Z-\(command)-\(chance)"
  }

  /// Makes a folder; false where there is something of that name, which is found out by what is made in it.
  @discardableResult
  private static func makeDirectory(_ path: String) throws(Failure) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    if errno == EEXIST { return false }
    throw Failure(
      .cannotWrite,
      "make the folder",
      path: path,
      cause: String(cString: strerror(errno)),
      remedy: "Choose another with --state-dir."
    )
  }
}

/// A list of a run that is made when its first line comes: rejects, reviews.
///
/// Once a line could not be written, it takes no other.
package final class LineList: Sendable {
  /// Where it is, once there is a line in it.
  package let path: String
  private let header: [UInt8]
  private let file = Once<AppendOnlyFile>()

  /// Names a list, and its header.
  package init(_ path: String, header: [UInt8] = []) {
    self.path = path
    self.header = header
  }

  /// Appends a line, given with its end.
  ///
  /// - Throws: `.cannotWrite`.
  package func append(_ line: [UInt8]) throws(Failure) {
    // A list that was begun before, by another migration of the run, has its header.
    try file.value { () throws(Failure) in try AppendOnlyFile(path, header: header) }.append(line)
  }
}
