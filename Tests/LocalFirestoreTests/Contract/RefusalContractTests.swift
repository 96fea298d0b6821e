import Foundation
import Testing

/// What the service refuses before it looks at a document, and what it counts.
@Suite struct RefusalContractTests {
  private static func query(_ rest: String) -> String {
    #"{"structuredQuery":{"from":[{"collectionId":"c"}],\#(rest)}}"#
  }

  private static func order(_ fields: String...) -> String {
    "\"orderBy\":[" + fields.map { #"{"field":{"fieldPath":"\#($0)"}}"# }.joined(separator: ",") + "]"
  }

  private static func filter(
    _ field: String,
    _ operation: String = "GREATER_THAN",
    _ value: String = #"{"integerValue":"1"}"#
  ) -> String {
    #""where":{"fieldFilter":{"field":{"fieldPath":"\#(field)"},"op":"\#(operation)","value":\#(value)}}"#
  }

  private static func aggregations(_ aggregations: String, _ rest: String = "") -> String {
    #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]\#(rest)},"aggregations":[\#(aggregations)]}}"#
  }

  private static let malformedVector =
    #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"integerValue":"1"}]}}}}}"#

  @Test func whatIsNotOfferedIsNamed() async throws {
    try await withClient { client throws in
      let nearest = #""findNearest":{"vectorField":{"fieldPath":"v"},"distanceMeasure":"COSINE","limit":3}"#
      let query = Self.query(nearest)
      #expect(try client.failure("POST", ":runQuery", query) == "[501 UNIMPLEMENTED]")
      #expect(
        try client.failure("POST", ":runQuery", query.replacing("findNearest", with: "find_nearest"))
          == "[501 UNIMPLEMENTED]"
      )
      let count = Self.aggregations(#"{"count":{}}"#, "," + nearest)
      #expect(try client.failure("POST", ":runAggregationQuery", count) == "[501 UNIMPLEMENTED]")
      let explained =
        #"{"structuredQuery":{"from":[{"collectionId":"c"}]},"explainOptions":{"analyze":true}}"#
      #expect(try client.failure("POST", ":runQuery", explained) == "[501 UNIMPLEMENTED]")
    }
  }

  /// The fields of a write that no document can have.
  @Test(arguments: [
    #"{"v":{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{}}}}}}"#,
    #"{"v":{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"integerValue":"1"}]}}}}}}"#,
    #"{"r":{"referenceValue":"projects/p/databases/(default)/documents/c/__x__"}}"#,
    #"{"r":{"referenceValue":"projects/p/databases/(default)/documents/c/__id07__"}}"#,
    #"{"__x__":{"integerValue":"1"}}"#,
  ])
  func fieldsOfNoDocument(_ fields: String) async throws {
    try await withClient { client throws in
      // Also where the mask leaves the field out, and before the precondition.
      for rest in ["", #","updateMask":{"fieldPaths":["a"]}"#, #","currentDocument":{"exists":true}"#] {
        let write = client.set("c/d", fields, rest)
        #expect(try client.failure("POST", ":commit", #"{"writes":[\#(write)]}"#) == "400 INVALID_ARGUMENT")
        // One that can never be applied is an error of the request, and the others are not applied.
        let batch = #"{"writes":[\#(client.set("c/other")),\#(write)]}"#
        #expect(try client.failure("POST", ":batchWrite", batch) == "400 INVALID_ARGUMENT")
      }
      #expect(try client.list("/c") == [])
    }
  }

  /// The names and the sizes of what a mask leaves out do not matter.
  @Test(arguments: [
    #"{"":{"integerValue":"1"}}"#, #"{"m":{"mapValue":{"fields":{"":{"integerValue":"1"}}}}}"#,
    #"{"\#(String(repeating: "n", count: 1501))":{"integerValue":"1"}}"#,
    #"{"m":{"stringValue":"\#(String(repeating: "m", count: 1_048_488))"}}"#,
    #"{"m":\#(String(repeating: #"{"mapValue":{"fields":{"m":"#, count: 21)){"integerValue":"1"}\#(String(repeating: "}}}", count: 21))}"#,
  ])
  func fieldsThatTheMaskLeavesOut(_ fields: String) async throws {
    try await withClient { client throws in
      let write = client.set("c/d", fields)
      #expect(try client.failure("POST", ":commit", #"{"writes":[\#(write)]}"#) == "400 INVALID_ARGUMENT")
      try client.commit(client.set("c/d", fields, #","updateMask":{"fieldPaths":["a"]}"#))
      #expect(try client.object("GET", "/c/d")["fields"] == nil)
    }
  }

  @Test(arguments: ["", #","fieldTransforms":[]"#])
  func aTransformOfNothing(_ rest: String) async throws {
    try await withClient { client throws in
      let write = #"{"transform":{"document":"\#(client.root)/c/d"\#(rest)}}"#
      #expect(try client.failure("POST", ":commit", #"{"writes":[\#(write)]}"#) == "400 INVALID_ARGUMENT")
    }
  }

  @Test(arguments: [
    #"{"fieldPath":"n","increment":{"stringValue":"1"}}"#,
    #"{"fieldPath":"n","maximum":{"nullValue":null}}"#,
    #"{"fieldPath":"l","removeAllFromArray":{"values":[{"referenceValue":"c/d"}]}}"#,
    #"{"fieldPath":"l","removeAllFromArray":{"values":[{"geoPointValue":{"longitude":181}}]}}"#,
    #"{"fieldPath":"l","removeAllFromArray":{"values":[{"mapValue":{"fields":{"__x__":{"nullValue":null}}}}]}}"#,
    #"{"fieldPath":"l","removeAllFromArray":{"values":[\#(malformedVector)]}}"#,
    #"{"fieldPath":"m","increment":{"integerValue":"1"}},{"fieldPath":"m.k","increment":{"integerValue":"1"}}"#,
    #"{"fieldPath":"m.k","setToServerValue":"REQUEST_TIME"},{"fieldPath":"m","appendMissingElements":{"values":[]}}"#,
  ])
  func transformsThatCannotBe(_ transforms: String) async throws {
    try await withClient { client throws in
      let write = client.set(
        "c/d",
        "{}",
        #","updateTransforms":[\#(transforms)],"currentDocument":{"exists":true}"#
      )
      #expect(try client.failure("POST", ":commit", #"{"writes":[\#(write)]}"#) == "400 INVALID_ARGUMENT")
    }
  }

  @Test func anUpdateTimeThatIsLaterThanTheStoredOne() async throws {
    try await withClient { client throws in
      try client.commit(client.set("c/there"))
      for (path, status) in [("c/there", "400 INVALID_ARGUMENT"), ("c/missing", "400 FAILED_PRECONDITION")] {
        let write = client.set(path, "{}", #","currentDocument":{"updateTime":"2200-01-01T00:00:00Z"}"#)
        #expect(try client.failure("POST", ":commit", #"{"writes":[\#(write)]}"#) == status)
      }
    }
  }

  /// 40,000 entries in the indexes of single fields: an element counts one, any other value two.
  @Test func indexEntries() async throws {
    try await withClient { client throws in
      func elements(_ count: Int) -> String {
        Array(repeating: #"{"nullValue":null}"#, count: count).joined(separator: ",")
      }
      let most = #"{"n":{"integerValue":"1"},"l":{"arrayValue":{"values":[\#(elements(39_998))]}}}"#
      let more = #"{"n":{"integerValue":"1"},"l":{"arrayValue":{"values":[\#(elements(39_999))]}}}"#
      try client.commit(client.set("c/most", most))
      #expect(
        try client.failure("POST", ":commit", #"{"writes":[\#(client.set("c/more", more))]}"#)
          == "400 INVALID_ARGUMENT"
      )
    }
  }

  @Test(arguments: [
    query(
      #""where":{"compositeFilter":{"op":"OR","filters":[{"fieldFilter":{"field":{"fieldPath":"a"},"op":"NOT_IN","value":{"arrayValue":{"values":[{"integerValue":"1"}]}}}}]}}"#
    ),
    query(
      #""where":{"compositeFilter":{"op":"AND","filters":[{"fieldFilter":{"field":{"fieldPath":"a"},"op":"NOT_IN","value":{"arrayValue":{"values":[{"integerValue":"1"}]}}}},{"compositeFilter":{"op":"OR","filters":[{"unaryFilter":{"field":{"fieldPath":"b"},"op":"IS_NULL"}}]}}]}}"#
    ),
    query(filter("a", "EQUAL", #"{"referenceValue":"c/d"}"#)),
    query(filter("a", "EQUAL", malformedVector)),
    query(order("a") + #","startAt":{"values":[{"referenceValue":"c/d"}]}"#),
    query(order("a") + #","endAt":{"values":[{"geoPointValue":{"latitude":91}}]}"#),
    query(order("a") + #","startAt":{"values":[{"mapValue":{"fields":{"__x__":{"nullValue":null}}}}]}"#),
    query(order("a") + #","endAt":{"values":[\#(malformedVector)]}"#),
    query(filter("a", "EQUAL", #"{"mapValue":{"fields":{"__x__":{"nullValue":null}}}}"#)),
    query(order("__x__")), query(order("a.__x__")), query(filter("__x__")),
    query(#""select":{"fields":[{"fieldPath":"__x__"}]}"#),
    query(order("__name__", "a")), query(order("__name__") + "," + filter("a")),
    query(order("a") + #","startAt":{"values":[{"integerValue":"1"},{"stringValue":"x"}]}"#),
    query(#""endAt":{"values":[{"integerValue":"1"}]}"#),
    #"{"structuredQuery":{"from":[{}],\#(filter("a"))}}"#,
    #"{"structuredQuery":{"from":[{}],\#(order("a"))}}"#,
  ])
  func queries(_ body: String) async throws {
    try await withClient { client throws in
      #expect(try client.failure("POST", ":runQuery", body) == "[400 INVALID_ARGUMENT]")
    }
  }

  @Test(arguments: [
    aggregations(""), aggregations(#"{"sum":{"field":{"fieldPath":"__name__"}}}"#),
    aggregations(#"{"alias":"__x__","count":{}}"#),
    aggregations(#"{"sum":{"field":{"fieldPath":"n"}}}"#, "," + order("__name__")),
    aggregations(
      #"{"avg":{"field":{"fieldPath":"n"}}}"#,
      "," + filter("__name__", "NOT_EQUAL", #"{"referenceValue":"ROOT/c/d"}"#)
    ),
  ])
  func aggregated(_ body: String) async throws {
    try await withClient { client throws in
      let body = body.replacingOccurrences(of: "ROOT", with: client.root)
      #expect(try client.failure("POST", ":runAggregationQuery", body) == "[400 INVALID_ARGUMENT]")
    }
  }

  @Test func masks() async throws {
    try await withClient { client throws in
      let body = #"{"documents":["\#(client.root)/c/d"],"mask":{"fieldPaths":["__x__"]}}"#
      #expect(try client.failure("POST", ":batchGet", body) == "[400 INVALID_ARGUMENT]")
      #expect(try client.failure("GET", "/c/d?mask.fieldPaths=a.__x__") == "400 INVALID_ARGUMENT")
      #expect(try client.failure("GET", "/c?mask.fieldPaths=__x__") == "400 INVALID_ARGUMENT")
      #expect(try client.list("/c", "mask.fieldPaths=__name__") == [])
    }
  }

  @Test func transactions() async throws {
    try await withClient { client throws in
      func begin(_ options: String) throws -> String {
        try #require(
          try client.object("POST", ":beginTransaction", #"{"options":\#(options)}"#)["transaction"]
            as? String
        )
      }
      func refused(_ options: String) throws -> String {
        try client.failure("POST", ":beginTransaction", #"{"options":\#(options)}"#)
      }
      for unknown in ["AAAA", "AAAAAAAAAAAAAAAAAAAAAA=="] {
        #expect(
          try client.failure("POST", ":rollback", #"{"transaction":"\#(unknown)"}"#) == "400 INVALID_ARGUMENT"
        )
        #expect(try refused(#"{"readWrite":{"retryTransaction":"\#(unknown)"}}"#) == "400 INVALID_ARGUMENT")
      }
      let ended = try begin(#"{"readWrite":{}}"#)
      // One that has ended is known all the same: clients roll back what failed, and retry what was aborted.
      for _ in 0..<2 { _ = try client.object("POST", ":rollback", #"{"transaction":"\#(ended)"}"#) }
      _ = try begin(#"{"readWrite":{"retryTransaction":"\#(ended)"}}"#)
      let reading = try begin(#"{"readOnly":{}}"#)
      #expect(try refused(#"{"readWrite":{"retryTransaction":"\#(reading)"}}"#) == "400 INVALID_ARGUMENT")
      #expect(try refused(#"{"readOnly":{"readTime":"2020-01-01T00:00:00Z"}}"#) == "400 FAILED_PRECONDITION")
      #expect(try refused(#"{"readOnly":{"readTime":"2200-01-01T00:00:00Z"}}"#) == "400 INVALID_ARGUMENT")
    }
  }

  /// Google's system tests: limit and offset count in the order of the fields that are aggregated, by their names, and
  /// documents that lack one of them are not counted.
  @Test(arguments: [
    (#"{"sum":{"field":{"fieldPath":"x"}}}"#, #","limit":1"#, #"{"field_1":{"integerValue":"1"}}"#),
    (#"{"sum":{"field":{"fieldPath":"x"}}}"#, #","limit":2"#, #"{"field_1":{"integerValue":"4"}}"#),
    (
      #"{"sum":{"field":{"fieldPath":"x"}}}"#, #","limit":1,"offset":1"#, #"{"field_1":{"integerValue":"3"}}"#
    ),
    (
      #"{"sum":{"field":{"fieldPath":"y"}}},{"sum":{"field":{"fieldPath":"x"}}}"#, #","limit":1"#,
      #"{"field_1":{"integerValue":"2"},"field_2":{"integerValue":"1"}}"#
    ),
    (
      #"{"count":{}},{"avg":{"field":{"fieldPath":"y"}}}"#, "",
      #"{"field_1":{"integerValue":"3"},"field_2":{"doubleValue":3}}"#
    ),
    (
      #"{"count":{}},{"avg":{"field":{"fieldPath":"y"}}}"#, #","limit":2"#,
      #"{"field_1":{"integerValue":"2"},"field_2":{"doubleValue":1.5}}"#
    ),
    (
      #"{"sum":{"field":{"fieldPath":"x"}}}"#, "," + order("y") + #","limit":1"#,
      #"{"field_1":{"integerValue":"5"}}"#
    ),
  ])
  func whatIsAggregated(_ aggregations: String, _ rest: String, _ expected: String) async throws {
    try await withClient { client throws in
      try client.commit(
        [
          client.set("c/1", #"{"x":{"integerValue":"5"},"y":{"integerValue":"1"}}"#),
          client.set("c/2", #"{"x":{"integerValue":"3"}}"#),
          client.set("c/3", #"{"y":{"integerValue":"6"}}"#),
          client.set("c/4", #"{"x":{"integerValue":"1"},"y":{"integerValue":"2"}}"#),
        ].joined(separator: ",")
      )
      let parts = try client.array(":runAggregationQuery", Self.aggregations(aggregations, rest))
      #expect(try isJSON((parts[0]["result"] as? [String: Any])?["aggregateFields"], expected))
    }
  }

  /// null satisfies no operator; a time is compared as it is stored.
  @Test(arguments: [
    ("n", "EQUAL", #"{"nullValue":null}"#, [String]()), ("n", "NOT_EQUAL", #"{"nullValue":null}"#, []),
    ("n", "LESS_THAN_OR_EQUAL", #"{"nullValue":null}"#, []),
    ("n", "IN", #"{"arrayValue":{"values":[{"nullValue":null},{"integerValue":"1"}]}}"#, ["c/one"]),
    ("l", "ARRAY_CONTAINS", #"{"nullValue":null}"#, []),
    (
      "l", "ARRAY_CONTAINS_ANY", #"{"arrayValue":{"values":[{"nullValue":null},{"integerValue":"1"}]}}"#,
      ["c/one"]
    ),
    ("t", "EQUAL", #"{"timestampValue":"2026-01-31T12:00:00.123456789Z"}"#, ["c/one"]),
  ])
  func whatIsEqual(_ field: String, _ operation: String, _ value: String, _ expected: [String]) async throws {
    try await withClient { client throws in
      try client.commit(
        [
          client.set(
            "c/null",
            #"{"n":{"nullValue":null},"l":{"arrayValue":{"values":[{"nullValue":null}]}}}"#
          ),
          client.set(
            "c/one",
            #"{"n":{"integerValue":"1"},"l":{"arrayValue":{"values":[{"integerValue":"1"}]}},"t":{"timestampValue":"2026-01-31T12:00:00.123456Z"}}"#
          ),
        ].joined(separator: ",")
      )
      let filter = Self.filter(field, operation, value)
      #expect(try client.query(#""from":[{"collectionId":"c"}],\#(filter)"#) == expected)
    }
  }
}
