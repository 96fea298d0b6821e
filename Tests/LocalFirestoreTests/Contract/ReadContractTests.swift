import Foundation
import Testing

/// The contract of lists, queries and reads in the past.
@Suite struct ReadContractTests {
  @Test func pagesAreBoundedAndTheirTokensBound() async throws {
    try await withClient { client in
      let ids = (0..<310).map { "c/" + String($0 + 1000) }
      try client.commit(ids.map { client.set($0) }.joined(separator: ","))
      func page(_ parameters: String) throws -> (Int, String?) {
        let page = try client.object("GET", "/c?\(parameters)")
        return ((page["documents"] as? [Any])?.count ?? 0, page["nextPageToken"] as? String)
      }
      #expect(try page("").0 == 20)
      #expect(try page("pageSize=1000000").0 == 300)
      #expect(try page("pageSize=310").1 != nil)
      #expect(try client.list("/c", "pageSize=7") == ids)
      #expect(try client.list("/c", "pageSize=300&orderBy=__name__%20desc") == ids.reversed())
      let token = try #require(try page("pageSize=5").1)
      #expect(try page("pageSize=9&pageToken=\(token)").0 == 9, "the page size may change")
      #expect(try client.failure("GET", "/c?orderBy=a&pageToken=\(token)") == "400 INVALID_ARGUMENT")
      #expect(try client.failure("GET", "/d?pageToken=\(token)") == "400 INVALID_ARGUMENT")
      #expect(try client.object("GET", "/nothing").isEmpty)
    }
  }

  @Test func aListOrdersByFieldsAndLeavesOutWhatLacksThem() async throws {
    try await withClient { client in
      try client.commit(
        [
          client.set("c/a", #"{"n":{"integerValue":"2"}}"#), client.set("c/b", #"{"n":{"doubleValue":1.5}}"#),
          client.set("c/c", #"{"n":{"stringValue":"x"}}"#), client.set("c/d"),
          client.set("c/e", #"{"n":{"integerValue":"2"}}"#),
        ].joined(separator: ",")
      )
      #expect(try client.list("/c", "orderBy=n&pageSize=1") == ["c/b", "c/a", "c/e", "c/c"])
      #expect(try client.list("/c", "orderBy=n%20desc&pageSize=2") == ["c/c", "c/e", "c/a", "c/b"])
      #expect(try client.list("/c", "orderBy=n%20desc,%20__name__%20asc") == ["c/c", "c/a", "c/e", "c/b"])
    }
  }

  @Test func missingParentsAreListedWhereTheyAreAskedFor() async throws {
    try await withClient { client in
      var writes = [
        client.set("c/b"), client.set("c/d/s/1"), client.set("c/b/s/1/t/2"), client.set("c/a/c/x"),
      ]
      writes += (0..<40).map { client.set("c/c/s/\($0)") }
      try client.commit(writes.joined(separator: ","))
      #expect(try client.list("/c") == ["c/b"])
      for size in 1...5 {
        #expect(try client.list("/c", "showMissing=true&pageSize=\(size)") == ["c/a", "c/b", "c/c", "c/d"])
      }
      let page = try client.object("GET", "/c?showMissing=true")
      let first = try #require((page["documents"] as? [[String: Any]])?.first)
      #expect(Set(first.keys) == ["name"])
      #expect(try client.failure("GET", "/c?showMissing=true&orderBy=a") == "400 INVALID_ARGUMENT")
      #expect(try client.list("/c/d/s") == ["c/d/s/1"])
      #expect(try client.list("/c/b/s", "showMissing=true") == ["c/b/s/1"])
    }
  }

  @Test func collectionIDsAreListedAlsoBelowMissingDocuments() async throws {
    try await withClient { client in
      let ids = (0..<25).map { "c\($0 + 10)" }
      try client.commit(
        (ids.map { client.set("\($0)/d") } + [client.set("c10/x/sub/1"), client.set("c10/x/a/1/b/2")]).joined(
          separator: ","
        )
      )
      let first = try client.object("POST", ":listCollectionIds", "{}")
      #expect(first["collectionIds"] as? [String] == Array(ids[..<20]))
      let token = try #require(first["nextPageToken"] as? String)
      let rest = try client.object("POST", ":listCollectionIds", #"{"pageToken":"\#(token)"}"#)
      #expect(rest["collectionIds"] as? [String] == Array(ids[20...]))
      #expect(rest["nextPageToken"] == nil)
      #expect(
        try client.object("POST", "/c10/x:listCollectionIds", "{}")["collectionIds"] as? [String] == [
          "a", "sub",
        ]
      )
      #expect(try client.object("POST", "/c10/none:listCollectionIds", "{}").isEmpty)
      #expect(try client.failure("POST", ":listCollectionIds", #"{"parent":"x"}"#) == "400 INVALID_ARGUMENT")
    }
  }

  @Test func namesAreOrderedSegmentBySegmentNumbersFirst() async throws {
    try await withClient { client in
      let ids = [
        "__id-9223372036854775808__", "__id-3__", "__id7__", "__id10__", " ", "A", "a", "a!", "a\u{301}", "é",
        "\u{FFFD}", "😀",
      ]
      try client.commit(ids.shuffled().map { client.set("c/\($0)") }.joined(separator: ","))
      #expect(try client.list("/c").map { Array($0.utf8) } == ids.map { Array("c/\($0)".utf8) })
      #expect(
        try client.query(
          #""from":[{"collectionId":"c"}],"orderBy":[{"field":{"fieldPath":"__name__"},"direction":"DESCENDING"}],"limit":2"#
        ) == ["c/😀", "c/\u{FFFD}"]
      )
    }
  }

  @Test func queriesTakeTheirScope() async throws {
    try await withClient { client in
      let paths = ["a/1", "a/1/b/1", "a/1/b/2/b/3", "a/2/b/1", "b/1", "b/1/a/1"]
      try client.commit(paths.map { client.set($0) }.joined(separator: ","))
      #expect(try client.query(#""from":[{"collectionId":"b"}]"#) == ["b/1"])
      #expect(try client.query(#""from":[{"collectionId":"b"}]"#, below: "/a/1") == ["a/1/b/1"])
      #expect(
        try client.query(#""from":[{"collectionId":"b","allDescendants":true}]"#) == [
          "a/1/b/1", "a/1/b/2/b/3", "a/2/b/1", "b/1",
        ]
      )
      #expect(
        try client.query(#""from":[{"collectionId":"b","allDescendants":true}]"#, below: "/a/1") == [
          "a/1/b/1", "a/1/b/2/b/3",
        ]
      )
      #expect(try client.query(#""from":[{"allDescendants":true}]"#) == paths.sorted())
      #expect(
        try client.query(#""from":[{"allDescendants":true}]"#, below: "/a/1") == ["a/1/b/1", "a/1/b/2/b/3"]
      )
      // The bounds that Google's tools set for the documents of one collection and below.
      let bound = { (path: String) in
        #"{"referenceValue":"\#(client.root)/\#(path)/__id-9223372036854775808__"}"#
      }
      let range = #"""
        "from":[{"allDescendants":true}],"where":{"compositeFilter":{"op":"AND","filters":[
        {"fieldFilter":{"field":{"fieldPath":"__name__"},"op":"GREATER_THAN_OR_EQUAL","value":\#(bound("a"))}},
        {"fieldFilter":{"field":{"fieldPath":"__name__"},"op":"LESS_THAN","value":\#(bound(#"a\u0000"#))}}]}}
        """#
      #expect(try client.query(range) == ["a/1", "a/1/b/1", "a/1/b/2/b/3", "a/2/b/1"])
      #expect(
        try client.failure(
          "POST",
          ":runQuery",
          #"{"structuredQuery":{"from":[{"allDescendants":true}],"where":{"unaryFilter":{"field":{"fieldPath":"a"},"op":"IS_NULL"}}}}"#
        ) == "[400 INVALID_ARGUMENT]"
      )
    }
  }

  @Test func anEmptyQueryIsAnsweredWithItsTimeAndSkippedResultsAreTold() async throws {
    try await withClient { client in
      let empty = try client.array(":runQuery", #"{"structuredQuery":{"from":[{"collectionId":"c"}]}}"#)
      #expect(empty.count == 1 && Array(empty[0].keys) == ["readTime"])
      try client.commit((0..<5).map { client.set("c/\($0)") }.joined(separator: ","))
      let elements = try client.array(
        ":runQuery",
        #"{"structuredQuery":{"from":[{"collectionId":"c"}],"offset":3}}"#
      )
      #expect(elements.compactMap { $0["skippedResults"] as? Int }.reduce(0, +) == 3)
      #expect(elements.filter { $0["document"] != nil }.count == 2)
    }
  }

  @Test func cursorsAreExact() async throws {
    try await withClient { client in
      try client.commit(
        (0..<6).map { client.set("c/\($0)", #"{"n":{"integerValue":"\#($0 / 2)"}}"#) }.joined(separator: ",")
      )
      func run(_ cursors: String, _ direction: String = "ASCENDING") throws -> String {
        try client.query(
          #""from":[{"collectionId":"c"}],"orderBy":[{"field":{"fieldPath":"n"},"direction":"\#(direction)"},{"field":{"fieldPath":"__name__"},"direction":"\#(direction)"}],\#(cursors)"#
        )
        .map { String($0.dropFirst(2)) }.joined()
      }
      let one = #""values":[{"integerValue":"1"}]"#
      let exact = #""values":[{"integerValue":"1"},{"referenceValue":"\#(client.root)/c/2"}]"#
      #expect(try run(#""startAt":{\#(one),"before":true}"#) == "2345")
      #expect(try run(#""startAt":{\#(one)}"#) == "45")
      #expect(try run(#""endAt":{\#(one),"before":true}"#) == "01")
      #expect(try run(#""endAt":{\#(one)}"#) == "0123")
      #expect(try run(#""startAt":{\#(exact)}"#) == "345")
      #expect(try run(#""startAt":{\#(exact),"before":true},"endAt":{\#(one)}"#) == "23")
      #expect(try run(#""startAt":{\#(one)}"#, "DESCENDING") == "10")
      #expect(try run(#""startAt":{\#(exact)}"#, "DESCENDING") == "10")
      #expect(try run(#""endAt":{\#(exact),"before":true}"#, "DESCENDING") == "543")
      let tooMany =
        #"{"structuredQuery":{"from":[{"collectionId":"c"}],"startAt":{"values":[{"integerValue":"1"},{"integerValue":"1"}]}}}"#
      #expect(try client.failure("POST", ":runQuery", tooMany) == "[400 INVALID_ARGUMENT]")
    }
  }

  /// Fields of inequalities order a query by their names, whatever the operators are.
  @Test(arguments: ["GREATER_THAN", "NOT_EQUAL"])
  func inequalitiesOrderByTheNamesOfTheirFields(_ operation: String) async throws {
    try await withClient { client in
      let documents = [(1, 3), (2, 2), (3, 1), (1, 1)].enumerated().map {
        client.set(
          "c/\($0.offset)",
          #"{"a":{"integerValue":\#($0.element.0)},"z":{"integerValue":\#($0.element.1)}}"#
        )
      }
      try client.commit(documents.joined(separator: ","))
      let filters = [("z", operation), ("a", "GREATER_THAN")].map {
        #"{"fieldFilter":{"field":{"fieldPath":"\#($0.0)"},"op":"\#($0.1)","value":{"integerValue":"0"}}}"#
      }
      let filter = #"{"compositeFilter":{"op":"AND","filters":[\#(filters.joined(separator: ","))]}}"#
      let found = try client.array(
        ":runQuery",
        #"{"structuredQuery":{"from":[{"collectionId":"c"}],"where":\#(filter)}}"#
      )
      .compactMap { $0["document"] as? [String: Any] }
      #expect(found.compactMap { ($0["name"] as? String)?.last } == ["3", "0", "1", "2"])
    }
  }

  @Test func aggregationsCountSumAndAverage() async throws {
    try await withClient { client in
      let values = [
        #"{"integerValue":"1"}"#, #"{"integerValue":"2"}"#, #"{"stringValue":"x"}"#,
        #"{"integerValue":"9223372036854775807"}"#,
      ]
      try client.commit(
        values.enumerated().map {
          client.set("c/\($0.offset)", #"{"x":\#($0.element),"small":{"integerValue":"\#($0.offset)"}}"#)
        }.joined(separator: ",")
      )
      try client.commit(client.set("c/none"))
      func run(_ aggregations: String, _ query: String = "") throws -> Any? {
        let elements = try client.array(
          ":runAggregationQuery",
          #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]\#(query)},"aggregations":[\#(aggregations)]}}"#
        )
        return (elements.first?["result"] as? [String: Any])?["aggregateFields"]
      }
      #expect(
        try isJSON(
          try run(#"{"count":{}},{"alias":"a","count":{"upTo":"2"}}"#),
          #"{"field_1":{"integerValue":"5"},"a":{"integerValue":"2"}}"#
        )
      )
      #expect(
        try isJSON(try run(#"{"count":{}}"#, #","offset":1,"limit":3"#), #"{"field_1":{"integerValue":"3"}}"#)
      )
      #expect(
        try isJSON(
          try run(
            #"{"alias":"s","sum":{"field":{"fieldPath":"small"}}},{"alias":"m","avg":{"field":{"fieldPath":"small"}}}"#
          ),
          #"{"s":{"integerValue":"6"},"m":{"doubleValue":1.5}}"#
        )
      )
      #expect(
        try isJSON(
          try run(#"{"alias":"s","sum":{"field":{"fieldPath":"x"}}}"#),
          #"{"s":{"doubleValue":9.223372036854776e18}}"#
        )
      )
      // What counts is the sum, not what is on the way to it.
      try client.commit(client.set("c/less", #"{"x":{"integerValue":"-10"}}"#))
      #expect(
        try isJSON(
          try run(#"{"alias":"s","sum":{"field":{"fieldPath":"x"}}}"#),
          #"{"s":{"integerValue":"9223372036854775800"}}"#
        )
      )
      // Large integers do not take the digits of doubles.
      let mixed = [
        #"{"doubleValue":7}"#, #"{"integerValue":"-9223372036854775808"}"#,
        #"{"integerValue":"9223372036854775807"}"#,
      ]
      try client.commit(
        mixed.enumerated().map { client.set("c/\($0.offset)", #"{"y":\#($0.element)}"#) }.joined(
          separator: ","
        )
      )
      #expect(
        try isJSON(
          try run(
            #"{"alias":"s","sum":{"field":{"fieldPath":"y"}}},{"alias":"m","avg":{"field":{"fieldPath":"y"}}}"#
          ),
          #"{"s":{"doubleValue":6.0},"m":{"doubleValue":2.0}}"#
        )
      )
      #expect(
        try isJSON(
          try run(
            #"{"alias":"s","sum":{"field":{"fieldPath":"q"}}},{"alias":"m","avg":{"field":{"fieldPath":"q"}}}"#
          ),
          #"{"s":{"integerValue":"0"},"m":{"nullValue":null}}"#
        )
      )
      let six =
        #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"aggregations":[{"count":{}},{"count":{}},{"count":{}},{"count":{}},{"count":{}},{"count":{}}]}}"#
      #expect(try client.failure("POST", ":runAggregationQuery", six) == "[400 INVALID_ARGUMENT]")
    }
  }

  @Test func aReadTimeShowsWhatWas() async throws {
    try await withClient { client in
      try client.commit(
        [
          client.set("c/kept"), client.set("c/changed", #"{"v":{"integerValue":"1"}}"#),
          client.set("c/deleted"), client.set("c/missing/s/1"),
        ].joined(separator: ",")
      )
      let elements = try client.array(":batchGet", #"{"documents":["\#(client.root)/c/kept"]}"#)
      let then = try #require(elements[0]["readTime"] as? String)
      let changed = try client.commit(
        [
          client.set("c/changed", #"{"v":{"integerValue":"2"}}"#), #"{"delete":"\#(client.root)/c/deleted"}"#,
          client.set("c/new"), #"{"delete":"\#(client.root)/c/missing/s/1"}"#, client.set("d/1"),
        ].joined(separator: ",")
      )
      try client.commit(client.set("c/changed", #"{"v":{"integerValue":"3"}}"#))

      #expect(try client.list("/c") == ["c/changed", "c/kept", "c/new"])
      // At the commit time its creations are visible and its deletions are not.
      let commitTime = try #require(changed["commitTime"] as? String)
      #expect(try client.list("/c", "readTime=\(commitTime)") == ["c/changed", "c/kept", "c/new"])
      #expect(
        try isJSON(
          try client.object("GET", "/c/changed?readTime=\(commitTime)")["fields"],
          #"{"v":{"integerValue":"2"}}"#
        )
      )
      #expect(try client.list("/c", "readTime=\(then)&pageSize=1") == ["c/changed", "c/deleted", "c/kept"])
      #expect(
        try client.list("/c", "readTime=\(then)&showMissing=true") == [
          "c/changed", "c/deleted", "c/kept", "c/missing",
        ]
      )
      #expect(
        try isJSON(
          try client.object("GET", "/c/changed?readTime=\(then)")["fields"],
          #"{"v":{"integerValue":"1"}}"#
        )
      )
      #expect(try client.failure("GET", "/c/new?readTime=\(then)") == "404 NOT_FOUND")
      #expect(
        try client.query(
          #""from":[{"collectionId":"c"}],"orderBy":[{"field":{"fieldPath":"__name__"},"direction":"DESCENDING"}]"#,
          readTime: then
        ) == ["c/kept", "c/deleted", "c/changed"]
      )
      #expect(
        try client.query(
          #""from":[{"collectionId":"c"}],"where":{"fieldFilter":{"field":{"fieldPath":"v"},"op":"EQUAL","value":{"integerValue":"1"}}}"#,
          readTime: then
        ) == ["c/changed"]
      )
      let count = try client.array(
        ":runAggregationQuery",
        #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"aggregations":[{"alias":"n","count":{}}]},"readTime":"\#(then)"}"#
      )
      #expect(
        try isJSON((count[0]["result"] as? [String: Any])?["aggregateFields"], #"{"n":{"integerValue":"3"}}"#)
      )
      #expect(
        try client.object("POST", ":listCollectionIds", #"{"readTime":"\#(then)"}"#)["collectionIds"]
          as? [String] == ["c"]
      )
      #expect(
        try client.object("POST", ":listCollectionIds", "{}")["collectionIds"] as? [String] == ["c", "d"]
      )
      #expect(try client.failure("GET", "/c?readTime=2100-01-01T00:00:00Z") == "400 INVALID_ARGUMENT")
      #expect(try client.failure("GET", "/c?readTime=2020-01-01T00:00:00Z") == "400 FAILED_PRECONDITION")
    }
  }

  @Test func partitionsCoverTheGroup() async throws {
    try await withClient { client in
      for start in stride(from: 0, to: 1000, by: 500) {
        try client.commit(
          (start..<start + 500).map { client.set("p/\($0 % 3)/g/\($0 + 1000)") }.joined(separator: ",")
        )
      }
      let body =
        #"{"structuredQuery":{"from":[{"collectionId":"g","allDescendants":true}],"orderBy":[{"field":{"fieldPath":"__name__"},"direction":"ASCENDING"}]},"partitionCount":"4","pageSize":3"#
      let first = try client.object("POST", ":partitionQuery", body + "}")
      let token = try #require(first["nextPageToken"] as? String)
      let second = try client.object("POST", ":partitionQuery", body + #","pageToken":"\#(token)"}"#)
      let partitions = [first, second].flatMap { $0["partitions"] as? [[String: Any]] ?? [] }
      let names = partitions.compactMap {
        (($0["values"] as? [[String: Any]])?.first)?["referenceValue"] as? String
      }
      #expect(names.count == 4)
      var total: [String] = []
      for index in 0...names.count {
        var cursors = ""
        if index > 0 {
          cursors += #","startAt":{"values":[{"referenceValue":"\#(names[index - 1])"}],"before":true}"#
        }
        if index < names.count {
          cursors += #","endAt":{"values":[{"referenceValue":"\#(names[index])"}],"before":true}"#
        }
        total += try client.query(
          #""from":[{"collectionId":"g","allDescendants":true}],"orderBy":[{"field":{"fieldPath":"__name__"}}]\#(cursors)"#
        )
      }
      #expect(total.count == 1000 && Set(total).count == 1000 && total == total.sorted())
      #expect(
        try client.object(
          "POST",
          ":partitionQuery",
          #"{"structuredQuery":{"from":[{"collectionId":"none","allDescendants":true}]},"partitionCount":"4"}"#
        ).isEmpty
      )
    }
  }

  @Test func aTransactionIsAbortedWhereWhatItReadHasChanged() async throws {
    try await withClient { client in
      try client.commit(client.set("c/d", #"{"n":{"integerValue":"0"}}"#))
      func begin() throws -> String {
        try client.object("POST", ":beginTransaction", "{}")["transaction"] as? String ?? ""
      }
      func commit(_ id: String, _ write: String) throws -> String {
        let body = #"{"writes":[\#(write)],"transaction":"\#(id)"}"#
        return try client.failure("POST", ":commit", body)
      }
      let read = { (id: String) in #"{"documents":["\#(client.root)/c/d"],"transaction":"\#(id)"}"# }
      let undisturbed = try begin()
      _ = try client.array(":batchGet", read(undisturbed))
      try client.commit(client.set("other/d"))
      #expect(try commit(undisturbed, client.set("c/e")) == "200")

      let disturbed = try begin()
      _ = try client.array(":batchGet", read(disturbed))
      try client.commit(client.set("c/d", #"{"n":{"integerValue":"1"}}"#))
      let again = try client.array(":batchGet", read(disturbed))
      #expect(
        try isJSON((again[0]["found"] as? [String: Any])?["fields"], #"{"n":{"integerValue":"0"}}"#),
        "it reads one moment"
      )
      #expect(try commit(disturbed, client.set("c/f")) == "409 ABORTED")
      #expect(try commit(disturbed, client.set("c/f")) == "400 INVALID_ARGUMENT", "it is over")
      #expect(try client.failure("GET", "/c/f") == "404 NOT_FOUND")

      let phantom = try client.array(
        ":runQuery",
        #"{"structuredQuery":{"from":[{"collectionId":"q"}]},"newTransaction":{"readWrite":{}}}"#
      )
      let id = try #require(phantom.first?["transaction"] as? String)
      try client.commit(client.set("q/1"))
      #expect(try commit(id, client.set("c/f")) == "409 ABORTED")

      let rolledBack = try begin()
      #expect(try client.object("POST", ":rollback", #"{"transaction":"\#(rolledBack)"}"#).isEmpty)
      #expect(try commit(rolledBack, client.set("c/f")) == "400 INVALID_ARGUMENT")
      let readOnly =
        try client.object("POST", ":beginTransaction", #"{"options":{"readOnly":{}}}"#)["transaction"]
        as? String
      #expect(try commit(readOnly ?? "", client.set("c/f")) == "400 INVALID_ARGUMENT")
      let query = #"{"structuredQuery":{"from":[{"collectionId":"c"}]},"newTransaction":{}}"#
      let begunByRead = try client.array(":runQuery", query).first?["transaction"] as? String
      #expect(try commit(begunByRead ?? "", client.set("c/f")) == "400 INVALID_ARGUMENT")
      // Refused, it goes on.
      #expect(try client.array(":batchGet", read(readOnly ?? "")).count == 1)
      #expect(try commit(readOnly ?? "", "") == "200")
    }
  }

  @Test func aTransactionThatOnlyReadsReadsWhatWasThereWhenItBegan() async throws {
    try await withClient { client in
      try client.commit(client.set("c/d", #"{"n":{"integerValue":"0"}}"#) + "," + client.set("c/e"))
      let begun = try client.object("POST", ":beginTransaction", #"{"options":{"readOnly":{}}}"#)
      let id = try #require(begun["transaction"] as? String)
      let writes = [
        client.set("c/d", #"{"n":{"integerValue":"1"}}"#), client.set("c/f"),
        #"{"delete":"\#(client.root)/c/e"}"#,
      ]
      try client.commit(writes.joined(separator: ","))
      let query = #"{"structuredQuery":{"from":[{"collectionId":"c"}]},"transaction":"\#(id)"}"#
      let found = try client.array(":runQuery", query).compactMap { $0["document"] as? [String: Any] }
      #expect(found.compactMap { ($0["name"] as? String)?.suffix(4) } == ["/c/d", "/c/e"])
      #expect(try isJSON(found.first?["fields"], #"{"n":{"integerValue":"0"}}"#))
    }
  }

  @Test func aLongAnswerComesInChunksAndIsWhole() async throws {
    try await withClient { client in
      let text = String(repeating: "x", count: 10_000)
      for start in stride(from: 0, to: 300, by: 100) {
        try client.commit(
          (start..<start + 100).map { client.set("c/\($0)", #"{"t":{"stringValue":"\#(text)"}}"#) }.joined(
            separator: ","
          )
        )
      }
      let answer = try client.call(
        "POST",
        ":runQuery",
        #"{"structuredQuery":{"from":[{"collectionId":"c"}]}}"#
      )
      #expect(answer.headers["transfer-encoding"] == "chunked")
      #expect((try answer.json as? [Any])?.count == 300)
      #expect(try client.call("GET", "/c/1").status == 200, "the connection is still usable")
    }
  }
}
