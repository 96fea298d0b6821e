import FirestoreModels
import Foundation
import GymModels
import LocalFirestore
import Logging
import RunSupport
import Synchronization
import TestSupport
import Testing

@testable import FirestoreREST
@testable import GymMigrations
@testable import MigrationEngine
@testable import Runs

/// Puts something before or behind requests of a kind, as a rival or a bad network would.
private final class ConcurrentChange: HTTPTransport {
  enum Act: Sendable {
    /// Runs before the request is sent.
    case before(@Sendable () async throws -> Void)
    /// The request is sent, its answer is lost, and this runs.
    case loseAnswer(then: @Sendable () async throws -> Void)
    /// The request is not sent, and nobody knows.
    case loseRequest
    /// The service answers this instead.
    case answer(Int, String)
  }

  private let inner = CurlTransport()
  private let acts = Mutex<[(verb: String, act: Act)]>([])
  private let log = Mutex<[String]>([])

  /// The methods that were called, in order.
  var verbs: [String] { log.withLock { $0 } }

  /// Does something to the next request of a kind; once.
  func next(_ verb: String, _ act: Act) { acts.withLock { $0.append((verb, act)) } }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let verb = request.url.split(separator: ":").last.map { String($0.prefix { $0 != "?" }) } ?? ""
    log.withLock { $0.append(verb) }
    let act = acts.withLock { acts -> Act? in
      acts.firstIndex { $0.verb == verb }.map { acts.remove(at: $0).act }
    }
    switch act {
    case nil: return try await inner.send(request)
    case .before(let body)?:
      try? await body()
      return try await inner.send(request)
    case .loseAnswer(let body)?:
      _ = try await inner.send(request)
      try? await body()
      throw TransportError(.lost, "the answer was lost")
    case .loseRequest?: throw TransportError(.lost, "the request was lost")
    case .answer(let status, let body)?: return HTTPResponse(status: status, body: Array(body.utf8))
    }
  }
}

private actor Settlements {
  private(set) var settled: [String: TransactionSettlement] = [:]
  private(set) var committed: [Change] = []

  func willCommit(_ changes: [Change]) { committed += changes }

  func add(_ settlement: TransactionSettlement, of id: String) { settled[id] = settlement }
}

/// The embedded store with groups in it.
private struct GroupsFixture: Sendable {
  let meddler: ConcurrentChange
  let client: FirestoreClient
  /// A client of somebody else, who meets no meddler.
  let rival: FirestoreClient
  let settlements = Settlements()

  static func open(budget: Double = 600, _ body: (GroupsFixture) async throws -> Void) async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      func client(_ transport: any HTTPTransport) -> FirestoreClient {
        FirestoreClient.testing(
          server.endpoint,
          over: transport,
          policy: RetryPolicy(initial: 0.001, maximum: 0.002, budget: budget)
        )
      }
      let meddler = ConcurrentChange()
      try await body(GroupsFixture(meddler: meddler, client: client(meddler), rival: client(CurlTransport())))
    }
  }

  func put(_ path: String, _ fields: FieldMap) async throws {
    let path = try #require(DocumentPath(path))
    let write = PendingWrite(
      Write(path: path, operation: .update(fields: fields, mask: nil)),
      in: rival.database
    )
    _ = try await rival.commitOnce([write.json], timeout: 20)
  }

  func group(_ id: String, count: Value?, members: Int) async throws {
    var fields = texts(["name": id])
    fields["memberCount"] = count
    try await put("groups/\(id)", fields)
    for number in 0..<members { try await member(number, of: id) }
  }

  func member(_ number: Int, of group: String) async throws {
    try await put("groups/\(group)/members/m\(number)", ["isActive": .boolean(true)])
  }

  func fields(_ id: String) async throws -> FieldMap? {
    let path = DocumentPath(GymCollection.groups, id)
    return try await rival.batchGet([path])[path]?.fields
  }

  func write(_ ids: String...) async throws {
    var transaction = RecordedTransaction(client, journal: nil)
    transaction.willCommit = { [settlements] in await settlements.willCommit($0) }
    for id in ids {
      let path = DocumentPath(GymCollection.groups, id)
      let settlement = try await transaction.decide(
        on: path,
        by: "groups-recount",
        GroupsRecount().outcome(for:in:)
      )
      await settlements.add(settlement, of: id)
    }
  }

  func result(_ id: String) async -> WriteResult? { await settlements.settled[id]?.result }
}

@Suite(.timeLimit(.minutes(60))) struct RecordedTransactionTests {
  private func isWritten(_ result: WriteResult?) -> Bool {
    if case .written(let time)? = result { time != nil } else { false }
  }

  @Test func writesWhatIsWrongAndLeavesTheRest() async throws {
    try await GroupsFixture.open { shop in
      try await shop.group("right", count: .integer(2), members: 2)
      try await shop.group("wrong", count: .integer(5), members: 3)
      try await shop.group("none", count: nil, members: 0)
      try await shop.group("text", count: .string("2"), members: 2)
      let before = try await shop.fields("right")
      try await shop.write("right", "wrong", "none", "text", "gone")
      #expect(await shop.result("right") == .unchanged)
      #expect(try await shop.fields("right") == before)
      #expect(isWritten(await shop.result("wrong")))
      #expect(try await shop.fields("wrong")?["memberCount"] == .integer(3))
      #expect(try await shop.fields("wrong")?["updatedAt"] == nil)
      #expect(try await shop.fields("none")?["memberCount"] == .integer(0))
      #expect(await shop.result("text") == .skipped)
      #expect(await shop.settlements.settled["text"]?.outcome?.findings.map(\.code) == ["wrong-type"])
      #expect(try await shop.fields("text")?["memberCount"] == .string("2"))
      #expect(await shop.result("gone") == .conflicted)
      #expect(await shop.settlements.settled["gone"]?.document == nil)
      // A transaction that writes nothing is rolled back, and only then.
      #expect(shop.meddler.verbs.count { $0 == "commit" } == 2)
      #expect(shop.meddler.verbs.count { $0 == "rollback" } == 3)
      #expect(await shop.settlements.committed.count == 2)
    }
  }

  /// A member comes between the count and the commit: the service aborts, and the whole is run again.
  @Test func aMemberWhoComesMeanwhileIsCounted() async throws {
    try await GroupsFixture.open { shop in
      try await shop.group("g", count: .integer(9), members: 3)
      for number in [3, 4] { shop.meddler.next("commit", .before { try await shop.member(number, of: "g") }) }
      try await shop.write("g")
      #expect(isWritten(await shop.result("g")))
      #expect(try await shop.fields("g")?["memberCount"] == .integer(5))
      #expect(shop.meddler.verbs.count { $0 == "commit" } == 3)
      let counts = await shop.settlements.committed.map { $0.after?["memberCount"] }
      #expect(counts == [.integer(3), .integer(4), .integer(5)])
    }
  }

  @Test func aChangeThatLeavesNothingToDoIsSeen() async throws {
    try await GroupsFixture.open { shop in
      try await shop.group("g", count: .integer(4), members: 3)
      shop.meddler.next("commit", .before { try await shop.member(3, of: "g") })
      try await shop.write("g")
      #expect(await shop.result("g") == .unchanged)
      #expect(try await shop.fields("g")?["updatedAt"] == nil)
    }
  }

  /// The fence changes after the transaction has read it: the commit is aborted, and the next transaction sees why.
  @Test func nothingIsWrittenBehindAFenceThatChanged() async throws {
    try await GroupsFixture.open { shop in
      try await shop.group("g", count: .integer(9), members: 2)
      try await shop.put("entries/run", texts(["by": "run"]))
      let path = try #require(DocumentPath("entries/run"))
      let time = try #require(await shop.rival.get(path).document?.updateTime)
      let fence = CommitGate.Fence(path, at: time, lost: Failure(.tryLater, "write", cause: "lost"))
      try await shop.client.gate.hold({ _ in }, fence: fence) { try await shop.write("g") }
      #expect(try await shop.fields("g")?["memberCount"] == .integer(2))
      try await shop.group("g", count: .integer(9), members: 2)
      shop.meddler.next("commit", .before { try await shop.put("entries/run", texts(["by": "next"])) })
      let failure = await #expect(throws: Failure.self) {
        try await shop.client.gate.hold({ _ in }, fence: fence) { try await shop.write("g") }
      }
      #expect(failure?.cause == "lost")
      #expect(try await shop.fields("g")?["memberCount"] == .integer(9))
    }
  }

  @Test func endlessContentionIsAConflict() async throws {
    try await GroupsFixture.open(budget: 0.3) { shop in
      try await shop.group("g", count: .integer(9), members: 1)
      let aborted = #"{"error":{"code":409,"message":"contention","status":"ABORTED"}}"#
      for _ in 0..<5_000 { shop.meddler.next("commit", .answer(409, aborted)) }
      try await shop.write("g")
      #expect(await shop.result("g") == .conflicted)
      #expect(try await shop.fields("g")?["memberCount"] == .integer(9))
    }
  }

  @Test func aLostAnswerIsReadBack() async throws {
    try await GroupsFixture.open { shop in
      try await shop.group("g", count: .integer(9), members: 2)
      shop.meddler.next("commit", .loseAnswer(then: {}))
      try await shop.write("g")
      #expect(isWritten(await shop.result("g")))
      #expect(shop.meddler.verbs.count { $0 == "commit" } == 1)
      #expect(try await shop.fields("g")?["memberCount"] == .integer(2))
    }
  }

  /// The answer is lost and the document has changed since: the whole is run again on what it is now.
  @Test func aLostAnswerAndAChangeAreDecidedAnew() async throws {
    try await GroupsFixture.open { shop in
      try await shop.group("g", count: .integer(9), members: 2)
      shop.meddler.next(
        "commit",
        .loseAnswer(then: {
          try await shop.put("groups/g", ["memberCount": .integer(7)])
        })
      )
      try await shop.write("g")
      #expect(isWritten(await shop.result("g")))
      #expect(try await shop.fields("g")?["memberCount"] == .integer(2))
      #expect(shop.meddler.verbs.count { $0 == "commit" } == 2)
    }
  }

  @Test func aLostRequestIsSentAgain() async throws {
    try await GroupsFixture.open { shop in
      try await shop.group("g", count: .integer(9), members: 2)
      shop.meddler.next("commit", .loseRequest)
      try await shop.write("g")
      #expect(isWritten(await shop.result("g")))
      #expect(try await shop.fields("g")?["memberCount"] == .integer(2))
    }
  }

  @Test(arguments: ["beginTransaction", "batchGet", "runQuery", "commit"])
  func whatMayPassRunsTheWholeAgain(verb: String) async throws {
    try await GroupsFixture.open { shop in
      try await shop.group("g", count: .integer(9), members: 2)
      let failures: [(Int, String)] = [
        (503, #"{"error":{"code":503,"message":"later","status":"UNAVAILABLE"}}"#),
        (409, #"{"error":{"code":409,"message":"again","status":"ABORTED"}}"#),
        (429, #"{"error":{"code":429,"message":"less","status":"RESOURCE_EXHAUSTED"}}"#),
        (
          400,
          #"{"error":{"code":400,"message":"The referenced transaction has expired or is no longer valid.","status":"INVALID_ARGUMENT"}}"#
        ),
      ]
      for (status, body) in failures { shop.meddler.next(verb, .answer(status, body)) }
      try await shop.write("g")
      #expect(isWritten(await shop.result("g")))
      #expect(shop.meddler.verbs.count { $0 == "beginTransaction" } == 5)
      #expect(try await shop.fields("g")?["memberCount"] == .integer(2))
    }
  }

  @Test func aRefusalIsTheDocuments() async throws {
    try await GroupsFixture.open { shop in
      try await shop.group("g", count: .integer(9), members: 2)
      shop.meddler.next(
        "commit",
        .answer(400, #"{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}"#)
      )
      try await shop.write("g")
      guard case .rejected(let error)? = await shop.result("g") else {
        Issue.record("it was not rejected")
        return
      }
      #expect(error.status == .invalidArgument)
    }
  }

  @Test func whatCannotPassEndsIt() async throws {
    try await GroupsFixture.open { shop in
      try await shop.group("g", count: .integer(9), members: 2)
      let body = #"{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}"#
      shop.meddler.next("runQuery", .answer(403, body))
      let failure = await #expect(throws: Failure.self) { try await shop.write("g") }
      #expect(failure?.kind == .notPermitted)
      #expect(shop.meddler.verbs.last == "rollback")
      #expect(await shop.settlements.settled.isEmpty)
    }
  }

  @Test func aTransactionListsACollection() async throws {
    try await GroupsFixture.open { shop in
      for number in 0..<45 {
        try await shop.put("groups/g/members/m\(number)", ["n": .integer(Int64(number))])
      }
      let path = try #require(DocumentPath("groups/g"))
      var read = CollectionRead(GymCollection.members(of: path))
      read.pageSize = 20
      let (seen, _) = try await shop.client.runTransaction(on: path, willCommit: { _ in }) {
        [read] transaction in
        var seen: [DocumentPath] = []
        try await transaction.forEachDocument(matching: read) { seen.append($0.path) }
        return .leave(seen)
      }
      #expect(seen?.count == 45 && seen == seen?.sorted())
      #expect(shop.meddler.verbs.count { $0 == "runQuery" } == 3)
    }
  }

  /// What the transaction finds is what holds, and not what the plan of a moment before had found.
  @Test func whatATransactionFindsIsReported() async throws {
    try await GroupsFixture.open { shop in
      try await shop.group("g", count: .integer(9), members: 2)
      try await shop.group("many", count: .integer(1), members: 11)
      shop.meddler.next("commit", .before { try await shop.put("groups/g", ["memberCount": .string("two")]) })
      try await withTemporaryDirectory { folder in
        let run = try RunDirectory(in: folder.path, command: "migrate")
        let counts = RunCounts()
        let runner = MigrationRunner(in: .silent(shop.client, run, counts: counts))
        let report = try await runner.apply(.migration(GroupsRecount()))
        #expect(counts.totals.balance && counts.totals.rejected == 1 && counts.totals.review == 1)
        #expect(
          report.findings == [
            .init(kind: .reject, code: "wrong-type"): 1,
            .init(kind: .review, code: "group-too-many-members"): 1,
          ]
        )
        let text = try String(contentsOfFile: run.file("findings.jsonl"), encoding: .utf8)
        let findings = try text.split(separator: "\n").map { line in
          try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let found = findings.map { "\($0["document"] ?? "") \($0["code"] ?? "") \($0["value"] ?? "")" }
        #expect(
          found.sorted() == [
            "groups/g wrong-type \(["stringValue": "two"])",
            "groups/many group-too-many-members \(["integerValue": "11"])",
          ]
        )
      }
    }
  }
}
