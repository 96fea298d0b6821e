/// Decides which of several reads may send the next request, so that together they keep to one budget.
///
/// The reads are returned one after the other, each in its order. So the next page is the earliest one that has not been
/// requested yet: of the read that is being returned, then of those after it. The page that everything waits for is always
/// requested. Any other page is requested only while fewer requests than the width are in flight, and while fewer than
/// twice the width are in flight or waiting to be returned, with fewer than ``maximumBytes``. That is enough to keep one
/// slow page from stopping the others, and it bounds memory regardless of the number of reads and the size of their
/// documents. For a page that comes before waiting ones, the limit is three times the width; otherwise these would block a
/// part of the names that turns out to have many more documents. The type is pure.
struct ReadScheduler: Sendable {
  struct Request: Sendable {
    enum What: Sendable {
      case range(RangeSplitter.Piece)
      /// A page of a read that cannot be split; nil for its first page.
      case page(PageStart?)
      /// Names that split a collection group.
      case points
    }

    let number: Int
    /// The index of the read.
    let lane: Int
    let what: What
  }

  /// A read.
  struct Lane: Sendable {
    /// The ranges of a read that is split; otherwise it has a chain.
    fileprivate var ranges: RangeSplitter?
    fileprivate var chain: PageChain?
    /// Whether to ask the service for names that split it, once it has more than one page.
    fileprivate var wantsPoints = false
    fileprivate var isLong = false
    fileprivate var hasFailed = false

    fileprivate var isDone: Bool { ranges?.isDone ?? chain?.isDone ?? true }
    fileprivate var first: Int? { ranges?.first ?? chain?.first }

    /// A read whose pages are requested one after the other.
    static var chain: Lane { Lane(chain: PageChain()) }

    /// A read that is split into ranges.
    static func ranges(_ splitter: RangeSplitter, wantsPoints: Bool) -> Lane {
      Lane(ranges: splitter, wantsPoints: wantsPoints)
    }
  }

  private let width: Int
  private var lanes: [Lane]
  private var current = 0
  private var number = 0
  /// The lanes of the requests in flight.
  private var inFlight: [Int: Int] = [:]
  /// The pages that are waiting to be returned.
  private var waiting: [Int: (lane: Int, bytes: Int)] = [:]
  private var waitingBytes = 0
  /// The expected size of a page in flight.
  private var expectedBytes = 0

  /// The maximum number of requests in flight and waiting pages, as multiples of the width: for a page after all others,
  /// and for a page before some of them.
  private static let (ahead, between) = (2, 3)
  /// The maximum number of bytes in flight and waiting, assuming that responses in flight are like the latest ones.
  static let maximumBytes = ByteBudget.responses

  /// - Parameter width: The number of concurrent requests.
  init(width: Int, lanes: [Lane]) {
    self.width = max(1, width)
    self.lanes = lanes
  }

  /// Returns the next request to send; nil if nothing may be sent now.
  mutating func begin() -> Request? {
    guard current < lanes.count else { return nil }
    if let request = begin(current, onlyFirst: true) { return request }
    let held = inFlight.count + waiting.count
    guard inFlight.count < width, held < Self.between * width,
      waitingBytes + inFlight.count * expectedBytes < Self.maximumBytes
    else { return nil }
    for index in current..<lanes.count where !lanes[index].hasFailed {
      if held >= Self.ahead * width, !isBetween(index) { return nil }
      if lanes[index].wantsPoints, lanes[index].isLong {
        lanes[index].wantsPoints = false
        return request(.points, of: index)
      }
      if let request = begin(index, onlyFirst: false) { return request }
    }
    return nil
  }

  /// Whether the next page of a read comes before other requested ones.
  private func isBetween(_ index: Int) -> Bool {
    lanes[index].ranges?.hasGap ?? false || inFlight.values.contains { $0 > index }
      || waiting.values.contains { $0.lane > index }
  }

  private mutating func begin(_ index: Int, onlyFirst: Bool) -> Request? {
    if let piece = lanes[index].ranges?.begin(number + 1, onlyFirst: onlyFirst) {
      return request(.range(piece), of: index)
    }
    return lanes[index].chain?.begin(number + 1, onlyFirst: onlyFirst).map { start in
      request(.page(start.value), of: index)
    }
  }

  private mutating func request(_ what: Request.What, of lane: Int) -> Request {
    number += 1
    inFlight[number] = lane
    return Request(number: number, lane: lane, what: what)
  }

  /// Records the page of a range, with the names of its documents in order.
  ///
  /// - Parameters:
  ///   - bytes: The size of the response.
  ///   - isWhole: Whether the page completes the range.
  mutating func arrive(_ number: Int, bytes: Int, _ names: [DocumentPath], isWhole: Bool) {
    guard let lane = arrive(number, bytes) else { return }
    lanes[lane].ranges?.arrive(number, names, isWhole: isWhole)
    if !isWhole { lanes[lane].isLong = true }
  }

  /// Records a page of a read that cannot be split.
  ///
  /// - Parameters:
  ///   - bytes: The size of the response.
  ///   - next: The start of the next page; nil after the last one.
  mutating func arrive(_ number: Int, bytes: Int, next: PageStart?) {
    if let lane = arrive(number, bytes) { lanes[lane].chain?.arrive(number, next: next) }
  }

  private mutating func arrive(_ number: Int, _ bytes: Int) -> Int? {
    guard let lane = inFlight.removeValue(forKey: number) else { return nil }
    waiting[number] = (lane, bytes)
    waitingBytes += bytes
    // The size of a large page is forgotten slowly, because there may be more.
    expectedBytes = max(bytes, expectedBytes - expectedBytes / 8)
    return lane
  }

  /// Releases a waiting page.
  private mutating func release(_ number: Int) -> Bool {
    guard let page = waiting.removeValue(forKey: number) else { return false }
    waitingBytes -= page.bytes
    return true
  }

  /// Records names that split a read into parts of similar size; none if the service does not return any.
  mutating func arrive(_ number: Int, points: [DocumentPath]) {
    if let lane = inFlight.removeValue(forKey: number) { lanes[lane].ranges?.take(points: points) }
  }

  /// Records that a page failed, after which nothing more of its read is requested ahead.
  mutating func fail(_ number: Int) {
    if let lane = inFlight.removeValue(forKey: number) { lanes[lane].hasFailed = true }
  }

  /// Moves on to a read.
  ///
  /// - Returns: The requests and pages of earlier reads, which are no longer needed.
  mutating func advance(to lane: Int) -> [Int] {
    guard lane > current else { return [] }
    current = lane
    let dropped =
      inFlight.filter { $0.value < lane }.map(\.key) + waiting.filter { $0.value.lane < lane }.map(\.key)
    for number in dropped {
      inFlight[number] = nil
      _ = release(number)
    }
    return dropped
  }

  /// Whether the current read has been returned completely.
  var isCurrentDone: Bool { current >= lanes.count || lanes[current].isDone }

  /// The number of the page to return next; nil if it has not been requested, or at the end of the current read.
  var first: Int? { current < lanes.count ? lanes[current].first : nil }

  /// Completes the page to return next, which has arrived.
  mutating func finish() {
    guard let number = first, release(number) else { return }
    lanes[current].ranges?.finish()
    lanes[current].chain?.finish()
  }
}

/// The pages of a read that cannot be split, each of which is requested after the one before it has arrived.
struct PageChain: Sendable {
  /// The start of a page; its value is nil for the first one.
  struct Start: Sendable {
    let value: PageStart?
  }

  /// The numbers of the requested pages that have not been returned, in order.
  private var begun: [Int] = []
  private var open: Start? = Start(value: nil)

  /// Whether everything has been returned.
  var isDone: Bool { begun.isEmpty && open == nil }

  /// The number of the page to return next; nil if it has not been requested.
  var first: Int? { begun.first }

  /// Begins the next page; returns nil if its start is unknown.
  mutating func begin(_ number: Int, onlyFirst: Bool) -> Start? {
    guard !onlyFirst || begun.isEmpty, let start = open else { return nil }
    open = nil
    begun.append(number)
    return start
  }

  /// Records the start of the page after one that arrived.
  mutating func arrive(_ number: Int, next: PageStart?) {
    if begun.last == number { open = next.map { Start(value: $0) } }
  }

  /// Completes the next page.
  mutating func finish() { begun.removeFirst() }
}
