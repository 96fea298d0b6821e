import Platform
import Shards
import Storage

/// The place that `shard` works in: a folder of a file system that all tasks see, or one of a bucket.
struct ShardPlace: Sendable {
  /// What was typed.
  let text: String
  let store: any ObjectStore
  /// The folder; nil for a bucket, where nothing but whole objects can be kept.
  let folder: String?
  /// What the requests to a bucket are made with, as long as the place is in use.
  private let storage: CloudStorage?

  var shards: ShardFolder { ShardFolder(store) }

  /// Opens a place.
  ///
  /// - Parameters:
  ///   - creates: Whether a missing folder is created.
  ///   - connection: The connection whose credentials sign for a bucket; nil for those that are found by themselves.
  /// - Throws: `.inputMissing`, `.cannotWrite`; `.usage` for a place that is not a folder; `.configuration` where
  ///   nobody can sign.
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
    // Runs change their working directory, and so do tasks on other machines.
    let path = text.hasPrefix("/") ? text : "\(CommandLineText.workingDirectory)/\(text)"
    let local = creates ? try LocalObjectStore(creating: path) : try LocalObjectStore(path)
    store = local
    folder = local.folder
  }

  /// The folder in which a range keeps its run folder and its unfinished output.
  ///
  /// - Parameter stateDir: The state directory of this machine, for a place that keeps whole objects only.
  func workFolder(of range: Int, in plan: ShardPlan, stateDir: String) throws(Failure) -> String {
    let task = ShardFolder.digits(plan.task(of: range))
    let base = folder.map { "\($0)/tasks/\(task)" } ?? "\(stateDir)/shards/\(plan.run)/\(task)"
    let name = ShardFolder.digits(range)
    let path = "\(base)/\(Self.lastFolders(in: base)[name] ?? name)"
    _ = try LocalObjectStore(creating: path)
    return path
  }

  /// Moves a range to another folder, because the process that lost it may still write into this one.
  ///
  /// What that process has recorded goes along, so that the run is resumed with its counts and its journal.
  ///
  /// - Returns: The folder.
  static func moved(_ folder: String, with run: RunRecord) throws(Failure) -> String {
    let base = FilePaths.folder(of: folder)
    let parts = folder.dropFirst(base.utf8.count + 1).split(separator: "-")
    let next = "\(base)/\(parts[0])-\((parts.count > 1 ? Int(parts[1]) ?? 0 : 0) + 1)"
    // Whole or not there: a name with a dot is no range.
    let unfinished = "\(next).copy"
    _ = try LocalObjectStore(creating: unfinished)
    try RunDirectory.copy(run, from: folder, to: unfinished)
    if rename(unfinished, next) != 0 { throw Failure.cannotWrite(next, errno: errno) }
    return next
  }

  /// The folders of the ranges of a task, by the ranges' digits; of one that was moved, the last.
  private static func lastFolders(in task: String) -> [String: String] {
    var last: [String: (name: String, moves: Int)] = [:]
    for name in FilePaths.names(in: task) where !name.utf8.contains(UInt8(ascii: ".")) {
      let parts = name.split(separator: "-").map(String.init)
      guard let range = parts.first else { continue }
      let moves = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
      if moves >= last[range]?.moves ?? 0 { last[range] = (name, moves) }
    }
    return last.mapValues(\.name)
  }

  /// Returns the journals of all ranges, with the IDs of their runs.
  ///
  /// - Throws: `.notPermitted` where somebody else may have written one.
  static func journals(in folder: String) throws(Failure) -> [(path: String, run: String)] {
    var journals: [(path: String, run: String)] = []
    for task in FilePaths.names(in: "\(folder)/tasks") {
      for range in lastFolders(in: "\(folder)/tasks/\(task)").values.sorted() {
        let history = RunHistory(in: "\(folder)/tasks/\(task)/\(range)")
        for entry in history.entries() {
          let path = history.file("journal.jsonl", of: entry.record.id)
          guard FileCheck.exists(path) else { continue }
          try history.assertPrivate(entry.record)
          journals.append((path, entry.record.id))
        }
      }
    }
    return journals
  }

  /// Refuses while a task works.
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
