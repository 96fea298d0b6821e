import Files
import FirestoreModels
import Runs
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
  init(_ text: String, creates: Bool = false, connection: ConnectionOptions? = nil) throws(Failure) {
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
    let path = "\(base)/\(ShardFolder.digits(range))"
    _ = try LocalObjectStore(creating: path)
    return path
  }

  /// Returns the journals of all ranges, with the IDs of their runs.
  ///
  /// - Throws: `.notPermitted` where somebody else may have written one.
  static func journals(in folder: String) throws(Failure) -> [(path: String, run: String)] {
    var journals: [(path: String, run: String)] = []
    for task in FilePaths.names(in: "\(folder)/tasks") {
      for range in FilePaths.names(in: "\(folder)/tasks/\(task)") {
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
