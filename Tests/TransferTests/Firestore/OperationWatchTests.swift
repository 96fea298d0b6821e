import FirestoreModels
import Synchronization
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Waiting for an operation", .timeLimit(.minutes(60)))
struct OperationWatchTests {
  private func name(_ id: String = "op") throws -> OperationName {
    try #require(OperationName(parsing: id, in: testDatabase))
  }

  private static func error(_ code: Int, _ status: String) -> Reaction {
    .json(#"{"error":{"code":\#(code),"status":"\#(status)","message":"no"}}"#, status: code)
  }

  @Test("Delays grow by half, to half a minute")
  func delays() throws {
    var watch = OperationWatch()
    let operation = ManagedOperation(name: try name(), kind: .exportDocuments)
    var delays: [Double] = []
    for _ in 0..<20 {
      guard case .wait(let delay) = watch.handle(operation, elapsed: 1e9) else { break }
      delays.append(delay)
    }
    // 0.25 × 1.5^n: the twelfth is 21.6, the thirteenth would be 32.4.
    #expect(delays.count == 20 && delays[0] == 0.25 && delays[1] == 0.375 && delays[3] == 0.84375)
    #expect((21...22).contains(delays[11]) && delays[12...].allSatisfy { $0 == 30 })
    var done = operation
    done.isDone = true
    #expect(watch.handle(done, elapsed: 0) == .done)
  }

  @Test("With a limit the last delay ends at it, and what runs then is given up")
  func limit() throws {
    var watch = OperationWatch(limit: 1)
    var operation = ManagedOperation(name: try name(), kind: .exportDocuments)
    #expect(watch.handle(operation, elapsed: 0) == .wait(0.25))
    #expect(watch.handle(operation, elapsed: 0.875) == .wait(0.125))
    #expect(watch.handle(operation, elapsed: 1) == .giveUp)
    operation.isDone = true
    #expect(watch.handle(operation, elapsed: 2) == .done)
  }

  @Test("Quotas, lost answers and half an operation are looked at again; an unknown state is waited for")
  func faults() async throws {
    let service = ManagedService(onLook: { look in
      switch look {
      case 0: Self.error(429, "RESOURCE_EXHAUSTED")
      case 1: .dropConnection
      case 2: .json(#"{"done":true}"#)
      case 3: .json(#"{"name":"projects/test-project/databases/(default)/operations/op","done":"true"}"#)
      case 4: .html(502)
      case 5:
        .json(
          #"{"name":"projects/test-project/databases/(default)/operations/op","metadata":{"@type":"a.ExportDocumentsMetadata","operationState":"THINKING"}}"#
        )
      default: nil
      }
    })
    try await Fixture.with(service.handler) { fixture in
      var states: [String] = []
      let operation = try await fixture.client.wait(for: try name()) { states.append($0.state.name) }
      #expect(operation.ending == .successful)
      #expect(states == ["THINKING", "SUCCESSFUL"] && service.looks == 7)
      // A request on a kept connection that is dropped is sent again by curl itself, if it has no body.
      #expect((4...5).contains(fixture.traffic.current.retries))
    }
  }

  @Test("What stays malformed ends in the end, and is no success")
  func malformed() async throws {
    let service = ManagedService(onLook: { _ in .json(#"{"done":true}"#) })
    try await Fixture.with(service.handler, budget: 5) { fixture in
      let failure = await failure { try await fixture.client.wait(for: try name()) { _ in } }
      #expect(failure?.kind == .unavailable, "\(String(describing: failure))")
    }
  }

  @Test("The answer about another operation is not taken")
  func foreign() async throws {
    let service = ManagedService(onLook: { _ in
      .json(#"{"name":"projects/test-project/databases/(default)/operations/other","done":true}"#)
    })
    try await Fixture.with(service.handler) { fixture in
      let failure = await failure { try await fixture.client.operation(try name()) }
      #expect(failure?.kind == .unavailable && service.looks == 1)
    }
  }

  @Test("One that the service does not know is missing")
  func unknown() async throws {
    let service = ManagedService(onLook: { _ in Self.error(404, "NOT_FOUND") })
    try await Fixture.with(service.handler) { fixture in
      let failure = await failure { try await fixture.client.operation(try name()) }
      #expect(failure?.kind == .inputMissing && failure?.remedy?.contains("managed list") == true)
    }
  }

  @Test("With a limit, one that runs on is to be tried later")
  func timeout() async throws {
    let service = ManagedService(onLook: { _ in nil })
    try await Fixture.with { request in
      request.path.hasSuffix("/operations/op")
        ? .json(service.json("op", "PROCESSING")) : service.handler(request)
    } _: { fixture in
      let failure = await failure { try await fixture.client.wait(for: try name(), limit: 60) { _ in } }
      #expect(failure?.kind == .tryLater && failure?.cause.contains("PROCESSING") == true)
      #expect((60..<61).contains(fixture.time.slept))
    }
  }

  @Test("A list goes over its pages, newest first, and a token that repeats ends it")
  func pages() async throws {
    func operation(_ id: String, _ time: String) -> String {
      #"{"name":"projects/test-project/databases/(default)/operations/\#(id)","metadata":{"startTime":"2026-01-\#(time)T00:00:00Z"}}"#
    }
    let pages = [
      #"{"operations":[\#(operation("a", "01")),\#(operation("b", "03"))],"nextPageToken":"x/y"}"#,
      #"{"nextPageToken":"z"}"#, #"{"operations":[\#(operation("c", "02"))]}"#,
    ]
    try await Fixture.with { request in
      let token = request.query.first { $0.name == "pageToken" }?.value
      return .json(token == nil ? pages[0] : token == "x/y" ? pages[1] : pages[2])
    } _: { fixture in
      let operations = try await fixture.client.operations()
      #expect(operations.map(\.name.id) == ["b", "c", "a"])
      #expect(fixture.server.requests.count == 3)
    }
    try await Fixture.with { _ in
      .json(#"{"nextPageToken":"again"}"#)
    } _: { fixture in
      let failure = await failure { try await fixture.client.operations() }
      #expect(failure?.kind == .unavailable || failure?.kind == .internal)
    }
  }

  @Test("Backups are those of the database, newest first, with the locations that did not answer")
  func backups() async throws {
    func backup(_ id: String, _ database: String, _ day: String, _ more: String = "") -> String {
      #"{"name":"projects/p/locations/nam5/backups/\#(id)","database":"projects/test-project/databases/\#(database)","snapshotTime":"2026-01-\#(day)T00:00:00Z","expireTime":"2026-02-01T00:00:00Z","state":"READY"\#(more)}"#
    }
    let stats = #","stats":{"sizeBytes":"5000","documentCount":"7"}"#
    let body =
      #"{"backups":[\#(backup("a", "(default)", "01")),\#(backup("b", "other", "02")),\#(backup("c", "(default)", "03", stats))],"unreachable":["projects/p/locations/eur3"]}"#
    try await Fixture.with { request in
      #expect(request.path == "/v1/projects/test-project/locations/-/backups")
      return .json(body)
    } _: { fixture in
      let (backups, unreachable) = try await fixture.client.backups()
      #expect(backups.map(\.name) == ["c", "a"].map { "projects/p/locations/nam5/backups/\($0)" })
      #expect(
        backups.first?.documents == 7 && backups.first?.bytes == 5000 && backups.first?.state == "READY"
      )
      #expect(unreachable == ["projects/p/locations/eur3"])
    }
    try await Fixture.with { _ in
      .json(
        #"{"backupSchedules":[{"name":"projects/p/databases/d/backupSchedules/s","retention":"604800s","dailyRecurrence":{}},{"name":"projects/p/databases/d/backupSchedules/t","retention":"1.5s","weeklyRecurrence":{"day":"SUNDAY"}},{"name":"u"}]}"#
      )
    } _: { fixture in
      let schedules = try await fixture.client.backupSchedules()
      #expect(schedules.map(\.recurrence) == [.daily, .weekly("SUNDAY"), .other])
      #expect(schedules.map(\.retention) == [604_800, 2, nil])
    }
  }
}
