import Files
import FirestoreModels
import TestSupport
import Testing

@testable import Configuration
@testable import FirestoreREST

@Suite("The bill of a run")
struct BillTests {
  private func reads(_ count: Int) -> Cost { Cost(reads: count) }

  @Test("What requests on their way may be billed counts as billed until they are settled.")
  func reservations() {
    var bill = Bill()
    bill.bound = BillBound(reads: 500)
    #expect(bill.reserve(reads(300)) == .granted(reads(300)))
    #expect(bill.reserve(reads(300)) == .wait)
    #expect(bill.reserve(reads(300), least: 1) == .granted(reads(200)))
    #expect(bill.reserve(reads(300), least: 1) == .wait)
    #expect(bill.reserve(reads(501)) == .exhausted)
    bill.settle(reads(300), as: reads(12))
    bill.settle(reads(200), as: reads(200))
    #expect(bill.known == reads(212))
    #expect(bill.reserve(reads(300), least: 1) == .granted(reads(288)))
    bill.settle(reads(288), as: nil)
    #expect(bill.known == reads(212) && bill.uncertain == reads(288))
    #expect(bill.reserve(reads(1)) == .exhausted)
    // Nothing is free of charge but what costs nothing.
    #expect(bill.reserve(Cost()) == .granted(Cost()))
    #expect(bill.reserve(Cost(writes: 1)) == .granted(Cost(writes: 1)))
  }

  @Test("Writes and deletes have one bound, and are granted in full or not at all.")
  func writes() {
    var bill = Bill()
    bill.bound = BillBound(writes: 10)
    #expect(bill.reserve(Cost(writes: 4, deletes: 4)) == .granted(Cost(writes: 4, deletes: 4)))
    #expect(bill.reserve(Cost(writes: 3)) == .wait)
    #expect(bill.reserve(Cost(deletes: 2)) == .granted(Cost(deletes: 2)))
    bill.settle(Cost(writes: 4, deletes: 4), as: Cost(writes: 4, deletes: 4))
    #expect(bill.reserve(Cost(writes: 1)) == .wait)
    bill.settle(Cost(deletes: 2), as: Cost(deletes: 2))
    #expect(bill.reserve(Cost(writes: 1)) == .exhausted)
    #expect(bill.reserve(reads(1_000_000)) == .granted(reads(1_000_000)))
  }

  @Test("What is kept is for the end alone.")
  func kept() {
    var bill = Bill()
    bill.bound = BillBound(reads: 10, writes: 4)
    bill.kept = Cost(reads: 4, writes: 3)
    #expect(bill.reserve(reads(9), least: 1) == .granted(reads(6)))
    #expect(bill.reserve(Cost(writes: 2)) == .exhausted)
    #expect(bill.reserve(reads(4), isLast: true) == .granted(reads(4)))
    #expect(bill.reserve(Cost(writes: 4), isLast: true) == .granted(Cost(writes: 4)))
  }

  @Test(
    "Ahead is saved what requests have asked for, and nothing else: who deletes nothing may not have deleted."
  )
  func ahead() async throws {
    let saved = Locked<(known: Cost, uncertain: Cost)>((Cost(), Cost()))
    let account = Account()
    account.carry(known: Cost(), uncertain: Cost()) { known, uncertain in
      saved.withLock { $0 = (known, uncertain) }
    }
    let granted = try await account.reserve(Cost(reads: 300, writes: 20))
    #expect(saved.withLock { $0.uncertain } == Cost(reads: 430, writes: 122))
    account.settle(granted, as: granted)
    _ = try await account.reserve(Cost(deletes: 1))
    #expect(saved.withLock { $0.known } == Cost(reads: 300, writes: 20))
    #expect(saved.withLock { $0.uncertain.deletes } == 101)
  }

  @Test("A resumed run begins with what it was billed before.")
  func carried() {
    var bill = Bill()
    bill.bound = BillBound(reads: 10)
    bill.carry(known: reads(3), uncertain: reads(2))
    #expect(bill.reserve(reads(10), least: 1) == .granted(reads(5)))
  }

  @Test(
    "A bound in dollars is never exceeded, and nothing is left that would be enough for a read.",
    arguments: UInt64(1)...200
  )
  func dollars(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    // Whole numbers of 10^-8 dollars for an operation, and of as many dollars for all.
    let each = (0..<3).map { _ in [0, 1, 29, 36, 60, 180].randomElement(using: &random) ?? 0 }
    let most = Int.random(in: 0...100_000, using: &random)
    func price(_ cost: Cost) -> Int { cost.reads * each[0] + cost.writes * each[1] + cost.deletes * each[2] }
    var bill = Bill()
    let prices = each.map { Double($0) / 1000 }
    bill.prices = PriceList(reads: prices[0], writes: prices[1], deletes: prices[2], name: "x")
    bill.bound = BillBound(dollars: Double(most) / 1e8)
    bill.kept = Cost(reads: 2, writes: 1)
    var open: [Cost] = []
    for _ in 0..<400 {
      let count = Int.random(in: 1...300, using: &random)
      let wanted = [reads(count), Cost(writes: count), Cost(writes: 1, deletes: count)].randomElement(
        using: &random
      )
      let least = Bool.random(using: &random) ? 1 : nil
      guard let wanted else { continue }
      if case .granted(let cost) = bill.reserve(wanted, least: wanted.reads > 0 ? least : nil) {
        open.append(cost)
      }
      if open.count > 3 || Bool.random(using: &random), let cost = open.popLast() {
        let used = Cost(reads: min(cost.reads, 7), writes: cost.writes, deletes: cost.deletes)
        bill.settle(cost, as: Bool.random(using: &random) ? used : nil)
      }
      #expect(price(bill.outstanding) + price(bill.kept) <= max(most, price(bill.kept)))
    }
    for cost in open { bill.settle(cost, as: cost) }
    guard each[0] > 0 else { return }
    while case .granted = bill.reserve(reads(50), least: 1) {}
    #expect(bill.reserve(reads(1)) == .wait || most - price(bill.total) - price(bill.kept) < each[0])
    #expect(price(bill.outstanding) + price(bill.kept) > most - each[0])
  }

  @Test("The smaller of two bounds holds, and with two lists of prices the dearer one.")
  func limits() async throws {
    let account = Account()
    let cheap = PriceList(reads: 1, writes: 4, deletes: 1, name: "x")
    account.limit(to: BillBound(reads: 9, dollars: 0.0001), at: cheap)
    account.limit(
      to: BillBound(reads: 20, writes: 3),
      at: PriceList(reads: 2, writes: 1, deletes: 1, name: "y"),
      by: "limits"
    )
    #expect(account.bound == BillBound(reads: 9, writes: 3, dollars: 0.0001))
    #expect(account.readsLeft == 5)
    _ = try await account.reserve(Cost(reads: 5))
    account.settle(Cost(reads: 5), as: Cost(reads: 5))
    // The bounds that do not allow the request are named, and no other.
    let failure = try account.exhausted(before: Cost(reads: 1))
    #expect(failure.cause.contains("than --max-cost 0.0001 allows"), "\(failure.cause)")
    let many = try account.exhausted(before: Cost(reads: 30))
    #expect(many.cause.contains("--max-reads 9, --max-cost 0.0001, limits allows"), "\(many.cause)")
    #expect(failure.bounds == [.option] && many.bounds == [.option, .run])
  }

  @Test("What earlier runs left of a bound is named by the bound that was given.")
  func leftOver() throws {
    let account = Account()
    let given = BillBound(reads: 500, writes: 900)
    account.limit(to: given.left(after: Cost(writes: 705), at: .nam5), of: given)
    #expect(account.bound == BillBound(reads: 500, writes: 195))
    let failure = try account.exhausted(before: Cost(writes: 200))
    let name = "--max-writes 900 (of which this run had 195 left) allows"
    #expect(failure.cause.contains("more than \(name)"), "\(failure.cause)")
    let reads = try account.exhausted(before: Cost(reads: 501))
    #expect(reads.cause.contains("more than --max-reads 500 allows"), "\(reads.cause)")
  }

  @Test("Numbers of any size do not overflow.")
  func extremes() {
    var dear = Bill()
    dear.bound = BillBound(dollars: 1_000_000)
    dear.prices = PriceList(reads: 1_000_000, writes: 0, deletes: 1_000_000, name: "x")
    dear.carry(known: Cost(reads: .max, deletes: .max), uncertain: reads(.max))
    #expect(dear.reserve(reads(.max), least: 1) == .exhausted)
    #expect(dear.reserve(Cost(writes: 1)) == .granted(Cost(writes: 1)))
    var bill = Bill()
    bill.bound = BillBound(reads: .max, writes: 0)
    bill.carry(known: reads(.max), uncertain: reads(.max))
    #expect(bill.reserve(reads(.max), least: 1) == .exhausted)
    #expect(bill.reserve(Cost(deletes: 1)) == .exhausted)
  }

  @Test(
    "Of a hundred requests side by side no more is billed than the bound, and what the first leave the others take."
  )
  func concurrent() async throws {
    let account = Account()
    account.limit(to: BillBound(reads: 1000))
    let granted = await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<100 {
        group.addTask {
          let cost = try await account.reserve(Cost(reads: 300), least: 1)
          await Task.yield()
          // Nine of ten find less than they asked for.
          let used = number % 10 == 0 ? cost.reads : 1
          account.settle(cost, as: Cost(reads: used))
          return used
        }
      }
      var sum = 0
      while let next = await group.nextResult() { if case .success(let used) = next { sum += used } }
      return sum
    }
    #expect(granted <= 1000 && account.billed.known == Cost(reads: granted))
    #expect(granted >= 100)
  }

  @Test("What was saved is never less than what may be billed.")
  func saving() async throws {
    let account = Account()
    let saved = Locked((known: Cost(), perhaps: Cost(), times: 0))
    account.carry(known: Cost(reads: 7), uncertain: Cost(reads: 1)) { (known, perhaps) throws(Failure) in
      saved.withLock { $0 = (known, perhaps, $0.times + 1) }
    }
    for number in 0..<500 {
      let cost = try await account.reserve(Cost(reads: 300, writes: 1))
      let allowed = saved.withLock { saved in saved.known + saved.perhaps }
      let (known, uncertain) = account.billed
      // What is reserved may be billed, too.
      #expect((known + uncertain).isWithin(allowed))
      account.settle(cost, as: number % 50 == 0 ? nil : Cost(reads: 300, writes: 1))
    }
    let (known, uncertain) = account.billed
    #expect(
      known == Cost(reads: 7 + 490 * 300, writes: 490) && uncertain == Cost(reads: 1 + 3000, writes: 10)
    )
    try account.close()
    let last = saved.withLock { $0 }
    #expect(last.known == known && last.perhaps == uncertain && last.times < 120)
  }

  @Test(
    "What counts in the background has its answer before a server is ended, also where it has not asked yet."
  )
  func background() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines("c", 0..<3))
    try await Fixture.with(mini.handler) { fixture in
      for _ in 0..<20 {
        let counted = Locked(0)
        let count = BackgroundCount([CollectionRead(collection("c"))], client: fixture.client) { number in
          counted.withLock { $0 = number }
        }
        count.begin()
        // Its second does not pass, however busy the machine is.
        let clock = RunClock(now: { 0 }, sleep: RunClock.system.sleep, random: { 0 })
        await fixture.traffic.account.settleAll(by: clock)
        #expect(counted.withLock { $0 } == 3)
      }
    }
  }
}
