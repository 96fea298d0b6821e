import Foundation
import Testing

/// The contract of commits.
@Suite struct WriteContractTests {
  private func fields(_ client: RESTClient, _ path: String = "c/d") throws -> Any? {
    try client.object("GET", "/\(path)")["fields"]
  }

  @Test func aCommitIsAllOrNothing() async throws {
    try await withClient { client in
      try client.commit(client.set("c/there"))
      let writes = [client.set("c/a"), client.set("c/there", "{}", #","currentDocument":{"exists":false}"#)]
      #expect(
        try client.failure("POST", ":commit", #"{"writes":[\#(writes.joined(separator: ","))]}"#)
          == "409 ALREADY_EXISTS"
      )
      #expect(try client.failure("GET", "/c/a") == "404 NOT_FOUND")
    }
  }

  @Test func aMemberThatIsGivenTwiceIsRefused() async throws {
    try await withClient { client throws in
      let write = client.set("c/d", #"{"a":{"integerValue":"1"}}"#)
      let other = client.set("c/d", #"{"a":{"integerValue":"1"},"a":{"integerValue":"2"}}"#)
      for body in [#"{"writes":[\#(write)],"writes":[]}"#, #"{"writes":[\#(other)]}"#] {
        #expect(try client.failure("POST", ":commit", body) == "400 INVALID_ARGUMENT")
      }
      #expect(try client.failure("GET", "/c/d") == "404 NOT_FOUND")
    }
  }

  @Test func preconditionsHaveTheirCodes() async throws {
    try await withClient { client in
      func failure(_ write: String) throws -> String {
        try client.failure("POST", ":commit", #"{"writes":[\#(write)]}"#)
      }
      let answer = try client.commit(client.set("c/d", #"{"a":{"integerValue":"1"}}"#))
      let time = try #require((answer["writeResults"] as? [[String: Any]])?.first?["updateTime"] as? String)
      #expect(
        try failure(client.set("c/d", "{}", #","currentDocument":{"exists":false}"#)) == "409 ALREADY_EXISTS"
      )
      #expect(try failure(client.set("c/e", "{}", #","currentDocument":{"exists":true}"#)) == "404 NOT_FOUND")
      #expect(
        try failure(client.set("c/d", "{}", #","currentDocument":{"updateTime":"2026-01-01T00:00:00Z"}"#))
          == "400 FAILED_PRECONDITION"
      )
      #expect(
        try failure(
          client.set("c/d", "{}", #","currentDocument":{"updateTime":"2026-01-01T00:00:00.0000001Z"}"#)
        )
          == "400 INVALID_ARGUMENT"
      )
      try client.commit(
        #"{"delete":"\#(client.root)/c/d","currentDocument":{"updateTime":"\#(time)"}}"#
      )
      #expect(
        try failure(#"{"delete":"\#(client.root)/c/d","currentDocument":{"exists":true}}"#) == "404 NOT_FOUND"
      )
    }
  }

  @Test func aWriteThatChangesNothingKeepsItsTime() async throws {
    try await withClient { client in
      func updateTime(_ write: String) throws -> String? {
        (try client.commit(write)["writeResults"] as? [[String: Any]])?.first?["updateTime"] as? String
      }
      let first = try updateTime(client.set("c/d", #"{"a":{"integerValue":"1"},"b":{"stringValue":"x"}}"#))
      #expect(
        try updateTime(client.set("c/d", #"{"b":{"stringValue":"x"},"a":{"integerValue":"1"}}"#)) == first
      )
      #expect(try updateTime(client.set("c/d", "{}", #","updateMask":{}"#)) == first)
      #expect(try updateTime(client.set("c/d", #"{"a":{"doubleValue":1},"b":{"stringValue":"x"}}"#)) != first)
    }
  }

  @Test func masksSetDeleteAndKeep() async throws {
    try await withClient { client in
      try client.commit(
        client.set(
          "c/d",
          #"{"a":{"integerValue":"1"},"m":{"mapValue":{"fields":{"x":{"integerValue":"1"},"y":{"integerValue":"2"}}}}}"#
        )
      )
      try client.commit(
        client.set(
          "c/d",
          #"{"m":{"mapValue":{"fields":{"x":{"integerValue":"9"}}}},"z":{"integerValue":"3"}}"#,
          #","updateMask":{"fieldPaths":["m.x","m.y","q"]}"#
        )
      )
      #expect(
        try isJSON(
          try fields(client),
          #"{"a":{"integerValue":"1"},"m":{"mapValue":{"fields":{"x":{"integerValue":"9"}}}}}"#
        )
      )
      // An empty mask writes nothing, but creates a missing document.
      try client.commit(
        client.set("c/d", #"{"z":{"integerValue":"3"}}"#, #","updateMask":{"fieldPaths":[]}"#)
      )
      #expect(
        try isJSON(
          try fields(client),
          #"{"a":{"integerValue":"1"},"m":{"mapValue":{"fields":{"x":{"integerValue":"9"}}}}}"#
        )
      )
      try client.commit(client.set("c/new", #"{"z":{"integerValue":"3"}}"#, #","updateMask":{}"#))
      #expect(try fields(client, "c/new") == nil)
      // Without a mask the document is replaced.
      try client.commit(client.set("c/d", #"{"z":{"integerValue":"3"}}"#))
      #expect(try isJSON(try fields(client), #"{"z":{"integerValue":"3"}}"#))
    }
  }

  @Test func transformsAreComputedInOrder() async throws {
    try await withClient { client in
      try client.commit(
        client.set(
          "c/d",
          #"{"n":{"integerValue":"9223372036854775800"},"l":{"arrayValue":{"values":[{"integerValue":"3"}]}},"s":{"stringValue":"x"}}"#
        )
      )
      let transforms = #"""
        ,"updateMask":{},"updateTransforms":[
        {"fieldPath":"n","increment":{"integerValue":"100"}},
        {"fieldPath":"s","increment":{"doubleValue":1.5}},
        {"fieldPath":"s","maximum":{"integerValue":"7"}},
        {"fieldPath":"s","minimum":{"doubleValue":"NaN"}},
        {"fieldPath":"l","appendMissingElements":{"values":[{"doubleValue":3.0},{"stringValue":"a"},{"stringValue":"a"}]}},
        {"fieldPath":"new.list","removeAllFromArray":{"values":[{"integerValue":"1"}]}},
        {"fieldPath":"t","setToServerValue":"REQUEST_TIME"}]
        """#
      let answer = try client.commit(
        [
          client.set("c/d", "{}", transforms),
          client.set(
            "c/e",
            "{}",
            #","updateTransforms":[{"fieldPath":"t","setToServerValue":"REQUEST_TIME"}]"#
          ),
        ]
        .joined(separator: ",")
      )
      let results = try #require(
        (answer["writeResults"] as? [[String: Any]])?.first?["transformResults"] as? [Any]
      )
      #expect(results.count == 7)
      #expect(
        try isJSON(
          Array(results[..<6]),
          #"[{"integerValue":"9223372036854775807"},{"doubleValue":1.5},{"integerValue":"7"},{"doubleValue":"NaN"},{"nullValue":null},{"nullValue":null}]"#
        )
      )
      let read = try #require(try fields(client) as? [String: Any])
      #expect(try isJSON(read["l"], #"{"arrayValue":{"values":[{"integerValue":"3"},{"stringValue":"a"}]}}"#))
      #expect(try isJSON(read["new"], #"{"mapValue":{"fields":{"list":{"arrayValue":{}}}}}"#))
      let time = try #require((read["t"] as? [String: Any])?["timestampValue"] as? String)
      #expect(time.hasPrefix(String((answer["commitTime"] as? String ?? "").prefix(19))))
      #expect(try isJSON(try fields(client, "c/e"), #"{"t":{"timestampValue":"\#(time)"}}"#))
      #expect(time.count <= "2026-01-01T00:00:00.000Z".count, "milliseconds: \(time)")
    }
  }

  @Test func oneDocumentMayBeWrittenTwiceInACommit() async throws {
    try await withClient { client in
      try client.commit(
        [
          client.set("c/d", #"{"a":{"integerValue":"1"}}"#),
          client.set("c/d", #"{"b":{"integerValue":"2"}}"#, #","updateMask":{"fieldPaths":["b"]}"#),
        ].joined(separator: ",")
      )
      #expect(try isJSON(try fields(client), #"{"a":{"integerValue":"1"},"b":{"integerValue":"2"}}"#))
    }
  }

  @Test(arguments: [
    #"{"a":{"arrayValue":{"values":[{"arrayValue":{}}]}}}"#, #"{"__a__":{"nullValue":null}}"#,
    #"{"":{"nullValue":null}}"#,
    #"{"a":{"geoPointValue":{"latitude":91}}}"#, #"{"a":{}}"#,
    #"{"a":{"integerValue":"1","stringValue":"x"}}"#,
    #"{"a":{"integerValue":"9223372036854775808"}}"#, #"{"a":{"timestampValue":"2026-01-01T00:00:00"}}"#,
    #"{"a":{"fieldReferenceValue":"x"}}"#, #"{"a":{"unknownValue":1}}"#, #"{"a":{"referenceValue":"c/d"}}"#,
    #"{"a":{"stringValue":"\ud800"}}"#, #"{"a":{"bytesValue":"*"}}"#,
  ])
  func fieldsThatCannotBeStoredAreRefused(fields: String) async throws {
    try await withClient { client async throws in
      #expect(
        try client.failure("POST", ":commit", #"{"writes":[\#(client.set("c/d", fields))]}"#)
          == "400 INVALID_ARGUMENT"
      )
    }
  }

  @Test(arguments: [
    #"{"writes":[],"foo":1}"#, #"{"writes":[{}]}"#, #"{"writes":[{"update":{"fields":{}}}]}"#, "[]", "{",
    "null x",
    #"{"writes":[{"delete":"c/d"}]}"#, #"{"writes":{}}"#, #"{"transaction":"AAAA"}"#, #"{"transaction":"*"}"#,
  ])
  func aMalformedCommitIsRefused(body: String) async throws {
    try await withClient { client async throws in
      #expect(try client.failure("POST", ":commit", body) == "400 INVALID_ARGUMENT")
    }
  }

  @Test func limitsAreKept() async throws {
    try await withClient { client async throws in
      func status(_ fields: String, _ path: String = "c/d") throws -> Int {
        try client.call("POST", ":commit", #"{"writes":[\#(client.set(path, fields))]}"#).status
      }
      let text = { (count: Int) in #"{"stringValue":"\#(String(repeating: "x", count: count))"}"# }
      #expect(try status(#"{"a":\#(text(1_048_486))}"#) == 200)
      #expect(try status(#"{"a":\#(text(1_048_488))}"#) == 400)
      #expect(try status(#"{"a":\#(text(600_000)),"b":\#(text(600_000))}"#) == 400)
      func nested(_ levels: Int) -> String {
        String(repeating: #"{"mapValue":{"fields":{"a":"#, count: levels) + #"{"nullValue":null}"#
          + String(repeating: "}}}", count: levels)
      }
      #expect(try status(#"{"a":\#(nested(20))}"#) == 200)
      #expect(try status(#"{"a":\#(nested(21))}"#) == 400)
      #expect(try status(#"{"a":\#(nested(3000))}"#) == 400)
      #expect(try status("{}", "c/\(String(repeating: "é", count: 750))") == 200)
      #expect(try status("{}", "c/\(String(repeating: "é", count: 751))") == 400)
      #expect(try status(#"{"\#(String(repeating: "f", count: 1501))":{"nullValue":null}}"#) == 400)
    }
  }

  @Test func aBatchIsNotAtomicAndHasAStatusEach() async throws {
    try await withClient { client in
      try client.commit(client.set("c/there"))
      let exists = #","currentDocument":{"exists":false}"#
      let answer = try client.object(
        "POST",
        ":batchWrite",
        #"{"writes":[\#(client.set("c/there", "{}", exists)),\#(client.set("c/new", "{}", exists))],"labels":{"k":"v"}}"#
      )
      let status = try #require(answer["status"] as? [[String: Any]])
      #expect(status.map { $0["code"] as? Int } == [6, nil])
      let results = try #require(answer["writeResults"] as? [[String: Any]])
      #expect(results.count == 2 && results[0].isEmpty && results[1]["updateTime"] is String)
      #expect(try client.list("/c") == ["c/new", "c/there"])
      #expect(
        try client.failure(
          "POST",
          ":batchWrite",
          #"{"writes":[\#(client.set("c/x")),\#(client.set("c/x"))]}"#
        ) == "400 INVALID_ARGUMENT"
      )
      #expect(try client.failure("GET", "/c/x") == "404 NOT_FOUND")
    }
  }

  @Test func commitTimesStrictlyIncrease() async throws {
    try await withClient { client in
      let times = try (0..<50).map { try client.commit(client.set("c/\($0)"))["commitTime"] as? String ?? "" }
      // All have the same width except for trailing groups of zeros, which the padding restores.
      let padded = times.map {
        $0.dropLast().padding(toLength: 26, withPad: $0.contains(".") ? "0" : ".000000", startingAt: 0)
      }
      #expect(zip(padded, padded.dropFirst()).allSatisfy { $0 < $1 })
    }
  }
}
