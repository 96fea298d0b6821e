import Files
import Platform

/// What a run left behind for resuming, read and checked before anything is changed.
struct Resumption: Sendable {
  /// The checkpoint to continue from; nil to begin at the start.
  let checkpoint: Checkpoint?
  /// The head of the journal; nil if the run ended before writing it, and thus before any write.
  var head: JournalReader.Head?
  var tail = JournalTail()
  /// The length of the journal's head in bytes.
  var headLength = 0
  /// The length of the journal's complete lines in bytes.
  var length = 0
  /// The number of the torn line; see ``JournalReader/tornLine``.
  var tornLine: Int?

  /// Reads the files of a run.
  ///
  /// - Parameter fromStart: Whether the run reads the stage that it had begun again, as ``Checkpoint/atBeginning``.
  /// - Throws: `.inputMalformed` if the files do not fit together.
  init(of run: String, in folder: String, fromStart: Bool = false) throws(Failure) {
    let saved: Checkpoint?
    do throws(Failure) {
      saved = try JSONFile.read("\(folder)/checkpoint.json", as: Checkpoint.self)
    } catch {
      throw error.advising(Self.remedy(folder))
    }
    checkpoint = fromStart ? saved?.atBeginning : saved
    let path = "\(folder)/journal.jsonl"
    if SystemCall.status(path).status != nil { try readJournal(path) }
    if let head, !head.run.isIdentical(to: run) { throw Self.damaged(path, "it is of run \(head.run)") }
    if head == nil, length > 0 { throw Self.damaged(path, "its first line is missing") }
    if let checkpoint, length < checkpoint.journal {
      throw Self.damaged(path, "it ends before byte \(checkpoint.journal), where checkpoint.json continues")
    }
    for list in RunDirectory.allLists(in: folder) {
      let length = checkpoint?.lists[list] ?? 0
      let size = SystemCall.status("\(folder)/\(list)").status.map { Int($0.st_size) } ?? 0
      if size >= length { continue }
      throw Self.damaged(
        "\(folder)/\(list)",
        "it ends before byte \(length), where checkpoint.json continues"
      )
    }
    do throws(Failure) {
      try RunFolder(folder).assertWholeJournal()
    } catch {
      throw error.advising(Self.remedy(folder))
    }
  }

  /// Returns the failure for a file that does not fit its run.
  static func damaged(_ path: String, _ cause: String) -> Failure {
    Failure(
      .inputMalformed,
      "resume from",
      path: path,
      cause: cause,
      remedy: remedy(FilePaths.folder(of: path))
    )
  }

  /// The remedy for a run that cannot be resumed, because repeating the command would only try to resume it again.
  private static func remedy(_ folder: String) -> String {
    "Move the folder \(folder) away and run the command again: documents already written are detected and skipped."
  }
}
