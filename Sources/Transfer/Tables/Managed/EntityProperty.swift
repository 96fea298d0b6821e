import FirestoreModels

/// A field as stored in an entity: a value, or one element of an array.
///
/// It borrows the bytes.
struct EntityProperty {
  /// The meanings observed for values of Firestore (`Property.Meaning` in App Engine's entity.proto).
  enum Meaning {
    static let none: UInt64 = 0
    static let moment: UInt64 = 7
    static let geoPoint: UInt64 = 9
    static let blob: UInt64 = 14
    static let text: UInt64 = 15
    /// Short bytes that are indexed, in exports of App Engine.
    static let byteString: UInt64 = 16
    static let entity: UInt64 = 19
    static let emptyList: UInt64 = 24
    static let vector: UInt64 = 31
  }

  let name: UnsafeBufferPointer<UInt8>
  let value: UnsafeRawBufferPointer
  let meaning: UInt64
  /// Whether it is an element of an array.
  let isElement: Bool
  /// Whether it is a property that is not indexed.
  let isRaw: Bool

  init(_ bytes: UnsafeRawBufferPointer, isRaw: Bool) throws(WireError) {
    var reader = ProtoReader(bytes)
    var meaning = Meaning.none
    var (name, value): (UnsafeRawBufferPointer?, UnsafeRawBufferPointer?)
    var isElement = false
    while let field = try reader.next() {
      switch (field.number, field.content) {
      case (1, .number(let number)): meaning = number
      case (3, .bytes(let bytes)) where name == nil: name = bytes
      case (4, .number(let number)): isElement = number != 0
      case (5, .bytes(let bytes)) where value == nil: value = bytes
      default:
        throw WireError(
          "a property has a field \(field.number), which is not known",
          at: try name.map { bytes throws(WireError) in [try bytes.text()] } ?? []
        )
      }
    }
    guard let name, let value else { throw WireError("a property has no name or no value") }
    self.name = UnsafeBufferPointer(
      start: name.baseAddress?.assumingMemoryBound(to: UInt8.self),
      count: name.count
    )
    (self.value, self.meaning) = (value, meaning)
    (self.isElement, self.isRaw) = (isElement, isRaw)
  }

  /// Whether it is an element of a vector.
  var isOfVector: Bool { meaning == Meaning.vector }
}

/// Combines the properties of an entity: those of the same array become its elements, in order.
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
  /// The name of the last member, as long as the members are in ascending order.
  private var last: UnsafeBufferPointer<UInt8>?
  private var isOrdered = true

  init(reserving count: Int) { members.reserveCapacity(count) }

  var count: Int { members.count }

  mutating func add(_ property: EntityProperty, _ name: String, _ value: consuming Value) throws(WireError) {
    if !property.isElement { return append(property, name, value) }
    guard let index = index(of: name) else {
      if let before = lists.last { indices[UTF8Key(before.name)] = lists.count - 1 }
      lists.append(
        List(
          name: name,
          member: members.count,
          values: [value],
          isVector: property.isOfVector,
          isRaw: property.isRaw
        )
      )
      // Marks the position of the array: members already in order need not be sorted.
      return append(property, name, .null)
    }
    if lists[index].isVector != property.isOfVector { throw WireError("it is a vector in part") }
    if lists[index].isRaw != property.isRaw {
      throw WireError(
        "some of its elements are indexed and others are not, so that their order is not known"
      )
    }
    lists[index].values.append(value)
  }

  private mutating func append(_ property: EntityProperty, _ name: String, _ value: consuming Value) {
    if isOrdered, let last { isOrdered = last.precedes(property.name) }
    last = property.name
    members.append(FieldMap.Entry(name: name, value: value))
  }

  private func index(of name: String) -> Int? {
    if let last = lists.last, last.name.isIdentical(to: name) { return lists.count - 1 }
    return indices.isEmpty ? nil : indices[UTF8Key(name)]
  }

  consuming func fields() throws(WireError) -> FieldMap {
    for list in lists {
      members[list.member].value = list.isVector ? .map(.vector(list.values)) : .array(list.values)
    }
    if isOrdered { return FieldMap(ordered: members) }
    let fields = FieldMap(members)
    if fields.count == members.count { return fields }
    let names = members.map { UTF8Key($0.name) }.sorted()
    let repeated = zip(names, names.dropFirst()).first { $0 == $1 }
    throw WireError("it is given twice", at: repeated.map { [$0.0.string] } ?? [])
  }
}

extension FieldMap {
  /// A vector of doubles.
  static func vector(_ values: [Value]) -> FieldMap {
    ["__type__": .string("__vector__"), "value": .array(values)]
  }
}
