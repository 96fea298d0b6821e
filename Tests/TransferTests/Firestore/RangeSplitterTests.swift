import TestSupport
import Testing

@testable import FirestoreModels
@testable import FirestoreREST

@Suite("Ranges of names")
struct RangeSplitterTests {
  @Test("Each document is read once and in order, whatever its name.", arguments: NameKind.allCases)
  func everyDocumentOnce(kind: NameKind) {
    for seed in UInt64(1)...40 {
      var random = SplitMix64(seed: seed)
      let names = kind.names(.random(in: 0...700, using: &random), &random)
      let width = Int.random(in: 1...9, using: &random)
      let after = Bool.random(using: &random) ? names.randomElement(using: &random) : nil
      let first = after == nil && Bool.random(using: &random) ? names.randomElement(using: &random) : nil
      let end = Bool.random(using: &random) ? names.randomElement(using: &random) : nil
      var simulation = ReadSimulation(
        [names],
        pageSize: [1, 2, 3, 7, 50, 300].randomElement(using: &random) ?? 1,
        width: width,
        from: after.map { .after($0) } ?? first.map { .at($0) } ?? .beginning,
        before: end,
        deepLevel: kind.isDeep ? 1 : nil
      )
      if Bool.random(using: &random) {
        simulation.points = (0..<20).compactMap { _ in names.randomElement(using: &random) }
      }
      simulation.slowest = 10
      simulation.random = random
      let read = simulation.run()
      let expected = names.filter { name in
        (after.map { $0 < name } ?? true) && (first.map { $0 <= name } ?? true)
          && (end.map { name < $0 } ?? true)
      }
      #expect(read == [expected], "seed \(seed)")
      #expect(simulation.atOnce <= width + 1, "seed \(seed)")
      #expect(simulation.held <= 3 * width + 1, "seed \(seed)")
    }
  }

  /// A list of the same has 200 pages, one after the other.
  @Test(
    "Generated and counted IDs are read six times as fast with eight requests, also where most have one prefix.",
    arguments: [
      NameKind.automatic, .uuid, .padded, .counted, .numbers, .prefixed, .skewed, .skewedDeep, .skewedUUID,
      .skewedCount,
    ]
  )
  func sideBySide(kind: NameKind) {
    var random = SplitMix64(seed: 7)
    let names = kind.names(20_000, &random)
    var simulation = ReadSimulation([names], pageSize: 100, width: 8)
    #expect(simulation.run() == [names])
    #expect(simulation.time <= 200 / 6, "\(simulation.time)")
    #expect(simulation.requests <= 260, "\(simulation.requests)")
  }

  @Test("Collection groups whose points the service gives are read so, too.", arguments: NameKind.deep)
  func points(kind: NameKind) {
    var random = SplitMix64(seed: 7)
    let names = kind.names(20_000, &random)
    var simulation = ReadSimulation([names], pageSize: 100, width: 8, deepLevel: 1)
    simulation.points = stride(from: 128, to: names.count, by: 128).map { names[$0] }
    #expect(simulation.run() == [names])
    #expect(simulation.time <= 200 / 5, "\(simulation.time)")
  }

  @Test("A gap of any size takes few requests.")
  func gaps() {
    let ids = (0..<1000).map { "a\(String(100_000 + $0))" } + (0..<1000).map { "z\(String(900_000 + $0))" }
    let names = ids.compactMap { DocumentPath("c/\($0)") }
    var simulation = ReadSimulation([names], pageSize: 100, width: 8)
    #expect(simulation.run() == [names])
    #expect(simulation.requests <= 60, "\(simulation.requests)")
  }

  @Test("Numbers have the order of the IDs, and the ID of a number is the first with it.")
  func scale() {
    for kind in NameKind.allCases where !kind.isDeep && kind != .numeric {
      var random = SplitMix64(seed: 3)
      let ids = kind.names(400, &random).map(\.id)
      var scale = NameScale()
      scale.learn(ids.prefix(150))
      let numbers = ids.map { scale.number(of: $0) }
      #expect(numbers == numbers.sorted(), "\(kind)")
      for (id, number) in zip(ids, numbers) {
        guard let first = scale.id(of: number) else { continue }
        #expect(scale.number(of: first) == number, "\(kind) \(id)")
      }
    }
  }
}
