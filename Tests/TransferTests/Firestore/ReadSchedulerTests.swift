import FirestoreModels
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Several reads under one budget")
struct ReadSchedulerTests {
  @Test("Each read comes whole and in order, and the budget does not grow with their number.")
  func everyReadOnce() {
    for seed in UInt64(1)...60 {
      var random = SplitMix64(seed: seed)
      let width = Int.random(in: 1...9, using: &random)
      let collections = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        let kind = NameKind.allCases.randomElement(using: &random) ?? .automatic
        return kind.names(.random(in: 0...60, using: &random), &random)
      }
      var simulation = ReadSimulation(
        collections,
        pageSize: .random(in: 1...30, using: &random),
        width: width,
        deepLevel: Bool.random(using: &random) ? 1 : nil
      )
      simulation.slowest = 5
      simulation.bytes = [1, 1 << 20, 64 << 20].randomElement(using: &random) ?? 1
      simulation.random = random
      #expect(simulation.run() == collections, "seed \(seed)")
      #expect(simulation.atOnce <= width + 1, "seed \(seed)")
      #expect(simulation.held <= 3 * width + 1, "seed \(seed)")
    }
  }

  @Test("Fifteen small collections take the time of one.")
  func small() {
    var random = SplitMix64(seed: 1)
    let collections = (0..<15).map { _ in NameKind.automatic.names(300, &random) }
    var one = ReadSimulation([collections[0]], pageSize: 300, width: 16)
    var all = ReadSimulation(collections, pageSize: 300, width: 16)
    #expect(one.run() == [collections[0]])
    #expect(all.run() == collections)
    #expect(all.time <= 1.5 * one.time, "\(all.time), one alone \(one.time)")
    #expect(all.atOnce <= 17)
  }

  @Test("A large collection is not held up by small ones after it.")
  func large() {
    var random = SplitMix64(seed: 1)
    let large = NameKind.automatic.names(5000, &random)
    let small = (0..<20).map { _ in NameKind.automatic.names(10, &random) }
    var alone = ReadSimulation([large], pageSize: 50, width: 8)
    var all = ReadSimulation([large] + small, pageSize: 50, width: 8)
    _ = alone.run()
    #expect(all.run() == [large] + small)
    #expect(all.time <= alone.time + 6, "\(all.time), alone \(alone.time)")
  }

  @Test("What comes of a read that fails is its beginning, and the others come whole.")
  func faults() {
    var (whole, parts) = (0, 0)
    for seed in UInt64(1)...60 {
      var random = SplitMix64(seed: seed)
      let width = Int.random(in: 1...9, using: &random)
      let collections = (0..<Int.random(in: 1...20, using: &random)).map { _ in
        NameKind.allCases.randomElement(using: &random)?.names(.random(in: 0...90, using: &random), &random)
          ?? []
      }
      var simulation = ReadSimulation(
        collections,
        pageSize: .random(in: 1...30, using: &random),
        width: width,
        deepLevel: Bool.random(using: &random) ? 1 : nil
      )
      simulation.slowest = 5
      simulation.failing = 5
      simulation.random = random
      for (lane, read) in simulation.run().enumerated() {
        if simulation.failed.contains(lane) {
          parts += 1
          #expect(collections[lane].starts(with: read), "seed \(seed), \(lane)")
        } else {
          whole += 1
          #expect(read == collections[lane], "seed \(seed), \(lane)")
        }
      }
      #expect(simulation.atOnce <= width + 1 && simulation.held <= 3 * width + 1, "seed \(seed)")
    }
    #expect(whole > 50 && parts > 50, "\(whole) and \(parts)")
  }

  @Test("What is held is bounded in bytes, and large pages are still read side by side.")
  func largePages() {
    var random = SplitMix64(seed: 1)
    let names = NameKind.automatic.names(5000, &random)
    var simulation = ReadSimulation([names], pageSize: 50, width: 16)
    simulation.bytes = 2 << 20
    #expect(simulation.run() == [names])
    // The last page may reach beyond it, and the one that everything waits for comes on top.
    let most = ReadScheduler.maximumBytes + 2 * simulation.bytes
    #expect(simulation.heldBytes <= most, "\(simulation.heldBytes)")
    #expect(simulation.time <= 100 / 2, "\(simulation.time)")
  }

  private func next(_ scheduler: inout ReadScheduler) throws -> ReadScheduler.Request {
    let request = scheduler.begin()
    return try #require(request)
  }

  @Test("Moving on drops the rest of a read, and frees what it held.")
  func skips() throws {
    var scheduler = ReadScheduler(width: 2, lanes: [.chain, .chain, .chain])
    let first = try next(&scheduler)
    let second = try next(&scheduler)
    #expect((first.lane, second.lane) == (0, 1))
    let dropped = scheduler.advance(to: 2)
    #expect(Set(dropped) == [first.number, second.number])
    let third = try next(&scheduler)
    #expect(third.lane == 2)
    // What comes late is nobody's.
    scheduler.arrive(first.number, bytes: 1, next: nil)
    scheduler.arrive(third.number, bytes: 1, next: nil)
    #expect(scheduler.first == third.number)
    scheduler.finish()
    #expect(scheduler.isCurrentDone)
  }

  @Test("Of a read that failed nothing more is read ahead, and what was begun before still comes.")
  func failures() throws {
    var scheduler = ReadScheduler(width: 4, lanes: [.chain, .chain])
    let first = try next(&scheduler)
    let second = try next(&scheduler)
    scheduler.fail(second.number)
    scheduler.arrive(first.number, bytes: 1, next: nil)
    scheduler.finish()
    #expect(scheduler.isCurrentDone)
    let dropped = scheduler.advance(to: 1)
    #expect(dropped.isEmpty)
    #expect(scheduler.first == second.number)
  }

  @Test("Of ranges nothing more is read ahead, either, once one failed.")
  func failedRanges() throws {
    let splitter = RangeSplitter(pageSize: 10, level: 1, isDeep: false)
    var scheduler = ReadScheduler(width: 8, lanes: [.ranges(splitter, wantsPoints: false)])
    let names = (100..<110).compactMap { DocumentPath("c/\($0)") }
    scheduler.arrive(try next(&scheduler).number, bytes: 1, names, isWhole: false)
    scheduler.finish()
    let second = try next(&scheduler)
    let third = try next(&scheduler)
    scheduler.fail(third.number)
    let none = scheduler.begin()
    #expect(none?.number == nil)
    #expect(scheduler.first == second.number)
  }
}
