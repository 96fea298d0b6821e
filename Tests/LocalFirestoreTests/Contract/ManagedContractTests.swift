import Foundation
import Synchronization
import Testing

@testable import LocalFirestore

/// The contract of exports and imports as long-running operations
/// (https://firebase.google.com/docs/firestore/manage-data/export-import, google/firestore/admin/v1).
@Suite struct ManagedContractTests {
  /// A time that a test moves on.
  private final class HandClock: Sendable {
    private let time = Mutex<Int64>(1_769_828_400_000_000)  // 2026-01-31T03:00:00Z

    var now: Int64 { time.withLock { $0 } }
    func advance(seconds: Int64) { time.withLock { $0 += seconds * 1_000_000 } }
  }

  private struct Managed {
    let client: RESTClient

    var database: String { String(client.root.dropLast("/documents".count)) }

    func send(_ method: String, _ path: String, _ body: String? = nil) throws -> [String: Any] {
      let answer = try client.send(method, "/v1/\(database)\(path)", body)
      guard answer.status == 200, let object = try answer.json as? [String: Any] else {
        throw RESTClient.Broken(what: "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
      }
      return object
    }

    /// The error as `404 NOT_FOUND`, and its message.
    func failure(_ method: String, _ path: String, _ body: String? = nil) throws -> (String, String) {
      let answer = try client.send(method, "/v1/\(database)\(path)", body)
      let error = (try answer.json as? [String: Any])?["error"] as? [String: Any]
      return ("\(answer.status) \(error?["status"] ?? "")", error?["message"] as? String ?? "")
    }

    func start(_ verb: String, _ body: String) throws -> String {
      let operation = try send("POST", ":\(verb)Documents", body)
      let name = try #require(operation["name"] as? String)
      #expect(name.hasPrefix("\(database)/operations/") && operation["done"] == nil)
      #expect(metadata(operation)["operationState"] as? String == "INITIALIZING")
      return String(name.dropFirst(database.count))
    }

    func metadata(_ operation: [String: Any]) -> [String: Any] {
      operation["metadata"] as? [String: Any] ?? [:]
    }

    /// Looks until the operation is done, and returns it with the states that were seen.
    func finish(_ path: String) throws -> (operation: [String: Any], states: [String]) {
      var states: [String] = []
      for _ in 0..<10 {
        let operation = try send("GET", path)
        states.append(metadata(operation)["operationState"] as? String ?? "?")
        if operation["done"] as? Bool == true { return (operation, states) }
      }
      throw RESTClient.Broken(what: "it is not done: \(states)")
    }

    /// Every document with its fields.
    func documents() throws -> [String: String] {
      let elements = try client.array(
        ":runQuery",
        #"{"structuredQuery":{"from":[{"allDescendants":true}]}}"#
      )
      var documents: [String: String] = [:]
      for case let document as [String: Any] in elements.map({ $0["document"] ?? "" }) {
        let fields = try JSONSerialization.data(
          withJSONObject: document["fields"] ?? [String: Any](),
          options: .sortedKeys
        )
        documents[(document["name"] as? String ?? "").replacingOccurrences(of: client.root, with: "")] =
          String(
            decoding: fields,
            as: UTF8.self
          )
      }
      return documents
    }
  }

  private func withManaged(
    _ body: (Managed, HandClock, String) async throws -> Void
  ) async throws {
    let clock = HandClock()
    try await LocalFirestoreServer.withServer(dataFile: nil, clock: .init { clock.now }) { server in
      try await body(Managed(client: try RESTClient(server.endpoint, project: "p")), clock, server.endpoint)
    }
  }

  private func fill(_ managed: Managed) throws {
    let client = managed.client
    try client.commit(
      [
        client.set("users/u1", #"{"n":{"integerValue":"1"}}"#),
        client.set("users/é", #"{"t":{"stringValue":"x\"y"}}"#),
        client.set("users/u1/items/i"), client.set("items/j", #"{"a":{"arrayValue":{}}}"#),
        client.set("other/o"),
      ].joined(separator: ",")
    )
  }

  @Test("An export moves on with each look, and its import brings deleted documents back.")
  func exportDeleteImport() async throws {
    try await withManaged { managed, clock, _ in
      try fill(managed)
      let before = try managed.documents()
      #expect(before.count == 5)
      let export = try managed.start("export", #"{"outputUriPrefix":"gs://bucket/a/b"}"#)
      // What is written meanwhile is not in it.
      try managed.client.commit(managed.client.set("users/late"))
      clock.advance(seconds: 60)
      let (operation, states) = try managed.finish(export)
      #expect(states == ["PROCESSING", "FINALIZING", "SUCCESSFUL"])
      #expect(
        try isJSON(
          operation["response"],
          #"{"@type":"type.googleapis.com/google.firestore.admin.v1.ExportDocumentsResponse","outputUriPrefix":"gs://bucket/a/b"}"#
        )
      )
      let metadata = managed.metadata(operation)
      #expect(
        metadata["@type"] as? String
          == "type.googleapis.com/google.firestore.admin.v1.ExportDocumentsMetadata"
      )
      #expect(metadata["startTime"] as? String == "2026-01-31T03:00:00Z")
      #expect(metadata["endTime"] as? String == "2026-01-31T03:01:00Z")
      #expect(try isJSON(metadata["progressDocuments"], #"{"estimatedWork":"5","completedWork":"5"}"#))
      #expect(metadata["collectionIds"] == nil && metadata["outputUriPrefix"] as? String == "gs://bucket/a/b")

      let answer = try managed.client.send(
        "DELETE",
        "/emulator/v1/\(managed.client.root)"
      )
      #expect(answer.status == 200)
      try managed.client.commit(managed.client.set("users/new"))
      try managed.client.commit(managed.client.set("users/u1", #"{"n":{"integerValue":"9"}}"#))
      let imported = try managed.start("import", #"{"inputUriPrefix":"gs://bucket/a/b/"}"#)
      let (end, _) = try managed.finish(imported)
      #expect(try isJSON(end["response"], #"{"@type":"type.googleapis.com/google.protobuf.Empty"}"#))
      #expect(managed.metadata(end)["inputUriPrefix"] as? String == "gs://bucket/a/b")
      // Overwritten, and what is only here stays.
      var expected = before
      expected["/users/new"] = "{}"
      #expect(try managed.documents() == expected)
    }
  }

  @Test(
    "Named collections are exported at any depth, without their subcollections, and can be imported in part."
  )
  func collections() async throws {
    try await withManaged { managed, _, endpoint in
      try fill(managed)
      let export = try managed.start(
        "export",
        #"{"outputUriPrefix":"gs://bucket/x","collectionIds":["items","users"],"namespaceIds":[""]}"#
      )
      let (operation, _) = try managed.finish(export)
      #expect(managed.metadata(operation)["collectionIds"] as? [String] == ["items", "users"])
      #expect(
        try isJSON(
          managed.metadata(operation)["progressDocuments"],
          #"{"estimatedWork":"4","completedWork":"4"}"#
        )
      )
      // Any database of the file imports it.
      let other = Managed(client: try RESTClient(endpoint, project: "q", database: "stage"))
      let part = try other.start("import", #"{"inputUriPrefix":"gs://bucket/x","collectionIds":["items"]}"#)
      _ = try other.finish(part)
      #expect(try Set(other.documents().keys) == ["/users/u1/items/i", "/items/j"])
      _ = try other.finish(try other.start("import", #"{"inputUriPrefix":"gs://bucket/x"}"#))
      #expect(
        try Set(other.documents().keys) == ["/users/u1/items/i", "/items/j", "/users/u1", "/users/é"]
      )
      let unknown = try other.failure(
        "POST",
        ":importDocuments",
        #"{"inputUriPrefix":"gs://bucket/x","collectionIds":["other"]}"#
      )
      #expect(unknown.0 == "400 INVALID_ARGUMENT")
    }
  }

  @Test("An export at a time shows the documents of that time.")
  func snapshot() async throws {
    try await withManaged { managed, clock, _ in
      try managed.client.commit(managed.client.set("c/old", #"{"n":{"integerValue":"1"}}"#))
      clock.advance(seconds: 90)
      try managed.client.commit(managed.client.set("c/old", #"{"n":{"integerValue":"2"}}"#))
      try managed.client.commit(managed.client.set("c/new"))
      let export = try managed.start(
        "export",
        #"{"outputUriPrefix":"gs://bucket/s","snapshotTime":"2026-01-31T03:01:00Z"}"#
      )
      let (operation, _) = try managed.finish(export)
      #expect(managed.metadata(operation)["snapshotTime"] as? String == "2026-01-31T03:01:00Z")
      _ = try managed.finish(try managed.start("import", #"{"inputUriPrefix":"gs://bucket/s"}"#))
      #expect(try managed.documents() == ["/c/old": #"{"n":{"integerValue":"1"}}"#, "/c/new": "{}"])
      for time in ["2026-01-31T03:01:01Z", "2026-01-31T03:00:00.5Z", "2026-01-31T03:02:00Z"] {
        let body = #"{"outputUriPrefix":"gs://bucket/t","snapshotTime":"\#(time)"}"#
        #expect(try managed.failure("POST", ":exportDocuments", body).0 == "400 INVALID_ARGUMENT", "\(time)")
      }
      let old = #"{"outputUriPrefix":"gs://bucket/t","snapshotTime":"2026-01-31T02:00:00Z"}"#
      #expect(try managed.failure("POST", ":exportDocuments", old).0 == "400 FAILED_PRECONDITION")
    }
  }

  @Test("A cancelled export cannot be imported, a cancelled import leaves what it has written.")
  func cancel() async throws {
    try await withManaged { managed, _, _ in
      try fill(managed)
      let export = try managed.start("export", #"{"outputUriPrefix":"gs://bucket/c"}"#)
      #expect(try managed.send("POST", "\(export):cancel", "{}").isEmpty)
      let (operation, states) = try managed.finish(export)
      #expect(states == ["CANCELLED"] && (operation["error"] as? [String: Any])?["code"] as? Int == 1)
      #expect(operation["response"] == nil)
      let missing = try managed.failure("POST", ":importDocuments", #"{"inputUriPrefix":"gs://bucket/c"}"#)
      #expect(missing.0 == "404 NOT_FOUND" && missing.1.hasSuffix("/bucket/c/c.overall_export_metadata"))
      // Its prefix is free again.
      _ = try managed.finish(try managed.start("export", #"{"outputUriPrefix":"gs://bucket/c"}"#))
      _ = try managed.client.send("DELETE", "/emulator/v1/\(managed.client.root)")
      let imported = try managed.start("import", #"{"inputUriPrefix":"gs://bucket/c"}"#)
      _ = try managed.send("GET", imported)
      _ = try managed.send("POST", "\(imported):cancel")
      #expect(try managed.finish(imported).states == ["CANCELLED"])
      #expect(try managed.documents().count == 3)
      // Of one that has ended nothing changes.
      _ = try managed.send("POST", "\(imported):cancel", "{}")
      #expect(try managed.finish(imported).states == ["CANCELLED"])
    }
  }

  @Test("Operations are listed by pages; a deleted one is forgotten, and its export stays.")
  func list() async throws {
    try await withManaged { managed, _, endpoint in
      #expect(try managed.send("GET", "/operations").isEmpty)
      var names: [String] = []
      for index in 0..<5 {
        let path = try managed.start("export", #"{"outputUriPrefix":"gs://bucket/l\#(index)"}"#)
        names.append("\(managed.database)\(path)")
      }
      var listed: [String] = []
      var token = ""
      repeat {
        let page = try managed.send("GET", "/operations?pageSize=2&pageToken=\(token)")
        listed += (page["operations"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
        token = page["nextPageToken"] as? String ?? ""
      } while !token.isEmpty
      #expect(listed == names)
      // Looking at the list moves nothing on.
      let page = try managed.send("GET", "/operations")
      let states = (page["operations"] as? [[String: Any]] ?? []).map {
        managed.metadata($0)["operationState"] as? String
      }
      #expect(states == Array(repeating: "INITIALIZING", count: 5))
      let path = String(names[0].dropFirst(managed.database.count))
      _ = try managed.finish(path)
      #expect(try managed.send("DELETE", path).isEmpty)
      #expect(try managed.failure("GET", path).0 == "404 NOT_FOUND")
      #expect((try managed.send("GET", "/operations")["operations"] as? [Any])?.count == 4)
      _ = try managed.finish(try managed.start("import", #"{"inputUriPrefix":"gs://bucket/l0"}"#))
      // Another database has none of them.
      let other = Managed(client: try RESTClient(endpoint, project: "q"))
      #expect(try other.send("GET", "/operations").isEmpty)
      #expect(
        try other.failure("GET", String(names[1].dropFirst(managed.database.count))).0 == "404 NOT_FOUND"
      )
    }
  }

  @Test("What the service refuses is refused.")
  func refusals() async throws {
    try await withManaged { managed, _, _ in
      _ = try managed.finish(try managed.start("export", #"{"outputUriPrefix":"gs://bucket/taken"}"#))
      let ids = (0...100).map { "\"c\($0)\"" }.joined(separator: ",")
      let cases: [(String, String, String, String)] = [
        ("POST", ":exportDocuments", "{}", "400 INVALID_ARGUMENT"),
        ("POST", ":exportDocuments", #"{"outputUriPrefix":"bucket/a"}"#, "400 INVALID_ARGUMENT"),
        ("POST", ":exportDocuments", #"{"outputUriPrefix":"gs://"}"#, "400 INVALID_ARGUMENT"),
        ("POST", ":exportDocuments", #"{"outputUriPrefix":"gs://bucket//a"}"#, "400 INVALID_ARGUMENT"),
        ("POST", ":exportDocuments", #"{"outputUriPrefix":"gs://bucket/a","x":1}"#, "400 INVALID_ARGUMENT"),
        ("POST", ":exportDocuments", #"{"inputUriPrefix":"gs://bucket/a"}"#, "400 INVALID_ARGUMENT"),
        (
          "POST", ":exportDocuments", #"{"outputUriPrefix":"gs://bucket/a","collectionIds":["a/b"]}"#,
          "400 INVALID_ARGUMENT"
        ),
        (
          "POST", ":exportDocuments", #"{"outputUriPrefix":"gs://bucket/a","collectionIds":[\#(ids)]}"#,
          "400 INVALID_ARGUMENT"
        ),
        (
          "POST", ":exportDocuments", #"{"outputUriPrefix":"gs://bucket/a","namespaceIds":["n"]}"#,
          "400 INVALID_ARGUMENT"
        ),
        ("POST", ":exportDocuments", #"{"outputUriPrefix":"gs://bucket/taken"}"#, "400 INVALID_ARGUMENT"),
        ("POST", ":importDocuments", #"{"inputUriPrefix":"gs://bucket/none"}"#, "404 NOT_FOUND"),
        (
          "POST", ":importDocuments",
          #"{"inputUriPrefix":"gs://bucket/taken","snapshotTime":"2026-01-31T03:00:00Z"}"#,
          "400 INVALID_ARGUMENT"
        ),
        ("POST", "/operations/none:cancel", "{}", "404 NOT_FOUND"),
        ("POST", "/operations/none:stop", "{}", "404 NOT_FOUND"),
        ("GET", "/operations?filter=done%3Dtrue", "", "501 UNIMPLEMENTED"),
        ("GET", "/operations?pageSize=-1", "", "400 INVALID_ARGUMENT"),
        ("GET", "/operations?pageToken=x", "", "400 INVALID_ARGUMENT"),
        ("POST", "/backupSchedules", #"{"retention":"604800s"}"#, "400 INVALID_ARGUMENT"),
        ("POST", "/backupSchedules", #"{"retention":"1d","dailyRecurrence":{}}"#, "400 INVALID_ARGUMENT"),
        (
          "POST", "/backupSchedules", #"{"retention":"8467201s","dailyRecurrence":{}}"#,
          "400 INVALID_ARGUMENT"
        ),
        (
          "POST", "/backupSchedules", #"{"retention":"604800s","weeklyRecurrence":{"day":"SOMEDAY"}}"#,
          "400 INVALID_ARGUMENT"
        ),
      ]
      for (method, path, body, expected) in cases {
        let found = try managed.failure(method, path, method == "GET" ? nil : body)
        #expect(found.0 == expected, "\(method) \(path) \(body): \(found)")
      }
      let taken = try managed.failure("POST", ":exportDocuments", #"{"outputUriPrefix":"gs://bucket/taken"}"#)
      #expect(taken.1 == "Path already exists: /bucket/taken/taken.overall_export_metadata")
      // Of a bucket alone, the prefix is the time.
      let named = try managed.send("POST", ":exportDocuments", #"{"outputUriPrefix":"gs://bucket"}"#)
      #expect(managed.metadata(named)["outputUriPrefix"] as? String == "gs://bucket/2026-01-31T03:00:00Z")
      // Fifty at once.
      for index in 0..<49 { _ = try managed.start("export", #"{"outputUriPrefix":"gs://many/\#(index)"}"#) }
      let busy = try managed.failure("POST", ":exportDocuments", #"{"outputUriPrefix":"gs://many/49"}"#)
      #expect(busy.0 == "429 RESOURCE_EXHAUSTED")
    }
  }

  @Test("Backups follow from schedules and the clock.")
  func backups() async throws {
    try await withManaged { managed, clock, _ in
      func list() throws -> [[String: Any]] {
        let answer = try managed.client.send("GET", "/v1/projects/p/locations/-/backups")
        return (try answer.json as? [String: Any])?["backups"] as? [[String: Any]] ?? []
      }
      #expect(try managed.send("GET", "/backupSchedules").isEmpty)
      #expect(try list().isEmpty)
      let daily = try managed.send(
        "POST",
        "/backupSchedules",
        #"{"retention":"172800s","dailyRecurrence":{}}"#
      )
      #expect(
        daily["retention"] as? String == "172800s" && daily["createTime"] as? String == "2026-01-31T03:00:00Z"
      )
      let again = try managed.failure(
        "POST",
        "/backupSchedules",
        #"{"retention":"86400s","dailyRecurrence":{}}"#
      )
      #expect(again.0 == "409 ALREADY_EXISTS")
      #expect(try list().isEmpty)
      // From the 31st at 3 to the 3rd at 3: the midnights of the 1st, 2nd and 3rd, the first of which has expired.
      clock.advance(seconds: 3 * 86_400)
      #expect(
        try list().map { $0["snapshotTime"] as? String } == ["2026-02-03T00:00:00Z", "2026-02-02T00:00:00Z"]
      )
      #expect(try list().first?["expireTime"] as? String == "2026-02-05T00:00:00Z")
      #expect(try list().first?["database"] as? String == managed.database)
      // Sundays: 2026-02-08 and 2026-02-15.
      _ = try managed.send(
        "POST",
        "/backupSchedules",
        #"{"retention":"8467200s","weeklyRecurrence":{"day":"SUNDAY"}}"#
      )
      clock.advance(seconds: 13 * 86_400)
      #expect(
        try list().map { $0["snapshotTime"] as? String } == [
          "2026-02-16T00:00:00Z", "2026-02-15T00:00:00Z", "2026-02-15T00:00:00Z", "2026-02-08T00:00:00Z",
        ]
      )
      let schedules = try managed.send("GET", "/backupSchedules")["backupSchedules"] as? [[String: Any]]
      #expect(schedules?.count == 2)
      #expect(try isJSON(schedules?.last?["weeklyRecurrence"], #"{"day":"SUNDAY"}"#))
      let elsewhere = try managed.client.send("GET", "/v1/projects/p/locations/eur3/backups")
      #expect(try isJSON(try elsewhere.json, "{}"))
    }
  }

  @Test("Operations and exports outlive the server.")
  func persistence() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("managed-\(UUID()).sqlite").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) } }
    var path = ""
    try await LocalFirestoreServer.withServer(dataFile: file) { server in
      let managed = Managed(client: try RESTClient(server.endpoint, project: "p"))
      try fill(managed)
      path = try managed.start("export", #"{"outputUriPrefix":"gs://bucket/kept"}"#)
      _ = try managed.send("GET", path)
    }
    try await LocalFirestoreServer.withServer(dataFile: file) { server in
      let managed = Managed(client: try RESTClient(server.endpoint, project: "p"))
      #expect(try managed.finish(path).states == ["FINALIZING", "SUCCESSFUL"])
      _ = try managed.client.send("DELETE", "/emulator/v1/\(managed.client.root)")
      _ = try managed.finish(try managed.start("import", #"{"inputUriPrefix":"gs://bucket/kept"}"#))
      #expect(try managed.documents().count == 5)
    }
  }
}
