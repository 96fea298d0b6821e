import FirestoreModels
import FirestoreREST
import Foundation
import GymMigrations
import LocalFirestore
import Logging
import MigrationEngine
import RunSupport
import Runs
import Synchronization
import TestSupport
import Testing

/// Another program that changes documents one by one, with requests of its own making.
private actor LiveWriter {
  private let endpoint: String
  private let transport = CurlTransport()
  private var random: SplitMix64
  /// What the field `touched` of each document was set to last, nil where the document was deleted.
  private(set) var last: [String: Int?] = [:]
  private(set) var count = 0

  init(endpoint: String, seed: UInt64) {
    self.endpoint = endpoint
    random = SplitMix64(seed: seed)
  }

  private static let documents = "projects/test-project/databases/(default)/documents"

  /// Sends a commit of these writes, and returns its HTTP code.
  func commit(_ writes: [String]) async throws -> Int {
    let request = HTTPRequest(
      method: "POST",
      url: "\(endpoint)/v1/projects/test-project/databases/(default)/documents:commit",
      headers: [("Content-Type", "application/json"), ("Authorization", "Bearer owner")],
      body: Array("{\"writes\":[\(writes.joined(separator: ","))]}".utf8)
    )
    return try await transport.send(request).status
  }

  func load(_ lines: String) async throws {
    let writes = lines.split(separator: "\n").map { line in
      let full = line.replacing("\"name\":\"", with: "\"name\":\"\(Self.documents)/", maxReplacements: 1)
      return "{\"update\":\(full)}"
    }
    for start in stride(from: 0, to: writes.count, by: 100) {
      #expect(try await commit(Array(writes[start..<min(start + 100, writes.count)])) == 200)
    }
  }

  /// Changes or deletes one of the documents.
  func change(_ names: [String]) async throws {
    guard let name = names.randomElement(using: &random), last[name] != .some(nil) else { return }
    count += 1
    let write: String
    // An entry that is gone before it is read is made again, as it should be.
    if name.hasPrefix("users/"), random.chance(percent: 4) {
      write = "{\"delete\":\"\(Self.documents)/\(name)\"}"
      last.updateValue(nil, forKey: name)
    } else {
      write = """
        {"update":{"name":"\(Self.documents)/\(name)","fields":{"touched":{"integerValue":"\(count)"}}},\
        "updateMask":{"fieldPaths":["touched"]},"currentDocument":{"exists":true}}
        """
      last[name] = count
    }
    #expect(try await commit([write]) == 200)
  }
}

@Suite("A writer who does not stop", .timeLimit(.minutes(60)))
struct LiveWriterTests {
  private static func user(_ index: Int) -> String {
    #"{"name":"users/u\#(index)","fields":{"nombre":{"stringValue":"Ana"},"primerApellido":{"stringValue":"Ruiz"},"activo":{"booleanValue":true},"role":{"stringValue":"member"},"onboardingCompleted":{"booleanValue":true},"email":{"stringValue":"u\#(index)@gym.mx"},"createdAt":{"timestampValue":"2025-01-01T00:00:\#(10 + index % 40)Z"}}}"#
  }

  private static func entry(_ index: Int) -> String {
    #"{"name":"user_emails/u\#(index)@gym.mx","fields":{"email":{"stringValue":"u\#(index)@gym.mx"},"primaryUserId":{"stringValue":"gone"}}}"#
  }

  @Test(
    "Every change of a writer during the migrations survives, and the counts add up.",
    arguments: [1, 2]
  )
  func migrations(seed: UInt64) async throws {
    let users = 60
    let lines = (0..<users).map(Self.user) + (0..<users / 3).map(Self.entry)
    let names = (0..<users).map { "users/u\($0)" } + (0..<users / 3).map { "user_emails/u\($0)@gym.mx" }
    try await withTemporaryDirectory { folder in
      try await LocalFirestoreServer.withServer(dataFile: nil) { server in
        let writer = LiveWriter(endpoint: server.endpoint, seed: seed)
        try await writer.load(lines.joined(separator: "\n"))
        let isDone = Mutex(false)
        let client = FirestoreClient.testing(server.endpoint)
        let run = try RunDirectory(in: folder.path, command: "migrate")
        let counts = RunCounts()
        let changing = Task {
          while !isDone.withLock({ $0 }) { try await writer.change(names) }
        }
        while await writer.count < 10 { await Task.yield() }
        let before = await writer.count
        do {
          try await migrate(client, run, counts)
        } catch {
          isDone.withLock { $0 = true }
          _ = try await changing.value
          throw error
        }
        isDone.withLock { $0 = true }
        try await changing.value
        #expect(await writer.count > before, "seed \(seed): the writer had its turn")

        try counts.assertBalance()
        let rejects = ((try? String(contentsOfFile: run.file("rejects.jsonl"), encoding: .utf8)) ?? "")
          .split(separator: "\n")
        #expect(rejects.count == counts.totals.rejected + counts.totals.conflicted, "seed \(seed)")
        let last = await writer.last
        let now = try await client.batchGet(names.compactMap { DocumentPath($0) })
        var untouched = 0
        for name in names {
          let path = try #require(DocumentPath(name))
          let document = now[path]
          switch last[name] {
          case .some(.none): #expect(document == nil, "seed \(seed): \(name) was deleted")
          case .some(.some(let count)):
            #expect(document?.fields["touched"] == .integer(Int64(count)), "seed \(seed): \(name)")
          case .none:
            untouched += 1
            #expect(document != nil && document?.fields["touched"] == nil, "seed \(seed): \(name)")
          }
          let isListed = rejects.contains { $0.contains("\"\(name)\"") }
          if let document, !isListed, name.hasPrefix("users/") {
            #expect(document.fields["fullName"] == .string("Ana Ruiz"), "seed \(seed): \(name)")
          }
        }
        print(
          "live writer: seed \(seed), \(await writer.count) changes, \(counts.totals), \(untouched) untouched"
        )
      }
    }
  }

  private func migrate(_ client: FirestoreClient, _ run: RunDirectory, _ counts: RunCounts) async throws {
    for migration in MigrationCatalogue.folder {
      var runner = MigrationRunner(in: .silent(client, run, counts: counts))
      runner.limits = BatchLimits(maximumWrites: 5, maximumInFlight: 3)
      runner.pageSize = 20
      _ = try await runner.apply(.migration(migration))
    }
  }
}
