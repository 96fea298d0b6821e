import FirestoreDataStore
import FirestoreModels
import FirestoreREST
import Foundation
import TestSupport
import Testing

/// What users of the store catch: none of these errors is of the package alone.
@Suite("Errors of a typed store", .timeLimit(.minutes(2)))
struct DataStoreErrorTests {
  private func menus(at url: String, retries: Bool = true) throws -> FirestoreDataStore<Menu> {
    try FirestoreDataStore(collection: "menus", in: .to(url, retries: retries))
  }

  @Test(arguments: ["", "menus/lunch", "menus//x", "__menus__", "."])
  func noCollection(_ path: String) throws {
    let connection = try FirestoreConnection.to("http://127.0.0.1:1")
    let error = #expect(throws: FirestoreError.self) {
      try FirestoreDataStore<Menu>(collection: path, in: connection)
    }
    #expect(error?.status == .invalidArgument)
  }

  @Test(arguments: ["", "a/b", "..", "__x__", String(repeating: "x", count: 1501)])
  func noDocumentID(_ id: String) async throws {
    // Nobody listens there: it is refused before anything is sent.
    let menus = try menus(at: "http://127.0.0.1:1", retries: false)
    let menu = Menu(id: id, name: "", price: 0)
    let calls: [() async throws -> Void] = [
      { _ = try await menus.get(id: id) }, { try await menus.delete(id: id) },
      { try await menus.upsert(menu) }, { try await menus.upsert(contentsOf: [menu]) },
    ]
    for call in calls {
      let error = await #expect(throws: FirestoreError.self) { try await call() }
      #expect(error?.status == .invalidArgument)
    }
  }

  @Test("A document that is not of the type is a DocumentFailure with its name, and ends the list.")
  func wrongType() async throws {
    try await StoreFixture.open { fixture in
      try await fixture.menus.upsert(contentsOf: ["a", "c"].map { Menu(id: $0, name: $0, price: 1) })
      try await fixture.put(
        "menus/b",
        ["id": .string("b"), "name": .string("B"), "price": .string("secret")]
      )
      let name = "projects/test-project/databases/(default)/documents/menus/b"
      let alone = await #expect(throws: DocumentFailure.self) { try await fixture.menus.get(id: "b") }
      #expect(alone?.name == name)
      #expect(alone?.location == ["price"])
      #expect(alone.map { "\($0)".contains("secret") } == false)

      var iterator = fixture.menus.list().makeAsyncIterator()
      #expect(try await iterator.next()?.id == "a")
      do {
        _ = try await iterator.next()
        Issue.record("b is no menu")
      } catch let failure as DocumentFailure {
        #expect(failure.name == name)
        #expect(failure.index == 1)
      }
      #expect(try await iterator.next() == nil)
    }
  }

  @Test("A refusal of the service is its own error.")
  func refused() async throws {
    let body = #"{"error":{"code":403,"message":"Not allowed.","status":"PERMISSION_DENIED"}}"#
    try await HTTPTestServer.withServer({ _ in .json(body, status: 403) }) { server in
      let menus = try menus(at: server.url)
      let menu = Menu(id: "m", name: "M", price: 1)
      let expected = FirestoreError(.permissionDenied, "Not allowed.")
      await #expect(throws: expected) { try await menus.get(id: "m") }
      await #expect(throws: expected) { try await menus.upsert(menu) }
      await #expect(throws: expected) { try await menus.upsert(contentsOf: [menu]) }
      await #expect(throws: expected) { try await menus.delete(id: "m") }
      await #expect(throws: expected) { try await menus.deleteAllDocuments() }
      await #expect(throws: expected) { for try await _ in menus.list() {} }
      await #expect(throws: expected) { for try await _ in menus.streamAll(every: .zero) {} }
    }
  }

  @Test("No connection, and what is no answer of the service, are errors of the connection.")
  func noService() async throws {
    let port = try await HTTPTestServer.withServer({ _ in .html(200) }) { server in
      let error = await #expect(throws: FirestoreConnectionError.self) {
        try await menus(at: server.url, retries: false).get(id: "m")
      }
      #expect(error?.kind == .unavailable)
      return server.port
    }
    let error = await #expect(throws: FirestoreConnectionError.self) {
      try await menus(at: "http://127.0.0.1:\(port)", retries: false).get(id: "m")
    }
    #expect(error?.kind == .unavailable)
    #expect(error?.description.contains("menus/m") == true)
    let strange = #"[{"found":{"name":"projects/test-project/databases/(default)/documents/menus/other"}}]"#
    try await HTTPTestServer.withServer({ _ in .json(strange) }) { server in
      _ = await #expect(throws: FirestoreConnectionError.self) {
        try await menus(at: server.url, retries: false).get(id: "m")
      }
    }
  }

  @Test("An object that is not the service's is no empty list, whatever is read.")
  func noList() async throws {
    try await HTTPTestServer.withServer({ _ in .json(#"{"message":"login required"}"#) }) { server in
      let menus = try menus(at: server.url, retries: false)
      await #expect(throws: FirestoreConnectionError.self) { for try await _ in menus.list() {} }
      await #expect(throws: FirestoreConnectionError.self) { try await menus.deleteAllDocuments() }
      await #expect(throws: FirestoreConnectionError.self) {
        for try await _ in menus.streamAll(every: .zero) {}
      }
    }
  }

  @Test("Of many documents, those that the service refuses are named, and the others are written.")
  func someRefused() async throws {
    try await StoreFixture.open { fixture in
      var menus = (0..<120).map { Menu(id: "m\($0)", name: "M", price: 1) }
      menus[57].name = String(repeating: "x", count: 1_100_000)
      let error = await #expect(throws: FirestoreWriteError.self) {
        try await fixture.menus.upsert(contentsOf: menus)
      }
      #expect(error?.written == 119)
      #expect(error?.rejections.map(\.id) == ["m57"])
      #expect(error?.rejections.first?.error.status == .invalidArgument)
      #expect(error?.description.hasPrefix("1 of 120 documents were refused, such as 'm57': ") == true)
      let count = try await fixture.client.count(CollectionRead(fixture.menus.collection)).count
      #expect(count == 119)
    }
  }

  @Test("What has no Firestore type is an EncodingError.")
  func unencodable() async throws {
    struct Price: Codable, Sendable, Identifiable {
      var id: String
      var amount: Decimal
    }
    let prices = try FirestoreDataStore<Price>(collection: "p", in: .to("http://127.0.0.1:1", retries: false))
    await #expect(throws: EncodingError.self) { try await prices.upsert(Price(id: "a", amount: 1)) }
    await #expect(throws: EncodingError.self) {
      try await prices.upsert(contentsOf: [Price(id: "a", amount: 1)])
    }
  }

  @Test("Short and empty pages do not end a list; only a missing token does.")
  func shortPages() async throws {
    @Sendable func document(_ id: String) -> String {
      let time = "2026-01-02T03:04:05.000001Z"
      return """
        {"name":"projects/test-project/databases/(default)/documents/menus/\(id)","createTime":"\(time)",
        "updateTime":"\(time)","fields":{"id":{"stringValue":"\(id)"},"name":{"stringValue":""},
        "price":{"doubleValue":1}}}
        """
    }
    let pages = [
      "": #"{"documents":[\#(document("a")),\#(document("b"))],"nextPageToken":"one"}"#,
      "one": #"{"nextPageToken":"two"}"#,
      "two": #"{"documents":[],"nextPageToken":"three"}"#,
      "three": #"{"documents":[\#(document("c"))]}"#,
    ]
    try await HTTPTestServer.withServer({ request in
      let token = request.query.first { $0.name == "pageToken" }?.value ?? ""
      return .json(pages[token] ?? "{}")
    }) { server in
      var ids: [String] = []
      for try await menu in try menus(at: server.url).list() { ids.append(menu.id) }
      #expect(ids == ["a", "b", "c"])
      #expect(server.requests.count == 4)
    }
  }

  @Test("A cancelled read throws CancellationError, at once.")
  func cancellation() async throws {
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    try await HTTPTestServer.withServer({ _ in
      arrived.yield()
      return .stall
    }) { server in
      let menus = try menus(at: server.url)
      let task = Task {
        for try await _ in menus.list() {}
      }
      for await _ in arrivals { break }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
}
