import Files
import FirestoreModels

/// Ranges of a collection, read side by side and given page by page in their order; what is under way is cancelled when
/// the reader goes.
final class ParallelRangeReader {
  private let work: RangeWork
  /// Pages of a range that were not given yet.
  private var pages: ArraySlice<[RawDocument]> = []
  /// The documents behind which the read went on.
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

/// What was read of a range.
private struct RangeRead: Sendable {
  var pages: [[RawDocument]]
  /// Whether there is nothing behind it in the range.
  var isWhole: Bool
}

/// The ranges that are under way: where one has come, the next is begun.
private final class RangeWork: Sendable {
  private struct State {
    var splitter: RangeSplitter
    /// By the numbers of the ranges.
    var reads: [Int: Task<RangeRead, any Error>] = [:]
    var isOver = false
  }

  let fetcher: PageFetcher
  private let state: Locked<State>

  init(_ fetcher: PageFetcher) {
    self.fetcher = fetcher
    let read = fetcher.read
    let splitter = RangeSplitter(width: read.parallel, pageSize: read.pageSize, after: read.startAfter?.id)
    state = Locked(State(splitter: splitter))
  }

  /// Begins as many ranges as there is room for.
  func begin() {
    state.withLock { state in
      if state.isOver { return }
      while let piece = state.splitter.begin() {
        state.reads[piece.number] = Task { try await self.read(piece) }
      }
    }
  }

  /// The range whose documents come next, nil where everything was given.
  var first: (number: Int, read: Task<RangeRead, any Error>)? {
    state.withLock { state in
      if state.splitter.isDone { return nil }
      guard let number = state.splitter.first?.number, let read = state.reads[number] else {
        preconditionFailure("the first range was not begun")
      }
      return (number, read)
    }
  }

  /// Takes the first range as given.
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
  /// Reads a range: a page, and where it ends before the collection does one more, which is nearly always the rest.
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
          cause: "the service gave documents from behind the range that it was asked for",
          remedy: "It may not know endAt: leave --parallel out."
        )
      }
      pages.append(documents)
    } while start != nil && read.endBefore != nil && pages.count < 2
    return RangeRead(pages: pages, isWhole: start == nil)
  }

  /// The same for a range alone.
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
