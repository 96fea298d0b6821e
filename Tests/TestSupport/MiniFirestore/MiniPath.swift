/// A place below `documents/`: the segments of a document's path, or of a collection's.
struct MiniPath: Sendable, Hashable, Comparable {
  let segments: [ByteString]
  /// The path relative to the database: `users/u1`.
  let name: ByteString

  init(_ segments: some Sequence<ByteString>) {
    self.segments = Array(segments)
    name = ByteString(bytes: self.segments.map(\.bytes).joined(separator: [UInt8(ascii: "/")]))
  }

  /// Takes `users/u1` apart.
  init(relative name: ByteString) {
    segments = name.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { ByteString(bytes: $0) }
    self.name = name
  }

  var isDocument: Bool { !segments.isEmpty && segments.count.isMultiple(of: 2) }
  var parent: MiniPath { MiniPath(segments.dropLast()) }
  var last: ByteString { segments.last ?? "" }

  func isBelow(_ other: MiniPath) -> Bool {
    segments.count > other.segments.count && segments.starts(with: other.segments)
  }

  static func < (left: MiniPath, right: MiniPath) -> Bool { left.compare(right) < 0 }
  static func == (left: MiniPath, right: MiniPath) -> Bool { left.name == right.name }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }

  func compare(_ other: MiniPath) -> Int {
    for index in 0..<min(segments.count, other.segments.count) {
      let left = segments[index]
      let right = other.segments[index]
      let result =
        index.isMultiple(of: 2) ? left.compare(right) : Self.compareIDs(left, right)
      if result != 0 { return result }
    }
    return segments.count - other.segments.count
  }

  /// Refuses ids that the service refuses.
  func check() throws {
    for (index, segment) in segments.enumerated() {
      guard !segment.isEmpty, segment.bytes.count <= 1500, segment != ".", segment != "..",
        !segment.bytes.contains(UInt8(ascii: "/"))
      else { throw ServiceError.invalidArgument("Resource id \"\(segment)\" is invalid.") }
      if segment.isReserved, index.isMultiple(of: 2) || Self.number(segment) == nil {
        throw ServiceError.invalidArgument("Resource id \"\(segment)\" is invalid because it is reserved.")
      }
    }
    guard segments.count <= 200, name.bytes.count <= 6 << 10 else {
      throw ServiceError.invalidArgument("the name is too long")
    }
  }

  // MARK: Order

  /// The number of `__id7__`.
  private static func number(_ id: ByteString) -> Int64? {
    guard id.bytes.starts(with: "__id".utf8), id.bytes.count > 6, id.isReserved else { return nil }
    let text = String(decoding: id.bytes[4..<(id.bytes.count - 2)], as: UTF8.self)
    return Int64(text).flatMap { $0 != 0 && String($0) == text ? $0 : nil }
  }

  private static func compareIDs(_ left: ByteString, _ right: ByteString) -> Int {
    switch (number(left), number(right)) {
    case (let left?, let right?): left < right ? -1 : left > right ? 1 : 0
    case (_?, nil): -1
    case (nil, _?): 1
    case (nil, nil): left.compare(right)
    }
  }

  /// Compares two full names (`projects/P/databases/D/documents/...`).
  static func compareNames(_ left: ByteString, _ right: ByteString) -> Int {
    func split(_ name: ByteString) -> (ArraySlice<ByteString>, MiniPath) {
      let all = MiniPath(relative: name).segments
      return (all.prefix(5), MiniPath(all.dropFirst(5)))
    }
    let (first, second) = (split(left), split(right))
    for (one, other) in zip(first.0, second.0) where one != other { return one.compare(other) }
    return first.1.compare(second.1)
  }

  /// Whether this is a document's full name, in any database.
  static func isDocumentName(_ name: ByteString) -> Bool {
    let parts = MiniPath(relative: name).segments
    return parts.count >= 7 && parts.count % 2 == 1 && parts[0] == "projects" && parts[2] == "databases"
      && parts[4] == "documents" && !parts.contains { $0.isEmpty }
  }
}
