import FirestoreModels
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Firestore client", .timeLimit(.minutes(60)))
struct FirestoreClientTests {
  private func list(_ client: FirestoreClient, _ request: CollectionRead) async throws -> [RawDocument] {
    var all: [RawDocument] = []
    for try await page in client.pages(of: request) { all += page }
    return all
  }

  // MARK: Lists

  @Test("A list is complete whatever its page sizes", arguments: [0, 1, 2, 3, 20, 301, 1000])
  func pages(count: Int) async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines("a b/x+y/c é", 0..<count))
    try await Fixture.with(mini.handler) { fixture in
      for size in [1, 7, 300] where count <= 20 || size > 1 {
        let found = try await list(fixture.client, CollectionRead(collection("a b/x+y/c é"), pageSize: size))
        #expect(found.map { $0.fields["n"] } == (0..<count).map { .integer(Int64($0)) })
        #expect(found.allSatisfy { $0.updateTime != nil && $0.createTime != nil })
      }
    }
  }

  @Test("Missing parents are listed on request, and a mask applies")
  func missingAndMask() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines("g", 0..<3) + "\n" + jsonLines("g/gone/m", 0..<1))
    try await Fixture.with(mini.handler) { fixture in
      let plain = try await list(fixture.client, CollectionRead(collection("g")))
      #expect(plain.map(\.path.id) == ["d0000", "d0001", "d0002"])
      let all = try await list(fixture.client, CollectionRead(collection("g"), showsMissing: true))
      #expect(all.map(\.path.id) == ["d0000", "d0001", "d0002", "gone"])
      #expect(all.map { $0.updateTime == nil } == [false, false, false, true])
      let masked = try await list(
        fixture.client,
        CollectionRead(collection("g"), mask: [FieldPath(field: "n")])
      )
      #expect(masked.map(\.fields) == (0..<3).map { ["n": .integer(Int64($0))] })
      let value1 = try await list(fixture.client, CollectionRead(collection("empty")))
      #expect(value1.isEmpty)
    }
  }

  @Test("A page that is too large is requested with fewer documents, and no document is lost or repeated")
  func pageHalving() async throws {
    let mini = MiniFirestore()
    let big = String(repeating: "x", count: 4000)
    try mini.load(jsonLines: jsonLines("c", 0..<60) { (20..<40).contains($0) ? big : "" })
    try await Fixture.with(mini.handler, maximumBodyBytes: 20_000) { fixture in
      let found = try await list(fixture.client, CollectionRead(collection("c"), pageSize: 40))
      #expect(found.map { $0.fields["n"] } == (0..<60).map { .integer(Int64($0)) })
      let none = await failure { try await list(fixture.client, CollectionRead(collection("none"))) }
      #expect(none == nil)
    }
    try await Fixture.with(mini.handler, maximumBodyBytes: 1000) { fixture in
      let error = await failure { try await list(fixture.client, CollectionRead(collection("c"))) }
      #expect(error?.isBodyTooLarge == true)
    }
  }

  @Test("Pages are as large as their share of memory, whatever their documents are", arguments: [1, 16])
  func pageBytes(_ parallel: Int) async throws {
    let mini = MiniFirestore()
    try mini.load(
      jsonLines: jsonLines("c", 0..<90) { String(repeating: "x", count: $0 < 30 ? 100 : 100_000) }
    )
    try await Fixture.with(mini.handler) { fixture in
      var read = CollectionRead(collection("c"), pageSize: 30)
      read.parallel = parallel
      var count = 0
      for try await page in fixture.client.pages(of: read) {
        count += page.count
        #expect(page.reduce(0) { $0 + $1.heldBytes } <= 2 * ByteBudget.response)
      }
      #expect(count == 90)
      // A page of 30 fits, so it is not cut for the small ones; then there are 6 of about 20, or 30 of 3 side by side.
      #expect(fixture.server.requests.count <= (parallel == 1 ? 9 : 60), "\(fixture.server.requests.count)")
    }
  }

  @Test("Lookups are as large as their share of memory, once the size of documents is known")
  func lookupBytes() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines("c", 0..<60) { _ in String(repeating: "x", count: 100_000) })
    try await Fixture.with(mini.handler) { fixture in
      let paths = try documents(jsonLines("c", 0..<60)).map(\.path)
      #expect(fixture.client.lookupSize == 300)
      _ = try await fixture.client.batchGet(Array(paths.prefix(2)))
      #expect(fixture.client.lookupSize == 20)
      let masked = try await fixture.client.batchGet(paths, mask: [FieldPath(field: "n")])
      #expect(masked.count == 60)
      #expect(try await fixture.client.batchGet(paths).count == 60)
      #expect(fixture.server.requests(.batchGet).count == 1 + 1 + 3)
    }
  }

  @Test("At most two pages are requested ahead of the reader")
  func readAhead() async throws {
    let mini = MiniFirestore(.init())
    try mini.load(jsonLines: jsonLines("c", 0..<200))
    try await Fixture.with(mini.handler) { fixture in
      var pages = fixture.client.pages(of: CollectionRead(collection("c"), pageSize: 10)).makeAsyncIterator()
      var taken = 0
      while try await pages.next() != nil {
        taken += 1
        #expect(fixture.server.requests(.list).count <= taken + 2)
      }
      let value2 = try await pages.next()
      #expect(value2 == nil)
    }
  }

  @Test("Dropping or cancelling the reader cancels the request in flight")
  func cancelledReader() async throws {
    try await Fixture.with({ _ in .stall }) { fixture in
      let task = Task {
        await failure { try await self.list(fixture.client, CollectionRead(collection("c"))) }?.kind
      }
      while fixture.server.requests.isEmpty { await Task.yield() }
      task.cancel()
      #expect(await task.value == .interrupted)
    }
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines("c", 0..<50))
    let faults = mini.faults(FaultRule([.list], .number(2), .stall))
    try await Fixture.with(faults.handler) { fixture in
      do {
        var pages = fixture.client.pages(of: CollectionRead(collection("c"), pageSize: 10))
          .makeAsyncIterator()
        _ = try await pages.next()
      }
      // The server closes only once no request is left, so returning from here is the proof.
    }
  }

  // MARK: Single calls

  @Test("A count is the server's, with its read time")
  func count() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines("c", 0..<321) + "\n" + jsonLines("g/x/c", 0..<4))
    try await Fixture.with(mini.handler) { fixture in
      let (count, time) = try await fixture.client.count(CollectionRead(collection("c")))
      #expect(count == 321)
      #expect(time != nil)
      let value3 = try await fixture.client.count(CollectionRead(collection("g/x/c")))
      #expect(value3.count == 4)
      let value4 = try await fixture.client.count(CollectionRead(collection("none")))
      #expect(value4.count == 0)
    }
  }

  @Test("A complete response with an invalid document is not requested again")
  func unreadableDocument() async throws {
    let name = "projects/test-project/databases/(default)/documents/c/d0001"
    let document = #"{"name":"\#(name)","fields":{"n":{"noSuchValue":1}}}"#
    try await Fixture.with({ request in
      request.kind == .batchGet ? .json(#"[{"found":\#(document)}]"#) : .json(#"[{"document":\#(document)}]"#)
    }) { fixture in
      let error = await failure { try await fixture.client.batchGet([path("c/d0001")]) }
      #expect(error?.kind == .unavailable)
      var group = CollectionRead(collection("c"), pageSize: 1)
      group.reach = .group
      let other = await failure { try await list(fixture.client, group) }
      #expect(other?.kind == .unavailable)
      #expect(fixture.server.requests.count == 2)
    }
  }

  @Test(
    "batchGet returns the existing documents of any request: none, duplicates, more than 300, missing ones"
  )
  func batchGet() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines("c", 0..<700))
    try await Fixture.with(mini.handler) { fixture in
      let value5 = try await fixture.client.batchGet([])
      #expect(value5.isEmpty)
      #expect(fixture.server.requests.isEmpty)
      let asked = try documents(jsonLines("c", 0..<701)).map(\.path) + [path("c/d0001"), path("x/y/é b/%2F")]
      let found = try await fixture.client.batchGet(asked)
      #expect(Set(found.keys) == Set(asked.prefix(700)))
      #expect(found.allSatisfy { $0.value.path == $0.key && $0.value.updateTime != nil })
      #expect(fixture.server.requests(.batchGet).count == 3)
      let masked = try await fixture.client.batchGet([path("c/d0007")], mask: [FieldPath(field: "n")])
      #expect(masked[path("c/d0007")]?.fields == ["n": .integer(7)])
    }
  }

  @Test("batchGet requests fewer documents if a response would be too large")
  func batchGetHalving() async throws {
    let mini = MiniFirestore()
    let big = String(repeating: "x", count: 4000)
    try mini.load(jsonLines: jsonLines("c", 0..<50) { _ in big })
    try await Fixture.with(mini.handler, maximumBodyBytes: 40_000) { fixture in
      let paths = try documents(jsonLines("c", 0..<50)).map(\.path)
      let value6 = try await fixture.client.batchGet(paths)
      #expect(value6.count == 50)
    }
  }

  @Test("A stream that omits a document or repeats another is requested again")
  func incompleteStream() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines("c", 0..<2))
    let root = mini.root
    let one =
      #"[{"missing":"\#(root)/c/d0000","readTime":"2026-01-01T00:00:00Z"},{"missing":"\#(root)/c/d0000"}]"#
    let faults = mini.faults(FaultRule([.batchGet], .first(2), .custom { _, _ in .json(one) }))
    try await Fixture.with(faults.handler) { fixture in
      let found = try await fixture.client.batchGet([path("c/d0000"), path("c/d0001")])
      #expect(found.count == 2)
      #expect(fixture.traffic.current.retries == 2)
    }
  }

  @Test("Collection IDs are read from all pages, of the root and of a missing parent")
  func collectionIDs() async throws {
    let mini = MiniFirestore()
    let names = (0..<45).map { "k \($0)é" }
    try mini.load(
      jsonLines: names.map { jsonLines($0, 0..<1) + "\n" + jsonLines("p/gone/\($0)", 0..<1) }.joined(
        separator: "\n"
      )
    )
    try await Fixture.with(mini.handler) { fixture in
      let value7 = try await fixture.client.collectionIDs()
      #expect(Set(value7) == Set(names + ["p"]))
      let value8 = try await fixture.client.collectionIDs(below: path("p/gone"))
      #expect(Set(value8) == Set(names))
      let value9 = try await fixture.client.collectionIDs(below: path("p/never"))
      #expect(value9.isEmpty)
    }
  }

  // MARK: Faults

  static let faults: [(String, Fault)] = [
    ("503", .error(.unavailable)), ("429", .error(.resourceExhausted)), ("500", .error(.internalError)),
    ("504", .error(.deadlineExceeded)), ("409", .error(.aborted)), ("drop", .drop), ("reset", .reset),
    ("half body", .halfBody(0.5)), ("truncated chunks", .truncatedChunked(0.5)), ("html 502", .html(502)),
    ("html 200", .html(200)), ("no body", .emptyBody), ("unterminated", .unterminated),
    ("drip", .drip(chunk: 997, interval: .microseconds(50))),
    ("error in stream", .errorInStream(.unavailable, after: 1)), ("stall", .stall),
    ("stall in body", .stallInBody(0.5)),
  ]

  @Test("Every transient fault of a read is retried", arguments: Self.faults.map(\.0))
  func readFaults(name: String) async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines("c", 0..<50))
    let fault = try #require(Self.faults.first { $0.0 == name }?.1)
    let faults = mini.faults(FaultRule([], .always, fault), maximumConsecutive: 1)
    try await Fixture.with(faults.handler, timeout: name.hasPrefix("stall") ? 0.3 : 20) { fixture in
      let paths = try documents(jsonLines("c", 0..<50)).map(\.path)
      let value10 = try await fixture.client.batchGet(paths)
      #expect(value10.count == 50)
      let value11 = try await fixture.client.count(CollectionRead(collection("c")))
      #expect(value11.count == 50)
      let value12 = try await fixture.client.collectionIDs()
      #expect(value12 == ["c"])
      let value13 = try await list(fixture.client, CollectionRead(collection("c"), pageSize: 30))
      #expect(value13.count == 50)
      // A GET on a kept connection that dies without a byte is repeated by curl itself.
      if name != "drip" { #expect(fixture.traffic.current.retries >= 3) }
    }
  }

  @Test("RetryInfo and Retry-After are waited in full")
  func askedDelays() async throws {
    let mini = MiniFirestore()
    let asked = [
      ServiceError(429, "RESOURCE_EXHAUSTED", "slow down", retryDelay: 33),
      ServiceError(503, "UNAVAILABLE", "later", headers: [HTTPField("Retry-After", "21")]),
    ]
    let faults = mini.faults(
      FaultRule([], .number(1), .error(asked[0])),
      FaultRule([], .number(2), .error(asked[1]))
    )
    try await Fixture.with(faults.handler) { fixture in
      _ = try await fixture.client.collectionIDs()
      #expect(fixture.time.slept >= 54)
      #expect(fixture.time.slept < 56)
    }
  }

  @Test("Tokens that expire during a read are replaced once each, and nothing is lost")
  func tokens() async throws {
    var options = MiniFirestore.Options()
    options.requiresAuthorization = true
    options.requestsPerToken = 3
    let mini = MiniFirestore(options)
    try mini.load(jsonLines: jsonLines("c", 0..<100))
    try await Fixture.with(mini.handler, metadata: true) { fixture in
      let found = try await list(fixture.client, CollectionRead(collection("c"), pageSize: 10))
      #expect(found.count == 100)
      #expect(fixture.traffic.current.retries == 0)
      #expect(mini.tokensIssued >= 4)
    }
  }

  @Test("A token that is refused permanently ends the call after one refresh")
  func refusedToken() async throws {
    let faults = MiniFirestore().faults(
      FaultRule([.listCollectionIds], .always, .error(.tokenExpired)),
      maximumConsecutive: .max
    )
    try await Fixture.with(faults.handler, metadata: true) { fixture in
      let error = await failure { try await fixture.client.collectionIDs() }
      #expect(error?.kind == .configuration)
      #expect(fixture.server.requests(.listCollectionIds).count == 2)
    }
  }

  @Test("An outage ends in time, as unavailable")
  func outage() async throws {
    let faults = MiniFirestore().faults(
      FaultRule([], .always, .error(.unavailable)),
      maximumConsecutive: .max
    )
    try await Fixture.with(faults.handler, budget: 120) { fixture in
      let error = await failure { try await fixture.client.count(CollectionRead(collection("c"))) }
      #expect(error?.kind == .unavailable)
      #expect(fixture.time.slept <= 120)
      #expect(fixture.time.slept > 60)
    }
  }

  @Test(
    "An impossible count is not a valid response",
    arguments: ["9223372036854775807", "9007199254740993", "-1"]
  )
  func impossibleCount(_ count: String) throws {
    let text = #"[{"result":{"aggregateFields":{"n":{"integerValue":"\#(count)"}}}}]"#
    let found = try JSONParser().parse(Array(text.utf8)) { root in (try? FirestoreClient.counted(root))?.count
    }
    #expect(found == nil)
  }

  @Test(
    "The reason in the details of a 403 decides what to do about it",
    arguments: [
      ("ACCESS_TOKEN_SCOPE_INSUFFICIENT", Failure.Kind.notPermitted, "scope"),
      ("SERVICE_DISABLED", .configuration, "Enable the Cloud Firestore API"),
      ("CONSUMER_INVALID", .configuration, "project"),
      ("USER_PROJECT_DENIED", .notPermitted, "quota project"),
      ("BILLING_DISABLED", .configuration, "billing"), ("RATE_LIMIT_EXCEEDED", .tryLater, "quota"),
      ("SECURITY_POLICY_VIOLATED", .notPermitted, "policy"),
      ("IAM_PERMISSION_DENIED", .notPermitted, "roles/datastore"),
    ]
  )
  func reasons(_ reason: String, kind: Failure.Kind, remedy: String) {
    func body(_ domain: String) -> [UInt8] {
      let detail =
        #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"\#(reason)","domain":"\#(domain)"}"#
      return Array(
        #"{"error":{"code":403,"message":"x","status":"PERMISSION_DENIED","details":[\#(detail)]}}"#.utf8
      )
    }
    for rpc in [RPC.runQuery, .exportDocuments, .commit]
    where reason != "IAM_PERMISSION_DENIED" || rpc == .commit {
      let error = ErrorBody.read(HTTPResponse(status: 403, body: body("googleapis.com")), with: JSONParser())
      let failure = CallFailure.service(error).asFailure(operation: "read", path: nil, of: rpc)
      #expect(failure.kind == kind && failure.remedy?.contains(remedy) == true, "\(rpc) \(failure)")
      #expect((failure.remedy?.contains("roles/datastore") == true) == (reason == "IAM_PERMISSION_DENIED"))
    }
    let other = ErrorBody.read(HTTPResponse(status: 403, body: body("example.com")), with: JSONParser())
    #expect(other.reason == nil)
  }

  @Test("Permanent failures are not retried, and have their kind")
  func kinds() async throws {
    let cases: [(ServiceError, Failure.Kind)] = [
      (.permissionDenied, .notPermitted), (.notFound("no such database"), .configuration),
      (.failedPrecondition("Datastore mode"), .configuration), (.invalidArgument("x"), .internal),
      (.unimplemented("x"), .configuration),
      (ServiceError(403, "PERMISSION_DENIED", "x", reason: "SERVICE_DISABLED"), .configuration),
    ]
    for (service, kind) in cases {
      let faults = MiniFirestore().faults(FaultRule([], .always, .error(service)))
      try await Fixture.with(faults.handler) { fixture in
        let error = await failure { try await fixture.client.batchGet([path("c/d")]) }
        #expect(error?.kind == kind, "\(service)")
        #expect(error?.service != nil)
        #expect(fixture.server.requests.count == 1)
      }
    }
    // What a query asks for is the command line's; the ids of a lookup were checked before.
    for service in [ServiceError.invalidArgument("x"), ServiceError(400, "OUT_OF_RANGE", "x")] {
      let faults = MiniFirestore().faults(FaultRule([], .always, .error(service)))
      try await Fixture.with(faults.handler) { fixture in
        let error = await failure { try await fixture.client.count(CollectionRead(collection("c"))) }
        #expect(error?.kind == .usage && fixture.server.requests.count == 1, "\(service)")
      }
    }
    let busy = MiniFirestore().faults(
      FaultRule([], .always, .error(.resourceExhausted)),
      maximumConsecutive: .max
    )
    try await Fixture.with(busy.handler, budget: 5) { fixture in
      let error = await failure { try await fixture.client.collectionIDs() }
      #expect(error?.kind == .tryLater)
    }
  }

  @Test("A call that waits for a retry is cancelled immediately")
  func cancelledWait() async throws {
    let asked = ServiceError(503, "UNAVAILABLE", "later", headers: [HTTPField("Retry-After", "200")])
    try await HTTPTestServer.withServer({ _ in .response(asked.response(for: .other)) }) { server in
      let transport = CurlTransport()
      let caller = ServiceCaller(
        transport: transport,
        credentials: TokenProvider(Credentials(.none), transport: transport)
      )
      let client = FirestoreClient(database: testDatabase, endpoint: server.url, caller: caller)
      let task = Task { await failure { try await client.collectionIDs() }?.kind }
      while caller.traffic.current.retries == 0 { await Task.yield() }
      task.cancel()
      #expect(await task.value == .interrupted)
    }
  }
}
