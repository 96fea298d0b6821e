import FirestoreModels
import Runs
import Testing

@testable import Configuration
@testable import MigrationEngine

@Suite struct PromotionGateTests {
  private let migration = FolderMigration(
    name: "1-m",
    id: "m",
    summary: "S.",
    choice: "1-m.yaml",
    checksum: "aa"
  )

  private func entries(
    _ status: LedgerEntry.Status,
    verified: Bool = false,
    _ checksum: String = "aa"
  )
    -> [LedgerEntry]
  {
    var applied = LedgerEntry.Applied(id: "m", checksum: checksum)
    if verified { applied.verifiedAt = Timestamp(seconds: 1) }
    var entry = LedgerEntry(run: "r", command: "migrate apply", migrations: [applied], holder: "ana@desk")
    entry.status = status
    return [entry]
  }

  private func gap(_ entries: [LedgerEntry], verified: Bool = false) -> PromotionGate.Gap? {
    var promotion = Promotion(environment: "prod", after: "stage")
    promotion.mustBeVerified = verified
    return PromotionGate(promotion, entries, now: .now).gap(of: migration)
  }

  @Test("Every state before a gate, with and without 'verified'.")
  func matrix() {
    var byHand = entries(.done)
    (byHand[0].isByHand, byHand[0].hasChanged) = (true, false)
    let cases: [([LedgerEntry], PromotionGate.Gap?, PromotionGate.Gap?)] = [
      ([], .notApplied(.pending), .notApplied(.pending)),
      (entries(.running), .notApplied(.running), .notApplied(.running)),
      (entries(.failed), .notApplied(.failed), .notApplied(.failed)),
      (entries(.interrupted), .notApplied(.failed), .notApplied(.failed)),
      (entries(.cleared), .notApplied(.cleared), .notApplied(.cleared)),
      (entries(.undone, verified: true), .notApplied(.undone), .notApplied(.undone)),
      (entries(.done), nil, .notVerified), (entries(.incomplete), nil, .notVerified),
      (entries(.done, verified: true), nil, nil), (entries(.incomplete, verified: true), nil, nil),
      (entries(.done, verified: true, "bb"), .changed, .changed), (byHand, nil, .notVerified),
    ]
    for (entries, applied, verified) in cases {
      #expect(gap(entries) == applied, "\(entries.map(\.status))")
      #expect(gap(entries, verified: true) == verified, "\(entries.map(\.status))")
    }
  }

  @Test("An import that is divided among tasks closes the gate until it has recorded where it wrote.")
  func divided() {
    var load = LedgerEntry(run: "i", command: "import a.jsonl", migrations: [], holder: "ana@desk")
    load.shards = "/share/W"
    let cases: [(LedgerEntry.Status, PromotionGate.Gap?)] = [
      (.running, .unfinished(run: "i")), (.cleared, .notVerified), (.done, nil), (.incomplete, nil),
      (.undone, nil),
    ]
    for (status, expected) in cases {
      load.status = status
      let entries = entries(.done, verified: true) + [load]
      #expect(gap(entries, verified: true) == expected, "\(status)")
      #expect(gap(entries) == nil, "\(status)")
    }
    load.status = .undone
    load.leftToUndo = 1
    #expect(gap(entries(.done, verified: true) + [load], verified: true) == .notVerified)
    // An undivided run records its collections with its end.
    (load.status, load.leftToUndo, load.shards) = (.cleared, 0, nil)
    #expect(gap(entries(.done, verified: true) + [load], verified: true) == nil)
  }

  @Test("A rehearsal counts by its file and its age, wherever it was recorded.")
  func rehearsals() throws {
    let now = try #require(Timestamp(seconds: 1000))
    var promotion = Promotion(environment: "prod")
    promotion.rehearsed = .seconds(100)
    func gap(_ checksum: String?, at moment: Int64, isOwn: Bool = true) -> PromotionGate.Gap? {
      var entry = LedgerEntry(run: "r", command: "migrate test", migrations: [], holder: "ana@desk")
      (entry.status, entry.hasChanged) = (.done, false)
      entry.rehearsed = [LedgerEntry.Applied(id: "m", checksum: checksum)]
      entry.changedAt = Timestamp(seconds: moment)
      return PromotionGate(promotion, isOwn ? [] : [entry], own: isOwn ? [entry] : [], now: now).gap(
        of: migration
      )
    }
    #expect(PromotionGate(promotion, [], now: now).gap(of: migration) == .notRehearsed)
    #expect(gap("aa", at: 900) == nil && gap("aa", at: 900, isOwn: false) == nil)
    #expect(gap("aa", at: 899) == .notRehearsed)
    #expect(gap("bb", at: 900) == .notRehearsed && gap(nil, at: 900) == .notRehearsed)
    // What was rehearsed is not applied for that.
    promotion.after = "stage"
    #expect(gap("aa", at: 900) == .notApplied(.pending))
  }

  @Test("The rehearsal that is missing is one that the environment lets be made.", arguments: [true, false])
  func masked(_ isMasked: Bool) throws {
    var promotion = Promotion(environment: "prod", after: "stage")
    promotion.rehearsed = .seconds(100)
    var applied = LedgerEntry(
      run: "r",
      command: "migrate apply m",
      migrations: [LedgerEntry.Applied(id: "m", checksum: "aa")],
      holder: "ana@desk"
    )
    applied.status = .done
    let gate = PromotionGate(promotion, [applied], now: .now, isMasked: isMasked)
    let failure = #expect(throws: Failure.self) { try gate.assertOpen(for: [migration]) }
    let options = isMasked ? "--mask --mask-key-file KEY " : ""
    #expect(failure?.remedy?.contains("--from prod \(options)--record -e stage") == true, "\(failure as Any)")
  }

  @Test("A migration that is not for the environment before passes.")
  func elsewhere() {
    var other = migration
    other.header.environments = ["prod"]
    let promotion = Promotion(environment: "prod", after: "stage")
    #expect(PromotionGate(promotion, [], now: .now).gap(of: other) == nil)
    other.header.environments = ["prod", "staging"]
    let names = DatabaseNames("stage", others: ["staging"])
    #expect(PromotionGate(promotion, [], after: names, now: .now).gap(of: other) == .notApplied(.pending))
  }
}
