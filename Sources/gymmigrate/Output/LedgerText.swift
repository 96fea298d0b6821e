import Configuration
import MigrationEngine

enum LedgerText {
  typealias Holder = (run: String, holder: String, isExpired: Bool)

  /// One line per run, and the holder of the lease.
  ///
  /// - Parameter place: How suggested commands reach the database.
  static func lines(
    _ entries: [LedgerEntry],
    _ holder: Holder?,
    offering place: CommandPlace
  ) -> TerminalText {
    var lines = entries.map { entry in
      TerminalText(cells: [
        entry.run, entry.startedAt?.description ?? "", entry.status.rawValue, entry.holder,
        entry.knownTotals.map { SummaryText.counts($0) } ?? "not counted",
        entry.command
          + (entry.undoneBy.map { " (undone\(entry.leftToUndo > 0 ? " in part" : "") by \($0))" } ?? ""),
      ])
    }
    if entries.isEmpty { lines.append("No run has changed this database.") }
    for entry in entries where isHalfWay(entry, holder) {
      let ways = place.waysOut(of: entry)
      lines.append("Run \(entry.run) stopped before it was done, and no other begins. \(ways)")
    }
    if let holder, holder.isExpired {
      lines.append("The lease of \(holder.holder), run \(holder.run), has run out.")
    } else if let holder {
      let own = entries.first { $0.run.isIdentical(to: holder.run) }
      let end = own.flatMap { place.endOfTasks(of: $0) }.map { " \($0)" } ?? ""
      lines.append("\(holder.holder) holds the lock: run \(holder.run).\(end)")
    }
    return "\(lines.joined(separator: "\n"))\n"
  }

  /// Whether a run blocks others although it is not running.
  private static func isHalfWay(_ entry: LedgerEntry, _ holder: Holder?) -> Bool {
    guard entry.blocks else { return false }
    return holder.map { $0.isExpired || !$0.run.isIdentical(to: entry.run) } ?? true
  }

  /// `{"lease": {…} | null, "runs": [{…}]}`.
  static func json(_ entries: [LedgerEntry], _ holder: Holder?) -> [UInt8] {
    JSONWriter.object { json in
      json.key("lease")
      if let holder {
        json.object {
          $0.member("holder", holder.holder)
          $0.member("isExpired", holder.isExpired)
          $0.member("runId", holder.run)
        }
      } else {
        json.null()
      }
      json.member("runs", objects: entries) { members(of: $1, holder, to: &$0) }
    }
  }

  private static func members(of entry: LedgerEntry, _ holder: Holder?, to json: inout JSONWriter) {
    json.member("runId", entry.run)
    json.member("command", entry.command)
    json.member("status", entry.status.rawValue)
    json.member("holder", entry.holder)
    json.member("toolVersion", entry.version)
    json.member("startedAt", entry.startedAt?.description)
    json.member("changedAt", entry.changedAt?.description)
    json.member("undoes", entry.undoes)
    json.member("undoneBy", entry.undoneBy)
    json.member("leftToUndo", entry.leftToUndo)
    json.member("isHalfWay", isHalfWay(entry, holder))
    json.member("byHand", entry.isByHand)
    json.member("override", entry.override)
    json.member("planned", strings: entry.planned)
    json.member("migrations", objects: entry.migrations) {
      $0.member("accepted", $1.accepted)
      $0.member("checksum", $1.checksum)
      $0.member("id", $1.id)
      $0.member("verifiedAt", $1.verifiedAt?.description)
    }
    if let cost = entry.rehearsedCost {
      json.member("rehearsed", objects: entry.rehearsed) {
        $0.member("checksum", $1.checksum)
        $0.member("id", $1.id)
      }
      json.member("cost") {
        $0.member("deletes", cost.deletes)
        $0.member("reads", cost.reads)
        $0.member("writes", cost.writes)
      }
    }
    if let totals = entry.knownTotals {
      json.member("totals", totals)
    } else {
      json.key("totals")
      json.null()
    }
  }
}
