import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import FirestoreREST

/// Several reads side by side, against a server that is not ours: each gives the same documents as alone.
@Suite("Pages of several reads")
struct CollectionPagesTests {
  private func documents(_ client: FirestoreClient, _ reads: [CollectionRead]) async throws -> [[RawDocument]]
  {
    let pages = client.pages(ofEach: reads)
    var found = [[RawDocument]](repeating: [], count: reads.count)
    for index in reads.indices {
      while let page = try await pages.next(of: index) { found[index] += page }
    }
    return found
  }

  @Test("Reads of every kind over random databases give the same as one by one.")
  func asOneByOne() async throws {
    for seed in UInt64(1)...12 {
      var random = SplitMix64(seed: seed)
      var source = RandomDatabase(seed: seed, database: testDatabase)
      let mini = MiniFirestore()
      var collections: Set<CollectionPath> = []
      var groups: Set<CollectionPath> = []
      var lines: [UInt8] = []
      for _ in 0..<250 {
        let document = source.next()
        var json = JSONWriter()
        json.document(document)
        lines += json.bytes + [0x0A]
        let roots = document.path.segments.prefix(1)
        if let root = roots.first { collections.insert(CollectionPath(nil, root)) }
        groups.insert(CollectionPath(nil, document.path.collection.id))
      }
      try mini.load(jsonLines: String(decoding: lines, as: UTF8.self))
      var reads: [CollectionRead] = []
      for root in collections.sorted() {
        var read = CollectionRead(root, pageSize: .random(in: 1...20, using: &random))
        if Bool.random(using: &random) { read.reach = .subcollections }
        reads.append(read)
      }
      for group in groups.sorted().prefix(6) {
        var read = CollectionRead(group, pageSize: .random(in: 1...20, using: &random))
        read.reach = .group
        reads.append(read)
      }
      var pattern = CollectionRead(CollectionPath("users/*/c") ?? collection("users"), pageSize: 3)
      pattern.reach = .pattern
      reads.append(pattern)
      try await Fixture.with(mini.handler) { fixture in
        let wanted = try await documents(fixture.client, reads)
        for index in reads.indices { reads[index].parallel = .random(in: 1...9, using: &random) }
        let found = try await documents(fixture.client, reads)
        for (index, read) in reads.enumerated() {
          #expect(found[index] == wanted[index], "seed \(seed), \(read.collection) \(read.reach)")
        }
      }
    }
  }

  private static func database(_ count: Int, documents: Int) throws -> (MiniFirestore, [CollectionRead]) {
    let mini = MiniFirestore()
    let reads = try (0..<count).map { number in
      for id in 0..<documents { try mini.put("c\(number)/\(1000 + id)", fields: "{}") }
      var read = CollectionRead(collection("c\(number)"), pageSize: 50)
      read.parallel = 16
      return read
    }
    return (mini, reads)
  }

  @Test(
    "The first pages of fifteen collections are on their way together, and each needs no more than its pages."
  )
  func together() async throws {
    let (mini, reads) = try Self.database(15, documents: 40)
    let gate = DispatchSemaphore(value: 0)
    let arrived = DispatchSemaphore(value: 0)
    let handler: RequestHandler = { request in
      arrived.signal()
      gate.wait()
      return mini.handler(request)
    }
    try await Fixture.with(handler) { fixture in
      let reading = Task { try await documents(fixture.client, reads) }
      // All are asked before any is answered.
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          for _ in 0..<15 { arrived.wait() }
          continuation.resume()
        }
      }
      for _ in 0..<100 { gate.signal() }
      let found = try await reading.value
      #expect(found.map(\.count) == [Int](repeating: 40, count: 15))
      #expect(fixture.server.requests.count == 15)
      #expect(fixture.server.peakConcurrency == 15)
    }
  }

  @Test("Those who only carry documents get them on the tape, one by one and side by side.")
  func carrying() async throws {
    var (mini, reads) = try Self.database(3, documents: 120)
    reads[2].reach = .subcollections
    reads[2].kind = collection("c2")
    try await Fixture.with(mini.handler) { fixture in
      for parallel in [1, 8] {
        for index in reads.indices { reads[index].parallel = parallel }
        let wanted = try await documents(fixture.client, reads)
        let pages = fixture.client.documentPages(ofEach: reads)
        for index in reads.indices {
          var found: [RawDocument] = []
          while let page = try await pages.nextPage(of: index) {
            // What the client selects has to be decoded.
            if case .memory = page { #expect(index == 2, "--parallel \(parallel)") }
            found += try page.documents()
          }
          #expect(found == wanted[index] && found.count == 120)
        }
      }
    }
  }

  @Test("A size that responses can have is learned, and not tried again with every page.")
  func sizes() async throws {
    var (mini, reads) = try Self.database(1, documents: 400)
    reads[0].pageSize = 300
    let whole = try await Fixture.with(mini.handler) { try await documents($0.client, reads) }
    // Less than 30 documents fit, and halving leads there only after four pages that are too large.
    try await Fixture.with(mini.handler, maximumBodyBytes: 6000) { fixture in
      let found = try await documents(fixture.client, reads)
      #expect(found == whole)
      let asked = fixture.server.requests(.runQuery).count
      #expect(asked < 80, "\(asked) requests")
    }
  }

  @Test("One request at a time reads one collection after the other.")
  func alone() async throws {
    var (mini, reads) = try Self.database(5, documents: 40)
    for index in reads.indices { reads[index].parallel = 1 }
    try await Fixture.with(mini.handler) { fixture in
      let found = try await documents(fixture.client, reads)
      #expect(found.map(\.count) == [40, 40, 40, 40, 40])
      let asked = fixture.server.requests.compactMap { request in
        reads.firstIndex { request.target.contains("/\($0.collection.string)?") }
      }
      // Pages may be short.
      #expect(asked == asked.sorted() && Set(asked).count == 5)
      #expect(asked.count == fixture.server.requests.count)
      #expect(fixture.server.peakConcurrency == 1)
    }
  }

  @Test("A collection that cannot be read ends nothing but itself.")
  func failures() async throws {
    let (mini, reads) = try Self.database(6, documents: 10)
    let handler: RequestHandler = { request in
      String(decoding: request.body, as: UTF8.self).contains("\"c2\"")
        ? .json(#"{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}"#, status: 403)
        : mini.handler(request)
    }
    try await Fixture.with(handler) { fixture in
      let pages = fixture.client.pages(ofEach: reads)
      var counts: [Int?] = []
      for index in reads.indices {
        var count = 0
        let error = await failure { while let page = try await pages.next(of: index) { count += page.count } }
        counts.append(error == nil ? count : nil)
      }
      #expect(counts == [10, 10, nil, 10, 10, 10])
    }
  }
}
