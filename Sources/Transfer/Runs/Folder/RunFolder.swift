import Files
import FirestoreModels
import Platform

/// The folder of a run, as far as what it holds may be acted on.
///
/// A run's files say which command is run, where it writes, and what it restores. So they count only where this user wrote
/// them, nobody else could, and, for the command and the database, where the folder is the very one that the run made: what
/// is unpacked, cloned or copied has another number on its file system, whatever it holds.
struct RunFolder {
  private let path: String

  init(_ path: String) { self.path = path }

  /// The number by which the file system knows the folder; nil where there is none.
  var identity: String? {
    SystemCall.linkStatus(path).status.flatMap { $0.isFolder ? String($0.st_ino) : nil }
  }

  /// Checks that nobody but this user can have written the folder and what is read of it.
  ///
  /// - Throws: `.notPermitted`.
  func assertPrivate() throws(Failure) {
    try assertPrivate(path, isFolder: true)
    for name in [
      "run.json", "journal.jsonl", "checkpoint.json", "summary.json", "verdict.json", "operation.log",
    ] {
      try assertPrivate("\(path)/\(name)", isFolder: false)
    }
  }

  /// Checks that the run made this folder.
  ///
  /// - Throws: `.notPermitted`.
  func assertMade(by record: RunRecord) throws(Failure) {
    if let made = record.folder, let identity, made.isIdentical(to: identity) { return }
    throw refusal(
      path,
      "it was not made here: it is a copy, or was unpacked",
      "Give the command that you mean yourself."
    )
  }

  private func assertPrivate(_ path: String, isFolder: Bool) throws(Failure) {
    guard let status = SystemCall.linkStatus(path).status else { return }
    guard isFolder ? status.isFolder : status.isRegularFile else {
      throw refusal(
        path,
        "it is no \(isFolder ? "folder" : "file") but leads elsewhere",
        "Look at what put it there."
      )
    }
    if status.st_uid != geteuid() {
      throw refusal(path, "it belongs to another user", "Work as the user that made the run.")
    }
    if status.st_mode & (S_IWGRP | S_IWOTH) != 0 {
      throw refusal(
        path,
        "others may write to it",
        "See that it is as you left it, then take them the right to (chmod go-w)."
      )
    }
  }

  private func refusal(_ path: String, _ cause: String, _ remedy: String) -> Failure {
    Failure(.notPermitted, "rely on the run", path: path, cause: cause, remedy: remedy)
  }
}
