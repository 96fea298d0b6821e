import FirestoreModels

/// Decodes the records of Google's exports: entities of the old Datastore (`EntityProto` of App Engine, proto2 with groups).
///
/// What a value is depends on its meaning and on which field of it is there. Combinations that no export of Firestore was seen with
/// are refused by name, and not guessed.
enum EntityDecoder {
  /// Decodes an entity.
  ///
  /// - Throws: ``WireError`` with the field that is malformed or not known.
  static func document(
    _ bytes: UnsafeRawBufferPointer
  ) throws(WireError) -> (database: DatabaseName, document: RawDocument) {
    let (key, fields) = try entity(bytes, depth: 0)
    guard let key else { throw WireError("it has no key") }
    return (try key.database(), RawDocument(path: try key.document(), fields: fields))
  }

  /// Decodes the key of an entity and its fields.
  private static func entity(
    _ bytes: UnsafeRawBufferPointer,
    depth: Int
  ) throws(WireError) -> (key: EntityKey?, fields: FieldMap) {
    guard depth < WireDecoder.maximumValueDepth else { throw WireError("it is nested too deeply") }
    var reader = ProtoReader(bytes)
    var key: EntityKey?
    var properties = PropertyList()
    while let field = try reader.next() {
      switch (field.number, field.content) {
      case (13, .bytes(let bytes)) where key == nil: key = try EntityKey(bytes)
      case (14, .bytes(let bytes)), (15, .bytes(let bytes)):
        try properties.add(try EntityProperty(bytes, depth: depth), isRaw: field.number == 15)
      // The first element of the key again.
      case (16, .bytes): break
      default: throw WireError("an entity has a field \(field.number), which is not known")
      }
    }
    return (key, try properties.fields())
  }

  /// Decodes a map: an entity with an empty key.
  static func map(_ bytes: UnsafeRawBufferPointer, depth: Int) throws(WireError) -> FieldMap {
    let (key, fields) = try entity(bytes, depth: depth + 1)
    guard key?.isEmpty ?? true else { throw WireError("an entity with a key within another is not known") }
    // The vectors of emulators before 1.22.
    if fields.count == 1, case .array(let numbers)? = fields["__vector__"] { return .vector(numbers) }
    return fields
  }
}

/// A field as it is in an entity: a value, or one element of an array.
struct EntityProperty {
  /// The meanings that values of Firestore were seen with (`Property.Meaning` in App Engine's entity.proto).
  enum Meaning {
    static let none: UInt64 = 0
    static let moment: UInt64 = 7
    static let geoPoint: UInt64 = 9
    static let blob: UInt64 = 14
    static let text: UInt64 = 15
    static let byteString: UInt64 = 16
    static let entity: UInt64 = 19
    static let emptyList: UInt64 = 24
    static let vector: UInt64 = 31
  }

  let name: String
  let value: Value
  /// Whether it is an element of an array.
  let isElement: Bool
  /// Whether it is an element of a vector.
  let isOfVector: Bool

  init(_ bytes: UnsafeRawBufferPointer, depth: Int) throws(WireError) {
    var reader = ProtoReader(bytes)
    var meaning = Meaning.none
    var (name, value): (String?, UnsafeRawBufferPointer?)
    var isElement = false
    while let field = try reader.next() {
      switch (field.number, field.content) {
      case (1, .number(let number)): meaning = number
      case (3, .bytes(let bytes)) where name == nil: name = try bytes.text()
      case (4, .number(let number)): isElement = number != 0
      case (5, .bytes(let bytes)) where value == nil: value = bytes
      default:
        throw WireError(
          "a property has a field \(field.number), which is not known",
          at: name.map { [$0] } ?? []
        )
      }
    }
    guard let name, let value else { throw WireError("a property has no name or no value") }
    (self.name, self.isElement) = (name, isElement)
    isOfVector = meaning == Meaning.vector
    do throws(WireError) {
      self.value = try Self.value(value, meaning, isElement: isElement, depth: depth)
    } catch {
      throw error.inside(name)
    }
  }

  private static func value(
    _ bytes: UnsafeRawBufferPointer,
    _ meaning: UInt64,
    isElement: Bool,
    depth: Int
  ) throws(WireError) -> Value {
    var reader = ProtoReader(bytes)
    guard let field = try reader.next() else {
      switch meaning {
      case Meaning.none: return .null
      case Meaning.emptyList where !isElement: return .array([])
      default: throw WireError("the meaning \(meaning) of no value is not known")
      }
    }
    let value = try self.value(field, meaning, &reader, isElement: isElement, depth: depth)
    if try reader.next() != nil { throw WireError("it has two values") }
    return value
  }

  private static func value(
    _ field: ProtoReader.Field,
    _ meaning: UInt64,
    _ reader: inout ProtoReader,
    isElement: Bool,
    depth: Int
  ) throws(WireError) -> Value {
    switch (field.number, field.content, meaning) {
    case (1, .number(let number), Meaning.none): return .integer(Int64(bitPattern: number))
    case (1, .number(let number), Meaning.moment): return .timestamp(try moment(Int64(bitPattern: number)))
    case (2, .number(let number), Meaning.none) where number < 2: return .boolean(number == 1)
    case (3, .bytes(let bytes), Meaning.none), (3, .bytes(let bytes), Meaning.text):
      return .string(try bytes.text())
    case (3, .bytes(let bytes), Meaning.blob), (3, .bytes(let bytes), Meaning.byteString):
      return .bytes(Array(bytes))
    case (3, .bytes(let bytes), Meaning.entity): return .map(try EntityDecoder.map(bytes, depth: depth))
    case (4, .fixed(let bits), Meaning.none): return .double(Double(bitPattern: bits))
    case (4, .fixed(let bits), Meaning.vector) where isElement: return .double(Double(bitPattern: bits))
    case (5, .group, Meaning.geoPoint): return .geoPoint(try point(&reader))
    case (12, .group, Meaning.none):
      let key = try EntityKey(group: 12, of: &reader)
      return .reference(try key.database().name(of: key.document()))
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

/// Puts the properties of an entity together: those of one array are its elements, in their order.
struct PropertyList {
  private struct List {
    var name: String
    /// The index of its member.
    var member: Int
    var values: [Value]
    var isVector: Bool
    var isRaw: Bool
  }

  private var members: [FieldMap.Entry] = []
  private var lists: [List] = []
  private var indices: [UTF8Key: Int] = [:]

  init() { members.reserveCapacity(16) }

  mutating func add(_ property: consuming EntityProperty, isRaw: Bool) throws(WireError) {
    guard property.isElement else {
      members.append(FieldMap.Entry(name: property.name, value: property.value))
      return
    }
    guard let index = index(of: property.name) else {
      indices[UTF8Key(property.name)] = lists.count
      lists.append(
        List(
          name: property.name,
          member: members.count,
          values: [property.value],
          isVector: property.isOfVector,
          isRaw: isRaw
        )
      )
      // Where the first element stands: members in their order need not be sorted.
      members.append(FieldMap.Entry(name: property.name, value: .null))
      return
    }
    if lists[index].isVector != property.isOfVector {
      throw WireError("it is a vector in part", at: [property.name])
    }
    if lists[index].isRaw != isRaw {
      throw WireError(
        "some of its elements are indexed and others are not, so that their order is not known",
        at: [property.name]
      )
    }
    lists[index].values.append(property.value)
  }

  private func index(of name: String) -> Int? {
    if let last = lists.last, last.name.isIdentical(to: name) { return lists.count - 1 }
    return indices[UTF8Key(name)]
  }

  consuming func fields() throws(WireError) -> FieldMap {
    for list in lists {
      members[list.member].value = list.isVector ? .map(.vector(list.values)) : .array(list.values)
    }
    let fields = FieldMap(members)
    if fields.count == members.count { return fields }
    let names = members.map { UTF8Key($0.name) }.sorted()
    let repeated = zip(names, names.dropFirst()).first { $0 == $1 }
    throw WireError("it is given twice", at: repeated.map { [$0.0.string] } ?? [])
  }
}

extension FieldMap {
  /// A vector of doubles.
  fileprivate static func vector(_ values: [Value]) -> FieldMap {
    ["__type__": .string("__vector__"), "value": .array(values)]
  }
}
