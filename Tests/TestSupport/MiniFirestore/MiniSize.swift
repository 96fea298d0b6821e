/// The size of a document by the published formula, and its limit.
enum MiniSize {
  static let largestDocument = 1_048_572

  /// Refuses a document that is larger than the service stores.
  static func check(_ path: MiniPath, _ fields: MiniFields) throws {
    let size = name(path) + self.fields(fields) + 32
    guard size <= largestDocument else {
      throw ServiceError.invalidArgument(
        "Document \"\(path.name)\" cannot be written because its size (\(size) bytes) exceeds the maximum "
          + "allowed size of \(largestDocument) bytes."
      )
    }
  }

  /// The size of a name: project and database do not count, a numeric id is eight bytes.
  static func name(_ path: MiniPath) -> Int {
    path.segments.reduce(16) { size, segment in
      size + (segment.isReserved ? 8 : segment.bytes.count + 1)
    }
  }

  static func fields(_ fields: MiniFields) -> Int {
    fields.reduce(0) { $0 + $1.key.bytes.count + 1 + value($1.value) }
  }

  private static func value(_ value: MiniValue) -> Int {
    switch value {
    case .null, .bool: 1
    case .integer, .double, .timestamp: 8
    case .geoPoint: 16
    case .string(let text): text.bytes.count + 1
    case .bytes(let bytes): bytes.count
    case .reference(let full): name(MiniPath(MiniPath(relative: full).segments.dropFirst(5)))
    case .array(let values): values.reduce(0) { $0 + self.value($1) }
    // Whether a map has the 32 bytes of a document as well is not published; the smaller reading is taken.
    case .map(let map): fields(map)
    }
  }
}
