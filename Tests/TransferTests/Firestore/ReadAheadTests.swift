import FirestoreModels
import RunSupport
import Synchronization
import Testing

@testable import FirestoreREST

/// Pages of a list that are requested as soon as the token is there.
@Suite("Reading ahead", .timeLimit(.minutes(5)))
struct ReadAheadTests {
  /// Answers requests by their page tokens, when its closure returns.
  private final class Script: HTTPTransport {
    typealias Answer = @Sendable (_ token: String?, _ time: Int) async -> String
    private let answer: Answer
    private let asked = Mutex<[String?]>([])

    init(_ answer: @escaping Answer) { self.answer = answer }

    /// The page tokens of the requests, in their order.
    var tokens: [String?] { asked.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
      let token = request.url.split(separator: "&").first { $0.hasPrefix("pageToken=") }
        .map { String($0.dropFirst("pageToken=".count)) }
      let time = asked.withLock { asked in
        asked.append(token)
        return asked.count { $0 == token }
      }
      let body = await answer(token, time)
      if Task.isCancelled { throw TransportError(.cancelled, "cancelled") }
      return HTTPResponse(status: 200, body: Array(body.utf8))
    }

    /// Waits until there were so many requests.
    func wait(for count: Int) async { while tokens.count < count { await Task.yield() } }
  }

  private func client(_ transport: Script) -> FirestoreClient {
    FirestoreClient.testing(
      "http://h",
      database: DatabaseName(project: "p"),
      over: transport,
      policy: RetryPolicy(budget: 30),
      clock: SleepingClock().clock()
    )
  }

  private static func page(_ id: String, next: String?) -> String {
    let document = #"{"name":"projects/p/databases/(default)/documents/c/\#(id)"}"#
    return #"{"documents":[\#(document)]\#(next.map { #","nextPageToken":"\#($0)""# } ?? "")}"#
  }

  private func ids(_ client: FirestoreClient) async throws -> [String] {
    var ids: [String] = []
    for try await page in client.pages(of: CollectionRead(collection("c"))) { ids += page.map(\.path.id) }
    return ids
  }

  @Test(
    "A look at the first documents asks for no page that nobody wants, and for the next where it is wanted."
  )
  func looks() async throws {
    let script = Script { token, _ in
      Self.page(token ?? "a", next: token == nil ? "b" : token == "b" ? "c" : nil)
    }
    let client = client(script)
    #expect(try await !client.isEmpty(CollectionRead(collection("c"))))
    #expect(script.tokens == [nil])
    var read = CollectionRead(collection("c"))
    read.readsAhead = false
    var ids: [String] = []
    for try await page in client.pages(of: read) { ids += page.map(\.path.id) }
    #expect(ids == ["a", "b", "c"] && script.tokens == [nil, nil, "b", "c"])
  }

  @Test(
    "Of a read with a limit nothing is asked for beyond it, whether its pages are full or short.",
    arguments: [1, 300],
    [1, 2, 3, 7]
  )
  func limit(pageSize: Int, limit: Int) async throws {
    // A page has one document, and another one follows.
    let script = Script { token, _ in
      let number = token.flatMap { Int($0) } ?? 100
      return Self.page(String(number), next: number < 110 ? String(number + 1) : nil)
    }
    var read = CollectionRead(collection("c"), pageSize: pageSize)
    read.limit = limit
    var ids: [String] = []
    for try await page in client(script).pages(of: read) { ids += page.map(\.path.id) }
    #expect(ids.count == limit && script.tokens.count == limit, "\(ids) of \(script.tokens)")
  }

  @Test("A page that is malformed is asked for again, and what its token led to is dropped.")
  func malformed() async throws {
    let reached = Mutex<Script?>(nil)
    let script = Script { token, time in
      switch (token, time) {
      case (nil, 1): return #"{"documents":[{"name":],"nextPageToken":"wrong"}"#
      case (nil, _):
        // The request for the wrong page is on its way by now.
        await reached.withLock { $0 }?.wait(for: 3)
        return Self.page("a", next: "right")
      case ("right", _): return Self.page("b", next: nil)
      default: return Self.page("dropped", next: "never")
      }
    }
    reached.withLock { $0 = script }
    let found = try await ids(client(script))
    #expect(found == ["a", "b"])
    #expect(script.tokens.count { $0 == "wrong" } == 1)
    #expect(script.tokens.count { $0 == "right" } == 1)
    #expect(!script.tokens.contains("never"))
    reached.withLock { $0 = nil }
  }

  @Test(
    "The next page is requested before the caller asks for the first, and never more than three are held."
  )
  func threePages() async throws {
    let asked = Mutex(0)
    let early = Mutex(0)
    let script = Script { token, _ in
      let number = token.flatMap { Int($0) } ?? 0
      // Page 0 and 1 come by themselves; page n + 2 once the caller has page n.
      if number > asked.withLock({ $0 }) + 1 { early.withLock { $0 += 1 } }
      return Self.page("\(1000 + number)", next: number == 30 ? nil : "\(number + 1)")
    }
    var pages = client(script).pages(of: CollectionRead(collection("c"))).makeAsyncIterator()
    await script.wait(for: 2)
    var found: [String] = []
    while true {
      asked.withLock { $0 += 1 }
      guard let page = try await pages.next() else { break }
      found += page.map(\.path.id)
    }
    #expect(found == (0...30).map { "\(1000 + $0)" })
    #expect(script.tokens.count == 31)
    #expect(early.withLock { $0 } == 0)
  }

  @Test("A token with escapes, or one that is not at the end, leads on as well.")
  func lateTokens() async throws {
    let script = Script { token, _ in
      switch token {
      case nil: #"{"nextPageToken":"t\u0031","documents":[]}"#
      case "t1": #"{"nextPageToken":"t\u0032"}"#
      default: Self.page("z", next: nil)
      }
    }
    #expect(try await ids(client(script)) == ["z"])
    #expect(script.tokens == [nil, "t1", "t2"])
  }

  @Test("Where the page cannot be decoded, the read ends, and nothing is read ahead any more.")
  func undecodable() async throws {
    let script = Script { token, _ in
      token == nil
        ? #"{"documents":[{"name":"projects/p/databases/(default)/documents/other/a"}],"nextPageToken":"t"}"#
        : Self.page("b", next: "u")
    }
    let error = await failure { try await ids(client(script)) }
    #expect(error?.kind == .unavailable)
    #expect(!script.tokens.contains("u"))
  }
}
