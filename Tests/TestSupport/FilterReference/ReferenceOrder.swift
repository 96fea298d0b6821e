/// How one value stands to another in Firestore's order of values, which is total.
///
/// Types follow each other: null, booleans, numbers, timestamps, texts, bytes, references, geographical
/// points, arrays, vectors, maps. Within a type each has its own order, given with the functions below.
package enum ReferenceOrder: Int, Sendable {
  /// The first is before the second.
  case before = -1
  /// They are equal in the order, although they may be different values, as 1 and 1.0.
  case same = 0
  /// The first is after the second.
  case after = 1

  /// The order of two values of any types.
  package static func values(_ left: ReferenceDatum, _ right: ReferenceDatum) -> ReferenceOrder {
    switch (left, right) {
    case (.null, .null):
      .same
    case (.boolean(let left), .boolean(let right)):
      plain(left ? 1 : 0, right ? 1 : 0)
    case (.integer(let left), .integer(let right)):
      plain(left, right)
    case (.integer(let left), .double(let right)):
      mixed(left, right)
    case (.double(let left), .integer(let right)):
      mixed(right, left).reversed
    case (.double(let left), .double(let right)):
      doubles(left, right)
    case (.timestamp(let left, let leftPart), .timestamp(let right, let rightPart)):
      plain(left, right).then(plain(leftPart, rightPart))
    case (.string(let left), .string(let right)), (.bytes(let left), .bytes(let right)):
      bytes(left, right)
    case (.reference(let left), .reference(let right)):
      paths(left, right)
    case (.geoPoint(let left, let leftLongitude), .geoPoint(let right, let rightLongitude)):
      doubles(left, right).then(doubles(leftLongitude, rightLongitude))
    case (.array(let left), .array(let right)):
      sequences(left, right, by: values)
    case (.vector(let left), .vector(let right)):
      plain(left.count, right.count).then(sequences(left, right, by: doubles))
    case (.map(let left), .map(let right)):
      maps(left, right)
    default:
      plain(typeRank(left), typeRank(right))
    }
  }

  /// The place of a value's type among the types.
  ///
  /// Integers and doubles are one type.
  package static func typeRank(_ value: ReferenceDatum) -> Int {
    switch value {
    case .null: 0
    case .boolean: 1
    case .integer, .double: 2
    case .timestamp: 3
    case .string: 4
    case .bytes: 5
    case .reference: 6
    case .geoPoint: 7
    case .array: 8
    case .vector: 9
    case .map: 10
    }
  }

  /// The order of two byte strings: the first byte that differs decides, and a beginning is before the whole.
  package static func bytes(_ left: [UInt8], _ right: [UInt8]) -> ReferenceOrder {
    sequences(left, right) { plain($0, $1) }
  }

  /// The order of two paths of documents: segment by segment, and a parent is before what is below it.
  package static func paths(_ left: [[UInt8]], _ right: [[UInt8]]) -> ReferenceOrder {
    sequences(left, right, by: segments)
  }

  /// The order of two segments of a path: numeric ids come first, by their number; others by their bytes.
  package static func segments(_ left: [UInt8], _ right: [UInt8]) -> ReferenceOrder {
    switch (numericID(left), numericID(right)) {
    case (let left?, let right?): plain(left, right)
    case (_?, nil): .before
    case (nil, _?): .after
    case (nil, nil): bytes(left, right)
    }
  }

  /// The number of an id of the form `__id7__` or `__id-7__`, or nil if the id is no such one.
  package static func numericID(_ segment: [UInt8]) -> Int64? {
    let prefix = Array("__id".utf8)
    let suffix = Array("__".utf8)
    guard
      segment.count > prefix.count + suffix.count,
      segment.starts(with: prefix),
      segment.suffix(suffix.count).elementsEqual(suffix)
    else {
      return nil
    }
    let number = segment.dropFirst(prefix.count).dropLast(suffix.count)
    let text = String(decoding: number, as: UTF8.self)
    guard let value = Int64(text), value != 0, String(value) == text else {
      return nil
    }
    return value
  }

  /// The order the other way round.
  package var reversed: ReferenceOrder {
    switch self {
    case .before: .after
    case .same: .same
    case .after: .before
    }
  }

  /// This order, or where it is `same` the next one.
  func then(_ next: @autoclosure () -> ReferenceOrder) -> ReferenceOrder {
    self == .same ? next() : self
  }

  private static func plain<Value: Comparable>(_ left: Value, _ right: Value) -> ReferenceOrder {
    left < right ? .before : right < left ? .after : .same
  }

  /// Doubles by value.
  ///
  /// NaN is below every number and equal to itself; -0.0 is equal to 0.0.
  private static func doubles(_ left: Double, _ right: Double) -> ReferenceOrder {
    left.isNaN || right.isNaN ? plain(left.isNaN ? 0 : 1, right.isNaN ? 0 : 1) : plain(left, right)
  }

  /// An integer and a double by their exact values: the integer is never rounded to a double.
  private static func mixed(_ integer: Int64, _ double: Double) -> ReferenceOrder {
    let limit = 9_223_372_036_854_775_808.0
    if double.isNaN || double < -limit {
      return .after
    }
    if double >= limit {
      return .before
    }
    // The double without its fraction is an integer that a double holds exactly.
    let whole = Int64(double)
    return plain(integer, whole).then(plain(Double(whole), double))
  }

  private static func sequences<Element>(
    _ left: [Element],
    _ right: [Element],
    by order: (Element, Element) -> ReferenceOrder
  ) -> ReferenceOrder {
    for (left, right) in zip(left, right) {
      let found = order(left, right)
      if found != .same {
        return found
      }
    }
    return plain(left.count, right.count)
  }

  /// Maps, entry by entry with their keys in the order of their bytes: the first entry whose key, or else
  /// whose value, differs decides, else the number of entries.
  private static func maps(_ left: [ReferenceEntry], _ right: [ReferenceEntry]) -> ReferenceOrder {
    sequences(sorted(left), sorted(right)) { left, right in
      bytes(left.key, right.key).then(values(left.value, right.value))
    }
  }

  private static func sorted(_ entries: [ReferenceEntry]) -> [ReferenceEntry] {
    entries.sorted { bytes($0.key, $1.key) == .before }
  }
}
