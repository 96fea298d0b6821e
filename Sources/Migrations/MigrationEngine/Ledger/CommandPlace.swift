/// The options that a suggested command needs to reach a run and its database, so that it can be copied from a message as it is.
package struct CommandPlace: Sendable {
  /// The options that name the database, such as `-e stage`.
  var database: String
  /// The option that names the folder of runs; empty for the default.
  var folder: String
  /// The option that confirms a write to a protected environment; empty for others.
  var confirmation: String
  /// Quotes a word from the ledger for the shell.
  var quoted: @Sendable (String) -> String

  package init(
    database: String = "",
    folder: String = "",
    confirmation: String = "",
    quoted: @escaping @Sendable (String) -> String = { $0 }
  ) {
    (self.database, self.folder, self.confirmation) = (database, folder, confirmation)
    self.quoted = quoted
  }

  /// The command that shows who holds the lock.
  package var status: String { Self.command("migrate status", database) }

  /// The command that removes the lease, or lets other runs begin after a stopped one.
  func unlock(_ run: String = "") -> String {
    Self.command("migrate unlock", run, database, confirmation)
  }

  /// The commands that let other runs begin after one that stopped early.
  package func waysOut(of entry: LedgerEntry) -> String {
    if let end = endOfTasks(of: entry) { return end }
    let resume = Self.command("runs resume", entry.run, folder, confirmation)
    return "Resume it (\(resume)), \(ends(of: entry.run))."
  }

  /// The commands that end a run that is divided among tasks, which holds the lock also while none is at work; nil for another.
  package func endOfTasks(of entry: LedgerEntry) -> String? {
    guard let shards = entry.shards, entry.blocks else { return nil }
    let place = quoted(shards)
    let work = Self.command("shard work", place, "--task 0")
    let finish = Self.command("shard finish", place)
    let undo = Self.command("migrate undo", entry.run, "--state-dir", place, confirmation)
    return
      "It is divided among tasks, in \(place) of \(entry.holder): do them (\(work), and so on), then \(finish); or undo it (\(undo)), or keep its changes (\(unlock(entry.run)))."
  }

  /// The commands that settle a run that stopped early, without resuming it.
  package func ends(of run: String) -> String {
    let undo = Self.command("migrate undo", run, folder, confirmation)
    return "undo it (\(undo)), or keep its changes (\(unlock(run)))"
  }

  private static func command(_ words: String...) -> String {
    (["gymmigrate"] + words.filter { !$0.isEmpty }).joined(separator: " ")
  }
}
