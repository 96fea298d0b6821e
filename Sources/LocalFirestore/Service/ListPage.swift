/// A page of a list: rendered documents, and the position of the next page.
final class ListPage {
  private let size: Int
  private let renderer: DocumentRenderer
  private var bytes: [UInt8] = []
  private var count = 0
  private var hasMore = false
  private var last: [Value]?
  private var lastPath = ""

  init(size: Int, renderer: DocumentRenderer) {
    self.size = size
    self.renderer = renderer
    bytes.reserveCapacity(64 << 10)
  }

  /// - Parameter values: Computes the document's order values if the page ends with it.
  /// - Returns: Whether the page accepts more.
  func add(_ document: QueryResult, values: (String) -> [Value]?) throws -> Bool {
    guard begin() else { return false }
    try renderer.append(document, to: &bytes)
    if count == size { last = values(String(decoding: document.path, as: UTF8.self)) }
    return true
  }

  /// Adds the name of a missing document that has subcollections.
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

  /// Adds the documents of a collection, including missing ones that have subcollections.
  func addAll(of snapshot: StoreSnapshot, collection: String, _ range: KeyRange) throws {
    /// The number of descendants of one document to skip before the scan restarts after them.
    let maximumSkippedDescendants = 16
    let collectionKey = NameKey.key(collection)
    var range = range
    var continues = true
    while continues {
      continues = false
      var current: [UInt8] = []
      var descendants = 0
      try snapshot.scan(StoreSnapshot.Scope(), range) { row in
        guard let (id, end) = NameKey.segment(of: row.key, at: collectionKey.count) else { return true }
        if end == row.key.count {
          current = [UInt8](row.key)
          descendants = 0
          return try add(row.result) {
            lastPath = $0
            return nil
          }
        }
        if !row.key.starts(with: current) || current.isEmpty {
          current = [UInt8](row.key[..<end])
          descendants = 0
          return add(missing: "\(collection)/\(id)")
        }
        descendants += 1
        if descendants < maximumSkippedDescendants { return true }
        range.raiseLowerBound(to: NameKey.end(current))
        continues = true
        return false
      }
    }
  }

  /// - Parameters:
  ///   - token: The token of a page that begins after these order values.
  ///   - name: The order values of a path.
  func finish(_ out: inout [UInt8], token: ([Value]) -> String, name: (String) -> [Value]) {
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
