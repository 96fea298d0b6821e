// Estimates of the memory that documents take: their strings and bytes, and the storage around them.

extension Value {
  /// The size of a value in an array, and of the header of a heap allocation.
  private static let (place, block) = (32, 32)

  package var heldBytes: Int {
    switch self {
    case .string(let text), .reference(let text): Self.place + Self.block + text.utf8.count
    case .bytes(let bytes): Self.place + Self.block + bytes.count
    case .array(let values): values.reduce(Self.place + Self.block) { $0 + $1.heldBytes }
    case .map(let fields): Self.place + Self.block + fields.heldBytes
    case .null, .boolean, .integer, .double, .timestamp, .geoPoint: Self.place
    }
  }
}

extension FieldMap {
  package var heldBytes: Int {
    entries.reduce(0) { $0 + 16 + $1.name.utf8.count + $1.value.heldBytes }
  }
}

extension RawDocument {
  package var heldBytes: Int { 128 + path.string.utf8.count + fields.heldBytes }
}

extension FieldEdit {
  package var heldBytes: Int {
    members.reduce(0) { $0 + 16 + $1.name.utf8.count + ($1.value?.heldBytes ?? 0) }
  }
}

extension EncodedDocument {
  package var heldBytes: Int { 128 + creation.count }
}

extension Change {
  /// The memory of the document before and after the change; unchanged values are counted once.
  package var heldBytes: Int {
    let after =
      switch effect {
      case .creation(let fields), .replacement(let fields): fields.heldBytes
      // Its bytes are those of its write, which are counted there.
      case .encodedCreation: 0
      case .update(let edit): edit.heldBytes
      case .deletion: 0
      }
    return after + (before?.heldBytes ?? 128)
  }
}
