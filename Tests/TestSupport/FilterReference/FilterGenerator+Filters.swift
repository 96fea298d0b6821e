extension FilterGenerator {
  /// A random filter that the service accepts, and whose acceptance is beyond doubt.
  mutating func acceptedFilter() -> ReferenceFilter {
    for _ in 0..<20 {
      let filter = candidate()
      // The service counts sort orders and the parent among its 100; keep away from that edge.
      if filter.refusal == nil && filter.normalForm.comparisons <= 80 {
        return filter
      }
    }
    let field = random.pick(plan.fields)
    return .compare(field.path, .equal, operand(for: field))
  }

  private mutating func candidate() -> ReferenceFilter {
    switch random.below(100) {
    case ..<48: comparison()
    case ..<56: window()
    case ..<72: composite(isAnd: true, depth: 0)
    case ..<88: composite(isAnd: false, depth: 0)
    default: composite(isAnd: random.percent(50), depth: random.among(1...3))
    }
  }

  private mutating func composite(isAnd: Bool, depth: Int) -> ReferenceFilter {
    let sides = (0..<random.among(2...3)).map { _ in
      depth > 0 && random.percent(45) ? composite(isAnd: !isAnd, depth: depth - 1) : comparison()
    }
    return isAnd ? .and(sides) : .or(sides)
  }

  /// A range with two ends.
  private mutating func window() -> ReferenceFilter {
    if random.percent(20) {
      let ends = [randomID(), randomID()].sorted { ReferenceOrder.segments($0, $1) == .before }
      return .and([
        .name(.greaterThanOrEqual, [collection + [ends[0]]]),
        .name(.lessThan, [collection + [ends[1]]]),
      ])
    }
    let field = random.pick(plan.fields)
    let ends = [operand(for: field), operand(for: field)].sorted { ReferenceOrder.values($0, $1) == .before }
    return .and([
      .compare(field.path, random.pick([.greaterThan, .greaterThanOrEqual]), ends[0]),
      .compare(field.path, random.pick([.lessThan, .lessThanOrEqual]), ends[1]),
    ])
  }

  /// One comparison or test.
  mutating func comparison() -> ReferenceFilter {
    if random.percent(9) {
      return nameComparison()
    }
    if random.percent(2) {
      return wholeMap()
    }
    var field = random.pick(plan.fields)
    if random.percent(2) {
      field.path = [Array("missing".utf8)]
    }
    if !field.elements.isEmpty && random.percent(65) {
      if random.percent(60) {
        return .compare(field.path, .arrayContains, element(of: field))
      }
      let elements = (0..<random.among(1...4)).map { _ in element(of: field) }
      return .compare(field.path, .arrayContainsAny, .array(elements))
    }
    switch random.below(100) {
    case ..<23: return .compare(field.path, .equal, operand(for: field))
    case ..<38: return .compare(field.path, .in, list(for: field, upTo: 30))
    case ..<47: return .compare(field.path, .notEqual, operand(for: field))
    case ..<53: return .compare(field.path, .notIn, list(for: field, upTo: 10))
    case ..<55: return .compare(field.path, .arrayContains, element(of: field))
    case ..<84: return .compare(field.path, randomRange(), operand(for: field))
    case ..<88: return .test(field.path, .isNull)
    case ..<93: return .test(field.path, .isNotNull)
    case ..<95: return .test(field.path, .isNaN)
    default: return .test(field.path, .isNotNaN)
    }
  }

  private mutating func nameComparison() -> ReferenceFilter {
    let path = collection + [randomID()]
    switch random.below(10) {
    case 0: return .name(.equal, [path])
    case 1: return .name(.notEqual, [path])
    case 2: return .name(.in, [path] + (0..<random.below(8)).map { _ in collection + [randomID()] })
    case 3: return .name(.notIn, [path] + (0..<random.below(6)).map { _ in collection + [randomID()] })
    default: return .name(randomRange(), [path])
    }
  }

  /// A comparison of the map that nested fields are in, which has no spelling.
  private mutating func wholeMap() -> ReferenceFilter {
    .compare(
      [Array("m".utf8)],
      random.pick([.equal, .notEqual, .greaterThan, .lessThanOrEqual]),
      random.pick(pool.values(.maps))
    )
  }

  private mutating func randomRange() -> ReferenceOperator {
    random.pick([.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual])
  }

  /// A list of values, usually a short one.
  private mutating func list(for field: ReferencePlannedField, upTo limit: Int) -> ReferenceDatum {
    if random.percent(3) {
      let count = random.among(limit / 2...limit)
      let more = (0..<count - 1).map { ReferenceDatum.integer(Int64($0)) }
      return .array(random.shuffled(more + [operand(for: field)]))
    }
    return .array((0..<random.among(1...4)).map { _ in operand(for: field) })
  }

  /// What to compare a field with: no null, and no NaN, which only the tests ask for.
  mutating func operand(for field: ReferencePlannedField) -> ReferenceDatum {
    for _ in 0..<10 {
      let near = random.percent(88) ? random.pick(field.values) : anyValue()
      if !near.isNull && !near.isNaN && (!Self.isArray(near) || random.percent(40)) {
        return near
      }
    }
    return .integer(1)
  }

  /// What to look for in the arrays of a field.
  private mutating func element(of field: ReferencePlannedField) -> ReferenceDatum {
    for _ in 0..<10 {
      let found = field.elements.isEmpty || random.percent(10) ? anyValue() : random.pick(field.elements)
      if !found.isNull && !found.isNaN && !Self.isArray(found) {
        return found
      }
    }
    return .integer(1)
  }
}
