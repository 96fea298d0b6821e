import FirestoreModels
import Foundation
import Testing
import TypedDocuments

private struct Fields: Codable, Equatable {
  var n: IntegerValue
}

private typealias Page = Result<DocumentList<Document<Fields>>, FirestoreError>

@Suite("Answers of get and list", .bothParsers)
struct DocumentResponseTests {
  private func get(_ json: String) throws -> Result<Document<Fields>, FirestoreError> {
    try JSONDecoder().decodeGetResult(from: Data(json.utf8))
  }

  private func list(_ json: String) throws -> Result<[Document<Fields>], FirestoreError> {
    try JSONDecoder().decodeListResult(from: Data(json.utf8))
  }

  private func page(_ json: String) throws -> Page {
    try JSONDecoder().decodeListResult(from: Data(json.utf8))
  }

  private func entry(_ id: String, _ fields: String) -> String {
    let name = "projects/p/databases/d/documents/c/\(id)"
    let time = "2026-01-02T03:04:05.000001Z"
    return #"{"name":"\#(name)","fields":\#(fields),"createTime":"\#(time)","updateTime":"\#(time)"}"#
  }

  @Test(arguments: [
    "{}", #"{"documents":[]}"#, #"{"documents":null}"#, #"{"documents":[],"readTime":"x","unknown":[1]}"#,
  ])
  func emptyLists(_ json: String) throws {
    #expect(try list(json).get().isEmpty)
    #expect(try page(json).get() == DocumentList())
  }

  @Test("A page may be empty and not the last.")
  func emptyPage() throws {
    let json = #"{"nextPageToken":"t"}"#
    #expect(try list(json).get().isEmpty)
    #expect(try page(json).get() == DocumentList(nextPageToken: "t"))
  }

  @Test func serviceErrors() throws {
    let body = #"{"error":{"code":404,"message":"Document not found.","status":"NOT_FOUND"}}"#
    let expected = FirestoreError(.notFound, "Document not found.", code: 404)
    for json in [body, "[\(body)]", "[\(body)\n]\n"] {
      #expect(try get(json) == .failure(expected))
      #expect(try list(json) == .failure(expected))
      #expect(try page(json) == .failure(expected))
    }
    #expect(expected.status == FirestoreError.Status.notFound)
  }

  @Test func errorDetails() throws {
    let json = """
      {"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED","details":[
        {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED","domain":"x"},
        {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"},{"@type":"other"}]}}
      """
    guard case .failure(let error) = try get(json) else {
      Issue.record("an error is no document")
      return
    }
    #expect(error.reason == "RATE_LIMIT_EXCEEDED")
    #expect(error.retryDelay == 1.5)
    #expect(error.status == .resourceExhausted)
  }

  @Test(arguments: [
    (#"{"code":503,"message":"m","status":"BRAND_NEW"}"#, FirestoreError.Status.unavailable, 503),
    (#"{"code":7,"message":"m"}"#, .permissionDenied, 403),
    (#"{"message":"m","status":"ABORTED"}"#, .aborted, 409),
    (#"{"message":"m"}"#, .unknown, 500),
  ])
  func oddErrors(error: String, status: FirestoreError.Status, code: Int) throws {
    #expect(try get(#"{"error":\#(error)}"#) == .failure(FirestoreError(status, "m", code: code)))
  }

  @Test(arguments: [
    "", "<html>502 Bad Gateway</html>", #"{"documents":["#, "[]", "1", "[{}]", #"{"documents":{}}"#, "[[]]",
    #"{"message":"login required"}"#, #"{"error":"x"}"#, #"{"readTime":"x","unknown":[1]}"#,
    #"{"name":"projects/p/databases/d/documents/c/x","fields":{}}"#,
  ])
  func noAnswer(_ json: String) {
    #expect(throws: DecodingError.self) { try list(json) }
    #expect(throws: DecodingError.self) { try page(json) }
  }

  @Test(arguments: [
    "{}", #"{"documents":[]}"#, #"{"name":1}"#,
    #"{"name":"projects/p/databases/d/documents/c","fields":{"n":{"integerValue":"1"}},"createTime":"2026-01-01T00:00:00Z","updateTime":"2026-01-01T00:00:00Z"}"#,
    #"{"name":"c"}"#,
    #"{"name":"c/d","fields":{"n":{"integerValue":"1"}}}"#,
    #"{"name":"c/d","fields":{"n":{"integerValue":"1"}},"createTime":"today","updateTime":"today"}"#,
  ])
  func noDocument(_ json: String) {
    #expect(throws: DecodingError.self) { try get(json) }
  }

  @Test func oneDocumentDoesNotSinkTheList() throws {
    let missing = #"{"name":"projects/p/databases/d/documents/c/parent"}"#
    let json = """
      {"documents":[\(entry("a", #"{"n":{"integerValue":"1"},"more":{"nullValue":null}}"#)),
      \(entry("b", #"{"n":{"stringValue":"secret"}}"#)),
      \(entry("c", #"{"n":{"integerValue":"1","stringValue":"x"}}"#)),
      \(entry("d", "{}")),\(missing),7,
      \(entry("e", #"{"n":{"integerValue":"5"}}"#))],"nextPageToken":"next"}
      """
    let page = try page(json).get()
    #expect(page.documents.map { $0.n } == [1, 5])
    #expect(page.nextPageToken == "next")
    #expect(page.missing == ["projects/p/databases/d/documents/c/parent"])
    #expect(page.results.count == 6)
    let name = "projects/p/databases/d/documents/c/"
    let expected = [
      DocumentFailure(
        name: name + "b",
        index: 1,
        location: ["fields", "n"],
        reason: "an integer is expected, and the value is of the type string"
      ),
      DocumentFailure(
        name: name + "c",
        index: 2,
        location: ["fields", "n"],
        reason: "a value has one type, not two"
      ),
      DocumentFailure(name: name + "d", index: 3, location: ["fields", "n"], reason: "the field is missing"),
      DocumentFailure(name: nil, index: 5, reason: "a document is a JSON object"),
    ]
    #expect(page.failures == expected)
    #expect(page.failures[3].description == "document 5: a document is a JSON object")
  }

  @Test func aStrictListNamesTheDocument() throws {
    let json = """
      {"documents":[\(entry("a", #"{"n":{"integerValue":"1"}}"#)),\(entry("b", #"{"n":{"doubleValue":1}}"#))]}
      """
    let error = try #require(throws: DecodingError.self) { try list(json) }
    guard case .typeMismatch(_, let context) = error else {
      Issue.record(error)
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["documents", "[1]", "fields", "n"])
    // A missing parent is not a document, and a list without it would appear complete.
    #expect(throws: DecodingError.self) { try list(#"{"documents":[{"name":"c/d"}]}"#) }
  }

  @Test func failuresQuoteNoData() throws {
    enum Role: String, Codable { case admin }
    struct User: Codable { var role: Role }
    let json = #"{"documents":[\#(entry("a", #"{"role":{"stringValue":"secret"}}"#))]}"#
    let result: Result<DocumentList<Document<User>>, FirestoreError> =
      try JSONDecoder().decodeListResult(from: Data(json.utf8))
    let failure = try #require(try result.get().failures.first)
    #expect(failure.location == ["fields", "role"])
    #expect(!failure.description.contains("secret"))
  }

  @Test func equivalentNamesStayApart() throws {
    let fields = "{\"e\u{301}\":{\"integerValue\":\"1\"},\"\u{E9}\":{\"integerValue\":\"2\"}}"
    let data = Data(entry("a", fields).utf8)
    let result: Result<Document<FieldMap>, FirestoreError> = try JSONDecoder().decodeGetResult(from: data)
    let expected: FieldMap = ["e\u{301}": .integer(1), "\u{E9}": .integer(2)]
    #expect(try result.get().fields == expected)
  }
}
