import FirestoreModels
import FirestoreREST
import Runs
import Testing

@testable import MigrationEngine

@Suite("Lease")
struct LeaseTests {
  private func document(run: String, renewed seconds: Int64) -> RawDocument {
    let lease = Lease(run: run, holder: "ana@desk", command: "migrate apply")
    return RawDocument(path: Lease.path, fields: lease.fields, updateTime: Timestamp(seconds: seconds))
  }

  @Test("It holds for 60 seconds of the service's clock.")
  func expiry() throws {
    let held = document(run: "a", renewed: 1000)
    let times = try [1000, 1060, 1061].map { try #require(Timestamp(seconds: $0)) }
    let standings = times.map { Lease.state(of: held, now: $0, for: ["b"]) }
    #expect(
      standings == [
        .held(Lease(held), seconds: 60), .held(Lease(held), seconds: 0), .expired(Lease(held)),
      ]
    )
    let now = try #require(Timestamp(seconds: 1000))
    #expect(Lease.state(of: held, now: now, for: ["b", "a"]) == .own)
    #expect(Lease.state(of: nil, now: now, for: []) == .free)
  }

  @Test("It is written only over what was read.")
  func precondition() {
    let lease = Lease(run: "b", holder: "bo@desk", command: "migrate apply")
    #expect(lease.write(over: nil).precondition == .exists(false))
    let held = document(run: "a", renewed: 1000)
    #expect(lease.write(over: held).precondition == held.updateTime.map { .updateTime($0) })
  }
}

@Suite("Whether a run may begin")
struct LedgerRulesTests {
  private func entry(
    _ run: String,
    _ status: LedgerEntry.Status = .done,
    migration: String = "users-unify",
    checksum: String? = nil,
    changed: Bool = true,
    undoes: String? = nil
  ) -> LedgerEntry {
    var entry = LedgerEntry(
      run: run,
      command: "migrate apply \(migration)",
      migrations: [.init(id: migration, checksum: checksum)],
      holder: "ana@desk",
      undoes: undoes
    )
    entry.status = status
    entry.hasChanged = changed
    entry.totals.written = changed ? 1 : 0
    return entry
  }

  private func refusal(
    _ new: LedgerEntry,
    resumed: Bool = false,
    _ known: [LedgerEntry]
  ) -> Failure? {
    do throws(Failure) {
      try LedgerRules.assertMayBegin(new, isResumed: resumed, known: known)
      return nil
    } catch {
      return error
    }
  }

  @Test("A run that stopped before it was done blocks others.", arguments: LedgerEntry.Status.allCases)
  func halfWay(_ status: LedgerEntry.Status) {
    let blocking: Set<LedgerEntry.Status> = [.running, .failed, .interrupted]
    let failure = refusal(entry("new"), [entry("old", status)])
    #expect((failure != nil) == blocking.contains(status))
    if let failure {
      #expect(failure.kind == .tryLater)
      #expect(failure.description.contains("old"))
    }
    // But not itself.
    let own = refusal(entry("old", .running), resumed: true, [entry("old", status)])
    #expect((own == nil) == (status != .undone && status != .cleared))
  }

  @Test("One that failed before it wrote anything holds up nobody.")
  func failedEmpty() {
    #expect(refusal(entry("new"), [entry("old", .failed, changed: false)]) == nil)
    #expect(refusal(entry("new"), [entry("old", .running, changed: false)]) != nil)
  }

  @Test("A file that changed under the same id is refused, unless what it did was undone.")
  func checksum() {
    let old = entry("old", migration: "fix-phones", checksum: "aa")
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "aa"), [old]) == nil)
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "bb"), [old])?.kind == .notPermitted)
    #expect(refusal(entry("new", migration: "other", checksum: "bb"), [old]) == nil)
    // One that wrote nothing has done nothing under the id; one without a checksum was no file.
    let idle = entry("old", migration: "fix-phones", checksum: "aa", changed: false)
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "bb"), [idle]) == nil)
    var conflicts = entry("old", .incomplete, migration: "fix-phones", checksum: "aa")
    (conflicts.totals.written, conflicts.totals.conflicted) = (0, 1)
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "bb"), [conflicts]) == nil)
    let plan = entry("old", migration: "fix-phones")
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "bb"), [plan]) == nil)
    let undone = entry("old", .undone, migration: "fix-phones", checksum: "aa")
    #expect(refusal(entry("new", migration: "fix-phones", checksum: "bb"), [undone]) == nil)
  }

  @Test("What may be undone")
  func undo() {
    // A run that stopped before it was done may be undone: it does not hold up its own undo.
    #expect(refusal(entry("new", undoes: "old"), [entry("old", .interrupted)]) == nil)
    #expect(refusal(entry("new", undoes: "old"), [entry("old", .undone)])?.kind == .usage)
    let undo = entry("old", undoes: "older")
    #expect(refusal(entry("new", undoes: "old"), [undo])?.kind == .usage)
    #expect(refusal(entry("new", undoes: "old"), [entry("old"), entry("half", .failed)])?.kind == .tryLater)
    // An import, which the ledger does not know.
    #expect(refusal(entry("new", undoes: "old"), []) == nil)
  }

  @Test("A run that stopped does not hold up the undo of a later one.", arguments: [(10, 20), (20, 10)])
  func undoOfLater(_ half: Int64, _ undone: Int64) {
    var known = [entry("half", .running), entry("old")]
    known[0].startedAt = Timestamp(seconds: half)
    known[1].startedAt = Timestamp(seconds: undone)
    #expect(refusal(entry("new", undoes: "old"), known)?.kind == (half < undone ? nil : .tryLater))
    #expect(refusal(entry("new"), known)?.kind == .tryLater)
  }
}
