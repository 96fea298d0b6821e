public import Models

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The folder of one run, `STATE-DIR/runs/RUN-ID`: its log, its lists and its summary.
///
/// Folders and files are readable by their owner alone, because rejects and reviews hold people's data.
public final class RunDirectory: Sendable {
  /// The run's id: when it began, in UTC, the command, and four letters of chance.
  public let id: String
  /// The folder.
  public let path: String
  /// `operation.log`.
  public let log: AppendOnlyFile

  /// Makes the folder of a new run.
  ///
  /// - Parameters:
  ///   - stateDirectory: Made where it is missing.
  ///   - command: The command's first word.
  /// - Throws: `.cannotWrite`.
  public init(in stateDirectory: String, command: String) throws(Failure) {
    try Self.makeDirectory(stateDirectory)
    try Self.makeDirectory("\(stateDirectory)/runs")
    // A folder that is there belongs to another run.
    var id = Self.newID(command)
    while try !Self.makeDirectory("\(stateDirectory)/runs/\(id)") { id = Self.newID(command) }
    self.id = id
    path = "\(stateDirectory)/runs/\(id)"
    log = try AppendOnlyFile("\(path)/operation.log")
  }

  /// Log lines into `operation.log`.
  public var logHandler: FileLogHandler { FileLogHandler(log) }

  /// The path of a file in the folder.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes `summary.json`, whole or not at all.
  ///
  /// - Throws: `.cannotWrite`.
  public func write(_ summary: RunSummary) throws(Failure) {
    let temporary = file("summary.json.part")
    unlink(temporary)
    let new = try AppendOnlyFile(temporary)
    try new.append(summary.json + [UInt8(ascii: "\n")])
    try new.sync()
    if rename(temporary, file("summary.json")) != 0 {
      throw Failure(
        .cannotWrite,
        "write",
        path: file("summary.json"),
        cause: String(cString: strerror(errno))
      )
    }
  }

  /// Makes the folder of runs and of the embedded store where it is missing.
  ///
  /// - Throws: `.cannotWrite`.
  public static func makeStateDirectory(_ path: String) throws(Failure) {
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
public final class LazyList: Sendable {
  /// Where it is, once there is a line in it.
  public let path: String
  private let header: [UInt8]
  private let file = Once<AppendOnlyFile>()

  /// Names a list, and what stands before its first line.
  public init(_ path: String, header: [UInt8] = []) {
    self.path = path
    self.header = header
  }

  /// Appends a line, given with its end.
  ///
  /// - Throws: `.cannotWrite`.
  public func append(_ line: [UInt8]) throws(Failure) {
    let file = try file.value { () throws(Failure) in
      let file = try AppendOnlyFile(path)
      // A list that was begun before, by another migration of the run, has its header.
      if file.isEmpty { try file.append(header) }
      return file
    }
    try file.append(line)
  }
}
