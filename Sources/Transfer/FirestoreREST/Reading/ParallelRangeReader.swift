import Files
import FirestoreModels

/// Reads ranges of a collection concurrently and returns their pages in order.
///
/// Requests in flight are cancelled with the reader.
final class ParallelRangeReader {
  private let work: RangeWork
  /// The pages of the current range that were not returned yet.
  private var pages: ArraySlice<[RawDocument]> = []
  /// Detects that the documents at the ends of ranges repeat.
  private var trail = LoopDetector<DocumentPath>()

  init(_ fetcher: PageFetcher) {
    work = RangeWork(fetcher)
    work.begin()
  }

  deinit {
    work.cancel()
  }

  func next() async throws -> [RawDocument]? {
    while pages.isEmpty {
      guard let (number, task) = work.first else { return nil }
      let read = try await task.cancellingValue
      work.finish(number, read)
      if !read.isWhole, let last = read.pages.last?.last, !trail.goes(to: last.path) {
        throw Failure.endless("read the pages of", path: work.fetcher.read.collection.string)
      }
      pages = read.pages[...]
    }
    return pages.popFirst()
  }
}

/// The result of reading a range.
private struct RangeRead: Sendable {
  var pages: [[RawDocument]]
  /// Whether the range has no more documents.
  var isWhole: Bool
}

/// The ranges in flight; when one arrives, the next is started.
private final class RangeWork: Sendable {
  private struct State {
    var splitter: RangeSplitter
    /// The reads by range number.
    var reads: [Int: Task<RangeRead, any Error>] = [:]
    var isOver = false
  }

  let fetcher: PageFetcher
  private let state: Locked<State>

  init(_ fetcher: PageFetcher) {
    self.fetcher = fetcher
    let read = fetcher.read
    let splitter = RangeSplitter(
      width: read.parallel,
      pageSize: read.pageSize,
      after: read.startAfter?.id,
      at: read.startAt?.id,
      before: read.endBefore?.id
    )
    state = Locked(State(splitter: splitter))
  }

  /// Starts as many ranges as the limits allow.
  func begin() {
    state.withLock { state in
      if state.isOver { return }
      while let piece = state.splitter.begin() {
        state.reads[piece.number] = Task { try await self.read(piece) }
      }
    }
  }

  /// The range whose documents come next; nil at the end.
  var first: (number: Int, read: Task<RangeRead, any Error>)? {
    state.withLock { state in
      if state.splitter.isDone { return nil }
      guard let number = state.splitter.first?.number, let read = state.reads[number] else {
        preconditionFailure("the first range was not begun")
      }
      return (number, read)
    }
  }

  /// Completes the first range.
  func finish(_ number: Int, _ read: RangeRead) {
    let ids = read.pages.joined().map(\.path.id)
    state.withLock { state in
      state.reads[number] = nil
      state.splitter.finish(ids, isWhole: read.isWhole)
    }
    begin()
  }

  func cancel() {
    state.withLock { state in
      state.isOver = true
      for read in state.reads.values { read.cancel() }
    }
  }

  private func read(_ piece: RangeSplitter.Piece) async throws -> RangeRead {
    let read = try await fetcher.narrowed(to: piece).range()
    state.withLock { $0.splitter.arrive(piece.number, pages: read.pages.count) }
    begin()
    return read
  }
}

extension PageFetcher {
  /// Reads a page of a range and, if the range has an end, one more, which nearly always completes it.
  fileprivate func range() async throws -> RangeRead {
    var pages: [[RawDocument]] = []
    var start: PageStart?
    repeat {
      let page = try await page(after: start, size: read.pageSize)
      try Task.checkCancellation()
      start = try self.start(after: page)
      let documents = try documents(of: page)
      if let end = read.endBefore, let last = documents.last, last.path >= end {
        throw Failure(
          .unavailable,
          "read the pages of",
          path: read.collection.string,
          cause: "the service returned documents beyond the requested range",
          remedy: "It may not support endAt: omit --parallel."
        )
      }
      pages.append(documents)
    } while start != nil && read.endBefore != nil && pages.count < 2
    return RangeRead(pages: pages, isWhole: start == nil)
  }

  /// Returns a fetcher for one range.
  fileprivate func narrowed(to piece: RangeSplitter.Piece) -> PageFetcher {
    var read = read
    func path(_ id: String) -> DocumentPath { DocumentPath(read.collection, id) }
    switch piece.start {
    case .beginning: break
    case .after(let id): read.startAfter = path(id)
    case .at(let id):
      read.startAfter = nil
      read.startAt = path(id)
    }
    read.endBefore = piece.end.map(path)
    return PageFetcher(client: client, read: read)
  }
}
