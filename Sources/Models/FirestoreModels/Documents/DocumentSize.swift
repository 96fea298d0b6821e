/// The size of a document in bytes, as the service applies limits and bills storage
/// (https://firebase.google.com/docs/firestore/storage-size).
package enum DocumentSize {
  package static let documentOverhead = 32

  /// The size of a document: its name, its fields and 32 bytes.
  ///
  /// - Parameter mapOverhead: The overhead of every map. The documentation sizes a map "the same way as
  ///   document size" and leaves open whether that includes the 32 bytes: 32 is the upper bound, 0 the lower.
  package static func bytes(of document: RawDocument, mapOverhead: Int = documentOverhead) -> Int {
    bytes(ofName: document.path) + bytes(of: document.fields, mapOverhead: mapOverhead) + documentOverhead
  }

  /// The size of a document name: 16, plus the length of each ID and 1; a numeric document ID counts as 8.
  package static func bytes(ofName path: DocumentPath) -> Int {
    var size = 16
    for (index, id) in path.string.utf8.split(separator: UInt8(ascii: "/")).enumerated() {
      let isNumeric = index % 2 == 1 && ResourceID.number(String(Substring(id))) != nil
      size += isNumeric ? 8 : id.count + 1
    }
    return size
  }

  /// The size of fields: for each field, its name, 1 and its value.
  package static func bytes(of fields: FieldMap, mapOverhead: Int = documentOverhead) -> Int {
    fields.entries.reduce(0) { size, entry in
      size + entry.name.utf8.count + 1 + bytes(of: entry.value, mapOverhead: mapOverhead)
    }
  }

  package static func bytes(of value: Value, mapOverhead: Int = documentOverhead) -> Int {
    switch value {
    case .null, .boolean: return 1
    case .integer, .double, .timestamp: return 8
    case .geoPoint: return 16
    case .string(let text): return text.utf8.count + 1
    case .bytes(let bytes): return bytes.count
    case .reference(let name):
      // Project and database are not counted; a reference that is not a document name counts as one ID.
      return DatabaseName.split(name).map { bytes(ofName: $0.path) } ?? name.utf8.count + 17
    case .array(let values): return values.reduce(0) { $0 + bytes(of: $1, mapOverhead: mapOverhead) }
    case .map(let fields):
      if let vector = fields.vector { return 8 * vector.count }
      return bytes(of: fields, mapOverhead: mapOverhead) + mapOverhead
    }
  }
}
