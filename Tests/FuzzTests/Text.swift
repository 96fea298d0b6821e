import FirestoreModels

@testable import Configuration

private let database = DatabaseName(project: "p")

/// Everything that is read from text: field paths, filters, literals, times, base64, names and paths.
func fuzzText(_ input: [UInt8]) {
  let text = String(decoding: input, as: UTF8.self)

  if let path = attempt({ () throws(FieldPathError) in try FieldPath(parsing: text) }) {
    let again = attempt { () throws(FieldPathError) in try FieldPath(parsing: path.description) }
    expect(again == path, "a field path is another after it was printed and parsed")
    _ = DocumentLimits.violations(of: path)
  }
  if let paths = attempt({ () throws(FieldPathError) in try FieldPath.list(parsing: text) }) {
    let list = paths.map(\.description).joined(separator: ",")
    let again = attempt { () throws(FieldPathError) in try FieldPath.list(parsing: list) }
    expect(again == paths, "a list of field paths is another after it was printed and parsed")
  }
  let raw = FieldPath(field: text.isEmpty ? "a" : text)
  expect(
    attempt { () throws(FieldPathError) in try FieldPath(parsing: raw.description) } == raw,
    "a raw name is another after it was quoted and parsed"
  )

  if let filter = attempt({ () throws(WireError) in
    try FilterExpression.parse(text, in: LiteralContext(database: database))
  }) {
    let query = StructuredQuery(from: .init("c"), where: filter)
    var json = JSONWriter()
    json.structuredQuery(query)
    let again = decoded(json.bytes) { decoder, root throws(WireError) in try decoder.structuredQuery(root) }
    expect(again == query, "a filter is another on the wire")
  }
  _ = attempt { () throws(WireError) in try ValueLiteral.parse(text, in: LiteralContext(database: database)) }

  if let moment = Timestamp(text) {
    expect(Timestamp(moment.description) == moment, "a time is another after it was printed and parsed")
  }

  var encoded: [UInt8] = []
  Base64.append(input, to: &encoded)
  let decoded = encoded.withUnsafeBufferPointer { Base64.decode($0) }
  expect(decoded == input, "bytes are others after base64")
  expect(Base64.decode(Base64.urlSafe(input)) == input, "bytes are others after URL-safe base64")
  _ = input.withUnsafeBufferPointer { Base64.decode($0) }

  if let name = DatabaseName(parsing: text) {
    expect(
      DatabaseName(parsing: name.description) == name,
      "a database is another after it was printed and parsed"
    )
  }
  if let path = DocumentPath(text) {
    expect(database.path(ofName: database.name(of: path)) == path, "a path is another within its name")
    expect(DatabaseName.split(database.name(of: path))?.path == path, "a path is another after a split")
    expect(DocumentPath(path.collection, path.id) == path, "a path is another after it was taken apart")
    expect(path.segments.joined(separator: "/").isIdentical(to: path.string), "segments are lost")
    _ = PathLimits.violations(of: path)
    let half = DocumentPath("\(path.collection)/\(String(path.id.unicodeScalars.prefix(3)))")
    if let half { expect((half < path) == !(path < half) || half == path, "two paths have no order") }
  }
  if let collection = CollectionPath(text) {
    expect(
      CollectionPath(collection.parent, collection.id) == collection,
      "a collection is another after parts"
    )
    _ = (collection.pattern, PathLimits.violations(of: collection))
  }
  expect(percentDecoded(PercentEncoding.query(text)).isIdentical(to: text), "a text is another in a URL")
  _ = try? Configuration.checkedEndpoint(text)
  _ = WireDecoder.lowerCamelCase(text)
}

private func percentDecoded(_ text: String) -> String {
  var bytes: [UInt8] = []
  var rest = Substring(text).utf8
  while let byte = rest.popFirst() {
    if byte == UInt8(ascii: "%"), let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) {
      bytes.append(value)
      rest = rest.dropFirst(2)
    } else {
      bytes.append(byte)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// A configuration.
func fuzzYAML(_ input: [UInt8]) {
  let text = String(decoding: input, as: UTF8.self)
  do throws(Failure) {
    let configuration = try Configuration(parsing: text, file: "f/gymmigrate.yaml")
    expect(!configuration.environments.isEmpty, "a configuration without environments")
  } catch {
    expect(error.kind == .configuration, "a configuration fails with \(error.kind)")
  }
}
