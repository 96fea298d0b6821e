import FirestoreModels

/// Decodes the records of Google's exports: entities of the old Datastore (`EntityProto` of App Engine, proto2 with
/// groups).
///
///     var decoder = EntityDecoder()
///     let (database, document) = try decoder.decode(record)
///
/// The type of a value depends on its meaning and on which of its fields is present. Combinations that were never observed
/// in an export of Firestore are refused by name rather than guessed. Names, and the database, recur in every entity: a
/// decoder creates them once.
struct EntityDecoder {
  private var names = NameCache()
  private var keys = EntityKey.Reader()
  /// The number of members of the previous document and map, for which capacity is reserved.
  private var (fieldCount, memberCount) = (0, 0)

  /// Decodes a single entity.
  static func document(
    _ bytes: UnsafeRawBufferPointer
  ) throws(WireError) -> (database: DatabaseName, document: RawDocument) {
    var decoder = EntityDecoder()
    return try decoder.decode(bytes)
  }

  /// Decodes an entity.
  ///
  /// - Throws: ``WireError`` with the field that is malformed or unknown.
  mutating func decode(
    _ bytes: UnsafeRawBufferPointer
  ) throws(WireError) -> (database: DatabaseName, document: RawDocument) {
    let (key, fields) = try entity(bytes, depth: 0)
    guard let key else { throw WireError("it has no key") }
    return (try keys.database(of: key), RawDocument(path: try key.document(), fields: fields))
  }

  /// Decodes the key of an entity and its fields.
  private mutating func entity(
    _ bytes: UnsafeRawBufferPointer,
    depth: Int
  ) throws(WireError) -> (key: EntityKey?, fields: FieldMap) {
    guard depth < WireDecoder.maximumValueDepth else { throw WireError("it is nested too deeply") }
    var reader = ProtoReader(bytes)
    var key: EntityKey?
    var properties = PropertyList(reserving: depth == 0 ? fieldCount : memberCount)
    while let field = try reader.next() {
      switch (field.number, field.content) {
      case (13, .bytes(let bytes)) where key == nil: key = try keys.key(bytes)
      case (14, .bytes(let bytes)), (15, .bytes(let bytes)):
        let property = try EntityProperty(bytes, isRaw: field.number == 15)
        let name = try name(property.name)
        do throws(WireError) {
          try properties.add(property, name, try value(of: property, depth: depth))
        } catch {
          throw error.inside(name)
        }
      // The first element of the key, repeated.
      case (16, .bytes): break
      default: throw WireError("an entity has a field \(field.number), which is not known")
      }
    }
    if depth == 0 { fieldCount = properties.count } else { memberCount = properties.count }
    return (key, try properties.fields())
  }

  private mutating func name(_ bytes: UnsafeBufferPointer<UInt8>) throws(WireError) -> String {
    let name = names.string(bytes)
    guard name.hasBytes(bytes) else { throw .notUTF8 }
    return name
  }

  /// Decodes a map: an entity with an empty key.
  private mutating func map(_ bytes: UnsafeRawBufferPointer, depth: Int) throws(WireError) -> FieldMap {
    let (key, fields) = try entity(bytes, depth: depth + 1)
    guard key?.isEmpty ?? true else { throw WireError("an entity with a key within another is not known") }
    // Vectors as written by emulators before 1.22.
    if fields.count == 1, case .array(let numbers)? = fields["__vector__"] { return .vector(numbers) }
    return fields
  }

  // MARK: Values

  private mutating func value(of property: EntityProperty, depth: Int) throws(WireError) -> Value {
    var reader = ProtoReader(property.value)
    let meaning = property.meaning
    if property.isRaw, meaning == EntityProperty.Meaning.byteString {
      throw WireError("the meaning \(meaning) of a value that is not indexed is not known")
    }
    guard let field = try reader.next() else {
      switch meaning {
      case EntityProperty.Meaning.none: return .null
      case EntityProperty.Meaning.emptyList where !property.isElement: return .array([])
      default: throw WireError("the meaning \(meaning) of no value is not known")
      }
    }
    let value = try value(field, meaning, &reader, isElement: property.isElement, depth: depth)
    if try reader.next() != nil { throw WireError("it has two values") }
    return value
  }

  private mutating func value(
    _ field: ProtoReader.Field,
    _ meaning: UInt64,
    _ reader: inout ProtoReader,
    isElement: Bool,
    depth: Int
  ) throws(WireError) -> Value {
    typealias Meaning = EntityProperty.Meaning
    switch (field.number, field.content, meaning) {
    case (1, .number(let number), Meaning.none): return .integer(Int64(bitPattern: number))
    case (1, .number(let number), Meaning.moment):
      return .timestamp(try Self.moment(Int64(bitPattern: number)))
    case (2, .number(let number), Meaning.none) where number < 2: return .boolean(number == 1)
    case (3, .bytes(let bytes), Meaning.none), (3, .bytes(let bytes), Meaning.text):
      return .string(try bytes.text())
    case (3, .bytes(let bytes), Meaning.blob), (3, .bytes(let bytes), Meaning.byteString):
      return .bytes(Array(bytes))
    case (3, .bytes(let bytes), Meaning.entity): return .map(try map(bytes, depth: depth))
    case (4, .fixed(let bits), Meaning.none): return .double(Double(bitPattern: bits))
    case (4, .fixed(let bits), Meaning.vector) where isElement: return .double(Double(bitPattern: bits))
    case (5, .group, Meaning.geoPoint): return .geoPoint(try Self.point(&reader))
    case (12, .group, Meaning.none):
      let key = try keys.key(group: 12, of: &reader)
      return .reference(try keys.database(of: key).name(of: key.document()))
    default: throw WireError("a value of field \(field.number) with the meaning \(meaning) is not known")
    }
  }

  private static func moment(_ microseconds: Int64) throws(WireError) -> Timestamp {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let moment = Timestamp(
      seconds: rest < 0 ? seconds - 1 : seconds,
      nanoseconds: Int32(rest < 0 ? rest + 1_000_000 : rest) * 1000
    )
    guard let moment else { throw WireError("a time is not of the years 1 to 9999") }
    return moment
  }

  private static func point(_ reader: inout ProtoReader) throws(WireError) -> GeoPoint {
    var (latitude, longitude): (Double?, Double?)
    while let field = try reader.next(in: 5) {
      switch (field.number, field.content) {
      case (6, .fixed(let bits)): latitude = Double(bitPattern: bits)
      case (7, .fixed(let bits)): longitude = Double(bitPattern: bits)
      default: throw WireError("a geo point has a field \(field.number), which is not known")
      }
    }
    guard let latitude, let longitude else { throw WireError("a geo point has no latitude or longitude") }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }
}
