import FirestoreModels
import RunSupport
import Synchronization
import Testing

@testable import FirestoreREST

/// Services that lead a reader in a circle: it ends with a failure, and never gives a page twice for ever.
@Suite("Endless pages", .timeLimit(.minutes(60)))
struct EndlessPagesTests {
  /// Answers with one body after another and begins again behind the last.
  private final class Carousel: HTTPTransport {
    private let bodies: [String]
    private let count = Mutex(0)

    init(_ bodies: [String]) {
      self.bodies = bodies
    }

    var requests: Int { count.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
      let number = count.withLock { count in
        count += 1
        return count - 1
      }
      return HTTPResponse(status: 200, body: Array(bodies[number % bodies.count].utf8))
    }
  }

  private func client(_ transport: Carousel) -> FirestoreClient {
    FirestoreClient.testing(
      "http://h",
      database: DatabaseName(project: "p"),
      over: transport,
      policy: RetryPolicy(budget: 30),
      clock: SleepingClock().clock()
    )
  }

  private func read(_ client: FirestoreClient, _ read: CollectionRead) async throws -> Int {
    var pages = 0
    for try await _ in client.pages(of: read) { pages += 1 }
    return pages
  }

  private static let name = #"{"name":"projects/p/databases/(default)/documents/c/a"}"#

  @Test(
    "A repeated page token ends the list",
    arguments: [1, 2, 3, 7, 50],
    ["", #""documents":[\#(name)],"#]
  )
  func tokens(length: Int, documents: String) async throws {
    let carousel = Carousel((0..<length).map { #"{\#(documents)"nextPageToken":"t\#($0)"}"# })
    let error = await failure { try await read(client(carousel), CollectionRead(collection("c"))) }
    #expect(error?.kind == .unavailable)
    #expect(error?.cause.contains("leads back to an earlier page") == true)
    // Found within three rounds; one request may be ahead.
    #expect(carousel.requests <= 3 * length + 5)
  }

  @Test(
    "An error with status 200 is no empty page: of documents, of collection ids, of partitions",
    arguments: [
      (#"{"error":{"code":403,"status":"PERMISSION_DENIED","message":"m"}}"#, Failure.Kind.notPermitted),
      (#"{"error":{"code":503,"status":"UNAVAILABLE","message":"m"}}"#, .unavailable),
      (#"{"error":"denied"}"#, .unavailable),
    ]
  )
  func errors(body: String, kind: Failure.Kind) async throws {
    let first = Self.page(["a"], token: "t")
    for bodies in [[body], [first, body]] {
      let client = client(Carousel(bodies + [String](repeating: body, count: 1000)))
      #expect(await failure { try await read(client, CollectionRead(collection("c"))) }?.kind == kind)
    }
    let client = client(Carousel([body]))
    #expect(await failure { try await client.collectionIDs() }?.kind == kind)
    #expect(await failure { try await client.partitions(ofGroup: "c", atMost: 3) }?.kind == kind)
  }

  private static func documents(_ ids: [String]) -> String {
    ids.map { #"{"name":"projects/p/databases/(default)/documents/c/\#($0)"}"# }.joined(separator: ",")
  }

  private static func page(_ ids: [String], token: String?) -> String {
    let next = token.map { #","nextPageToken":"\#($0)""# } ?? ""
    return #"{"documents":[\#(documents(ids))]\#(next)}"#
  }

  @Test(
    "Pages that repeat, go backwards or are out of order end the list, whatever their tokens",
    arguments: [
      [["a", "b"], ["a", "b"]], [["c", "d"], ["a", "b"]], [["a", "b"], ["b", "c"]], [["b", "a"]],
      [["a", "a"]],
      [["a"], [], ["a"]], [["9", "10"]], [["__id9__", "__id10__", "1"], ["__id11__"]],
    ]
  )
  func order(pages: [[String]]) async throws {
    let bodies = pages.enumerated().map {
      Self.page($1, token: $0 == pages.count - 1 ? nil : "t\($0)")
    }
    let carousel = Carousel(bodies)
    let error = await failure { try await read(client(carousel), CollectionRead(collection("c"))) }
    #expect(error?.kind == .unavailable, "\(pages)")
    #expect(carousel.requests <= pages.count)
  }

  @Test("A list in the service's order is read: numeric IDs, then bytes")
  func ascending() async throws {
    let ids = ["__id-5__", "__id9__", "__id10__", "10", "9", "A", "a", "a.b", "b", "\u{FFFD}", "\u{10000}"]
    let bodies = ids.enumerated().map { Self.page([$1], token: $0 == ids.count - 1 ? nil : "t\($0)") }
    #expect(try await read(client(Carousel(bodies)), CollectionRead(collection("c"))) == ids.count)
  }

  @Test("A list that repeats its pages under new tokens ends with the second page")
  func newTokens() async throws {
    let carousel = Carousel((0..<1000).map { Self.page(["a", "b"], token: "t\($0)") })
    let error = await failure { try await read(client(carousel), CollectionRead(collection("c"))) }
    #expect(error?.kind == .unavailable)
    #expect(carousel.requests <= 4)
  }

  @Test("Pages without documents do not go on for ever")
  func emptyForEver() async throws {
    let carousel = Carousel((0..<100_000).map { #"{"nextPageToken":"t\#($0)"}"# })
    let error = await failure { try await read(client(carousel), CollectionRead(collection("c"))) }
    #expect(error?.kind == .unavailable)
    #expect(carousel.requests <= ReadOrder.maximumEmptyPages + 5)
  }

  @Test("A query in another order goes on, and has no document twice in a page")
  func otherOrder() async throws {
    func element(_ id: String, _ n: Int) -> String {
      #"{"document":{"name":"projects/p/databases/(default)/documents/c/\#(id)","fields":{"n":{"integerValue":"\#(n)"}}}}"#
    }
    for (pages, isRead) in [
      ([[element("b", 1), element("a", 2)], [element("c", 2)]], true),
      ([[element("b", 1), element("a", 2)], [element("c", 1), element("d", 2)], []], true),
      ([[element("b", 1), element("a", 3)], [element("c", 1), element("d", 2)], []], false),
      ([[element("b", 1), element("b", 1)], []], false),
    ] {
      let carousel = Carousel(pages.map { "[\($0.joined(separator: ","))]" })
      var request = CollectionRead(collection("c"), pageSize: 2)
      request.orderBy = [StructuredQuery.Order(FieldPath(field: "n"), .ascending)]
      let error = await failure { try await read(client(carousel), request) }
      #expect((error == nil) == isRead, "\(pages): \(error?.description ?? "")")
    }
  }

  @Test("A query page that starts again ends the query")
  func query() async throws {
    let carousel = Carousel([#"[{"document":\#(Self.name)}]"#])
    var request = CollectionRead(collection("c"), pageSize: 1)
    request.reach = .group
    let error = await failure { try await read(client(carousel), request) }
    #expect(error?.kind == .unavailable)
    #expect(error?.cause.contains("leads back") == true)
  }

  @Test("Repeated page tokens of collection IDs end the list")
  func collectionIDs() async throws {
    let carousel = Carousel([#"{"collectionIds":["a"],"nextPageToken":"t"}"#])
    let error = await failure { try await client(carousel).collectionIDs() }
    #expect(error?.kind == .unavailable)
    #expect(error?.cause.contains("leads back") == true)
  }

  @Test("Many empty pages whose tokens differ are read to the end")
  func emptyPages() async throws {
    let bodies = (0..<3000).map { #"{"nextPageToken":"t\#($0)"}"# } + ["{}"]
    let pages = try await read(client(Carousel(bodies)), CollectionRead(collection("c")))
    #expect(pages == 3001)
  }

  @Test("A loop is found whatever its length and the steps before it")
  func trail() {
    for (way, length) in [(0, 1), (1, 1), (5, 1), (0, 2), (3, 4), (100, 37), (1, 1000)] {
      var trail = LoopDetector<Int>()
      var steps = 0
      while trail.goes(to: steps < way ? steps : way + (steps - way) % length) {
        steps += 1
        if steps > 3 * (way + length) + 3 { break }
      }
      #expect(steps <= 3 * (way + length) + 3, "way \(way), length \(length)")
      #expect(steps >= way + length, "way \(way), length \(length)")
    }
  }
}
