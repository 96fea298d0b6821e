import Files
import FirestoreModels
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("What is said of a database whose documents leave it masked") struct HiddenNamesTests {
  private static let message = "projects/p/databases/d/documents/people/ana@b.mx is of Zcanary"

  /// Runs `body` with a client of a database whose documents leave it masked, and returns the reasons of its retries.
  private func withClient(
    _ handler: @escaping RequestHandler,
    hidesNames: Bool = true,
    _ body: (FirestoreClient) async throws -> Void
  ) async throws -> [String] {
    let said = Locked<[String]>([])
    try await HTTPTestServer.withServer(handler) { server in
      let transport = CurlTransport()
      var caller = ServiceCaller(
        transport: transport,
        credentials: TokenProvider(Credentials(.emulatorOwner), transport: transport),
        policy: RetryPolicy(budget: 5),
        clock: SleepingClock().clock(),
        onRetry: { notice in said.withLock { $0.append(notice.reason) } }
      )
      caller.hidesNames = hidesNames
      try await body(FirestoreClient(database: testDatabase, endpoint: server.url, caller: caller))
    }
    return said.withLock { $0 }
  }

  private func read(_ path: String, with client: FirestoreClient) async throws {
    for try await page in client.pages(of: CollectionRead(collection(path))) { _ = page }
  }

  /// Expects that every kind of read fails, and that nothing that is said of it names anybody.
  private func expectHidden(
    _ handler: @escaping RequestHandler,
    _ location: SourceLocation = #_sourceLocation
  ) async throws -> (failures: [Failure], retries: [String]) {
    var failures: [Failure] = []
    let retries = try await withClient(handler) { client in
      let (person, notes) = (path("people/ana@b.mx"), "people/ana@b.mx/notes")
      let all = [
        await failure { try await client.batchGet([person]) },
        await failure { try await client.get(person) },
        await failure { try await client.count(CollectionRead(collection(notes))) },
        await failure { try await client.collectionIDs(below: person) },
        await failure { try await read(notes, with: client) },
      ]
      failures = all.compactMap { $0 }
      #expect(failures.count == all.count, sourceLocation: location)
    }
    for text in failures.map(\.description) + retries {
      #expect(!text.contains("ana@") && !text.contains("Zcanary"), "\(text)", sourceLocation: location)
    }
    return (failures, retries)
  }

  @Test(
    "A refusal has the status alone, and no ID, in errors and in retries.",
    arguments: [
      (400, "INVALID_ARGUMENT", false), (403, "PERMISSION_DENIED", false), (503, "UNAVAILABLE", true),
    ]
  )
  func refusals(_ code: Int, _ status: String, _ isRetried: Bool) async throws {
    let faults = MiniFirestore().faults(
      FaultRule([], .always, .error(ServiceError(code, status, Self.message))),
      maximumConsecutive: .max
    )
    let (failures, retries) = try await expectHidden(faults.handler)
    for text in failures.map(\.description) + retries {
      #expect(text.contains("\(status) (\(code)): the message may name people, and is not shown"), "\(text)")
    }
    #expect(failures.allSatisfy { $0.service?.status.name == status } && retries.isEmpty == !isRetried)
    #expect(failures.contains { $0.path == "people/*/notes" })
  }

  @Test("What is decided by the message stays so: an old read time is told from other arguments.")
  func decisions() async throws {
    let message = "The requested snapshot version is too old for \(Self.message)"
    let faults = MiniFirestore().faults(
      FaultRule([], .always, .error(.invalidArgument(message))),
      maximumConsecutive: .max
    )
    let (failures, _) = try await expectHidden(faults.handler)
    for failure in failures {
      let explained = failure.explainingClosedWindow(since: moment(0), remedy: "Copy again.")
      #expect(failure.kind == .unavailable && explained.remedy == "Copy again.")
      #expect(!explained.description.contains("ana@"))
    }
  }

  @Test("A response that is wrong is not quoted.")
  func wrongResponses() async throws {
    let name = "\(testDatabase.documents)/others/ana@b.mx"
    let value = #"{"Zcanary":{"noValue":"Zcanary"}}"#
    for answer in [
      #"{"documents":[{"name":"\#(name)","fields":{}}],"collectionIds":["ana@b.mx/Zcanary"]}"#,
      #"{"documents":[{"name":"\#(testDatabase.documents)/people/ana@b.mx/notes/n","fields":\#(value)}]}"#,
      #"[{"found":{"name":"\#(name)","fields":{}}}]"#, #"[{"error":{"code":400,"message":"\#(name)"}}]"#,
    ] {
      let retries = try await withClient({ _ in .json(answer) }) { client in
        let person = path("people/ana@b.mx")
        for error in [
          await failure { try await client.batchGet([person]) },
          await failure { try await client.collectionIDs(below: person) },
          await failure { try await read("people/ana@b.mx/notes", with: client) },
        ] {
          let text = error?.description ?? ""
          #expect(error != nil && !text.contains("ana@") && !text.contains("Zcanary"), "\(text)")
        }
      }
      #expect(!retries.contains { $0.contains("ana@") || $0.contains("Zcanary") }, "\(retries)")
    }
  }

  @Test("A collection of missing documents is named alone, where others have an example.")
  func missingDocuments() async throws {
    let service = MiniFirestore()
    try service.load(jsonLines: jsonLines("people/ana@b.mx/notes", 0..<1))
    let notice = "people has no documents, but there are some in subcollections"
    for (hides, rest) in [(true, "."), (false, ", as below people/ana@b.mx.")] {
      _ = try await withClient(service.handler, hidesNames: hides) { client in
        #expect(await client.emptyNotice(of: CollectionRead(collection("people"))) == notice + rest)
      }
    }
  }
}
