import FirestoreModels
import TestSupport
import Testing

@testable import FirestoreREST

/// Reads that a scheduler plans, of collections whose requests take a unit of time, or some.
struct ReadSimulation {
  private struct Answer {
    var lane: Int
    var names: [DocumentPath]
    var isWhole: Bool
    var points: [DocumentPath]?
    var time: Double
    var fails = false
    var hasCome = false
  }

  let collections: [[DocumentPath]]
  /// The names that cut a collection, if the service gives them.
  var points: [DocumentPath] = []
  /// How many of a hundred requests fail for good.
  var failing = 0
  /// The collections whose reads failed.
  private(set) var failed: Set<Int> = []
  /// The size of each response.
  var bytes = 0
  /// The most time that a request takes; each takes a unit at the least.
  var slowest = 1.0
  var random = SplitMix64(seed: 1)
  private var scheduler: ReadScheduler
  private(set) var requests = 0
  private(set) var time = 0.0
  private(set) var atOnce = 0
  private(set) var held = 0
  /// The most bytes that were in flight and waited.
  var heldBytes: Int { held * bytes }
  private var open: [Int: Answer] = [:]

  /// - Parameter level: As of ``RangeSplitter``; more than the collection itself is read if it is not nil.
  init(
    _ collections: [[DocumentPath]],
    pageSize: Int,
    width: Int,
    from start: RangeSplitter.Start = .beginning,
    before end: DocumentPath? = nil,
    deepLevel level: Int? = nil
  ) {
    self.collections = collections
    let splitter = RangeSplitter(
      pageSize: pageSize,
      from: start,
      before: end,
      level: level ?? 1,
      isDeep: level != nil
    )
    let lanes = collections.map { _ in ReadScheduler.Lane.ranges(splitter, wantsPoints: level != nil) }
    scheduler = ReadScheduler(width: width, lanes: lanes)
  }

  /// Reads everything, and returns the names of each collection in the order in which they come.
  mutating func run() -> [[DocumentPath]] {
    var read = [[DocumentPath]](repeating: [], count: collections.count)
    for lane in collections.indices {
      for number in scheduler.advance(to: lane) { open[number] = nil }
      open = open.filter { !($0.value.lane < lane && $0.value.hasCome) }
      begin()
      while !scheduler.isCurrentDone {
        if let first = scheduler.first, let answer = open[first], answer.hasCome {
          if answer.fails {
            failed.insert(lane)
            break
          }
          open[first] = nil
          read[lane] += answer.names
          scheduler.finish()
        } else if let next = open.filter({ !$0.value.hasCome }).min(by: {
          ($0.value.time, $0.key) < ($1.value.time, $1.key)
        }) {
          come(next.key, next.value)
        } else {
          Issue.record("nothing is awaited, and nothing comes next")
          return read
        }
        begin()
        // Every request gives documents or ends a range, so that this many are too many.
        if requests > 20 * collections.reduce(0, { $0 + $1.count }) + 100 * collections.count {
          Issue.record("too many requests")
          return read
        }
      }
    }
    return read
  }

  private mutating func come(_ number: Int, _ answer: Answer) {
    time = answer.time
    if let points = answer.points {
      open[number] = nil
      scheduler.arrive(number, points: points)
    } else if answer.fails {
      open[number]?.hasCome = true
      scheduler.fail(number)
    } else {
      open[number]?.hasCome = true
      scheduler.arrive(number, bytes: bytes, answer.names, isWhole: answer.isWhole)
    }
  }

  private mutating func begin() {
    while let request = scheduler.begin() { open[request.number] = answer(request) }
    atOnce = max(atOnce, open.values.count { !$0.hasCome })
    held = max(held, open.values.count { !($0.hasCome && $0.fails) })
  }

  /// What the service has in a range: as many as are asked for.
  private mutating func answer(_ request: ReadScheduler.Request) -> Answer {
    requests += 1
    let time = time + .random(in: 1...slowest, using: &random)
    let fails = Int.random(in: 0..<100, using: &random) < failing
    guard case .range(let piece) = request.what else {
      return Answer(lane: request.lane, names: [], isWhole: true, points: points, time: time)
    }
    let inside = collections[request.lane].filter { name in
      let isBehindStart =
        switch piece.start {
        case .beginning: true
        case .after(let start): start < name
        case .at(let start): start <= name
        }
      return isBehindStart && (piece.end.map { name < $0 } ?? true)
    }
    return Answer(
      lane: request.lane,
      names: Array(inside.prefix(piece.size)),
      isWhole: inside.count < piece.size,
      time: time,
      fails: fails
    )
  }
}

/// Ways in which names are made.
enum NameKind: CaseIterable {
  case automatic, uuid, padded, counted, numbers, emails, short, accents, clusters, reserved, numeric,
    prefixed
  case skewed, skewedDeep, skewedUUID, skewedCount
  case smallGroups, largeGroups, countedGroups, subcollections

  /// Those below several documents.
  static let deep: [NameKind] = [.smallGroups, .largeGroups, .countedGroups, .subcollections]

  var isDeep: Bool { Self.deep.contains(self) }

  /// Sorted names in `c`, or below it.
  func names(_ count: Int, _ random: inout SplitMix64) -> [DocumentPath] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
    let hex = Array("0123456789abcdef")
    func some(_ from: [Character], _ count: Int) -> String {
      String((0..<count).map { _ in from.randomElement(using: &random) ?? "a" })
    }
    func uuid() -> String { "\(some(hex, 8))-\(some(hex, 4))-4\(some(hex, 3))-\(some(hex, 12))" }
    let parents = (0...count).map { _ in some(letters, 20) }
    let ids = (0..<count).map { index -> String in
      let isMost = !index.isMultiple(of: 10)
      return switch self {
      case .automatic: some(letters, 20)
      case .uuid: uuid()
      case .padded: "u" + String(String(1_000_000 + index).dropFirst())
      case .counted: "user\(index + 1)"
      case .numbers: "\(index)"
      case .emails: "\(some(Array("abcdeñ."), index % 7 + 1))@\(some(Array("xyz"), 3)).mx"
      case .short: some(letters, index % 3 + 1)
      case .accents: some(Array("aáeéñ\u{0301}\u{1F600}z"), index % 5 + 1)
      case .clusters: some(Array("az"), 1) + some(Array("019"), 1) + some(letters, 3)
      case .reserved: (index.isMultiple(of: 2) ? "__" : "_") + some(hex, 4)
      case .numeric:
        index.isMultiple(of: 3) ? "__id\(index.isMultiple(of: 2) ? -index - 1 : index)__" : some(letters, 3)
      case .prefixed: "sajarubox-member-2026-\(String(String(1_000_000 + index * 3).dropFirst()))-x"
      case .skewed: (isMost ? "m" : some(letters, 1)) + some(letters, 19)
      case .skewedDeep: isMost ? "aa" + some(letters, 18) : some(letters, 20)
      case .skewedUUID: isMost ? "user-\(uuid())" : uuid()
      case .skewedCount: isMost ? "member\(index)" : some(letters, 20)
      case .smallGroups: "\(parents[index / 60])/members/\(some(letters, 20))"
      case .largeGroups: "\(parents[index / 1000])/members/\(some(letters, 20))"
      case .countedGroups: "g\(index / 60)/members/m\(index % 60)"
      case .subcollections:
        index.isMultiple(of: 11)
          ? parents[index / 11] : "\(parents[index / 11])/\(index % 2 == 0 ? "s" : "t")/\(index)"
      }
    }
    return Set(ids.compactMap { DocumentPath("c/\($0)") }).sorted()
  }
}
