import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import FirestoreREST

/// Reads of ranges side by side, against a server that is not ours: the same documents in the same order as one by one.
@Suite struct ParallelPagesTests {
  private func documents(_ client: FirestoreClient, _ read: CollectionRead) async throws -> [RawDocument] {
    var found: [RawDocument] = []
    for try await page in client.pages(of: read) { found += page }
    return found
  }

  private func database(_ ids: [String]) throws -> MiniFirestore {
    let mini = MiniFirestore()
    for (index, id) in ids.enumerated() {
      try mini.put("c/\(id)", fields: #"{"n":{"integerValue":"\#(index % 3)"},"t":{"stringValue":"x"}}"#)
      if index.isMultiple(of: 5) { try mini.put("c/\(id)/below/1", fields: "{}") }
    }
    try mini.put("b/z", fields: "{}")
    try mini.put("cc/a", fields: "{}")
    return mini
  }

  private static func someIDs(_ random: inout SplitMix64) -> [String] {
    let alphabets = ["0123456789", "abc", "AZaz09", "éñ\u{1F600}~ %+"].map(Array.init)
    let alphabet = alphabets.randomElement(using: &random) ?? []
    let prefix = ["", "m-", "é"].randomElement(using: &random) ?? ""
    let ids = (0..<Int.random(in: 0...90, using: &random)).map { _ in
      prefix
        + String(
          (0..<Int.random(in: 1...6, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "a"
          }
        )
    }
    return Array(Set(ids.map { UTF8Key($0) })).map(\.string)
  }

  @Test("Parallel reads return the documents of a list: order, filter, mask and start position.")
  func asAList() async throws {
    for seed in UInt64(1)...25 {
      var random = SplitMix64(seed: seed)
      let ids = Self.someIDs(&random)
      let mini = try database(ids)
      try await Fixture.with(mini.handler) { fixture in
        var read = CollectionRead(collection("c"), pageSize: .random(in: 1...20, using: &random))
        if Bool.random(using: &random), let id = ids.randomElement(using: &random) {
          read.startAfter = path("c/\(id)")
        }
        if Bool.random(using: &random) { read.filter = .field(FieldPath(field: "n"), .equal, .integer(1)) }
        if Bool.random(using: &random) { read.mask = [FieldPath(field: "t")] }
        let wanted = try await documents(fixture.client, read)
        read.parallel = .random(in: 2...9, using: &random)
        let found = try await documents(fixture.client, read)
        #expect(found == wanted, "seed \(seed)")
      }
    }
  }

  @Test("Subcollections, groups and patterns are cut as well, and what cannot be cut is read sequentially.")
  func otherReaches() async throws {
    let mini = try database((0..<40).map { String(100 + $0) })
    try mini.put("c/120-gone/below/1", fields: "{}")
    for number in 0..<30 { try mini.put("c/110/below/\(100 + number)", fields: "{}") }
    try await Fixture.with(mini.handler) { fixture in
      func reads(_ number: Int) -> [CollectionRead] {
        [CollectionRead](repeating: CollectionRead(collection("c"), pageSize: 7), count: number)
      }
      var cut = reads(3)
      cut[0].reach = .subcollections
      cut[1] = CollectionRead(collection("below"), pageSize: 7)
      cut[1].reach = .group
      cut[2] = CollectionRead(try #require(CollectionPath("c/*/below")), pageSize: 7)
      cut[2].reach = .pattern
      var alone = reads(3)
      alone[0].orderBy = [StructuredQuery.Order(FieldPath(field: "n"), .descending)]
      alone[1].filter = .field(FieldPath(field: "n"), .greaterThan, .integer(0))
      alone[2].showsMissing = true
      for (read, isSplit) in cut.map({ ($0, true) }) + alone.map({ ($0, false) }) {
        let wanted = try await documents(fixture.client, read)
        var parallel = read
        parallel.parallel = 4
        let found = try await documents(fixture.client, parallel)
        #expect(found == wanted && !wanted.isEmpty)
        #expect(parallel.isSplit == isSplit)
        if read.showsMissing { #expect(found.contains { $0.path.id == "120-gone" }) }
      }
    }
  }

  @Test("A group is cut by the names that the service gives, once it has more than a page.")
  func points() async throws {
    let mini = try database([])
    for number in 0..<120 { try mini.put("g/\(100 + number / 40)/s/\(1000 + number)", fields: "{}") }
    try mini.put("t/x/few/1", fields: "{}")
    let names = [1030, 1060, 1090].map {
      #"{"values":[{"referenceValue":"\#(testDatabase.name(of: path("g/\(100 + ($0 - 1000) / 40)/s/\($0)")))"}]}"#
    }
    let handler: RequestHandler = { request in
      request.kind == .partitionQuery
        ? .json(#"{"partitions":[\#(names.joined(separator: ","))]}"#) : mini.handler(request)
    }
    try await Fixture.with(handler) { fixture in
      var read = CollectionRead(collection("s"), pageSize: 10)
      read.reach = .group
      let wanted = try await documents(fixture.client, read)
      read.parallel = 4
      let found = try await documents(fixture.client, read)
      #expect(found == wanted && found.count == 120)
      #expect(fixture.server.requests(.partitionQuery).count == 1)
      var few = CollectionRead(collection("few"), pageSize: 10)
      (few.reach, few.parallel) = (.group, 4)
      #expect(try await documents(fixture.client, few).count == 1)
      #expect(fixture.server.requests(.partitionQuery).count == 1)
    }
  }

  @Test("Failed requests are retried, and responses that are too large lead to smaller pages.")
  func badDays() async throws {
    let ids = (0..<200).map { String(1000 + $0) }
    let mini = try database(ids)
    let faults = mini.faults(
      FaultRule([.runQuery], .percent(30), oneOf: [.error(.unavailable), .drop, .halfBody(0.5)])
    )
    try await Fixture.with(faults.handler, maximumBodyBytes: 4000) { fixture in
      var read = CollectionRead(collection("c"), pageSize: 50)
      read.parallel = 6
      let found = try await documents(fixture.client, read)
      #expect(found.map(\.path.id) == ids)
      #expect(!faults.played.isEmpty)
    }
  }

  @Test("A refusal of the service ends the read, and the next call fails in the same way.")
  func refused() async throws {
    let mini = try database((0..<100).map { String(1000 + $0) })
    let handler: RequestHandler = { request in
      String(decoding: request.body, as: UTF8.self).contains("endAt")
        ? .json(#"{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}"#, status: 403)
        : mini.handler(request)
    }
    try await Fixture.with(handler) { fixture in
      var read = CollectionRead(collection("c"), pageSize: 10)
      read.parallel = 3
      var pages = fixture.client.pages(of: read).makeAsyncIterator()
      var count = 0
      for _ in 0..<2 {
        let error = await failure { while let page = try await pages.next() { count += page.count } }
        #expect(error?.service?.status == .permissionDenied)
      }
      #expect(count == 10)
    }
  }

  @Test("A service that ignores the end of a range returns no document twice.")
  func beyondTheEnd() async throws {
    let mini = try database((0..<100).map { String(1000 + $0) })
    let handler: RequestHandler = { request in
      var json = (try? JSONSerialization.jsonObject(with: Data(request.body))) as? [String: Any] ?? [:]
      guard var query = json["structuredQuery"] as? [String: Any] else { return mini.handler(request) }
      query["endAt"] = nil
      json["structuredQuery"] = query
      let body = (try? JSONSerialization.data(withJSONObject: json)) ?? Data()
      let headers = request.headers.filter { $0.name.lowercased() != "content-length" }
      return mini.handler(
        TestRequest(method: request.method, target: request.target, headers: headers, body: Array(body))
      )
    }
    try await Fixture.with(handler) { fixture in
      var read = CollectionRead(collection("c"), pageSize: 10)
      read.parallel = 3
      var found: [RawDocument] = []
      let error = await failure { for try await page in fixture.client.pages(of: read) { found += page } }
      #expect(error?.kind == .unavailable)
      #expect(Set(found.map(\.path)).count == found.count)
    }
  }

  @Test("A service that returns the same documents forever ends the read.")
  func inACircle() async throws {
    let body = #"[{"document":{"name":"\#(testDatabase.name(of: path("c/a")))"}}]"#
    try await Fixture.with({ _ in .json(body) }) { fixture in
      var read = CollectionRead(collection("c"), pageSize: 1)
      read.parallel = 3
      let error = await failure { try await documents(fixture.client, read) }
      #expect(error?.kind == .unavailable)
    }
  }
}
