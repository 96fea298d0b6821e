import Files
import Platform

/// Checks whether the folder of a run can be trusted.
///
/// A run's files determine the command to run, the database to write to and the documents to restore. So they are used only
/// if this user wrote them and nobody else could. The command and the database are used only in the folder that the run
/// itself created: a folder that was unpacked, cloned or copied has another inode number.
struct RunFolder {
  private let path: String

  init(_ path: String) { self.path = path }

  /// The inode number of the folder; nil if it does not exist.
  var identity: String? {
    SystemCall.linkStatus(path).status.flatMap { $0.isFolder ? String($0.st_ino) : nil }
  }

  /// Checks that only this user can have written the folder and the files that are read from it.
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

  /// Checks that the run created this folder.
  ///
  /// - Throws: `.notPermitted`.
  func assertMade(by record: RunRecord) throws(Failure) {
    if let original = record.folder, let identity, original.isIdentical(to: identity) { return }
    throw refusal(path, "it was not made here: it is a copy, or was unpacked", "Enter the command yourself.")
  }

  private func assertPrivate(_ path: String, isFolder: Bool) throws(Failure) {
    guard let status = SystemCall.linkStatus(path).status else { return }
    guard isFolder ? status.isFolder : status.isRegularFile else {
      throw refusal(
        path,
        "it is not a \(isFolder ? "folder" : "file") but leads elsewhere",
        "Find out what created it."
      )
    }
    if status.st_uid != geteuid() {
      throw refusal(path, "it belongs to another user", "Work as the user that started the run.")
    }
    if status.st_mode & (S_IWGRP | S_IWOTH) != 0 {
      throw refusal(
        path,
        "others may write to it",
        "Check that it is unchanged, then remove the permission (chmod go-w)."
      )
    }
  }

  private func refusal(_ path: String, _ cause: String, _ remedy: String) -> Failure {
    Failure(.notPermitted, "trust the run", path: path, cause: cause, remedy: remedy)
  }
}
