import Foundation
import TestSupport
import Testing

@Suite("MiniFirestore, reading", .timeLimit(.minutes(60)))
struct MiniFirestoreReadTests {
  private func mini(_ lines: String, plain: Bool = false, seed: UInt64 = 1) throws -> MiniFirestore {
    var options = MiniFirestore.Options()
    options.isAwkward = !plain
    options.seed = seed
    let mini = MiniFirestore(options)
    try mini.load(jsonLines: lines)
    return mini
  }

  // MARK: Lists

  @Test(
    "every document is listed once, over pages that are short and empty",
    arguments: [1, 3, 20, 300, 5000]
  )
  func pages(size: Int) throws {
    let client = MiniClient(try mini(numbered("users", 700) + "\n" + numbered("users/d1000/notes", 5)))
    let (pages, tokens) = try client.pages("users", "pageSize=\(size)")
    #expect(pages.flatMap { $0 } == (0..<700).map { "d\(1000 + $0)" })
    #expect(pages.allSatisfy { $0.count <= min(size, 300) })
    #expect(pages.dropLast().contains([]))
    #expect(
      tokens.allSatisfy { token in "+/=&%# é\"".unicodeScalars.allSatisfy(token.unicodeScalars.contains) }
    )
  }

  @Test("a small list has an empty page too; pages are 20 unless asked", arguments: [3, 4])
  func smallPages(count: Int) throws {
    let (pages, _) = try MiniClient(mini(numbered("users", count))).pages("users", "")
    #expect(pages.flatMap { $0 }.count == count)
    #expect(pages.dropLast().contains([]))
    let plain = MiniClient(try mini(numbered("users", 41), plain: true))
    #expect(try plain.pages("users", "").pages.map(\.count) == [20, 20, 1])
  }

  @Test("a list of nothing is an empty object")
  func emptyList() throws {
    let client = MiniClient(try mini(""))
    #expect(try client.get("/users?pageSize=300").isEmpty)
    #expect(try client.post(":listCollectionIds", "{}").isEmpty)
  }

  @Test("a page token must come back exactly, with the same parameters")
  func tokens() throws {
    let client = MiniClient(try mini(numbered("users", 10)))
    let first = try client.get("/users?pageSize=3&mask.fieldPaths=n")
    let token = MiniClient.encoded(try #require(first["nextPageToken"] as? String))
    let same = "/users?mask.fieldPaths=n&pageToken=\(token)"
    #expect(try client.failure("GET", same + "&pageSize=5&prettyPrint=false") == nil)
    for wrong in [
      "/users?pageToken=\(token)", same + "&showMissing=true", "/others?mask.fieldPaths=n&pageToken=\(token)",
      same + "x", "/users?mask.fieldPaths=n&pageToken=" + token.replacingOccurrences(of: "%2b", with: "+"),
    ] {
      #expect(try client.failure("GET", wrong) == "400 INVALID_ARGUMENT", "\(wrong)")
    }
  }

  @Test("masks, missing parents, order, odd requests")
  func listParameters() throws {
    let lines = #"""
      {"fields":{"a":{"integerValue":"1"},"b.c":{"mapValue":{"fields":{"x":{"nullValue":null},"y":{"nullValue":null}}}}},"name":"users/u2"}
      {"fields":{},"name":"users/u1/notes/n1"}
      {"fields":{},"name":"users/u4/notes/n1/deep/d1"}
      {"fields":{},"name":"users/u3"}
      """#
    let client = MiniClient(try mini(lines, plain: true))
    let masked = try client.get("/users?mask.fieldPaths=%60b.c%60.x&mask.fieldPaths=none")
    let documents = try #require(masked["documents"] as? [MiniClient.Object])
    let fields = try #require(documents[0]["fields"] as? NSDictionary)
    #expect(fields == ["b.c": ["mapValue": ["fields": ["x": ["nullValue": NSNull()]]]]])
    #expect(documents[1]["fields"] == nil)
    #expect(try client.pages("users", "").pages == [["u2", "u3"]])
    #expect(try client.pages("users", "showMissing=true").pages == [["u1", "u2", "u3", "u4"]])
    #expect(try client.pages("users", "orderBy=__name__%20desc").pages == [["u3", "u2"]])
    #expect(try client.pages("users/u1/notes", "").pages == [["n1"]])
    let all = try client.get("/users?showMissing=true&mask.fieldPaths=__name__")
    let missing = try #require((all["documents"] as? [MiniClient.Object])?.first)
    #expect(missing.keys.sorted() == ["name"])
    for wrong in [
      "pageSize=x", "pageSize=-1", "unknown=1", "readTime=yesterday", "mask.fieldPaths=a..b",
      "readTime=2999-01-01T00:00:00Z", "showMissing=1",
    ] {
      #expect(try client.failure("GET", "/users?\(wrong)") == "400 INVALID_ARGUMENT", "\(wrong)")
    }
    #expect(try client.failure("GET", "/users/nobody") == "404 NOT_FOUND")
  }

  @Test("collection ids come in pages")
  func collections() throws {
    let names = (0..<7).map { "c\($0)" }
    let lines = names.map { numbered($0, 1) } + [numbered("c0/d1000/sub", 1), numbered("c0/ghost/sub2", 1)]
    let client = MiniClient(try mini(lines.joined(separator: "\n")))
    func ids(_ parent: String) throws -> [[String]] {
      var pages: [[String]] = []
      var token = ""
      repeat {
        let quoted = String(decoding: try JSONEncoder().encode(token), as: UTF8.self)
        let page = try client.post("\(parent):listCollectionIds", "{\"pageSize\":3,\"pageToken\":\(quoted)}")
        pages.append(page["collectionIds"] as? [String] ?? [])
        token = page["nextPageToken"] as? String ?? ""
      } while !token.isEmpty
      return pages
    }
    #expect(try ids("").flatMap { $0 } == names)
    #expect(try ids("").dropLast().contains([]))
    #expect(try ids("/c0/d1000") == [["sub"]])
    #expect(try ids("/c0/ghost") == [["sub2"]])
    #expect(
      try client.failure("POST", ":listCollectionIds", #"{"parent":"x"}"#) == "400 INVALID_ARGUMENT"
    )
  }

  // MARK: Values

  @Test("values come in every spelling and mean the same", arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func spellings(seed: UInt64) throws {
    let line = #"""
      {"fields":{"array":{"arrayValue":{"values":[]}},"double":{"arrayValue":{"values":[{"doubleValue":12300000.0},{"doubleValue":-1},{"doubleValue":0.1},{"doubleValue":"NaN"}]}},"geo":{"geoPointValue":{"latitude":0,"longitude":-1.5}},"map":{"mapValue":{"fields":{}}},"time":{"timestampValue":"2026-01-02T03:04:05.123456789+05:30"}},"name":"c/d"}
      """#
    let client = MiniClient(try mini(line, seed: seed))
    let fields = try #require(client.get("/c/d?prettyPrint=\(seed % 2 == 0)")["fields"] as? MiniClient.Object)
    func value(_ name: String, _ kind: String) -> Any? { (fields[name] as? MiniClient.Object)?[kind] }
    let doubles = (value("double", "arrayValue") as? MiniClient.Object)?["values"] as? [MiniClient.Object]
    #expect(doubles?[0]["doubleValue"] as? Double == 12_300_000)
    #expect(doubles?[1]["doubleValue"] as? Double == -1)
    #expect(doubles?[2]["doubleValue"] as? Double == 0.1)
    #expect(doubles?[3]["doubleValue"] as? String == "NaN")
    let geoPoint = value("geo", "geoPointValue") as? MiniClient.Object
    #expect(geoPoint?["longitude"] as? Double == -1.5)
    #expect(geoPoint?["latitude"] == nil)
    #expect((value("array", "arrayValue") as? MiniClient.Object)?["values"] == nil)
    #expect((value("map", "mapValue") as? MiniClient.Object)?["fields"] == nil)
    #expect(value("time", "timestampValue") as? String == "2026-01-01T21:34:05.123456Z")
  }

  @Test("ids are told apart by their bytes, and decoded once", arguments: [false, true])
  func ids(plain: Bool) async throws {
    let ids = ["a:b", "#", "%", "%2F", " ", "caf\u{e9}", "cafe\u{301}", "?x=1", "\"", "+", ":commit"]
    let mini = try mini("", plain: plain)
    for id in ids { try mini.put("c/\(id)", fields: #"{"id":{"integerValue":"1"}}"#) }
    #expect(mini.snapshot().count == ids.count)
    try await HTTPTestServer.withServer(mini.handler) { server in
      for id in ids {
        let encoded = id.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let answer = try await exchange(server, "GET", "/v1/\(MiniClient.root)/c/\(encoded)")
        #expect(answer.status == 200)
        let name = try MiniClient(mini).object(TestResponse(200, body: answer.body))["name"] as? String
        #expect(name?.utf8.elementsEqual("\(MiniClient.root)/c/\(id)".utf8) == true, "\(id)")
      }
      #expect(try await exchange(server, "GET", "/v1/\(MiniClient.root)/c/a:b").status == 404)
      #expect(server.requests(.get).count == ids.count + 1)
    }
    #expect(mini.requestCount(.get) == ids.count + 1)
  }

  @Test("batchGet answers out of order, and each document once")
  func batchGet() throws {
    let client = MiniClient(try mini(numbered("c", 50)))
    let ids = (0..<50).map { "d\(1000 + $0)" } + ["ghost", "d1000"]
    let names = ids.map { "\"\(MiniClient.root)/c/\($0)\"" }.joined(separator: ",")
    let elements = try client.stream(":batchGet", "{\"documents\":[\(names)]}")
    let found = elements.compactMap { $0["found"] as? MiniClient.Object }.map { MiniClient.id($0["name"]) }
    #expect(found.sorted() == Array(ids.prefix(50)))
    #expect(found != found.sorted())
    #expect(elements.compactMap { $0["missing"] as? String }.map(MiniClient.id) == ["ghost"])
    #expect(elements.allSatisfy { $0["readTime"] is String })
    let elsewhere = #"{"documents":["projects/other/databases/(default)/documents/c/d1000"]}"#
    #expect(try client.failure("POST", ":batchGet", elsewhere) == "400 INVALID_ARGUMENT")
  }

  // MARK: Queries

  private static let tree = [
    #"{"fields":{"k":{"stringValue":"x"},"n":{"integerValue":"2"}},"name":"c/a"}"#,
    #"{"fields":{"k":{"stringValue":"y"},"n":{"doubleValue":1.5}},"name":"c/b"}"#,
    #"{"fields":{"k":{"stringValue":"x"}},"name":"c/b/sub/s1"}"#,
    #"{"fields":{"n":{"integerValue":"1"}},"name":"c/c"}"#,
    #"{"fields":{},"name":"c/ghost/sub/s2"}"#,
    #"{"fields":{},"name":"c/__id7__"}"#,
  ].joined(separator: "\n")

  struct Query: Sendable {
    var text: String
    var names: [String]
    var parent = ""
  }

  private static func name(_ path: String) -> String { #"{"referenceValue":"\#(MiniClient.root)/\#(path)"}"# }
  private static func filter(_ field: String, _ operation: String, _ value: String) -> String {
    #""where":{"fieldFilter":{"field":{"fieldPath":"\#(field)"},"op":"\#(operation)","value":\#(value)}}"#
  }
  private static let from = #""from":[{"collectionId":"c"}]"#
  private static let byName = #""orderBy":[{"field":{"fieldPath":"__name__"}}]"#

  private static let queries = [
    Query(text: from, names: ["c/__id7__", "c/a", "c/b", "c/c"]),
    Query(text: #""from":[{"collectionId":"sub"}]"#, names: ["c/b/sub/s1"], parent: "/c/b"),
    Query(
      text: #""from":[{"collectionId":"sub","allDescendants":true}]"#,
      names: ["c/b/sub/s1", "c/ghost/sub/s2"]
    ),
    Query(
      text: #""from":[{"allDescendants":true}],\#(byName)"#,
      names: ["c/__id7__", "c/a", "c/b", "c/b/sub/s1", "c/c", "c/ghost/sub/s2"]
    ),
    Query(text: #""from":[{"allDescendants":true}]"#, names: ["c/ghost/sub/s2"], parent: "/c/ghost"),
    Query(text: from + "," + filter("k", "EQUAL", #"{"stringValue":"x"}"#), names: ["c/a"]),
    Query(text: from + "," + filter("n", "EQUAL", #"{"doubleValue":2}"#), names: ["c/a"]),
    Query(
      text: from + ","
        + filter("n", "IN", #"{"arrayValue":{"values":[{"integerValue":1},{"doubleValue":1.5}]}}"#),
      names: ["c/b", "c/c"]
    ),
    Query(
      text: from + "," + filter("n", "GREATER_THAN", #"{"integerValue":"0"}"#),
      names: ["c/c", "c/b", "c/a"]
    ),
    Query(
      text: from + "," + filter("__name__", "GREATER_THAN_OR_EQUAL", name("c/b")),
      names: ["c/b", "c/c"]
    ),
    Query(text: from + "," + filter("__name__", "LESS_THAN", name("c/b")), names: ["c/__id7__", "c/a"]),
    Query(
      text: from + #","orderBy":[{"field":{"fieldPath":"__name__"},"direction":"DESCENDING"}],"limit":2"#,
      names: ["c/c", "c/b"]
    ),
    Query(
      text: from + ",\(byName),"
        + #""startAt":{"values":[\#(name("c/a"))]},"endAt":{"values":[\#(name("c/c"))]}"#,
      names: ["c/b", "c/c"]
    ),
    Query(
      text: from + ",\(byName),"
        + #""startAt":{"values":[\#(name("c/a"))],"before":true},"endAt":{"values":[\#(name("c/c"))],"before":true}"#,
      names: ["c/a", "c/b"]
    ),
    Query(text: from + #","offset":2,"limit":1"#, names: ["c/b"]),
    Query(text: from + #","limit":0"#, names: []),
    Query(text: #""from":[{"collectionId":"nothing"}]"#, names: []),
  ]

  @Test("queries", arguments: queries)
  func query(_ query: Query) throws {
    let client = MiniClient(try mini(Self.tree))
    #expect(try client.names(query.text, at: query.parent) == query.names)
  }

  @Test("streams begin with progress, and say readTime for nothing")
  func streams() throws {
    let client = MiniClient(try mini(Self.tree))
    let elements = try client.stream(":runQuery", #"{"structuredQuery":{\#(Self.from)}}"#)
    #expect(elements.first?.keys.sorted() == ["readTime"])
    let plain = MiniClient(try mini(Self.tree, plain: true))
    let empty = try plain.stream(":runQuery", #"{"structuredQuery":{"from":[{"collectionId":"no"}]}}"#)
    #expect(empty.map { $0.keys.sorted() } == [["readTime"]])
    let selected = try plain.stream(
      ":runQuery",
      #"{"structuredQuery":{\#(Self.from),"select":{"fields":[{"fieldPath":"__name__"}]}}}"#
    )
    #expect(selected.allSatisfy { ($0["document"] as? MiniClient.Object)?["fields"] == nil })
    #expect(selected.count == 4)
    for wrong in [
      #"{"structuredQuery":{"from":[{"collectionId":"c"}],"unknown":1}}"#, "{}", "[]", "nonsense",
      #"{"structuredQuery":{"from":[]}}"#, #"{"structuredQuery":{\#(Self.from),"limit":{"value":1}}}"#,
      #"{"structuredQuery":{\#(Self.from),\#(Self.byName),"startAt":{"values":[{"stringValue":"c/a"}]}}}"#,
    ] {
      #expect(try client.failure("POST", ":runQuery", wrong) == "400 INVALID_ARGUMENT", "\(wrong)")
      #expect(client.send("POST", ":runQuery", wrong)?.body.first == UInt8(ascii: "["))
    }
  }

  @Test("counts")
  func count() throws {
    let client = MiniClient(try mini(numbered("c", 25)))
    func count(_ aggregation: String) throws -> [String: Any] {
      let elements = try client.stream(
        ":runAggregationQuery",
        #"{"structuredAggregationQuery":{"structuredQuery":{\#(Self.from)},"aggregations":[\#(aggregation)]}}"#
      )
      let result = try #require(elements.last?["result"] as? MiniClient.Object)
      return try #require(result["aggregateFields"] as? MiniClient.Object)
    }
    #expect(
      (try count(#"{"alias":"n","count":{}}"#)["n"] as? MiniClient.Object)?["integerValue"] as? String == "25"
    )
    let limited = try count(#"{"count":{"upTo":"10"}}"#)["field_1"] as? MiniClient.Object
    #expect(limited?["integerValue"] as? String == "10")
  }

  @Test("a read at a time sees what there was at that time")
  func readTime() throws {
    let mini = try mini(numbered("c", 3), plain: true)
    let client = MiniClient(mini)
    let elements = try client.stream(":runQuery", #"{"structuredQuery":{\#(Self.from)}}"#)
    let time = try #require(elements.first?["readTime"] as? String)
    mini.remove("c/d1000")
    try mini.put("c/d1001", fields: "{}")
    try mini.put("c/new", fields: "{}")
    #expect(try client.pages("c", "readTime=\(time)").pages == [["d1000", "d1001", "d1002"]])
    #expect(try client.get("/c/d1001?readTime=\(time)")["fields"] != nil)
    #expect(try client.pages("c", "").pages == [["d1001", "d1002", "new"]])
    #expect(try client.failure("GET", "/c?readTime=2020-01-01T00:00:00Z") == "400 FAILED_PRECONDITION")
  }
}
