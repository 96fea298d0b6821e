/// A document of a scope in the form in which it is sorted on disk: by scope, name and layer.
///
/// A layer must not contain a document twice.
struct ScopedDocument: SortRecord {
  let scope: Int
  /// The index of its snapshot among several, the earliest first.
  private let layer: Int
  let path: DocumentPath
  /// The document as JSON; empty if it is deleted.
  private let json: [UInt8]

  init(_ document: RawDocument, scope: Int, layer: Int) {
    (self.scope, self.layer) = (scope, layer)
    path = document.path
    json = JSONWriter.bytes { $0.document(document, times: false) }
  }

  /// Creates a record that deletes a document of earlier layers.
  init(deleted path: DocumentPath, scope: Int, layer: Int) { self.init(scope, layer, path, []) }

  /// Creates a record of which only the name matters.
  init(naming path: DocumentPath) { self.init(0, 0, path, []) }

  var isDeleted: Bool { json.isEmpty }

  private init(_ scope: Int, _ layer: Int, _ path: DocumentPath, _ json: [UInt8]) {
    (self.scope, self.layer, self.path, self.json) = (scope, layer, path, json)
  }

  /// Whether both records are of the same document.
  func isSameDocument(as other: ScopedDocument) -> Bool { scope == other.scope && path == other.path }

  static func < (a: ScopedDocument, b: ScopedDocument) -> Bool {
    if a.scope != b.scope { return a.scope < b.scope }
    return a.path == b.path ? a.layer < b.layer : a.path < b.path
  }

  func document(_ parser: JSONParser, _ decoder: inout WireDecoder) throws(Failure) -> RawDocument {
    do throws(WireError) {
      return try parser.parse(json) { root throws(WireError) in try decoder.document(root) }
    } catch {
      throw Self.damaged("\(error)")
    }
  }

  private static func damaged(_ cause: String) -> Failure {
    Failure(.internal, "sort the documents", cause: cause)
  }

  // MARK: Bytes

  var size: Int { json.count + path.string.utf8.count + 100 }

  /// Four numbers of four bytes each, then the path and the document.
  func write(to bytes: inout [UInt8]) {
    for number in [scope, path.string.utf8.count, json.count, layer] {
      withUnsafeBytes(of: UInt32(truncatingIfNeeded: number)) { bytes.append(contentsOf: $0) }
    }
    bytes.append(contentsOf: path.string.utf8)
    bytes.append(contentsOf: json)
  }

  static func take(from bytes: inout ArraySlice<UInt8>) throws(Failure) -> ScopedDocument? {
    guard bytes.count >= 16 else { return nil }
    let numbers = bytes.withUnsafeBytes { bytes in
      [0, 4, 8, 12].map { Int(bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self)) }
    }
    let rest = bytes.dropFirst(16)
    guard rest.count >= numbers[1] + numbers[2] else { return nil }
    let json = rest.dropFirst(numbers[1]).prefix(numbers[2])
    guard let path = DocumentPath(String(decoding: rest.prefix(numbers[1]), as: UTF8.self)) else {
      throw damaged("a name is no path")
    }
    bytes = rest.dropFirst(numbers[1] + numbers[2])
    return ScopedDocument(numbers[0], numbers[3], path, Array(json))
  }
}
