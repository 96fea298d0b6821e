import FirestoreModels
import GymModels
import Platform
import Schema
import Tables

/// Work whose instructions are counted, so many pages of it: the difference of two runs is free of all that a process does once.
enum Counted: String, CaseIterable {
  /// A response parsed, and written as JSON Lines or CSV from its tape.
  case jsonl, csv
  /// A response decoded into documents in memory.
  case decode
  /// A file of JSON Lines read, and made into the writes of commits.
  case `import`
  /// The same, and each document compared with its schema.
  case checked

  func run(_ page: Page, file: String, times: Int) throws {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let out = "\(folder)/measure-\(getpid()).\(rawValue)"
    defer { unlink(out) }
    guard let collection = CollectionPath("members") else { return }
    switch self {
    case .jsonl: try export(page, to: JSONLinesWriter(out), times)
    case .csv:
      var options = CSVOptions()
      options.schema = GymSchema.schema
      try export(page, to: CSVWriter(out, collection: collection, options: options), times)
    case .decode:
      let response = Response(page)
      for _ in 0..<times { _ = try response.page().documents() }
    case .import:
      for _ in 0..<times { try read(file, count: page.count, .encoded(Self.encoder) { _ in true }) }
    case .checked:
      guard let schema = GymSchema.schema.collection(collection) else { return }
      for _ in 0..<times {
        try read(file, count: page.count, .encoded(Self.encoder) { (try? schema.violations(in: $0)) != nil })
      }
    }
  }

  private static let database = DatabaseName(project: "bench-project", database: "bench")
  private static var encoder: DocumentEncoder { DocumentEncoder(ReferenceRule(from: nil, to: database)) }

  private func export(_ page: Page, to writer: some CollectionWriter, _ times: Int) throws {
    let response = Response(page)
    for _ in 0..<times { try writer.append(try response.page()) }
    try writer.finish()
  }

  private func read(_ file: String, count: Int, _ mode: JSONLinesReader.Mode) throws {
    var mode = mode
    var reader = try JSONLinesReader(file)
    var json = JSONWriter()
    for _ in 0..<count {
      guard let line = try reader.next(&mode) else { break }
      guard let document = try line.document.get().write else {
        throw Failure(.internal, "encode", path: file, cause: "line \(line.number) was decoded")
      }
      json.write(
        Write(path: document.path, operation: .set(document), precondition: .exists(false)),
        in: Self.database
      )
    }
    precondition(json.bytes.count > 100 * count)
  }
}

/// The response that a page is, parsed anew for each use.
private final class Response: @unchecked Sendable {
  // Used by one thread.
  private let parser = JSONParser()
  private let json: [UInt8]
  private let count: Int

  init(_ page: Page) {
    // With room behind it, as a decompressed response has.
    var json = page.json
    json.reserveCapacity(json.count + 64)
    self.json = json
    count = page.count
  }

  func page() throws -> DocumentPage {
    let root = try json.withUnsafeBytes { try parser.parseHolding($0, room: json.capacity) }
    let decoder = WireDecoder()
    var documents: [WireDocument] = []
    documents.reserveCapacity(count)
    guard let list = root["documents"] else { return .memory([]) }
    for element in list.elements {
      documents.append(try decoder.wireDocument(element, prefix: Page.database))
    }
    return .wire(WirePage(documents, owner: self) { Failure(.internal, "read", cause: $0.description) })
  }
}
