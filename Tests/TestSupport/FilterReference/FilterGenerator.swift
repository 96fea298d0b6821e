/// Makes random documents, and random filters that select some of them.
///
/// One generator is one batch: its documents and filters share a collection, some fields, and small pools of
/// values for each field. Use a new seed for the next batch; the same seed makes the same batch again.
package struct FilterGenerator: Sendable {
  /// The segments of the collection that every document is in, and every operand of `__name__`.
  package var collection: [[UInt8]] {
    plan.collection
  }

  /// The project whose database full names of references are in.
  package static let project = "p"

  /// The database that full names of references are in.
  package static let database = "data"

  var random: ReferenceRandom
  let pool: ReferenceValuePool
  let plan: ReferenceBatchPlan

  /// A generator of the batch of a seed.
  ///
  /// - Parameters:
  ///   - seed: What determines the batch.
  ///   - startOfDay: The start of a day in the time zone of date-only timestamps, in seconds since 1970.
  package init(
    seed: UInt64,
    startOfDay: @escaping @Sendable (ReferenceDay) -> Int64 = { $0.startInUTC }
  ) {
    random = ReferenceRandom(seed: seed)
    pool = ReferenceValuePool(startOfDay: startOfDay)
    plan = ReferenceBatchPlan(pool: pool, using: &random)
  }

  /// A random document of the collection.
  package mutating func document() -> ReferenceDocument {
    document(id: randomID())
  }

  /// So many random documents of the collection, no two of the same path.
  package mutating func documents(_ count: Int) -> [ReferenceDocument] {
    var ids: [[UInt8]] = []
    while ids.count < count {
      let id = ids.count < 3 * count / 4 ? randomID() : Array("d\(ids.count)".utf8)
      ids.append(ids.contains(id) ? Array("d\(ids.count)".utf8) : id)
    }
    return random.shuffled(ids).map { document(id: $0) }
  }

  /// A random filter, mostly one that the service accepts.
  package mutating func filter() -> GeneratedFilter {
    let filter = random.percent(4) ? refusedFilter() : acceptedFilter()
    let writer = ReferenceFilterWriter(startOfDay: pool.startOfDay)
    return GeneratedFilter(filter: filter, text: writer.text(filter, using: &random))
  }

  /// A random id, mostly of the pool.
  mutating func randomID() -> [UInt8] {
    random.percent(90) ? random.pick(plan.ids) : Array("u\(random.below(30))".utf8)
  }

  private mutating func document(id: [UInt8]) -> ReferenceDocument {
    var fields: [ReferenceEntry] = []
    for field in plan.fields {
      if let value = storedValue(of: field) {
        Self.insert(value, at: field.path[...], into: &fields)
      }
    }
    if random.percent(15) {
      fields.removeAll { $0.key == Array("m".utf8) }
      if random.percent(70) {
        fields.append(ReferenceEntry(key: Array("m".utf8), value: valueInPlaceOfMap()))
      }
    }
    if random.percent(20) {
      fields.append(ReferenceEntry("other", anyValue()))
    }
    return ReferenceDocument(path: collection + [id], fields: random.shuffled(fields))
  }

  /// What a document has in a field, or nil if it lacks the field.
  private mutating func storedValue(of field: ReferencePlannedField) -> ReferenceDatum? {
    switch random.below(100) {
    case ..<10: nil
    case ..<14: .null
    case ..<21: anyValue()
    default: random.pick(field.values)
    }
  }

  /// A value of any type.
  mutating func anyValue() -> ReferenceDatum {
    random.pick(pool.values(random.pick(ReferenceFamily.allCases)))
  }

  /// Something that stands where the fields below `m` are looked for, but no vector: a path below one means
  /// nothing that is documented.
  private mutating func valueInPlaceOfMap() -> ReferenceDatum {
    switch random.below(5) {
    case 0: .null
    case 1: .text("x")
    case 2: .map([])
    case 3: .map([ReferenceEntry("y", .array([.map([ReferenceEntry("z", .integer(1))])]))])
    default: .array([.map([ReferenceEntry("x", .integer(1)), ReferenceEntry("y", .text("x"))])])
    }
  }

  static func isArray(_ value: ReferenceDatum) -> Bool {
    if case .array = value { true } else { false }
  }

  private static func insert(
    _ value: ReferenceDatum,
    at path: ArraySlice<[UInt8]>,
    into fields: inout [ReferenceEntry]
  ) {
    guard let name = path.first else {
      return
    }
    let rest = path.dropFirst()
    let index = fields.firstIndex { $0.key == name }
    if rest.isEmpty {
      if index == nil {
        fields.append(ReferenceEntry(key: name, value: value))
      }
      return
    }
    var inner: [ReferenceEntry] = []
    if let index, case .map(let entries) = fields[index].value {
      inner = entries
    }
    insert(value, at: rest, into: &inner)
    if let index {
      fields[index].value = .map(inner)
    } else {
      fields.append(ReferenceEntry(key: name, value: .map(inner)))
    }
  }
}
