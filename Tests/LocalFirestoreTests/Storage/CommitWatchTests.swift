import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import LocalFirestore

/// Two stores on one file, as in two processes: each has a clock of its own and does not know of the other's commits in progress.
@Suite struct CommitWatchTests {
  private static let name = DatabaseName(project: "p", database: "(default)")

  private struct Found: Equatable {
    var time: Int64
    var exists: Bool
  }

  private func read(_ store: DocumentStore, _ path: DocumentPath, at time: Int64? = nil) throws -> Found {
    try store.read(Self.name, at: time) { snapshot in
      Found(time: snapshot.readTime, exists: try snapshot.document(NameKey.key(path.string)) != nil)
    }
  }

  @Test func aReadDuringACommitOfAnotherStoreCanBeRepeated() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("local.sqlite").path
      let stores = try (0..<2).map { _ in
        try DocumentStore(file: file, clock: CommitClock(source: CommitClock.system))
      }
      let path = try #require(DocumentPath("c/d"))
      let first = try read(stores[1], path)
      let during = try stores[0].write(Self.name) { writing, _ in
        try writing.insert(path, fields: Array("{}".utf8))
        return try read(stores[1], path)
      }
      #expect(!during.exists && during.time >= first.time)
      #expect(try read(stores[1], path, at: during.time) == during)
      #expect(try read(stores[0], path, at: during.time) == during)
      let after = try read(stores[1], path)
      #expect(after.exists && after.time > during.time)
      for store in stores { try store.close() }
    }
  }

  @Test func transactionsOfTwoServersLoseNothing() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("local.sqlite").path
      try await LocalFirestoreServer.withServer(dataFile: file) { one in
        try await LocalFirestoreServer.withServer(dataFile: file) { two in
          let client = try RESTClient(one.endpoint, project: "p")
          try client.commit(client.set("n/n", #"{"n":{"integerValue":"0"}}"#))
          let committed = try await withThrowingTaskGroup(of: Int.self) { group in
            for endpoint in [one.endpoint, two.endpoint, one.endpoint, two.endpoint] {
              group.addTask { try Self.increment(RESTClient(endpoint, project: "p"), times: 60) }
            }
            return try await group.reduce(0, +)
          }
          let fields = try client.object("GET", "/n/n")["fields"]
          #expect(committed > 0)
          #expect(try isJSON(fields, #"{"n":{"integerValue":"\#(committed)"}}"#))
        }
      }
    }
  }

  /// Adds 1 in transactions, and returns how many of them were committed.
  private static func increment(_ client: RESTClient, times: Int) throws -> Int {
    var committed = 0
    for _ in 0..<times {
      let begun = try client.object("POST", ":beginTransaction", "{}")["transaction"] as? String ?? ""
      let get = #"{"documents":["\#(client.root)/n/n"],"transaction":"\#(begun)"}"#
      let found = try client.array(":batchGet", get).first?["found"] as? [String: Any]
      let fields = try #require(found?["fields"] as? [String: [String: String]])
      let number = try #require(Int(fields["n"]?["integerValue"] ?? ""))
      let write = client.set("n/n", #"{"n":{"integerValue":"\#(number + 1)"}}"#)
      let answer = try client.call("POST", ":commit", #"{"writes":[\#(write)],"transaction":"\#(begun)"}"#)
      if answer.status == 200 { committed += 1 }
    }
    return committed
  }
}
