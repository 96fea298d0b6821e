import FirestoreDataStore
import FirestoreModels
import Synchronization
import TestSupport
import Testing

/// A clock that performs a step in place of each sleep, and ends the test behind the last one.
private final class StepClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  /// There are no more steps.
  struct Done: Error {}

  typealias Step = @Sendable () async throws -> Void

  private let state: Mutex<(steps: [Step], sleeps: [Duration])>

  init(_ steps: [Step]) { state = Mutex((steps.reversed(), [])) }

  var now: Instant { Instant() }
  var minimumResolution: Duration { .zero }
  /// How long each sleep was to be.
  var sleeps: [Duration] { state.withLock { $0.sleeps } }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let step = state.withLock { state in
      state.sleeps.append(deadline.offset)
      return state.steps.popLast()
    }
    guard let step else { throw Done() }
    try await step()
  }
}

@Suite("Changes of a collection", .timeLimit(.minutes(2)))
struct ChangesTests {
  private func menu(_ id: String, _ price: Double) -> Menu { Menu(id: id, name: id, price: price) }

  @Test("Every change is returned once, in the poll that finds it.", arguments: [300, 2])
  func everyChangeOnce(pageSize: Int) async throws {
    try await StoreFixture.open(pageSize: pageSize) { fixture in
      let menus = fixture.menus
      try await menus.upsert(contentsOf: ["a", "b", "c", "d", "e"].map { menu($0, 1) })
      let clock = StepClock([
        {},
        {
          try await menus.upsert(menu("b", 2))
          try await menus.upsert(menu("b", 3))
        },
        {},
        {
          try await menus.delete(id: "d")
          try await menus.delete(id: "a")
          try await menus.upsert(menu("bb", 1))
          try await menus.upsert(menu("f", 1))
          try await menus.delete(id: "f")
        },
        {},
        {
          // Made again, a document is another one; it was never missing in a poll.
          try await menus.delete(id: "c")
          try await menus.upsert(menu("c", 9))
        },
        { try await menus.upsert(menu("a", 5)) },
        {},
      ])
      var changes: [DocumentChange<Menu>] = []
      await #expect(throws: StepClock.Done.self) {
        for try await change in menus.streamAll(every: .seconds(30), clock: clock) { changes.append(change) }
      }
      let expected: [DocumentChange<Menu>] =
        ["a", "b", "c", "d", "e"].map { .added(menu($0, 1)) } + [
          .modified(menu("b", 3)),
          .added(menu("bb", 1)), .removed(id: "a"), .removed(id: "d"),
          .modified(menu("c", 9)),
          .added(menu("a", 5)),
        ]
      #expect(changes == expected)
      #expect(clock.sleeps == Array(repeating: .seconds(30), count: 9))
    }
  }

  @Test("IDs that differ by their Unicode composition are two documents.")
  func idsAreBytes() async throws {
    try await StoreFixture.open { fixture in
      let menus = fixture.menus
      try await menus.upsert(contentsOf: ["\u{E9}", "e\u{301}"].map { menu($0, 1) })
      let clock = StepClock([{ try await menus.delete(id: "\u{E9}") }])
      var removed: [String] = []
      var added = 0
      await #expect(throws: StepClock.Done.self) {
        for try await change in menus.streamAll(every: .zero, clock: clock) {
          if case .removed(let id) = change { removed.append(id) } else { added += 1 }
        }
      }
      #expect(added == 2)
      #expect(removed.map { Array($0.utf8) } == [Array("\u{E9}".utf8)])
    }
  }

  @Test("An empty collection has no changes, and its first document is added.")
  func emptyCollection() async throws {
    try await StoreFixture.open { fixture in
      let clock = StepClock([{}, { try await fixture.menus.upsert(menu("a", 1)) }])
      var changes = fixture.menus.streamAll(every: .seconds(1), clock: clock).makeAsyncIterator()
      let first = try await changes.next()
      #expect(first == .added(menu("a", 1)))
      #expect(clock.sleeps.count == 2)
    }
  }

  @Test("A document that is not of the type ends the changes with its failure.")
  func wrongType() async throws {
    try await StoreFixture.open { fixture in
      let clock = StepClock([{ try await fixture.put("menus/z", ["id": .integer(1)]) }])
      try await fixture.menus.upsert(menu("a", 1))
      var changes = fixture.menus.streamAll(every: .seconds(1), clock: clock).makeAsyncIterator()
      #expect(try await changes.next() == .added(menu("a", 1)))
      do {
        _ = try await changes.next()
        Issue.record("z is no menu")
      } catch let failure as DocumentFailure {
        #expect(failure.name?.hasSuffix("/menus/z") == true)
      }
      #expect(try await changes.next() == nil)
    }
  }

  @Test("An object that is not the service's is an error, and removes nothing.")
  func foreignAnswer() async throws {
    let time = "2026-01-02T03:04:05.000001Z"
    let page = """
      {"documents":[{"name":"projects/test-project/databases/(default)/documents/menus/a","createTime":"\(time)",
      "updateTime":"\(time)","fields":{"id":{"stringValue":"a"},"name":{"stringValue":"a"},
      "price":{"doubleValue":1}}}]}
      """
    let requests = Mutex(0)
    try await HTTPTestServer.withServer({ _ in
      let number = requests.withLock { count in
        count += 1
        return count
      }
      return .json(number == 1 ? page : #"{"message":"login required"}"#)
    }) { server in
      let menus = try FirestoreDataStore<Menu>(
        collection: "menus",
        in: .to(server.url, retries: false)
      )
      var changes = menus.streamAll(every: .zero, clock: StepClock([{}])).makeAsyncIterator()
      #expect(try await changes.next() == .added(menu("a", 1)))
      do {
        let change = try await changes.next()
        Issue.record("\(String(describing: change)) is no error")
      } catch let error as FirestoreConnectionError {
        #expect(error.description.contains("menus"))
      }
    }
  }

  @Test("Cancelled while it waits, it ends without an error.")
  func cancelledWaiting() async throws {
    try await StoreFixture.open { fixture in
      try await fixture.menus.upsert(contentsOf: ["a", "b"].map { menu($0, 1) })
      let (sleeps, slept) = AsyncStream.makeStream(of: Void.self)
      let clock = StepClock([
        {
          slept.yield()
          try await Task.sleep(for: .seconds(3600))
        }
      ])
      let task = Task {
        var count = 0
        for try await _ in fixture.menus.streamAll(every: .seconds(1), clock: clock) { count += 1 }
        return count
      }
      for await _ in sleeps { break }
      task.cancel()
      #expect(try await task.value == 2)
    }
  }

  @Test("Cancelled while it reads, it ends without an error.")
  func cancelledReading() async throws {
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    try await HTTPTestServer.withServer({ _ in
      arrived.yield()
      return .stall
    }) { server in
      let menus = try FirestoreDataStore<Menu>(collection: "menus", in: .to(server.url))
      let task = Task {
        for try await _ in menus.streamAll(every: .seconds(1)) {}
      }
      for await _ in arrivals { break }
      task.cancel()
      try await task.value
    }
  }
}
