import Foundation
import TestSupport
import Testing

@Suite("Scripted faults", .timeLimit(.minutes(60)))
struct ScriptedFaultsTests {
  private let mini: MiniFirestore
  private let create = #"{"writes":[{"update":{"name":"\#(MiniClient.root)/c/new"}}]}"#
  private let query = #"{"structuredQuery":{"from":[{"collectionId":"c"}]}}"#

  init() throws {
    var options = MiniFirestore.Options()
    options.isAwkward = false
    mini = MiniFirestore(options)
    try mini.load(jsonLines: numbered("c", 5))
  }

  private func faults(_ rules: FaultRule..., maximum: Int = 2, seed: UInt64 = 1) -> ScriptedFaults {
    ScriptedFaults(mini.handler, rules: rules, maximumConsecutive: maximum, seed: seed)
  }

  @Test("the k-th, every k-th, the first k, with a limit")
  func occasions() {
    func pattern(_ rule: FaultRule) -> String {
      let client = MiniClient(faults(rule, maximum: .max).handler)
      return (0..<8).map { _ in client.send("GET", "/c")?.status == 200 ? "." : "x" }.joined()
    }
    #expect(pattern(FaultRule([.list], .number(3), .error(.unavailable))) == "..x.....")
    #expect(pattern(FaultRule([.list], .every(3), .error(.unavailable))) == "..x..x..")
    #expect(pattern(FaultRule([.list], .first(2), .error(.unavailable))) == "xx......")
    #expect(pattern(FaultRule([.list], .numbers([1, 4]), .error(.unavailable))) == "x..x....")
    #expect(pattern(FaultRule([.list], .always, .error(.unavailable), limit: 3)) == "xxx.....")
    #expect(pattern(FaultRule([.get], .always, .error(.unavailable))) == "........")
    #expect(pattern(FaultRule([], .always, .error(.unavailable)) { _ in false }) == "........")
  }

  @Test("chance depends on the seed and the request, not on the order")
  func chance() {
    func hit(_ seed: UInt64, _ order: [Int]) -> Set<Int> {
      let rule = FaultRule([], .percent(30), .error(.resourceExhausted))
      let client = MiniClient(faults(rule, seed: seed).handler)
      return Set(order.filter { client.send("GET", "/c?pageSize=\($0)")?.status == 429 })
    }
    let numbers = Array(1...200)
    let hits = hit(1, numbers)
    #expect((30...90).contains(hits.count))
    #expect(hit(1, numbers.reversed()) == hits)
    #expect(hit(2, numbers) != hits)
  }

  @Test("the same request meets so many faults in a row, and then succeeds")
  func cap() {
    let faults = faults(FaultRule([], .always, .drop), maximum: 3)
    let client = MiniClient(faults.handler)
    let answers = (0..<8).map { _ in client.send("GET", "/c") == nil }
    #expect(answers == [true, true, true, false, true, true, true, false])
    #expect(client.send("GET", "/c/d1000") == nil)
    #expect(faults.played.count == 7)
    faults.setOn(false)
    #expect(client.send("GET", "/c/d1001") != nil)
  }

  @Test(
    "an error is an object, or an array for the streaming methods",
    arguments: [
      ServiceError.resourceExhausted, .unavailable, .aborted, .tokenExpired, .internalError,
      .deadlineExceeded,
      .invalidArgument("x"),
    ]
  )
  func errors(_ error: ServiceError) throws {
    let client = MiniClient(faults(FaultRule([], .always, .error(error))).handler)
    #expect(try client.failure("GET", "/c") == "\(error.httpStatus) \(error.status)")
    #expect(client.send("POST", ":commit", create)?.body.first == UInt8(ascii: "{"))
    #expect(try client.failure("POST", ":runQuery", query) == "\(error.httpStatus) \(error.status)")
    #expect(client.send("POST", ":runQuery", query)?.body.first == UInt8(ascii: "["))
    #expect(mini.totalWrites == 0)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var fault: Fault
    var isApplied: Bool
    var status: Int
    var ending: RawAnswer.CommandResult
  }

  @Test(
    "a commit before or after which something breaks",
    arguments: [
      Case(testDescription: "drop", fault: .drop, isApplied: false, status: 0, ending: .closed),
      Case(
        testDescription: "drop after",
        fault: .dropAfterApplying,
        isApplied: true,
        status: 0,
        ending: .closed
      ),
      Case(testDescription: "reset", fault: .reset, isApplied: false, status: 0, ending: .reset),
      Case(
        testDescription: "reset after",
        fault: .resetAfterApplying,
        isApplied: true,
        status: 0,
        ending: .reset
      ),
      Case(testDescription: "half", fault: .halfBody(0.5), isApplied: true, status: 200, ending: .closed),
      Case(
        testDescription: "chunks",
        fault: .truncatedChunked(0.5),
        isApplied: true,
        status: 200,
        ending: .closed
      ),
      Case(testDescription: "HTML", fault: .html(502), isApplied: false, status: 502, ending: .complete),
      Case(
        testDescription: "error",
        fault: .error(.unavailable),
        isApplied: false,
        status: 503,
        ending: .complete
      ),
      Case(
        testDescription: "error after",
        fault: .errorAfterApplying(.deadlineExceeded),
        isApplied: true,
        status: 504,
        ending: .complete
      ),
      Case(testDescription: "empty", fault: .emptyBody, isApplied: true, status: 200, ending: .complete),
      Case(
        testDescription: "unterminated",
        fault: .unterminated,
        isApplied: true,
        status: 200,
        ending: .complete
      ),
      Case(
        testDescription: "drip",
        fault: .drip(chunk: 10, interval: .milliseconds(1)),
        isApplied: true,
        status: 200,
        ending: .complete
      ),
      Case(
        testDescription: "delay",
        fault: .delay(.milliseconds(1)),
        isApplied: true,
        status: 200,
        ending: .complete
      ),
      Case(
        testDescription: "own",
        fault: .custom { _, _ in .json("{}", status: 418) },
        isApplied: false,
        status: 418,
        ending: .complete
      ),
    ]
  )
  func broken(_ test: Case) async throws {
    let faults = faults(FaultRule([.commit], .number(1), test.fault))
    try await HTTPTestServer.withServer(faults.handler) { server in
      let answer = try await exchange(server, "POST", "/v1/\(MiniClient.root):commit", body: create)
      #expect(answer.status == test.status)
      #expect(answer.ending == test.ending)
      #expect((mini.document("c/new") != nil) == test.isApplied)
      #expect(try await exchange(server, "POST", "/v1/\(MiniClient.root):commit", body: create).status == 200)
      #expect(mini.writeCount("c/new") == (test.isApplied ? 2 : 1))
    }
  }

  @Test("stalls are stalls, before and after")
  func stalls() {
    let faults = faults(
      FaultRule([.commit], .number(1), .stall),
      FaultRule([.commit], .number(2), .stallAfterApplying),
      FaultRule([.commit], .number(3), .stallInBody(0.5))
    )
    var kinds: [String] = []
    for _ in 0..<3 {
      var request = TestRequest(
        method: "POST",
        target: "/v1/\(MiniClient.root):commit",
        body: Array(create.utf8)
      )
      request.headers = [HTTPField("Content-Type", "application/json")]
      // Another request, so that the cap does not come between.
      request.body.append(contentsOf: [UInt8](repeating: 0x20, count: kinds.count))
      switch faults.handler(request) {
      case .stall: kinds.append("stall \(mini.writeCount("c/new"))")
      case .stallInBody: kinds.append("in body \(mini.writeCount("c/new"))")
      default: kinds.append("other")
      }
    }
    #expect(kinds == ["stall 0", "stall 1", "in body 2"])
  }

  @Test("a stream with an error inside, and one without an end")
  func streams() throws {
    let faults = faults(
      FaultRule([.runQuery], .number(1), .errorInStream(.unavailable, after: 2)),
      FaultRule([.runQuery], .number(2), .unterminated)
    )
    let client = MiniClient(faults.handler)
    let elements = try client.stream(":runQuery", query)
    #expect(elements.map { $0["error"] != nil } == [false, false, true])
    #expect(elements.map { $0["document"] != nil } == [true, true, false])
    let cut = try #require(client.send("POST", ":runQuery", query))
    #expect(cut.status == 200)
    #expect(throws: (any Error).self) { try client.array(cut) }
    #expect(try client.array(TestResponse(200, body: cut.body + Array("]".utf8))).count == 5)
    #expect(try client.stream(":runQuery", query).count == 5)
  }

  @Test("an expired token stays so until another is seen")
  func expiredToken() throws {
    let faults = faults(FaultRule([.list], .number(2), .expiredToken))
    var client = MiniClient(faults.handler)
    client.headers = [HTTPField("Authorization", "Bearer old")]
    #expect(try client.failure("GET", "/c") == nil)
    for _ in 0..<4 { #expect(try client.failure("GET", "/c") == "401 UNAUTHENTICATED") }
    #expect(try client.failure("GET", "/c/d1000") == "401 UNAUTHENTICATED")
    client.headers = [HTTPField("Authorization", "Bearer new")]
    #expect(try client.failure("GET", "/c") == nil)
  }

  @Test("a closure runs before the k-th commit")
  func hook() {
    let faults = faults()
    let mini = mini
    faults.before(.commit, 2) { _ in mini.remove("c/d1000") }
    let client = MiniClient(faults.handler)
    _ = client.send("POST", ":commit", create)
    #expect(mini.document("c/d1000") != nil)
    _ = client.send("POST", ":commit", create)
    #expect(mini.document("c/d1000") == nil)
  }
}
