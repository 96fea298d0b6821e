import Files
import FirestoreModels
import Platform

/// What a run that ended early left to resume from, read and checked before anything of it is touched.
struct Resumption: Sendable {
  /// The last checkpoint; nil where the run ended before the first.
  let checkpoint: Checkpoint?
  /// The first line of the journal; nil where the run ended before it had one, and so before it wrote anything.
  let head: JournalReader.Head?
  /// The writes that no checkpoint has counted: those of the part that is resumed, and of each later one.
  let tails: [JournalTail]
  /// As ``Checkpoint/begun``.
  let begun: [Checkpoint.Beginning]
  /// Bytes of the journal's first line.
  let headLength: Int
  /// Bytes of the journal's whole lines.
  let length: Int
  /// As ``JournalReader/tornLine``.
  let tornLine: Int?

  /// Reads the files of a run.
  ///
  /// - Parameter fromStart: Whether the run reads everything once more, so that no checkpoint counts.
  /// - Throws: `.inputMalformed` where they are not what a run leaves.
  init(of run: String, in folder: String, fromStart: Bool = false) throws(Failure) {
    let kept: Checkpoint?
    do throws(Failure) {
      kept = try JSONFile.read("\(folder)/checkpoint.json") { json throws(WireError) in try Checkpoint(json) }
    } catch {
      var failure = error
      failure.remedy = Self.remedy(folder)
      throw failure
    }
    checkpoint = fromStart ? nil : kept
    begun = kept?.begun ?? []
    let path = "\(folder)/journal.jsonl"
    if SystemCall.status(path).status == nil {
      (tails, head, headLength, length, tornLine) = ([], nil, 0, 0, nil)
    } else {
      (tails, head, headLength, length, tornLine) = try JournalTail.read(
        path,
        since: checkpoint,
        begun: begun
      )
    }
    if let head, !head.run.isIdentical(to: run) { throw Self.damaged(path, "it is of run \(head.run)") }
    if head == nil, length > 0 { throw Self.damaged(path, "its first line is missing") }
    if let checkpoint, length < checkpoint.journal {
      throw Self.damaged(path, "it ends before byte \(checkpoint.journal), where checkpoint.json resumes")
    }
    for list in RunDirectory.allLists(in: folder) {
      let length = checkpoint?.lists[list] ?? 0
      let size = SystemCall.status("\(folder)/\(list)").status.map { Int($0.st_size) } ?? 0
      if size >= length { continue }
      throw Self.damaged("\(folder)/\(list)", "it ends before byte \(length), where checkpoint.json resumes")
    }
  }

  /// A file that does not fit its run.
  static func damaged(_ path: String, _ cause: String) -> Failure {
    Failure(
      .inputMalformed,
      "resume",
      path: path,
      cause: cause,
      remedy: remedy(FilePaths.folder(of: path))
    )
  }

  /// What to do about a run that cannot be taken up: the same command would only take it up again.
  private static func remedy(_ folder: String) -> String {
    "Move the folder \(folder) away and run the command again: what is done is found done."
  }
}
