import Files
import FirestoreModels
import MigrationEngine
import Runs

/// The ledger as text.
enum LedgerText {
  typealias Holder = (run: String, holder: String, isExpired: Bool)

  /// one line per run, and who holds the lease.
  static func lines(_ entries: [LedgerEntry], _ holder: Holder?) -> TerminalText {
    var lines: [TerminalText] = entries.map { entry in
      [
        entry.run, entry.startedAt?.description ?? "", entry.status.rawValue, entry.holder,
        SummaryText.counts(entry.totals), entry.command + (entry.undoneBy.map { " (undone by \($0))" } ?? ""),
      ].map { TerminalText($0) }.joined(separator: "\t")
    }
    if entries.isEmpty { lines.append("No run has changed this database.") }
    for entry in entries where isHalfWay(entry, holder) {
      lines.append("Run \(entry.run) stopped before it was done, and no other begins. \(entry.waysOut)")
    }
    if let holder {
      lines.append(
        holder.isExpired
          ? "The lease of \(holder.holder), run \(holder.run), has run out."
          : "\(holder.holder) holds the lock: run \(holder.run)."
      )
    }
    return "\(lines.joined(separator: "\n"))\n"
  }

  /// Whether a run holds others up and is not at work.
  private static func isHalfWay(_ entry: LedgerEntry, _ holder: Holder?) -> Bool {
    guard entry.blocks else { return false }
    return holder.map { $0.isExpired || !$0.run.isIdentical(to: entry.run) } ?? true
  }

  /// `{"lease": {…} | null, "runs": [{…}]}`.
  static func json(_ entries: [LedgerEntry], _ holder: Holder?) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("lease")
      if let holder {
        json.object {
          $0.key("holder")
          $0.string(holder.holder)
          $0.key("isExpired")
          $0.boolean(holder.isExpired)
          $0.key("runId")
          $0.string(holder.run)
        }
      } else {
        json.null()
      }
      json.key("runs")
      json.array { list in for entry in entries { list.object { members(of: entry, holder, to: &$0) } } }
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }

  private static func members(of entry: LedgerEntry, _ holder: Holder?, to json: inout JSONWriter) {
    func text(_ name: StaticString, _ value: String?) {
      guard let value else { return }
      json.key(name)
      json.string(value)
    }
    text("runId", entry.run)
    text("command", entry.command)
    text("status", entry.status.rawValue)
    text("holder", entry.holder)
    text("toolVersion", entry.version)
    text("startedAt", entry.startedAt?.description)
    text("changedAt", entry.changedAt?.description)
    text("undoes", entry.undoes)
    text("undoneBy", entry.undoneBy)
    json.key("isHalfWay")
    json.boolean(isHalfWay(entry, holder))
    json.key("migrations")
    json.array { list in
      for migration in entry.migrations {
        list.object {
          if let checksum = migration.checksum {
            $0.key("checksum")
            $0.string(checksum)
          }
          $0.key("id")
          $0.string(migration.id)
        }
      }
    }
    json.key("totals")
    json.object { totals in
      for (name, count) in entry.totals.members {
        totals.key(name)
        totals.integer(count)
      }
    }
  }
}
