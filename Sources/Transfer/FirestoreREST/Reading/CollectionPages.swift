import Files
import Platform

/// The pages of several reads, each in its order: one read after the other, or concurrently under one budget.
///
///     let pages = client.pages(ofEach: reads)
///     for index in reads.indices {
///       while let page = try await pages.next(of: index) { print(page.count) }
///     }
///
/// With ``CollectionRead/parallel``, as many requests as its largest value are in flight: ranges of the read that is being
/// returned, then the first pages of those after it. The pages that wait to be returned share one bound, so memory does not
/// grow with the number of reads. Otherwise, a read begins when its first page is requested. Dropping the object cancels
/// requests in flight.
///
/// A caller that only passes documents through gets pages that stay on the tape of the response, where possible. For
/// others, a page is decoded while they work on the one before; later pages wait on their tapes, which need less memory.
///
/// Not `Sendable`: one task, or one actor, requests the pages.
package final class CollectionPages {
  private let client: FirestoreClient
  private let reads: [CollectionRead]
  private let work: ConcurrentReads?
  private let isCarrying: Bool
  private var alone: (index: Int, pages: ReadAhead)?
  /// The documents that the pages were billed for.
  package let billed: BilledReads

  init(client: FirestoreClient, reads: [CollectionRead], isCarrying: Bool) {
    self.client = client
    self.reads = reads
    self.isCarrying = isCarrying
    billed = BilledReads(of: reads.count)
    let width = reads.map(\.parallel).max() ?? 1
    let isConcurrent = width > 1 && (reads.count > 1 || reads.contains(where: \.isSplit))
    work =
      isConcurrent ? ConcurrentReads(client, reads, width: width, isCarrying: isCarrying, billed) : nil
    work?.begin()
    if !isConcurrent, !reads.isEmpty { alone = (0, pages(of: 0)) }
  }

  private func pages(of index: Int) -> ReadAhead {
    var fetcher = PageFetcher(client: client, read: reads[index].alone, isCarrying: isCarrying)
    fetcher.onPage = { [billed] in billed.add($0, to: index) }
    return ReadAhead(fetcher)
  }

  deinit { work?.cancel() }

  /// Returns the next page of a read, which may be empty; nil after the last one.
  ///
  /// - Parameter index: The index of the read, which must not decrease between calls; the rest of earlier reads is skipped.
  /// - Throws: ``Failure`` after all retries, or if a document cannot be decoded; repeated calls throw it again.
  package func nextPage(
    of index: Int,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> DocumentPage? {
    guard reads.indices.contains(index) else { return nil }
    if let work { return try await work.next(of: index) }
    if let alone, alone.index == index { return try await alone.pages.next() }
    let pages = pages(of: index)
    alone = (index, pages)
    return try await pages.next()
  }

  /// Returns the documents of the next page of a read; see ``nextPage(of:)``.
  package func next(
    of index: Int,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> [RawDocument]? {
    try await nextPage(of: index)?.documents()
  }
}

/// The number of documents in the pages of several reads, which are billed.
///
/// They include documents that are left out because the client evaluates a filter.
package final class BilledReads: Sendable {
  private let reads: Locked<[Int]>

  init(of count: Int) { reads = Locked([Int](repeating: 0, count: count)) }

  func add(_ count: Int, to index: Int) {
    reads.withLock { $0[index] = $0[index].addingClamped(count) }
  }

  package subscript(index: Int) -> Int { reads.withLock { $0[index] } }

  /// The number in all pages.
  package var total: Int { reads.withLock { $0.reduce(0) { $0.addingClamped($1) } } }
}

extension FirestoreClient {
  /// Reads several reads page by page, in order.
  package func pages(ofEach reads: [CollectionRead]) -> CollectionPages {
    CollectionPages(client: self, reads: reads, isCarrying: false)
  }

  /// Reads several reads page by page, in order, for callers that only pass documents through.
  package func documentPages(ofEach reads: [CollectionRead]) -> CollectionPages {
    CollectionPages(client: self, reads: reads, isCarrying: true)
  }
}

extension CollectionRead {
  /// The same read, with one request at a time.
  fileprivate var alone: CollectionRead {
    var read = self
    read.parallel = 1
    return read
  }

  /// The lane of the read among others.
  fileprivate var lane: ReadScheduler.Lane {
    guard isSplit else { return .chain }
    let segments: (CollectionPath) -> Int = { $0.string.utf8.count { $0 == UInt8(ascii: "/") } + 1 }
    let level =
      switch reach {
      case .collection, .subcollections: segments(collection)
      case .group: 1
      case .pattern: segments(CollectionPattern(collection).root)
      }
    let splitter = RangeSplitter(
      pageSize: pageSize,
      from: startAfter.map { .after($0) } ?? startAt.map { .at($0) } ?? .beginning,
      before: endBefore,
      level: level,
      isDeep: reach != .collection
    )
    return .ranges(splitter, wantsPoints: reach == .group || reach == .pattern)
  }
}

/// The requests in flight; when one completes, the next is sent.
private final class ConcurrentReads: Sendable {
  private struct State {
    var scheduler: ReadScheduler
    /// The pages, by the numbers of their requests.
    var pages: [Int: Task<DocumentPage, any Error>] = [:]
    /// The maximum number of documents to request for each read, learned from the sizes of responses.
    var sizes: [Int]
    var isOver = false
  }

  /// The number of concurrent requests up to which memory is hardly fragmented.
  private static let fewReads = 8

  private let fetchers: [PageFetcher]
  private let width: Int
  private let isCarrying: Bool
  private let state: Locked<State>

  init(
    _ client: FirestoreClient,
    _ reads: [CollectionRead],
    width: Int,
    isCarrying: Bool,
    _ billed: BilledReads
  ) {
    // Several threads allocate and free pages, for two databases in a comparison.
    _ = width > Self.fewReads ? Allocator.returnsMediumBlocks : Allocator.returnsLargeBlocks
    self.width = width
    self.isCarrying = isCarrying
    let share = min(ByteBudget.response, ByteBudget.responses / width)
    fetchers = reads.enumerated().map { index, read in
      let read = read.isSplit ? read : read.alone
      var fetcher = PageFetcher(client: client, read: read, isCarrying: true, share: share)
      fetcher.onPage = { billed.add($0, to: index) }
      return fetcher
    }
    state = Locked(
      State(
        scheduler: ReadScheduler(width: width, lanes: reads.map(\.lane)),
        sizes: [Int](repeating: .max, count: reads.count)
      )
    )
  }

  /// Sends as many requests as the budget allows.
  func begin() {
    state.withLock { state in
      if state.isOver { return }
      while let request = state.scheduler.begin() {
        state.pages[request.number] = Task { try await self.perform(request) }
      }
    }
  }

  func cancel() {
    state.withLock { state in
      state.isOver = true
      for page in state.pages.values { page.cancel() }
    }
  }

  func next(of index: Int) async throws -> DocumentPage? {
    let dropped = state.withLock { state in
      state.scheduler.advance(to: index).compactMap { state.pages.removeValue(forKey: $0) }
    }
    for page in dropped { page.cancel() }
    begin()
    let (page, isDone) = state.withLock { state in
      (state.scheduler.first.flatMap { state.pages[$0] }, state.scheduler.isCurrentDone)
    }
    if isDone { return nil }
    guard let page else { preconditionFailure("the first page was not requested") }
    let documents = try await page.cancellingValue
    state.withLock { state in
      if let number = state.scheduler.first { state.pages[number] = nil }
      state.scheduler.finish()
    }
    begin()
    if !isCarrying { decodeNext() }
    return documents
  }

  /// Decodes the page to return next while the caller works on the one before.
  private func decodeNext() {
    state.withLock { state in
      guard !state.isOver, let number = state.scheduler.first, let page = state.pages[number] else { return }
      state.pages[number] = Task { .memory(try await page.cancellingValue.documents()) }
    }
  }

  private func perform(_ request: ReadScheduler.Request) async throws -> DocumentPage {
    do {
      let fetcher = fetchers[request.lane]
      switch request.what {
      case .range(let piece):
        let fetcher = fetcher.narrowed(to: piece)
        let page = try await page(after: nil, size: piece.size, fetcher, request.lane)
        var order = ReadOrder(of: fetcher.read)
        let documents = try fetcher.decoded(page, &order)
        let names = fetcher.names(of: page, documents)
        try fetcher.assertInside(piece, names)
        let isWhole = page.next == nil
        arrive { $0.arrive(request.number, bytes: page.heldBytes, names, isWhole: isWhole) }
        return documents
      case .page(let start):
        let page = try await page(after: start, size: fetcher.read.pageSize, fetcher, request.lane)
        var order = start?.order ?? ReadOrder(of: fetcher.read)
        let documents = try fetcher.decoded(page, &order)
        var next = try fetcher.start(after: page)
        next?.order = order
        arrive { $0.arrive(request.number, bytes: page.heldBytes, next: next) }
        return documents
      case .points:
        let points = await fetcher.points(atMost: min(1000, width * 128))
        arrive { $0.arrive(request.number, points: points) }
        state.withLock { $0.pages[request.number] = nil }
        return .memory([])
      }
    } catch {
      arrive { $0.fail(request.number) }
      throw error
    }
  }

  /// Requests a page, with no more documents than responses may have.
  private func page(
    after start: PageStart?,
    size: Int,
    _ fetcher: PageFetcher,
    _ lane: Int
  ) async throws -> FetchedPage {
    let learned = state.withLock { $0.sizes[lane] }
    let asked = min(size, learned)
    var fetcher = fetcher
    // At that time only the first pages of the reads are in flight; one that is too large is wasted.
    if learned == .max {
      fetcher.mostBytes = max(fetcher.mostBytes, 2 * ByteBudget.response / fetchers.count)
    }
    let page = try await fetcher.page(after: start, size: asked)
    try Task.checkCancellation()
    let fitting = fetcher.size(after: page.body.bytes, of: page.count)
    state.withLock { state in
      if page.size < asked {
        state.sizes[lane] = page.size
      } else if state.sizes[lane] < .max / 2 {
        state.sizes[lane] += max(1, asked / 8)
      }
      state.sizes[lane] = min(state.sizes[lane], fitting)
    }
    return page
  }

  private func arrive(_ change: (inout ReadScheduler) -> Void) {
    state.withLock { change(&$0.scheduler) }
    begin()
  }
}

extension PageFetcher {
  /// Returns a fetcher for one range.
  fileprivate func narrowed(to piece: RangeSplitter.Piece) -> PageFetcher {
    var read = read
    (read.startAfter, read.startAt, read.endBefore) = (nil, nil, piece.end)
    switch piece.start {
    case .beginning: break
    case .after(let name): read.startAfter = name
    case .at(let name): read.startAt = name
    }
    var fetcher = PageFetcher(client: client, read: read, isCarrying: isCarrying, share: share)
    fetcher.onPage = onPage
    return fetcher
  }

  /// Checks that documents are in their range; others would be returned twice, or lead to an endless read.
  fileprivate func assertInside(_ piece: RangeSplitter.Piece, _ names: [DocumentPath]) throws(Failure) {
    guard let first = names.first, let last = names.last else { return }
    let isBehindStart =
      switch piece.start {
      case .beginning: true
      case .after(let name): name < first && name < last
      case .at(let name): name <= first && name <= last
      }
    if !isBehindStart { throw .endless("read the pages of", path: path) }
    if let end = piece.end, last >= end {
      throw Failure(
        .unavailable,
        "read the pages of",
        path: path,
        cause: "the service returned documents beyond the requested range",
        remedy: "It may not support endAt: omit --parallel."
      )
    }
  }

  /// Returns names that split a collection group; none if the service does not return any, which only makes the read
  /// slower.
  fileprivate func points(atMost count: Int) async -> [DocumentPath] {
    let client = client.quickly
    return (try? await client.partitions(ofGroup: read.collection.id, atMost: count, at: read.readTime)) ?? []
  }
}
