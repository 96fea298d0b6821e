import FirestoreModels
import FoundationEssentials
import GRDB

@testable import LocalFirestore

/// Rows of the embedded store's file as somebody left them: every request is answered with whole JSON, or refused.
///
/// A line is a row: a mark (`d` a document, `v` an old version, `k` a document whose key is bytes), the path, the time of
/// creation and of the update in microseconds, and the fields, with tabs between.
func fuzzStore(_ input: [UInt8]) {
  let lines = input.split(separator: UInt8(ascii: "\n"))
  let rows = lines.prefix(20).compactMap(Row.init)
  let store = Store.shared
  store.fill(rows)
  store.ask("GET", "/documents/users?pageSize=2&showMissing=true", "")
  store.ask("GET", "/documents/users?orderBy=n%20desc", "")
  store.ask("GET", "/documents/users/u1", "")
  store.ask("POST", "/documents:listCollectionIds", "{}")
  store.ask("POST", "/documents/users/u1:listCollectionIds", "{}")
  for query in [
    #""from":[{"collectionId":"users"}],"orderBy":[{"field":{"fieldPath":"n"}}]"#,
    #""from":[{"collectionId":"users","allDescendants":true}],"select":{"fields":[{"fieldPath":"m.x"}]}"#,
    #""from":[{"collectionId":"users"}],"where":{"fieldFilter":{"field":{"fieldPath":"n"},"op":"GREATER_THAN_OR_EQUAL","value":{"integerValue":"1"}}}"#,
  ] {
    store.ask("POST", "/documents:runQuery", #"{"structuredQuery":{\#(query)}}"#)
    store.ask(
      "POST",
      "/documents:runAggregationQuery",
      #"{"structuredAggregationQuery":{"structuredQuery":{\#(query)},"aggregations":[{"alias":"c","count":{}},{"alias":"s","sum":{"field":{"fieldPath":"n"}}}]}}"#
    )
  }
  store.ask(
    "POST",
    "/documents:batchGet",
    #"{"documents":["\#(Store.root)/users/u1","\#(Store.root)/users/u2"]}"#
  )
  store.ask(
    "POST",
    "/documents:commit",
    #"{"writes":[{"update":{"name":"\#(Store.root)/users/u1","fields":{}},"updateMask":{"fieldPaths":["gone"]},"updateTransforms":[{"fieldPath":"n","increment":{"integerValue":"9223372036854775807"}}]}]}"#
  )
  store.ask("DELETE", "/documents/users/u2", "")
}

/// A row as an input gives it.
private struct Row {
  var isVersion: Bool
  var path: [UInt8]
  var key: [UInt8]
  var createTime: Int64
  var updateTime: Int64
  var fields: [UInt8]

  init?(_ line: ArraySlice<UInt8>) {
    let cells = line.split(separator: UInt8(ascii: "\t"), maxSplits: 4, omittingEmptySubsequences: false)
      .map(Array.init)
    guard cells.count == 5, let mark = cells[0].first else { return nil }
    isVersion = mark == UInt8(ascii: "v")
    path = cells[1]
    key =
      mark == UInt8(ascii: "k")
      ? Array(cells[0].dropFirst()) : NameKey.key(String(decoding: path, as: UTF8.self))
    createTime = Int64(String(decoding: cells[2], as: UTF8.self)) ?? 0
    updateTime = Int64(String(decoding: cells[3], as: UTF8.self)) ?? 0
    fields = cells[4]
  }
}

/// One store of this process, with a connection behind its back.
private final class Store {
  static let database = DatabaseName(project: "p", database: "d")
  static let root = "projects/p/databases/d/documents"
  nonisolated(unsafe) static let shared = Store()

  private let service: FirestoreService
  private let rows: DatabaseQueue
  private let resources = ConnectionResources()
  private let parser = JSONParser()

  private init() {
    let file = "\(Scratch.folder)/local.sqlite"
    do {
      service = FirestoreService(
        try DocumentStore(file: file, clock: CommitClock(source: { 1_800_000_000_000_000 }))
      )
      rows = try DatabaseQueue(path: file)
      try rows.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    } catch {
      fatalError("there is no store to fuzz with: \(error)")
    }
    let body = #"{"writes":[{"update":{"name":"\#(Self.root)/users/u1","fields":{}}}]}"#
    ask("POST", "/documents:commit", body)
  }

  func fill(_ lines: [Row]) {
    do {
      try rows.write { db in
        try db.execute(sql: "DELETE FROM documents; DELETE FROM versions")
        for line in lines {
          let sql =
            line.isVersion
            ? "INSERT OR IGNORE INTO versions VALUES (NULL, 1, 1, 1, ?, CAST(? AS TEXT), ?, ?, 4000000000000000, CAST(? AS TEXT))"
            : "INSERT OR IGNORE INTO documents VALUES (NULL, 1, 1, 1, ?, CAST(? AS TEXT), ?, ?, CAST(? AS TEXT))"
          try db.execute(
            sql: sql,
            arguments: [
              Data(line.key), Data(line.path), line.createTime, line.updateTime, Data(line.fields),
            ]
          )
        }
      }
    } catch {
      fatalError("the rows cannot be written: \(error)")
    }
  }

  func ask(_ method: String, _ path: String, _ body: String) {
    let out = Answer()
    do {
      let target = try RequestTarget(
        raw: Array("/v1/projects/p/databases/d\(path)".utf8),
        hasVerb: method == "POST"
      )
      let request = ServiceRequest(
        route: try Route(method: method, target: target),
        query: target.query,
        body: Array(body.utf8)
      )
      try service.answer(request, resources, out)
    } catch {
      expect(error is FirestoreError, "\(method) \(path) ends in \(error)")
      return
    }
    let isJSON: Void? = attempt { () throws(WireError) in
      try parser.parse(out.bytes) { _ throws(WireError) in }
    }
    expect(
      isJSON != nil,
      "\(method) \(path) is answered with what is no JSON: \(String(decoding: out.bytes, as: UTF8.self))"
    )
  }
}

private final class Answer: BodyWriter {
  var bytes: [UInt8] = []
  func flushIfLong() {}
}
