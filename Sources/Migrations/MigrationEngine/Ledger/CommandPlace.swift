/// The options of commands about a run of a database, so that what a message offers works as it stands.
package struct CommandPlace: Sendable {
  /// Those that name the database, as `-e stage`.
  var database: String
  /// That which names the folder of the runs; empty for the usual one.
  var folder: String
  /// That which confirms a write to a protected environment; empty for any other.
  var confirmation: String
  /// How a shell takes a word that the ledger has.
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

  /// The command that takes the lease away, or lets others begin after a run.
  func unlock(_ run: String = "") -> String {
    Self.command("migrate unlock", run, database, confirmation)
  }

  /// The commands that let other runs begin after one that stopped before it was done.
  package func waysOut(of entry: LedgerEntry) -> String {
    let run = entry.run
    if let shards = entry.shards {
      let place = quoted(shards)
      let work = Self.command("shard work", place, "--task 0")
      let finish = Self.command("shard finish", place)
      let undo = Self.command("migrate undo", run, "--state-dir", place, confirmation)
      return
        "It is divided among tasks, in \(place) of \(entry.holder): do them (\(work), and so on), then \(finish); or undo it (\(undo)), or keep its changes (\(unlock(run)))."
    }
    let resume = Self.command("runs resume", run, folder, confirmation)
    return "Resume it (\(resume)), \(ends(of: run))."
  }

  /// The commands that end a run which stopped before it was done, and do not resume it.
  package func ends(of run: String) -> String {
    let undo = Self.command("migrate undo", run, folder, confirmation)
    return "undo it (\(undo)), or keep its changes (\(unlock(run)))"
  }

  private static func command(_ words: String...) -> String {
    (["gymmigrate"] + words.filter { !$0.isEmpty }).joined(separator: " ")
  }
}
