import FirestoreModels
import TypedDocuments

@testable import FirestoreREST

private let database = DatabaseName(project: "p")

/// Documents, values, list pages, streams and errors as the client reads them.
func fuzzWire(_ input: [UInt8]) {
  let parser = JSONParser(maximumBytes: 1 << 20)
  _ = attempt { () throws(WireError) in
    try parser.parse(input) { root throws(WireError) in
      walk(root)
      var decoder = WireDecoder()
      if let value = attempt({ () throws(WireError) in try decoder.value(root) }) { roundTrip(value) }
      for json in documents(root) {
        if let document = attempt({ () throws(WireError) in try decoder.document(json, in: database) }) {
          roundTrip(document)
        }
        var strict = WireDecoder(unknownMembers: .refused)
        _ = attempt { () throws(WireError) in try strict.document(json) }
      }
      _ = attempt { () throws(CallFailure) in try FirestoreClient.streamElements(root) }
    }
  }
  _ = ErrorBody.read(HTTPResponse(status: 503, body: input), with: parser).description
  input.withUnsafeBytes { bytes in
    _ = try? DocumentResponse.list(FieldsOnlyDocument<[String: Value]>.self, from: bytes)
  }
}

private func documents(_ root: JSONCursor) -> [JSONCursor] {
  let list = (root["documents"] ?? root).elements.map { $0["document"] ?? $0["found"] ?? $0 }
  return [root] + list
}

/// Every value of a text can be looked at, as every kind.
private func walk(_ json: JSONCursor) {
  _ = (json.kind, json.string, json.integer, json.double, json.boolean, json.isNull)
  for (name, value) in json.members {
    _ = name.string
    walk(value)
  }
  for element in json.elements { walk(element) }
}

/// What was read is written, read again and found the same.
private func roundTrip(_ value: Value) {
  var json = JSONWriter()
  json.value(value)
  let again = decoded(json.bytes) { decoder, root throws(WireError) in try decoder.value(root) }
  expect(again == value, "a value is another after it was written and read")
  expect(ValueOrder.compare(value, value) == 0, "a value is not in order with itself")
  _ = DocumentLimits.violations(of: FieldMap([.init(name: "a", value: value)]))
}

private func roundTrip(_ document: RawDocument) {
  for name in [nil, database] {
    var json = JSONWriter()
    json.document(document, in: name)
    let again = decoded(json.bytes) { decoder, root throws(WireError) in try decoder.document(root, in: name)
    }
    // A relative path may look like a full name (`projects/p/databases/d/documents/…`), which is then taken for one.
    if name == nil, DatabaseName.split(document.path.string) != nil { continue }
    expect(again == document, "a document is another after it was written and read")
  }
  _ = DocumentLimits.violations(of: document)
}
