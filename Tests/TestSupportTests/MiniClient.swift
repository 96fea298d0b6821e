import Foundation
import TestSupport

/// Calls a handler without a socket between, and reads the answer as Foundation reads JSON.
struct MiniClient {
  typealias Object = [String: Any]

  let handler: RequestHandler
  var headers: [HTTPField] = []

  init(_ mini: MiniFirestore) {
    handler = mini.handler
  }

  init(_ handler: @escaping RequestHandler) {
    self.handler = handler
  }

  static let root = "projects/test-project/databases/(default)/documents"

  /// The answer to a request, if it is a plain answer.
  func send(_ method: String, _ target: String, _ body: String? = nil) -> TestResponse? {
    var request = TestRequest(
      method: method,
      target: target.hasPrefix("/token") ? target : "/v1/\(Self.root)\(target)",
      headers: headers
    )
    if let body {
      request.headers.append(HTTPField("Content-Type", "application/json"))
      request.body = Array(body.utf8)
    }
    guard case .response(let response) = handler(request) else { return nil }
    return response
  }

  func get(_ target: String) throws -> Object { try object(send("GET", target)) }
  func post(_ target: String, _ body: String) throws -> Object { try object(send("POST", target, body)) }
  func stream(_ target: String, _ body: String) throws -> [Object] {
    try array(send("POST", target, body))
  }

  /// Status and canonical name of an error; nil for an answer that is none.
  func failure(_ method: String, _ target: String, _ body: String? = nil) throws -> String? {
    guard let response = send(method, target, body), response.status != 200 else { return nil }
    let json = try JSONSerialization.jsonObject(with: Data(response.body))
    let holder = json as? Object ?? (json as? [Object])?.first
    guard let error = holder?["error"] as? Object, error["code"] as? Int == response.status else {
      return "?"
    }
    return "\(response.status) \(error["status"] as? String ?? "?")"
  }

  func commitFailure(_ writes: String) throws -> String? {
    try failure("POST", ":commit", #"{"writes":[\#(writes)]}"#)
  }

  func object(_ response: TestResponse?) throws -> Object {
    try JSONSerialization.jsonObject(with: Data(response?.body ?? [])) as? Object ?? [:]
  }

  func array(_ response: TestResponse?) throws -> [Object] {
    try JSONSerialization.jsonObject(with: Data(response?.body ?? [])) as? [Object] ?? []
  }

  /// Ids of the documents of a list's pages, and the tokens that the pages came with.
  func pages(_ collection: String, _ parameters: String) throws -> (pages: [[String]], tokens: [String]) {
    var pages: [[String]] = []
    var tokens: [String] = []
    repeat {
      let token = tokens.last.map { "&pageToken=\(Self.encoded($0))" } ?? ""
      let page = try get("/\(collection)?\(parameters)\(token)")
      pages.append((page["documents"] as? [Object] ?? []).map { Self.id($0["name"]) })
      guard let next = page["nextPageToken"] as? String else { break }
      tokens.append(next)
    } while pages.count < 1000
    return (pages, tokens)
  }

  /// The names relative to the database of a query's documents.
  func names(_ query: String, at target: String = "") throws -> [String] {
    try stream("\(target):runQuery", #"{"structuredQuery":{\#(query)}}"#)
      .compactMap { ($0["document"] as? Object)?["name"] as? String }
      .map { String($0.dropFirst(Self.root.count + 1)) }
  }

  static func id(_ name: Any?) -> String {
    String((name as? String ?? "").split(separator: "/").last ?? "")
  }

  static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }
}

/// JSON Lines of `count` documents with a number each.
func numbered(_ collection: String, _ count: Int) -> String {
  (0..<count).map { #"{"fields":{"n":{"integerValue":"\#($0)"}},"name":"\#(collection)/d\#(1000 + $0)"}"# }
    .joined(separator: "\n")
}
