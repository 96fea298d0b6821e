import FirestoreModels
import Synchronization
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Starting an operation exactly once", .timeLimit(.minutes(60)))
struct OperationStartTests {
  private static let database = DatabaseName(project: "p")
  private static let lost = CallFailure.transport(TransportError(.lost, "reset"))
  private static func service(_ status: FirestoreError.Status) -> CallFailure {
    .service(FirestoreError(status, "no"))
  }

  private func request(_ collections: [String] = ["users"]) throws -> ManagedRequest {
    ManagedRequest(
      .exportDocuments,
      try #require(BucketPrefix(parsing: "gs://bucket/a")),
      collections: collections
    )
  }

  private func operation(
    _ id: String,
    _ prefix: String = "gs://bucket/a",
    _ kind: ManagedOperation.Kind = .exportDocuments,
    collections: [String] = ["users"],
    isDone: Bool = true
  ) throws -> ManagedOperation {
    var operation = ManagedOperation(
      name: try #require(OperationName(parsing: id, in: Self.database)),
      kind: kind
    )
    (operation.prefix, operation.collections, operation.isDone) = (prefix, collections, isDone)
    return operation
  }

  /// A machine after its request was sent.
  private func sent(before: [ManagedOperation]? = []) throws -> OperationStart {
    var start = OperationStart(try request(), policy: RetryPolicy(budget: 100))
    #expect(start.handle(.listed(before)) == .send)
    return start
  }

  @Test("An answer ends it")
  func answered() throws {
    var start = try sent()
    let operation = try operation("x", isDone: false)
    #expect(start.handle(.answered(operation)) == .started(operation))
  }

  @Test(
    "After an answer that was lost, operations are listed, and a new one of the same work is taken",
    arguments: [
      lost, service(.unavailable), service(.deadlineExceeded), service(.internal), service(.unknown),
      service(.aborted), service(.cancelled), .malformed("x"), .foreign("x"),
    ]
  )
  func found(_ failure: CallFailure) throws {
    let old = try operation("old")
    var start = try sent(before: [old])
    #expect(start.handle(.failed(failure), random: 0) == .wait(1))
    #expect(start.handle(.waited) == .list)
    let new = try operation("new", isDone: false)
    #expect(start.handle(.listed([old, new])) == .found(new))
  }

  @Test("Nothing that is there but a new operation of the same work counts as the one that was started")
  func others() throws {
    let old = try operation("old")
    var start = try sent(before: [old])
    _ = start.handle(.failed(Self.lost))
    _ = start.handle(.waited)
    let others = [
      old, try operation("b", "gs://bucket/b"), try operation("c", "gs://bucket/a", .importDocuments),
      try operation("d", collections: ["members"]), try operation("e", collections: []),
      try operation("f", "gs://bucket/a", .other("IndexOperation")),
    ]
    #expect(start.handle(.listed(others)) == .send)
  }

  @Test(
    "What refuses for good is not sent again",
    arguments: [
      service(.permissionDenied), service(.invalidArgument), service(.notFound), service(.failedPrecondition),
      service(.unauthenticated), service(.unimplemented),
      .notSent(Failure(.configuration, "sign", cause: "no")),
      .transport(TransportError(.invalid, "certificate")),
    ]
  )
  func refused(_ failure: CallFailure) throws {
    var start = try sent()
    #expect(start.handle(.failed(failure)) == .fail(failure))
  }

  @Test(
    "What certainly started nothing is sent again without a look",
    arguments: [
      service(.resourceExhausted), .transport(TransportError(.notConnected, "refused")),
    ]
  )
  func again(_ failure: CallFailure) throws {
    var start = try sent()
    #expect(start.handle(.failed(failure), random: 0.5) == .wait(0.25))
    #expect(start.handle(.waited) == .send)
  }

  @Test("A refusal after a lost answer may be of what that one started")
  func refusedBecauseStarted() throws {
    var start = try sent()
    _ = start.handle(.failed(Self.lost))
    #expect(start.handle(.waited) == .list)
    // The list lags behind.
    #expect(start.handle(.listed([])) == .send)
    let refusal = Self.service(.invalidArgument)
    #expect(start.handle(.failed(refusal)) == .list)
    let new = try operation("new")
    var late = start
    #expect(late.handle(.listed([new])) == .found(new))
    #expect(start.handle(.listed([])) == .fail(refusal))
  }

  @Test("Without a list nothing is sent twice")
  func noList() throws {
    var start = try sent(before: nil)
    #expect(start.handle(.failed(Self.lost)) == .giveUp(Self.lost))
    // Where the first list was there and a later one is not, neither.
    start = try sent()
    _ = start.handle(.failed(Self.lost))
    _ = start.handle(.waited)
    #expect(start.handle(.listed(nil)) == .giveUp(Self.lost))
    // What certainly started nothing needs no list.
    start = try sent(before: nil)
    #expect(start.handle(.failed(Self.service(.resourceExhausted))) == .wait(0))
  }

  @Test("Once the budget is spent, one last look decides, and nothing more is sent")
  func budget() throws {
    var start = try sent()
    #expect(start.handle(.failed(Self.lost), elapsed: 101) == .list)
    #expect(start.handle(.listed([])) == .fail(Self.lost))
    start = try sent()
    let quota = Self.service(.resourceExhausted)
    #expect(start.handle(.failed(quota), elapsed: 101) == .fail(quota))
  }

  @Test("A command that is stopped meanwhile does not know")
  func cancelled() throws {
    var start = try sent()
    let failure = CallFailure.transport(TransportError(.cancelled, "cancelled"))
    #expect(start.handle(.failed(failure)) == .giveUp(failure))
  }

  @Test("One that does the same work already is not started twice")
  func running() throws {
    var start = OperationStart(try request(), policy: RetryPolicy())
    let running = try operation("r", collections: ["other"], isDone: false)
    #expect(start.handle(.listed([try operation("old"), running])) == .isRunning(running))
  }

  // MARK: Against a server

  private static func error(_ code: Int, _ status: String) -> Reaction {
    .json(#"{"error":{"code":\#(code),"status":"\#(status)","message":"no"}}"#, status: code)
  }

  @Test("After a 503 that started it, there is one operation and one request")
  func unheard() async throws {
    for reaction in [Self.error(503, "UNAVAILABLE"), .dropConnection, .html(502), .json("{")] {
      let service = ManagedService(onStart: { _ in .beginUnheard(reaction) })
      service.enter("export", "gs://bucket/a", isDone: true)
      try await Fixture.with(service.handler) { fixture in
        let started = try await fixture.client.start(try request())
        guard case .found(let operation) = started else {
          Issue.record("\(started)")
          return
        }
        #expect(operation.name.id == "op1")
        #expect(service.starts == 1 && service.operations == 2)
      }
    }
  }

  @Test("After a 503 that started nothing, it is sent again")
  func unbegun() async throws {
    let service = ManagedService(onStart: { $0 < 2 ? .refuse(Self.error(503, "UNAVAILABLE")) : .begin })
    try await Fixture.with(service.handler) { fixture in
      let started = try await fixture.client.start(try request())
      guard case .started(let operation) = started else {
        Issue.record("\(started)")
        return
      }
      #expect(operation.name.id == "op0" && operation.kind == .exportDocuments)
      #expect(service.starts == 3 && service.operations == 1)
      #expect(fixture.traffic.current.retries == 2)
    }
  }

  @Test("Without the right to list operations, it is started, but not again")
  func unlisted() async throws {
    let denied: @Sendable (Int) -> Reaction? = { _ in Self.error(403, "PERMISSION_DENIED") }
    let service = ManagedService(onList: denied)
    try await Fixture.with(service.handler) { fixture in
      guard case .started = try await fixture.client.start(try request()) else {
        Issue.record("not started")
        return
      }
    }
    let unheard = ManagedService(
      onStart: { _ in .beginUnheard(Self.error(503, "UNAVAILABLE")) },
      onList: denied
    )
    try await Fixture.with(unheard.handler) { fixture in
      guard case .uncertain(let failure) = try await fixture.client.start(try request()) else {
        Issue.record("not uncertain")
        return
      }
      #expect(failure.kind == .unavailable && failure.remedy?.contains("managed list") == true)
      #expect(unheard.starts == 1)
    }
  }

  @Test("A right that is missing names the role and the service agent")
  func denied() async throws {
    let service = ManagedService(onStart: { _ in .refuse(Self.error(403, "PERMISSION_DENIED")) })
    try await Fixture.with(service.handler) { fixture in
      let failure = await failure { try await fixture.client.start(try request()) }
      #expect(failure?.kind == .notPermitted && service.starts == 1)
      #expect(failure?.remedy?.contains("roles/datastore.importExportAdmin") == true)
      #expect(failure?.remedy?.contains("gcp-sa-firestore.iam.gserviceaccount.com") == true)
    }
  }
}
