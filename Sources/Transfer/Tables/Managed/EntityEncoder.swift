import FirestoreModels

/// Encodes documents as entities that ``EntityDecoder`` and Google's emulator read.
struct EntityEncoder {
  /// The database of the documents.
  let database: DatabaseName

  private typealias Meaning = EntityProperty.Meaning

  /// Encodes a document.
  ///
  /// - Throws: ``WireError`` for a value that neither an entity nor a database of the service can hold.
  func bytes(of document: RawDocument) throws(WireError) -> [UInt8] {
    var message = ProtoWriter()
    let segments = document.path.segments
    message.message(13) { key in
      key.bytes(13, Self.app(of: database).utf8)
      key.message(14) { Self.path(segments, to: &$0) }
      if let id = Self.id(of: database) { key.bytes(23, id.utf8) }
    }
    try fields(document.fields, to: &message)
    message.message(16) { Self.path(Array(segments.prefix(2)), to: &$0) }
    return message.bytes
  }

  // MARK: Keys

  private static func app(of database: DatabaseName) -> String { "dev~\(database.project)" }

  private static func id(of database: DatabaseName) -> String? {
    database.database.isIdentical(to: "(default)") ? nil : database.database
  }

  private static func path(_ segments: [String], to path: inout ProtoWriter) {
    forEachElement(of: segments) { collection, id in
      path.group(1) { element(collection, id, first: 2, to: &$0) }
    }
  }

  private static func forEachElement(of segments: [String], _ body: (String, String) -> Void) {
    for index in stride(from: 0, to: segments.count - 1, by: 2) { body(segments[index], segments[index + 1]) }
  }

  /// Writes a numeric ID as a number.
  private static func element(_ collection: String, _ id: String, first: Int, to group: inout ProtoWriter) {
    group.bytes(first, collection.utf8)
    if let number = ResourceID.number(id) {
      group.number(first + 1, UInt64(bitPattern: number))
    } else {
      group.bytes(first + 2, id.utf8)
    }
  }

  private static func reference(_ name: String, to value: inout ProtoWriter) throws(WireError) {
    guard let (database, path) = DatabaseName.split(name) else {
      throw WireError("a reference is no name of a document")
    }
    value.group(12) { group in
      group.bytes(13, app(of: database).utf8)
      forEachElement(of: path.segments) { collection, id in
        group.group(14) { element(collection, id, first: 15, to: &$0) }
      }
      if let id = id(of: database) { group.bytes(23, id.utf8) }
    }
  }

  // MARK: Fields

  /// Writes fields as properties; only empty arrays are indexed.
  private func fields(_ fields: FieldMap, to entity: inout ProtoWriter) throws(WireError) {
    for entry in fields.entries where entry.value.array?.isEmpty ?? false {
      entity.message(14) {
        Self.property(entry.name, Meaning.emptyList, isElement: false, ProtoWriter(), to: &$0)
      }
    }
    for entry in fields.entries {
      do throws(WireError) {
        try field(entry, to: &entity)
      } catch {
        throw error.inside(entry.name)
      }
    }
  }

  private func field(_ entry: FieldMap.Entry, to entity: inout ProtoWriter) throws(WireError) {
    let vector = entry.value.map.flatMap(Self.vector)
    guard let elements = vector ?? entry.value.array else {
      return try property(entry.name, entry.value, isElement: false, isOfVector: false, to: &entity)
    }
    for element in elements {
      if element.array != nil { throw WireError("it is an array within an array") }
      try property(entry.name, element, isElement: true, isOfVector: vector != nil, to: &entity)
    }
  }

  /// Returns the components of a vector whose properties can mark it as one; nil for any other map.
  private static func vector(_ fields: FieldMap) -> [Value]? {
    guard let values = fields.vector != nil ? fields["value"]?.array : nil, !values.isEmpty else {
      return nil
    }
    return values.allSatisfy { if case .double = $0 { true } else { false } } ? values : nil
  }

  private func property(
    _ name: String,
    _ value: Value,
    isElement: Bool,
    isOfVector: Bool,
    to entity: inout ProtoWriter
  ) throws(WireError) {
    var content = ProtoWriter()
    let meaning = try encode(value, to: &content)
    entity.message(15) {
      Self.property(name, isOfVector ? Meaning.vector : meaning, isElement: isElement, content, to: &$0)
    }
  }

  private static func property(
    _ name: String,
    _ meaning: UInt64,
    isElement: Bool,
    _ value: ProtoWriter,
    to property: inout ProtoWriter
  ) {
    if meaning != Meaning.none { property.number(1, meaning) }
    property.bytes(3, name.utf8)
    property.number(4, isElement ? 1 : 0)
    property.bytes(5, value.bytes)
  }

  /// Encodes a value that is not an array, and returns its meaning.
  private func encode(_ value: Value, to content: inout ProtoWriter) throws(WireError) -> UInt64 {
    switch value {
    case .null, .array: break
    case .boolean(let flag): content.number(2, flag ? 1 : 0)
    case .integer(let number): content.number(1, UInt64(bitPattern: number))
    case .double(let number): content.double(4, number)
    case .string(let text): content.bytes(3, text.utf8)
    case .reference(let name): try Self.reference(name, to: &content)
    case .timestamp(let moment):
      content.number(1, UInt64(bitPattern: moment.microseconds))
      return Meaning.moment
    case .bytes(let bytes):
      content.bytes(3, bytes)
      return Meaning.blob
    case .geoPoint(let point):
      content.group(5) {
        $0.double(6, point.latitude)
        $0.double(7, point.longitude)
      }
      return Meaning.geoPoint
    case .map(let fields):
      try content.message(3) { entity throws(WireError) in try map(fields, to: &entity) }
      return Meaning.entity
    }
    return Meaning.none
  }

  /// Writes a map: an entity with an empty key.
  private func map(_ fields: FieldMap, to entity: inout ProtoWriter) throws(WireError) {
    entity.message(13) {
      $0.bytes(13, [])
      $0.bytes(14, [])
    }
    if let values = Self.vector(fields) {
      // A vector that is an element of an array, whose own properties cannot mark it as a vector.
      for value in values {
        try property("__vector__", value, isElement: true, isOfVector: false, to: &entity)
      }
    } else {
      try self.fields(fields, to: &entity)
    }
    entity.bytes(16, [])
  }
}
