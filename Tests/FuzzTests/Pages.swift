import FirestoreModels

@testable import FirestoreREST

/// Answers to a client that reads a collection to its end.
func fuzzPages(_ input: [UInt8]) {
  converse(input, limit: 50_000, answer: response) { caller, kind in
    let client = FirestoreClient(database: DatabaseName(project: "p"), endpoint: "http://h", caller: caller)
    await read(client, kind)
  }
}

private func read(_ client: FirestoreClient, _ kind: UInt8) async {
  guard let collection = CollectionPath("c"), let path = DocumentPath("c/a") else { return }
  var request = CollectionRead(collection, pageSize: 2)
  switch kind {
  case UInt8(ascii: "g"): request.reach = .group
  case UInt8(ascii: "s"): request.reach = .subcollections
  case UInt8(ascii: "i"): return _ = try? await client.collectionIDs()
  case UInt8(ascii: "b"): return _ = try? await client.batchGet([path])
  case UInt8(ascii: "n"): return _ = try? await client.count(CollectionRead(collection))
  default: break
  }
  do {
    for try await page in client.pages(of: request) { expect(page.count <= 10_000, "a page has no bound") }
  } catch {
    expect(error is Failure, "a page fails without a Failure")
  }
}

@Sendable private func response(_: HTTPRequest, _ record: [UInt8]) -> HTTPResponse {
  let body = Array(record.dropFirst())
  switch record[0] {
  case UInt8(ascii: "4"): return HTTPResponse(status: 404, body: body)
  case UInt8(ascii: "5"): return HTTPResponse(status: 503, headers: ["retry-after": "1"], body: body)
  case UInt8(ascii: "1"): return HTTPResponse(status: 401, body: body)
  default: return HTTPResponse(status: 200, body: body)
  }
}
