import Files
import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import FirestoreREST

/// Reads from a server that lists as Google's emulator does: 150 documents a page, and not at a moment.
@Suite("Lists that do not serve", .timeLimit(.minutes(5)))
struct ListSupportTests {
  /// The requests that were sent, by their kinds.
  private final class Requests: Sendable {
    private let kinds = Locked<[RequestKind]>([])

    func add(_ kind: RequestKind) { kinds.withLock { $0.append(kind) } }
    func count(_ kind: RequestKind) -> Int { kinds.withLock { kinds in kinds.count { $0 == kind } } }
  }

  private func withEmulator(
    _ count: Int,
    _ body: (Fixture, Requests) async throws -> Void
  ) async throws {
    // Its own pages are as long as they may be.
    var options = MiniFirestore.Options()
    options.isAwkward = false
    let mini = MiniFirestore(options)
    for number in 0..<count {
      try mini.put("c/\(1_000_000 + number)", fields: #"{"n":{"integerValue":"1"}}"#)
    }
    try mini.put("c/gone/s/1", fields: "{}")
    let requests = Requests()
    let handler: RequestHandler = { request in
      requests.add(request.kind)
      var request = request
      if request.kind == .list {
        if request.target.contains("readTime=") {
          return .json(
            #"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Only timestamps past epoch"}}"#,
            status: 400
          )
        }
        request.target = request.target.replacingOccurrences(of: "pageSize=300", with: "pageSize=150")
      }
      return mini.handler(request)
    }
    try await Fixture.with(handler) { try await body($0, requests) }
  }

  @Test(
    "After a page of 150, larger queries take the place of lists, and nothing is left out or comes twice."
  )
  func short() async throws {
    try await withEmulator(2000) { fixture, requests throws in
      let expected = (0..<2000).map { "c/\(1_000_000 + $0)" }
      #expect(try await paths(fixture.client, CollectionRead(collection("c"))) == expected)
      #expect(requests.count(.list) == 1 && requests.count(.runQuery) <= 4)
      // Known by then, also to its copies.
      #expect(try await paths(fixture.client.ungated, CollectionRead(collection("c"))) == expected)
      #expect(requests.count(.list) == 1 && requests.count(.runQuery) <= 7)
      // Missing documents are in lists alone.
      let missing = CollectionRead(collection("c"), showsMissing: true)
      #expect(try await paths(fixture.client, missing) == expected + ["c/gone"])
    }
  }

  @Test("A moment that lists refuse is read by queries.")
  func moment() async throws {
    try await withEmulator(700) { fixture, requests throws in
      let moment = try #require(
        try await fixture.client.serverTime(reading: DocumentPath(collection("c"), "x"))
      )
      fixture.client.lists.giveUp()
      let read = CollectionRead(collection("c"), readTime: moment.flooredToMicroseconds)
      #expect(try await paths(fixture.client, read).count == 700)
      #expect(requests.count(.list) == 0)
    }
  }

  @Test("Pages of queries are as large as two MiB allow.")
  func size() {
    let lists = ListSupport()
    lists.learn(bytes: 1, documents: 1)
    #expect(lists.queried == nil)
    lists.giveUp()
    #expect(lists.queried == 300)
    for (bytes, documents, size) in [
      (300_000, 300, 2097), (30_000, 300, 5000), (300 << 20, 300, 2), (9 << 20, 1, 1),
    ] {
      lists.learn(bytes: bytes, documents: documents)
      #expect(lists.queried == size)
    }
    lists.restore()
    #expect(lists.queried == nil)
  }
}
