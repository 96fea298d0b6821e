extension FilterGenerator {
  /// A random filter that is refused, beyond doubt.
  mutating func refusedFilter() -> ReferenceFilter {
    let refused = refusedKind()
    if random.percent(70) {
      return refused
    }
    // Beside something that would be accepted by itself, and without nesting ANDs in ANDs.
    let beside = ReferenceFilter.test(Self.path("role"), .isNull)
    if case .and(let sides) = refused {
      return .and(random.shuffled(sides + [beside]))
    }
    return .and([beside, refused])
  }

  private mutating func refusedKind() -> ReferenceFilter {
    let field = random.pick(plan.fields)
    let other = Self.path("other")
    let id = collection + [randomID()]
    switch random.below(16) {
    case 0:
      return .compare(
        field.path,
        random.pick([.in, .arrayContainsAny]),
        Self.integers(random.among(31...40))
      )
    case 1:
      let second = Self.integers(random.among(6...9))
      return .and([.compare(field.path, .in, Self.integers(6)), .compare(other, .in, second)])
    case 2:
      return .or((0..<random.among(31...33)).map { .compare(field.path, .equal, .integer(Int64($0))) })
    case 3:
      return .compare(field.path, .notIn, Self.integers(random.among(11...13)))
    case 4:
      let list = random.pick([ReferenceOperator.in, .arrayContainsAny])
      return .and([.compare(field.path, .notIn, Self.integers(2)), .compare(other, list, Self.integers(2))])
    case 5:
      return .or([.compare(field.path, .notIn, Self.integers(1)), .compare(other, .equal, .integer(1))])
    case 6:
      let negation = random.pick([ReferenceOperator.notIn, .notEqual])
      let first = Self.unlisted(.compare(field.path, negation, Self.integers(1)))
      return .and(random.shuffled([first, .test(other, random.pick([.isNotNull, .isNotNaN]))]))
    case 7:
      return .and([.compare(field.path, .notEqual, .integer(1)), .compare(other, .notEqual, .integer(2))])
    case 8:
      let second = random.pick([ReferenceOperator.arrayContains, .arrayContainsAny])
      return .and([
        .compare(field.path, .arrayContains, .integer(1)),
        Self.unlisted(.compare(field.path, second, .array([.integer(2)]))),
      ])
    case 9:
      return .name(random.pick([.arrayContains, .arrayContainsAny]), [id])
    case 10:
      return .test(Self.path("__name__"), random.pick(ReferenceTest.allCases))
    case 11:
      return .and([.name(random.pick([.equal, .in]), [id]), .compare(field.path, .greaterThan, .integer(0))])
    case 12:
      return .and((0..<11).map { .compare(Self.path("f\($0)"), .lessThan, .integer(5)) })
    case 13:
      return .and((0..<random.among(101...104)).map { .compare(field.path, .equal, .integer(Int64($0))) })
    case 14:
      let equalities = (0..<6).map { ReferenceFilter.compare(Self.path("f\($0)"), .equal, .integer(1)) }
      return .and([.compare(field.path, .in, Self.integers(20))] + equalities)
    default:
      switch random.below(3) {
      case 0:
        return .compare(field.path, random.pick([.lessThan, .greaterThanOrEqual, .arrayContains]), .null)
      case 1:
        let list = random.shuffled([ReferenceDatum.integer(1), .null])
        return .compare(field.path, random.pick([.in, .notIn]), .array(list))
      default:
        return .compare(field.path, random.pick([.in, .notIn, .arrayContainsAny]), .array([]))
      }
    }
  }

  /// The comparison with its list's only value, where its operator does not take a list.
  private static func unlisted(_ filter: ReferenceFilter) -> ReferenceFilter {
    if case .compare(let path, let comparison, .array(let values)) = filter, !comparison.takesList {
      return .compare(path, comparison, values[0])
    }
    return filter
  }

  private static func path(_ name: String) -> [[UInt8]] {
    [Array(name.utf8)]
  }

  private static func integers(_ count: Int) -> ReferenceDatum {
    .array((0..<count).map { .integer(Int64($0)) })
  }
}
