import FirestoreModels

/// One page of a list as it grows: rendered documents, and the place where the next page begins.
final class ListPage {
  private let size: Int
  private let renderer: DocumentRenderer
  private var bytes: [UInt8] = []
  private var count = 0
  private var hasMore = false
  private var last: [Value]?
  private var lastPath = ""

  /// Begins a page of at most `size` documents.
  init(size: Int, renderer: DocumentRenderer) {
    self.size = size
    self.renderer = renderer
    bytes.reserveCapacity(64 << 10)
  }

  /// Adds a document.
  ///
  /// - Parameter values: Its values of the order, asked for where the page ends with it.
  /// - Returns: Whether the page takes more.
  func add(_ document: FoundDocument, values: (String) -> [Value]?) throws -> Bool {
    guard begin() else { return false }
    try renderer.append(document, to: &bytes)
    if count == size { last = values(String(decoding: document.path, as: UTF8.self)) }
    return true
  }

  /// Adds the name of a document that is not there but has documents below it.
  private func add(missing path: String) -> Bool {
    guard begin() else { return false }
    bytes.append(contentsOf: "{\"name\":".utf8)
    renderer.appendName(path, to: &bytes)
    bytes.append(UInt8(ascii: "}"))
    lastPath = path
    return true
  }

  private func begin() -> Bool {
    if count == size {
      hasMore = true
      return false
    }
    if count > 0 { bytes.append(UInt8(ascii: ",")) }
    count += 1
    return true
  }

  /// Adds the documents of a collection, those too that are missing and have documents below them.
  func addAll(of snapshot: Snapshot, collection: String, _ range: KeyRange) throws {
    /// Rows of one document's descendants that are read on before the scan begins anew behind them.
    let patience = 16
    let collectionKey = NameKey.key(collection)
    var range = range
    var continues = true
    while continues {
      continues = false
      var known: [UInt8] = []
      var descendants = 0
      try snapshot.scan(Snapshot.Scope(), range) { row in
        guard let (id, end) = NameKey.segment(of: row.key, at: collectionKey.count) else { return true }
        if end == row.key.count {
          known = [UInt8](row.key)
          descendants = 0
          let document = FoundDocument(
            path: row.path,
            createTime: row.createTime,
            updateTime: row.updateTime,
            fields: row.fields
          )
          return try add(document) {
            lastPath = $0
            return nil
          }
        }
        if !row.key.starts(with: known) || known.isEmpty {
          known = [UInt8](row.key[..<end])
          descendants = 0
          return add(missing: "\(collection)/\(id)")
        }
        descendants += 1
        if descendants < patience { return true }
        range.from(NameKey.end(known))
        continues = true
        return false
      }
    }
  }

  /// Appends the page.
  ///
  /// - Parameters:
  ///   - token: The token of a page that begins behind these values.
  ///   - name: The values of the order of names.
  func finish(_ out: inout [UInt8], token: ([Value]?) -> String, name: (String) -> [Value]) {
    out.append(UInt8(ascii: "{"))
    if count > 0 {
      out.append(contentsOf: "\"documents\":[".utf8)
      out.append(contentsOf: bytes)
      out.append(UInt8(ascii: "]"))
    }
    if hasMore {
      out.append(contentsOf: ",\"nextPageToken\":\"".utf8)
      out.append(contentsOf: token(last ?? name(lastPath)).utf8)
      out.append(UInt8(ascii: "\""))
    }
    out.append(UInt8(ascii: "}"))
  }
}
