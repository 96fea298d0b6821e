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

  /// Checks that the journal has everything that it had when the summary, or else the last checkpoint, was written.
  ///
  /// A journal only grows, and one that lost whole lines looks like that of a run that did less.
  ///
  /// - Parameter bytes: Its length according to another record.
  /// - Throws: `.inputMalformed`.
  func assertWholeJournal(atLeast bytes: Int = 0) throws(Failure) {
    let summary = try JSONFile.read("\(path)/summary.json", as: RunHistory.CommandResult.self)
    // A damaged checkpoint says nothing about the journal.
    let checkpoint = try? JSONFile.read("\(path)/checkpoint.json", as: Checkpoint.self)
    let whole = max(bytes, summary?.journalBytes ?? 0, checkpoint?.journal ?? 0)
    let journal = "\(path)/journal.jsonl"
    let length = SystemCall.status(journal).status.map { Int($0.st_size) } ?? 0
    if length >= whole { return }
    throw Failure(
      .inputMalformed,
      "read the journal",
      path: journal,
      cause: "it has lost its end: it has \(length) bytes, and had \(whole)",
      remedy:
        "Get the whole folder of the run; without it, 'gymmigrate restore' puts back what was there before."
    )
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
