import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import FirestoreREST

/// Reads by query, against a server that is not ours: which documents come, in which order, by how many requests.
@Suite struct CollectionReadTests {
  private func field(_ name: String) -> FieldPath { FieldPath(field: name) }

  /// 25 documents in `c`, below some of them `s`, and `c/gone`, which is not there, has documents below it.
  private func database() throws -> MiniFirestore {
    let mini = MiniFirestore()
    for number in 0..<25 {
      let id = number < 10 ? "0\(number)" : "\(number)"
      try mini.put("c/\(id)", fields: #"{"n":{"integerValue":"\#(number % 5)"},"t":{"stringValue":"x"}}"#)
    }
    try mini.put("c/03/s/1", fields: "{}")
    try mini.put("c/03/s/1/deep/2", fields: "{}")
    try mini.put("c/gone/s/3", fields: "{}")
    try mini.put("cc/1", fields: "{}")
    try mini.put("c\u{1}/1", fields: "{}")
    try mini.put("other/1/s/4", fields: "{}")
    return mini
  }

  @Test("A read starts after a document, whether it exists or not")
  func startAfter() async throws {
    let mini = try database()
    try await Fixture.with(mini.handler) { fixture in
      var read = CollectionRead(collection("c"), pageSize: 4)
      #expect(read.isOrderedByName)
      for (after, first) in [("c/07", 8), ("c/07x", 8), ("c/23", 24), ("c/24", 25), ("c/", 0)] {
        guard let after = DocumentPath(after) else { continue }
        read.startAfter = after
        let expected = (first..<25).map { $0 < 10 ? "c/0\($0)" : "c/\($0)" }
        let found = try await paths(fixture.client, read)
        #expect(found == expected, "\(after)")
      }
      read.startAfter = path("c/07")
      read.filter = .field(field("n"), .equal, .integer(1))
      #expect(read.isOrderedByName)
      let filtered = try await paths(fixture.client, read)
      #expect(filtered == ["c/11", "c/16", "c/21"])
      read.filter = .field(field("n"), .lessThan, .integer(1))
      #expect(!read.isOrderedByName)
      read.filter = nil
      read.orderBy = [StructuredQuery.Order(.documentName, .descending)]
      #expect(!read.isOrderedByName)
    }
  }

  @Test("All subcollections are found, also below missing documents, and nothing else")
  func subcollections() async throws {
    let mini = try database()
    try await Fixture.with(mini.handler) { fixture in
      var read = CollectionRead(collection("c"), pageSize: 4)
      read.reach = .subcollections
      let found = try await paths(fixture.client, read)
      var wanted = (0..<25).map { $0 < 10 ? "c/0\($0)" : "c/\($0)" }
      wanted.insert(contentsOf: ["c/03/s/1", "c/03/s/1/deep/2"], at: 4)
      wanted.append("c/gone/s/3")
      #expect(found == wanted)
      // One query a page, and one that finds the end.
      let queries = mini.requestCount(.runQuery)
      #expect(queries == 28 / 4 + 1)
      let lists = mini.requestCount(.listCollectionIds)
      #expect(lists == 0)
    }
  }

  @Test("A collection group is every collection with its ID")
  func group() async throws {
    let mini = try database()
    try await Fixture.with(mini.handler) { fixture in
      var read = CollectionRead(collection("s"))
      read.reach = .group
      let found1 = try await paths(fixture.client, read)
      #expect(found1 == ["c/03/s/1", "c/gone/s/3", "other/1/s/4"])
      let found2 = try await fixture.client.count(read).count
      #expect(found2 == 3)
    }
  }

  @Test(
    "Filters and orders are paged without losing or repeating a document",
    arguments: [1, 3, 7, 300]
  )
  func filters(pageSize: Int) async throws {
    let mini = try database()
    try await Fixture.with(mini.handler) { fixture in
      var equal = CollectionRead(collection("c"), pageSize: pageSize)
      equal.filter = .field(field("n"), .equal, .integer(2))
      let found3 = try await paths(fixture.client, equal)
      #expect(found3 == ["c/02", "c/07", "c/12", "c/17", "c/22"])
      let found4 = try await fixture.client.count(equal).count
      #expect(found4 == 5)

      // An inequality orders by its field first, as the service does without being told.
      var above = CollectionRead(collection("c"), pageSize: pageSize)
      above.filter = .field(field("n"), .greaterThan, .integer(2))
      let threes = ["c/03", "c/08", "c/13", "c/18", "c/23"]
      let fours = ["c/04", "c/09", "c/14", "c/19", "c/24"]
      let found5 = try await paths(fixture.client, above)
      #expect(found5 == threes + fours)

      var ordered = above
      ordered.orderBy = [StructuredQuery.Order(field("n"), .descending)]
      let found6 = try await paths(fixture.client, ordered)
      #expect(found6 == fours.reversed() + threes.reversed())
    }
  }

  @Test("A mask applies even if the order needs other fields")
  func mask() async throws {
    let mini = try database()
    try await Fixture.with(mini.handler) { fixture in
      var read = CollectionRead(collection("c"), mask: [field("t")])
      read.orderBy = [StructuredQuery.Order(field("n"))]
      for try await page in fixture.client.pages(of: read) {
        for document in page { #expect(document.fields == ["t": .string("x")]) }
      }
    }
  }

  @Test("A stream that is interrupted or ends in an error is requested again from its page", arguments: 1...6)
  func brokenStreams(seed: UInt64) async throws {
    let mini = try database()
    let faults = mini.faults(
      FaultRule(
        [.runQuery],
        .percent(40),
        oneOf: [
          .unterminated, .errorInStream(.unavailable, after: 1), .halfBody(0.5), .drop,
          .error(.internalError),
        ]
      ),
      seed: seed
    )
    try await Fixture.with(faults.handler) { fixture in
      var read = CollectionRead(collection("c"), pageSize: 3)
      read.reach = .subcollections
      let found7 = try await paths(fixture.client, read).count
      #expect(found7 == 28)
    }
  }
}
