import Configuration
import Platform
import Shards
import Storage

/// The place where `shard` works: a folder in a file system that all tasks share, or one in a bucket.
struct ShardPlace: Sendable {
  let text: String
  let store: any ObjectStore
  /// The folder; nil for a bucket, which only stores entire objects.
  let folder: String?
  /// Makes the requests to a bucket, as long as the place is in use.
  private let storage: CloudStorage?

  var shards: ShardFolder { ShardFolder(store) }

  /// Opens a place.
  ///
  /// - Parameters:
  ///   - creates: Whether to create a missing folder.
  ///   - connection: The connection whose credentials are used for a bucket; nil to find credentials automatically.
  /// - Throws: `.inputMissing`, `.cannotWrite`; `.usage` for a place that is not a folder; `.configuration` if there are no
  ///   credentials.
  init(_ text: String, creates: Bool = false, connection: ConnectionSettings? = nil) throws(Failure) {
    self.text = text
    if let storage = try StorageAccess(for: [text], connection).storage {
      store = try storage.store(at: text)
      folder = nil
      self.storage = storage
      return
    }
    storage = nil
    if text.isEmpty || text == "-" || text.contains("://") {
      throw Failure(
        .usage,
        "use the place",
        path: text,
        cause: "it is not a folder",
        remedy: "Name a folder that all tasks see, or gs://BUCKET/FOLDER."
      )
    }
    // Runs change their working directory, and tasks run on other machines.
    let path = text.hasPrefix("/") ? text : "\(CommandLineText.workingDirectory)/\(text)"
    let local = creates ? try LocalObjectStore(creating: path) : try LocalObjectStore(path)
    store = local
    folder = local.folder
  }

  /// Returns what counts the bill of all tasks, and holds it to the bounds; nil for a bucket.
  func bill(of run: JobRun) throws(Failure) -> ShardBill? {
    guard let folder else { return nil }
    let environments = try run.sides.map { side throws(Failure) in try EnvironmentResolver(side).environment()
    }
    let limits = environments.compactMap { environment in
      environment.limits.map { (name: "'limits' of \(environment.name)", bound: $0.run) }
    }
    return ShardBill(in: folder, limits: limits)
  }

  /// Whether the tasks count what they are billed, because something bounds it.
  var hasBill: Bool { folder.map { ShardBill.exists(in: $0) } ?? false }

  /// Returns the folder in which a range keeps its run folder and its unfinished output.
  ///
  /// - Parameter stateDir: The state directory of this machine, for a place that only stores entire objects.
  func workFolder(of range: Int, in plan: ShardPlan, stateDir: String) throws(Failure) -> String {
    let task = ShardFolder.digits(plan.task(of: range))
    let base = folder.map { "\($0)/tasks/\(task)" } ?? "\(stateDir)/shards/\(plan.run)/\(task)"
    let name = ShardFolder.digits(range)
    let path = "\(base)/\(Self.lastFolders(in: base)[name] ?? name)"
    _ = try LocalObjectStore(creating: path)
    return path
  }

  /// Moves a range to another folder, because the process that lost it may still write to this one.
  ///
  /// What that process has recorded is copied, so that the run is resumed with its counts and its journal.
  ///
  /// - Returns: The new folder.
  static func moved(_ folder: String, with run: RunRecord) throws(Failure) -> String {
    let base = FilePaths.folder(of: folder)
    let name = FilePaths.name(of: folder)
    let next = "\(base)/\(name.prefix { $0 != "-" })-\(moves(of: name) + 1)"
    // Copied under another name first, so that the new folder is complete: a name with a dot is not a range.
    let unfinished = "\(next).copy"
    _ = try LocalObjectStore(creating: unfinished)
    try RunDirectory.copy(run, from: folder, to: unfinished)
    if rename(unfinished, next) != 0 { throw Failure.cannotWrite(next, errno: errno) }
    return next
  }

  /// Returns the names of folders of ranges by the ranges' digits; for a moved range, the last one.
  private static func lastFolders(in folder: String) -> [String: String] {
    var last: [String: String] = [:]
    for name in FilePaths.names(in: folder) where !name.utf8.contains(UInt8(ascii: ".")) {
      let range = String(name.prefix { $0 != "-" })
      if last[range].map({ moves(of: $0) <= moves(of: name) }) ?? true { last[range] = name }
    }
    return last
  }

  /// How often a range was moved to a folder of another name.
  private static func moves(of name: String) -> Int {
    Int(name.drop { $0 != "-" }.dropFirst()) ?? 0
  }

  /// Refuses a range that has begun to write and whose run folder is not here: what it wrote would not be known.
  ///
  /// - Parameter hasRun: Whether a run is in its folder.
  /// - Throws: `.inputMissing`.
  func assertHere(_ range: ShardPlan.Range, in path: String, hasRun: Bool) throws(Failure) {
    guard let folder else { return }
    let begun = Self.lastFolders(in: "\(folder)/\(ShardFolder.begun)")
    try Self.assertHere(range, in: path, hasRun: hasRun, begun)
  }

  private static func assertHere(
    _ range: ShardPlan.Range,
    in path: String,
    hasRun: Bool,
    _ begun: [String: String]
  ) throws(Failure) {
    guard let name = begun[ShardFolder.digits(range.number)],
      !hasRun || moves(of: FilePaths.name(of: path)) < moves(of: name)
    else { return }
    throw missing("\(FilePaths.folder(of: path))/\(name)", "range \(range.number) has begun to write")
  }

  /// Returns the journals of all ranges of a run, with the IDs of their runs.
  ///
  /// - Throws: `.inputMissing` if that of a range that has begun to write is missing, or the plan; `.inputMalformed` if one has
  ///   lost its end, or the files of a range are damaged; `.notPermitted` if another user may have written one.
  static func journals(of run: String, in folder: String) throws(Failure) -> [(path: String, run: String)] {
    let file = "\(folder)/\(ShardPlan.fileName)"
    guard let plan = try JSONFile.read(file, as: ShardPlan.self) else {
      throw missing(file, "the run was divided by it")
    }
    guard plan.run.isIdentical(to: run) else { throw .malformed(file, "it is of run \(plan.run)") }
    let isFinished = FileCheck.exists("\(folder)/runs/\(run)/summary.json")
    let begun = lastFolders(in: "\(folder)/\(ShardFolder.begun)")
    if FileCheck.exists("\(folder)/\(ShardFolder.ramp)"), !FileCheck.exists("\(folder)/tasks") {
      throw missing("\(folder)/tasks", "a task has begun")
    }
    var journals: [(path: String, run: String)] = []
    for task in 0..<plan.tasks {
      let base = "\(folder)/tasks/\(ShardFolder.digits(task))"
      let folders = lastFolders(in: base)
      for range in plan.ranges(of: task) {
        let name = ShardFolder.digits(range.number)
        let path = "\(folder)/\(ShardFolder.resultName(range.number))"
        let result = try JSONFile.read(path, as: ShardResult.self)
        if result == nil, isFinished { throw missing(path, "the run is finished") }
        let place = "\(base)/\(folders[name] ?? name)"
        let own = try Self.journals(in: place, result)
        try assertHere(range, in: place, hasRun: !own.isEmpty, begun)
        if own.isEmpty, let written = result?.totals.written, written > 0 {
          let count = NumberText.counted(written, "document")
          throw missing("\(base)/\(name)", "range \(range.number) of task \(task) wrote \(count)")
        }
        journals += own
      }
    }
    return journals
  }

  /// Returns the journals in the folder of a range; several if one of its runs was refused.
  private static func journals(
    in range: String,
    _ result: ShardResult?
  ) throws(Failure) -> [(path: String, run: String)] {
    let history = RunHistory(in: range)
    let runs = FilePaths.names(in: "\(range)/runs").filter { !$0.hasPrefix(".") }
    var journals: [(path: String, run: String)] = []
    for id in runs {
      let path = history.file("journal.jsonl", of: id)
      let hasJournal = FileCheck.exists(path)
      if !hasJournal, !FileCheck.exists(history.file("run.json", of: id)) { continue }
      let record = try history.entry(named: id).record
      try history.assertPrivate(record)
      try history.assertWholeJournal(record, atLeast: runs.count == 1 ? result?.journalBytes ?? 0 : 0)
      if try JournalReader.hasHead(path) { journals.append((path, id)) }
    }
    return journals
  }

  private static func missing(_ path: String, _ cause: String) -> Failure {
    Failure(
      .inputMissing,
      "find the journals of the run",
      path: path,
      cause: "it is not here, and \(cause)",
      remedy: "Get the whole folder; without it, 'gymmigrate restore' puts back what was there before."
    )
  }

  /// Refuses while a task is running.
  ///
  /// - Throws: `.tryLater` naming it.
  func assertNobodyWorks() async throws(Failure) {
    let plan = try await shards.plan()
    let state = try await ShardState(of: plan, in: shards)
    guard let task = state.tasks.first(where: { $0.status == .working }) else { return }
    throw Failure(
      .tryLater,
      "undo",
      path: plan.run,
      cause: "\(task.holder ?? "somebody") works on task \(task.number)",
      remedy: "Stop its tasks first, and wait a minute."
    )
  }
}
