// About how much memory documents take: that of their texts and bytes, and of what holds them.

extension Value {
  /// A value with its place in an array, and the head of a block of memory.
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
  /// What is held of the document as it was and as it will be; values that stay are held once.
  package var heldBytes: Int {
    let after =
      switch effect {
      case .creation(let fields), .replacement(let fields): fields.heldBytes
      // Its bytes are those of its write.
      case .encodedCreation: 0
      case .update(let edit): edit.heldBytes
      case .deletion: 0
      }
    return after + (before?.heldBytes ?? 128)
  }
}
