import FirestoreModels
import Runs
import Testing

@testable import MigrationEngine

@Suite("What a restore to a moment takes back")
struct TakenBackTests {
  private static let moment = Timestamp(seconds: 20)

  /// A run of the migration `m`, from a second to another one.
  private func entry(
    _ run: String,
    from start: Int64?,
    to end: Int64?,
    _ command: String = "migrate apply m",
    written: Int = 1,
    verified: Int64? = nil
  ) -> LedgerEntry {
    var entry = LedgerEntry(
      run: run,
      command: command,
      migrations: [.init(id: "m", checksum: nil)],
      holder: "ana@desk"
    )
    (entry.status, entry.totals.written) = (.done, written)
    entry.startedAt = start.flatMap { Timestamp(seconds: $0) }
    entry.endedAt = end.flatMap { Timestamp(seconds: $0) }
    entry.changedAt = Timestamp(seconds: 90)
    entry.migrations[0].verifiedAt = verified.flatMap { Timestamp(seconds: $0) }
    return entry
  }

  private func found(_ entries: [LedgerEntry]) -> (takenBack: [String], unverified: [String]) {
    TakenBack(since: Self.moment).found(in: entries)
  }

  @Test(
    "A migration stays applied if all its runs that wrote had ended, whenever they began.",
    arguments: [(Int64(5), Int64(10), true), (10, 30, false), (30, 40, false)]
  )
  func ended(_ start: Int64, _ end: Int64, _ stays: Bool) {
    #expect(found([entry("1", from: start, to: end)]).takenBack == (stays ? [] : ["m"]))
  }

  @Test("A run ends after the moment also if it may have, in the millisecond of the moment.")
  func sameMillisecond() throws {
    var run = entry("1", from: 5, to: nil)
    let moment = try #require(Timestamp(seconds: 20, nanoseconds: 5_400_000))
    for (nanoseconds, isLater) in [(Int32(4_000_000), false), (5_000_000, true), (6_000_000, true)] {
      run.endedAt = Timestamp(seconds: 20, nanoseconds: nanoseconds)
      #expect(run.mayHaveEnded(after: moment) == isLater, "\(nanoseconds)")
    }
  }

  @Test("A run that recorded no end, as those of earlier versions, ended when its entry was last written.")
  func withoutEnd() {
    var run = entry("1", from: 5, to: nil)
    #expect(found([run]).takenBack == ["m"])
    run.changedAt = Timestamp(seconds: 10)
    #expect(found([run]).takenBack == [])
  }

  @Test("A later run that wrote nothing takes nothing away, and makes nothing applied.")
  func idle() {
    let idle = entry("2", from: 30, to: 31, written: 0)
    #expect(found([entry("1", from: 5, to: 10), idle]).takenBack == [])
    #expect(found([idle]).takenBack == ["m"])
    var byHand = idle
    (byHand.isByHand, byHand.hasChanged) = (true, false)
    #expect(found([byHand]).takenBack == ["m"])
    #expect(found([entry("1", from: 5, to: 10), entry("2", from: 30, to: 31)]).takenBack == ["m"])
  }

  @Test(
    "A verification holds if it is not younger than the moment.",
    arguments: [(Int64(12), true), (20, true), (30, false)]
  )
  func verified(_ second: Int64, _ holds: Bool) {
    let found = found([entry("1", from: 5, to: 10, verified: second)])
    #expect(found.takenBack == [] && found.unverified == (holds ? [] : ["m"]))
  }

  @Test(
    "What a run wrote that began after the documents were read stays, and is no longer verified.",
    arguments: [(Int64(30), true), (50, false)]
  )
  func began(_ second: Int64, _ isRead: Bool) {
    let run = entry("1", from: second, to: 60, verified: 61)
    let found = TakenBack(since: Self.moment, readAt: Timestamp(seconds: 40)).found(in: [run])
    #expect(found.takenBack == (isRead ? ["m"] : []) && found.unverified == (isRead ? [] : ["m"]))
  }

  @Test("The entry of the restore takes the verification away, until it is undone.")
  func undone() {
    var restore = entry("2", from: 40, to: 41, "restore --all")
    (restore.migrations, restore.rewrites) = ([.init(id: "restore", checksum: nil)], ["m"])
    let own = entry("1", from: 5, to: 10, verified: 30)
    #expect(MigrationState(of: "m", in: [own, restore]).kind == .applied)
    restore.status = .undone
    #expect(MigrationState(of: "m", in: [own, restore]).kind == .verified)
  }

  @Test("What a plan file of another command has in place of a migration is none.")
  func planFile() {
    var plan = entry("1", from: 30, to: 31, "migrate apply --plan")
    plan.migrations = [.init(id: "restore", checksum: nil)]
    #expect(found([plan]).takenBack == [])
  }

  @Test("What is found is said, in a line for each kind.")
  func lines() {
    var restore = entry("2", from: 40, to: 41, "restore --all")
    (restore.takenBack, restore.rewrites) = (["a", "b"], ["m"])
    let lines = TakenBack.lines(restore)
    #expect(lines.count == 2 && lines[0].hasSuffix("pending again: a, b.") && lines[1].hasSuffix(": m."))
    #expect(TakenBack.lines(entry("1", from: 5, to: 10)) == [])
  }
}
