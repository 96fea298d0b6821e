import Files

/// Prefetches one page after the other: a page is decoded while the request for the next one is in flight.
///
/// At most three pages are held: the caller's, the decoded one after it, and a body that waits to be decoded. Dropping the
/// object cancels requests in flight.
final class ReadAhead {
  private var page: PageAhead?

  /// Requests the first page immediately.
  init(_ fetcher: PageFetcher) {
    let room = fetcher.read.limit ?? .max
    let first = PageAhead(fetcher, after: nil, size: min(fetcher.read.pageSize, room), room: room)
    first.begin()
    first.admit(after: ReadOrder(of: fetcher.read))
    page = first
  }

  deinit { page?.cancel() }

  func next(isolation: isolated (any Actor)? = #isolation) async throws -> DocumentPage? {
    guard let current = page else { return nil }
    current.begin()
    let decoded = try await current.value
    decoded.next?.admit(after: decoded.order)
    page = decoded.next
    return decoded.page
  }
}

/// A page that is requested immediately, and parsed and decoded by the same task after it is admitted.
///
/// The page after it is requested as soon as its body is admitted, if ``EarlyToken`` finds its token, or else after the
/// body is parsed. A page that turns out not to come next is dropped.
private final class PageAhead: Sendable {
  typealias Decoded = (page: DocumentPage, order: ReadOrder, next: PageAhead?)

  private struct State {
    var task: Task<Decoded, any Error>?
    var next: PageAhead?
    var isCancelled = false
    /// The order of the documents before the page; nil until it is admitted.
    var order: ReadOrder?
    /// How many documents may be requested for this page and those after it.
    var room: Int
  }

  private let fetcher: PageFetcher
  private let start: PageStart?
  private let size: Int
  private let admission = Latch()
  private let state: Locked<State>

  init(_ fetcher: PageFetcher, after start: PageStart?, size: Int, room: Int) {
    (self.fetcher, self.start, self.size) = (fetcher, start, size)
    state = Locked(State(room: room))
  }

  /// Requests the page, when called for the first time.
  func begin() {
    state.withLock { state in
      if !state.isCancelled, state.task == nil { state.task = Task { try await self.read() } }
    }
  }

  /// Allows the page to be decoded, and the next one to be requested.
  func admit(after order: ReadOrder) {
    state.withLock { $0.order = order }
    admission.open()
  }

  /// Cancels the request and those for the pages after it.
  func cancel() {
    let (task, next) = state.withLock { state in
      state.isCancelled = true
      return (state.task, state.next)
    }
    task?.cancel()
    next?.cancel()
  }

  /// The documents, and the next page if there is one.
  var value: Decoded {
    get async throws {
      guard let task = state.withLock({ $0.task }) else { throw CancellationError() }
      return try await task.cancellingValue
    }
  }

  private func read() async throws -> Decoded {
    do {
      let page = try await fetcher.page(after: start, size: size) { body, size in
        await self.admission.wait()
        // After a malformed body, this body is another one.
        self.drop()
        let room = self.state.withLock { $0.room } - size
        guard !Task.isCancelled, self.fetcher.read.asksAhead, room > 0,
          let token = EarlyToken.find(in: body)
        else { return }
        // If this page has fewer documents than requested, the next one may be too large, and is requested again.
        if let start = PageStart(.token(token), after: self.start) {
          let fitting = self.fetcher.size(after: body.count, of: size)
          self.request(start, afterSize: size, min(fitting, room), room: room)
        }
      }
      try Task.checkCancellation()
      let asksAhead = fetcher.read.asksAhead
      let early = asksAhead ? try follow(page, given: page.count) : nil
      var order = state.withLock { $0.order } ?? ReadOrder(of: fetcher.read)
      let documents = try fetcher.decoded(page, &order)
      return (documents, order, asksAhead ? early : try follow(page, given: documents.count))
    } catch {
      drop()
      throw error
    }
  }

  /// Returns the page after this one, reusing the early request if it was for that page.
  ///
  /// - Parameter count: How many of its documents the caller gets.
  private func follow(_ page: FetchedPage, given count: Int) throws(Failure) -> PageAhead? {
    let (early, room) = state.withLock { ($0.next, $0.room - count) }
    guard room > 0, let start = try fetcher.start(after: page) else {
      drop()
      return nil
    }
    if let early, early.start?.position == start.position {
      early.state.withLock { $0.room = room }
      return early
    }
    drop()
    let fitting = fetcher.size(after: page.body.bytes, of: page.count)
    // The client may leave out as large a share of the next page as of this one.
    let likely = count < page.count ? room.multipliedClamped(by: page.count + 1) / (count + 1) : room
    return request(start, afterSize: page.size, min(fitting, likely), room: room)
  }

  @discardableResult
  private func request(_ start: PageStart, afterSize size: Int, _ fitting: Int, room: Int) -> PageAhead {
    let size = min(size * 2, fitting, fetcher.read.pageSize)
    let next = PageAhead(fetcher, after: start, size: size, room: room)
    let isCancelled = state.withLock { state in
      state.next = next
      return state.isCancelled
    }
    if isCancelled { next.cancel() }
    if fetcher.read.asksAhead { next.begin() }
    return next
  }

  private func drop() {
    let next = state.withLock { state in
      defer { state.next = nil }
      return state.next
    }
    next?.cancel()
  }
}

/// A gate that is opened once.
private final class Latch: Sendable {
  private enum State {
    case closed([CheckedContinuation<Void, Never>])
    case open
  }

  private let state = Locked(State.closed([]))

  func open() {
    let waiting = state.withLock { state in
      guard case .closed(let waiting) = state else { return [CheckedContinuation<Void, Never>]() }
      state = .open
      return waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until it is open, or the task is cancelled.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          guard case .closed(let waiting) = state, !Task.isCancelled else { return true }
          state = .closed(waiting + [continuation])
          return false
        }
        if isOpen { continuation.resume() }
      }
    } onCancel: {
      open()
    }
  }
}
