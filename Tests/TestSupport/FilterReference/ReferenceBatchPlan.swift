/// A field that the documents of a batch have and its filters compare.
struct ReferencePlannedField: Sendable {
  var path: [[UInt8]]
  /// The values that documents have there, and filters compare it with.
  var values: [ReferenceDatum]
  /// What the arrays there are made of; empty where the field is no array as a rule.
  var elements: [ReferenceDatum] = []
}

/// What the documents and filters of a batch have in common, so that filters select some of the documents.
struct ReferenceBatchPlan: Sendable {
  var collection: [[UInt8]]
  var fields: [ReferencePlannedField]
  /// The ids that documents and operands of `__name__` have as a rule.
  var ids: [[UInt8]]

  init(pool: ReferenceValuePool, using random: inout ReferenceRandom) {
    let collections = [["users"], ["users"], ["groups", "g1", "members"]]
    ids = random.sample(Self.allIDs, 24)
    collection = random.pick(collections).map { Array($0.utf8) }
    var fields: [ReferencePlannedField] = []
    for name in random.sample(Self.topLevelNames, 4) {
      fields.append(Self.scalar([name], pool: pool, using: &random))
    }
    for path in random.sample(Self.nestedPaths, 2) {
      fields.append(Self.scalar(path, pool: pool, using: &random))
    }
    fields.append(Self.array([random.pick(Self.arrayNames)], pool: pool, using: &random))
    self.fields = fields
  }

  private static let allIDs: [[UInt8]] = [
    "a", "ab", "abc", "A", "M", "u1", "u10", "u2", "U1", "id7", "_", "~", "-", "a.b", "a b", "a-b", "007",
    "7", "70", "__id7__", "__id10__", "__id1__", "__id-3__", "__id-20__", "__id9223372036854775807__",
    "__id-9223372036854775808__", "\u{E9}", "e\u{301}", "e", "f", "\u{1F600}", "\u{F8FF}", "\u{FF5E}",
    "2025-01-01", "now", "null", "or", "x,y", "(z)", "a\"b", "a'b", "a\\b", "x=y", "[q]", "%2F", "\u{3A9}",
  ].map { Array($0.utf8) }

  private static let topLevelNames: [[UInt8]] = [
    "role", "role", "visits", "visits", "a", "b", "A", "z_1", "a b", "\u{E9}", "e\u{301}", "1st", "a.b", "or",
    "in", "and", "q`t", "back\\slash", "\u{1F600}", "user-id", "is-null", "m.x", "x=y", "(n)", "a,b", "_x",
  ].map { Array($0.utf8) }

  private static let nestedPaths: [[[UInt8]]] = [
    ["m", "x"], ["m", "y", "z"], ["m", "a b"], ["m", "\u{E9}"], ["p q", "x"], ["p q", "a.b"], ["m", "x1"],
    ["m", "y", "q`t"], ["m", "or"],
  ].map { path in path.map { Array($0.utf8) } }

  private static let arrayNames: [[UInt8]] = ["tags", "tags", "t a g s", "list_1"].map { Array($0.utf8) }

  private static func scalar(
    _ path: [[UInt8]],
    pool: ReferenceValuePool,
    using random: inout ReferenceRandom
  ) -> ReferencePlannedField {
    let writable = random.percent(80)
    let family = random.pick(writable ? ReferenceFamily.writable : ReferenceFamily.allCases)
    return ReferencePlannedField(path: path, values: pool.sample(family, using: &random))
  }

  private static func array(
    _ path: [[UInt8]],
    pool: ReferenceValuePool,
    using random: inout ReferenceRandom
  ) -> ReferencePlannedField {
    let elements = pool.elements(using: &random)
    var values: [ReferenceDatum] = [.array([])]
    for _ in 0..<6 {
      values.append(.array((0..<random.among(1...3)).map { _ in random.pick(elements) }))
    }
    if random.percent(30) {
      values.append(.array([.null, random.pick(elements), .double(.nan)]))
    }
    if random.percent(30) {
      values.append(random.pick(elements))
    }
    return ReferencePlannedField(path: path, values: values, elements: elements)
  }
}
