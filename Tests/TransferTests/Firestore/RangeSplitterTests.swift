import TestSupport
import Testing

@testable import FirestoreModels
@testable import FirestoreREST

@Suite("Ranges of IDs")
struct RangeSplitterTests {
  /// Ways in which ids are made.
  enum Kind: CaseIterable {
    case automatic, padded, counted, uuid, emails, short, accents, clusters, reserved, prefixed
  }

  @Test(
    "Each document is read once and in order, whatever its ID.",
    arguments: Kind.allCases
  )
  func everyDocumentOnce(kind: Kind) {
    for seed in UInt64(1)...40 {
      var random = SplitMix64(seed: seed)
      let ids = Self.ids(kind, .random(in: 0...700, using: &random), &random)
      let pageSize = [1, 2, 3, 7, 50, 300].randomElement(using: &random) ?? 1
      let width = Int.random(in: 1...9, using: &random)
      let after = Bool.random(using: &random) ? ids.randomElement(using: &random) : nil
      var simulation = Simulation(ids, pageSize: pageSize, width: width, after: after)
      simulation.slowest = 10
      simulation.random = random
      let read = simulation.run()
      let expected = after.map { after in ids.filter { after.compareUTF8($0) < 0 } } ?? ids
      #expect(read.map { UTF8Key($0) } == expected.map { UTF8Key($0) }, "seed \(seed)")
      #expect(simulation.atOnce <= width + 1, "seed \(seed)")
      #expect(simulation.held <= 3 * width + 2, "seed \(seed)")
    }
  }

  /// A list of the same has 100 pages, one after the other.
  @Test(
    "Generated IDs are read concurrently, with few more requests than pages.",
    arguments: [
      (Kind.automatic, 1.45, 25), (.padded, 1.3, 25), (.uuid, 1.45, 25), (.prefixed, 1.3, 25),
      (.counted, 2, 60),
    ]
  )
  func sideBySide(kind: Kind, requests: Double, time: Double) {
    var random = SplitMix64(seed: 7)
    let ids = Self.ids(kind, 10_000, &random)
    var simulation = Simulation(ids, pageSize: 100, width: 8, after: nil)
    #expect(simulation.run().count == ids.count)
    #expect(Double(simulation.requests) <= 100 * requests, "\(simulation.requests)")
    #expect(simulation.time <= time, "\(simulation.time)")
  }

  @Test("A gap of any size takes few requests.")
  func gaps() {
    let ids = (0..<1000).map { "a\(String(100_000 + $0))" } + (0..<1000).map { "z\(String(900_000 + $0))" }
    var simulation = Simulation(ids, pageSize: 100, width: 8, after: nil)
    #expect(simulation.run().count == 2000)
    #expect(simulation.requests <= 60, "\(simulation.requests)")
  }

  @Test("Numbers have the order of the IDs, and the ID of a number is the first with it.")
  func scale() {
    for kind in Kind.allCases {
      var random = SplitMix64(seed: 3)
      let ids = Self.ids(kind, 400, &random)
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

  // MARK: Ids

  private static func ids(_ kind: Kind, _ count: Int, _ random: inout SplitMix64) -> [String] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    let hex = Array("0123456789abcdef")
    var found: Set<UTF8Key> = []
    for index in 0..<count {
      func some(_ from: [Character], _ count: Int) -> String {
        String((0..<count).map { _ in from.randomElement(using: &random) ?? "a" })
      }
      let id =
        switch kind {
        case .automatic: some(letters, 20)
        case .padded: "u" + String(String(1_000_000 + index).dropFirst())
        case .counted: "user\(index)"
        case .uuid: "\(some(hex, 8))-\(some(hex, 4))-4\(some(hex, 3))-\(some(hex, 4))-\(some(hex, 12))"
        case .emails: "\(some(Array("abcdeñ."), Int(index % 7) + 1))@\(some(Array("xyz"), 3)).mx"
        case .short: some(letters, Int(index % 3) + 1)
        case .accents: some(Array("aáeéñ\u{0301}\u{1F600}z"), Int(index % 5) + 1)
        case .clusters: some(Array("az"), 1) + some(Array("019"), 1) + some(letters, 3)
        case .reserved: (index.isMultiple(of: 2) ? "__" : "_") + some(hex, 4)
        case .prefixed: "sajarubox-member-2026-\(String(String(1_000_000 + index * 3).dropFirst()))-x"
        }
      found.insert(UTF8Key(id))
    }
    return found.sorted().map(\.string)
  }

  /// A collection that takes a unit of time, or some, for a request.
  private struct Simulation {
    private struct Answer {
      var ids: [String]
      var pages: Int
      var isWhole: Bool
      var time: Double
      var hasCome = false
    }

    let ids: [String]
    let pageSize: Int
    /// The most time that a request takes; each takes a unit at the least.
    var slowest = 1.0
    var random = SplitMix64(seed: 1)
    var splitter: RangeSplitter
    var requests = 0
    var time = 0.0
    var atOnce = 0
    var held = 0
    private var open: [Int: Answer] = [:]

    init(_ ids: [String], pageSize: Int, width: Int, after: String?) {
      self.ids = ids
      self.pageSize = pageSize
      splitter = RangeSplitter(width: width, pageSize: pageSize, after: after)
    }

    mutating func run() -> [String] {
      var read: [String] = []
      begin()
      // Every request gives documents or ends a range, so that this many are too many.
      while !splitter.isDone, requests <= 20 * ids.count + 100 {
        if let first = splitter.first, let answer = open[first.number], answer.hasCome {
          open[first.number] = nil
          read += answer.ids
          splitter.finish(answer.ids, isWhole: answer.isWhole)
        } else if let next = open.filter({ !$0.value.hasCome }).min(by: {
          ($0.value.time, $0.key) < ($1.value.time, $1.key)
        }) {
          time = next.value.time
          open[next.key]?.hasCome = true
          splitter.arrive(next.key, pages: next.value.pages)
        } else {
          Issue.record("nothing is awaited, and nothing comes next")
          return read
        }
        begin()
      }
      return read
    }

    private mutating func begin() {
      while let piece = splitter.begin() { open[piece.number] = answer(piece) }
      atOnce = max(atOnce, open.values.count { !$0.hasCome })
      held = max(held, open.values.reduce(0) { $1.hasCome ? $0 + $1.pages : $0 })
    }

    /// What the service has in a range: a page, and one more where the range has an end.
    private mutating func answer(_ piece: RangeSplitter.Piece) -> Answer {
      let inside = ids.filter { id in
        let isBehindStart =
          switch piece.start {
          case .beginning: true
          case .after(let start): start.compareUTF8(id) < 0
          case .at(let start): start.compareUTF8(id) <= 0
          }
        return isBehindStart && (piece.end.map { id.compareUTF8($0) < 0 } ?? true)
      }
      let pages = min(inside.count / pageSize + 1, piece.end == nil ? 1 : 2)
      requests += pages
      return Answer(
        ids: Array(inside.prefix(pages * pageSize)),
        pages: pages,
        isWhole: inside.count < pages * pageSize,
        time: time + (0..<pages).reduce(0) { sum, _ in sum + .random(in: 1...slowest, using: &random) }
      )
    }
  }
}
