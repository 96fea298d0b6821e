import Files
import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import Configuration
@testable import FirestoreREST
@testable import Shards

@Suite("The bill of all tasks")
struct ShardBillTests {
  private let prices = PriceList(reads: 0.06, writes: 0.18, deletes: 0.02, name: "x")

  private func bill(_ folder: String, _ bound: BillBound, writes: Bool = false) throws -> ShardBill {
    let bill = ShardBill(in: folder, limits: [])
    try bill.begin(bound, writes: writes)
    return bill
  }

  private func take(_ bill: ShardBill, _ cost: Cost, least: Int? = nil, ahead: Cost = Cost()) throws -> Cost?
  {
    try bill.take(cost, leastReads: least ?? cost.reads, ahead: ahead, at: prices)
  }

  @Test("Something ahead is taken only while it is there, and fewer reads where fewer are enough.")
  func rest() async throws {
    try await withTemporaryDirectory { folder in
      let folder = folder.path
      let bill = try bill(folder, BillBound(reads: 100, writes: 5))
      #expect(try take(bill, Cost(reads: 60), ahead: Cost(reads: 20)) == Cost(reads: 80))
      #expect(try take(bill, Cost(reads: 15), ahead: Cost(reads: 20)) == Cost(reads: 15))
      #expect(try take(bill, Cost(reads: 6)) == nil)
      #expect(try take(bill, Cost(reads: 6), least: 1) == Cost(reads: 5))
      #expect(try take(bill, Cost(reads: 1)) == nil)
      try bill.give(Cost(reads: 3))
      #expect(try take(bill, Cost(reads: 6), least: 1) == Cost(reads: 3))
      #expect(try take(bill, Cost(writes: 2, deletes: 4)) == nil)
      #expect(try take(bill, Cost(writes: 2, deletes: 3)) == Cost(writes: 2, deletes: 3))
      #expect(try bill.billed() == Cost(reads: 100, writes: 2, deletes: 3))
    }
  }

  @Test("The end has what was kept for it, and a larger bound replaces the first.")
  func end() async throws {
    try await withTemporaryDirectory { folder in
      let folder = folder.path
      let bill = try bill(folder, BillBound(reads: 20, writes: 10), writes: true)
      #expect(try take(bill, Cost(reads: 13)) == nil)
      #expect(try take(bill, Cost(reads: 12, writes: 6)) == Cost(reads: 12, writes: 6))
      let failure = try #require(try bill.exhausted(before: Cost(writes: 1), at: prices))
      #expect(failure.kind == .tryLater && failure.isOfBound)
      #expect(failure.description.contains("--max-writes 10 allows"))
      #expect(!failure.description.contains("--max-reads"))
      try bill.beginEnd()
      #expect(try take(bill, Cost(reads: 8, writes: 2, deletes: 2)) != nil)
      #expect(try take(bill, Cost(reads: 1)) == nil)
      try bill.allow(BillBound(reads: 21))
      #expect(try take(bill, Cost(reads: 1)) != nil)
      // The bound of writes stays as it was.
      #expect(try take(bill, Cost(writes: 1)) == nil)
      #expect(try bill.exhausted(before: Cost(reads: 1), at: prices) != nil)
    }
  }

  @Test("A file with a number below zero is refused, and so is a missing one.")
  func damage() async throws {
    try await withTemporaryDirectory { folder in
      let folder = folder.path
      let bill = ShardBill(in: folder, limits: [])
      #expect(throws: Failure.self) { try bill.billed() }
      let count = #"{"deletes":0,"reads":-1,"writes":0}"#
      try #"{"kept":\#(count),"taken":\#(count)}"#
        .write(toFile: "\(folder)/bill.json", atomically: true, encoding: .utf8)
      #expect(throws: Failure.self) { try bill.billed() }
    }
  }

  @Test("Processes side by side never are billed more than the bound.", arguments: UInt64(1)...40)
  func sideBySide(seed: UInt64) async throws {
    try await withTemporaryDirectory { folder in
      let folder = folder.path
      var random = SplitMix64(seed: seed)
      let inDollars = Bool.random(using: &random)
      let most = Int.random(in: 0...4000, using: &random)
      // A read is 6 units of 10^-7 dollars, a write 18.
      let bound = inDollars ? BillBound(dollars: Double(most) * 6 / 1e7) : BillBound(reads: most)
      _ = try bill(folder, bound)
      let billed = Locked(Cost())
      let ended = Locked(0)
      await withTaskGroup(of: Void.self) { group in
        for process in 0..<4 {
          let seed = random.next()
          group.addTask {
            var random = SplitMix64(seed: seed)
            let account = Account()
            account.limit(to: bound, at: PriceList(reads: 0.06, writes: 0.18, deletes: 0.02, name: "x"))
            account.share(ShardBill(in: folder, limits: []))
            do {
              while true {
                let count = Int.random(in: 1...300, using: &random)
                let asked =
                  Bool.random(using: &random) && inDollars ? Cost(writes: count) : Cost(reads: count)
                let granted = try await account.reserve(asked, least: asked.reads > 0 ? 1 : nil)
                let used = Cost(
                  reads: granted.reads > 0 ? Int.random(in: 1...granted.reads, using: &random) : 0,
                  writes: granted.writes
                )
                let isLost = Int.random(in: 0..<9, using: &random) == 0
                billed.withLock { $0 = $0 + (isLost ? granted : used) }
                account.settle(granted, as: isLost ? nil : used)
                // One that is killed gives nothing back.
                if process == 0, Int.random(in: 0..<9, using: &random) == 0 { return }
                if Int.random(in: 0..<30, using: &random) == 0 { break }
              }
            } catch {
              ended.withLock { $0 += 1 }
            }
            try? account.close()
          }
        }
      }
      let total = billed.withLock { $0 }
      let units = total.reads * 6 + total.writes * 18
      #expect(inDollars ? units <= most * 6 : total.reads <= most)
      let left = try ShardBill(in: folder, limits: []).billed()
      #expect(left.reads >= total.reads && left.writes >= total.writes)
    }
  }
}
