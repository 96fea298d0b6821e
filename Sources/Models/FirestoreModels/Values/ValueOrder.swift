/// Firestore's order of values, as in `orderBy`, range filters and cursors.
///
/// Types come first: null, boolean, number, timestamp, string, bytes, reference, geo point, array, vector,
/// map (https://firebase.google.com/docs/firestore/manage-data/data-types). It is a total preorder: 1 and
/// 1.0, or 0 and -0.0, compare equal here although `==` distinguishes them.
package enum ValueOrder {
  /// Compares two values: negative, zero or positive.
  package static func compare(_ a: Value, _ b: Value) -> Int {
    switch (a, b) {
    case (.boolean(let x), .boolean(let y)): return x == y ? 0 : x ? 1 : -1
    case (.integer(let x), .integer(let y)): return threeWay(x, y)
    case (.integer(let x), .double(let y)): return compare(x, y)
    case (.double(let x), .integer(let y)): return -compare(y, x)
    case (.double(let x), .double(let y)): return compare(x, y)
    case (.timestamp(let x), .timestamp(let y)): return threeWay(x, y)
    case (.string(let x), .string(let y)): return x.compareUTF8(y)
    case (.bytes(let x), .bytes(let y)): return compare(x, y)
    case (.reference(let x), .reference(let y)): return compareSegments(x, y)
    case (.geoPoint(let x), .geoPoint(let y)):
      let order = compare(x.latitude, y.latitude)
      return order == 0 ? compare(x.longitude, y.longitude) : order
    case (.array(let x), .array(let y)): return compare(x, y)
    case (.map(let x), .map(let y)): return compareMaps(x, y)
    default: return threeWay(typeRank(a), typeRank(b))
    }
  }

  /// Compares an integer with a double exactly; NaN sorts below every number.
  package static func compare(_ integer: Int64, _ double: Double) -> Int {
    if double.isNaN { return 1 }
    // 2^63 and -2^63 are doubles; the integral part of every double between them fits.
    if double >= 0x1p63 { return -1 }
    if double < -0x1p63 { return 1 }
    let truncated = double.rounded(.towardZero)
    let order = threeWay(integer, Int64(truncated))
    return order == 0 ? threeWay(truncated, double) : order
  }

  /// Compares two doubles: NaN sorts lowest and equals itself, -0 equals 0.
  package static func compare(_ a: Double, _ b: Double) -> Int {
    switch (a.isNaN, b.isNaN) {
    case (true, true): 0
    case (true, false): -1
    case (false, true): 1
    case (false, false): threeWay(a, b)
    }
  }

  /// Compares two texts of bytes.
  package static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
    for (x, y) in zip(a, b) where x != y { return x < y ? -1 : 1 }
    return threeWay(a.count, b.count)
  }

  private static func compare(_ a: [Value], _ b: [Value]) -> Int {
    first(zip(a, b).lazy.map { compare($0, $1) }) ?? threeWay(a.count, b.count)
  }

  private static func compareMaps(_ a: FieldMap, _ b: FieldMap) -> Int {
    switch (a.vector, b.vector) {
    case (let x?, let y?):
      if x.count != y.count { return threeWay(x.count, y.count) }
      return first(zip(x, y).lazy.map { compare($0, $1) }) ?? 0
    case (_?, nil): return -1
    case (nil, _?): return 1
    case (nil, nil):
      for (x, y) in zip(a.entries, b.entries) {
        let names = x.name.compareUTF8(y.name)
        if names != 0 { return names }
        let values = compare(x.value, y.value)
        if values != 0 { return values }
      }
      return threeWay(a.count, b.count)
    }
  }

  /// Returns the first order that is not 0; nil if all are 0.
  private static func first(_ orders: some Sequence<Int>) -> Int? { orders.first { $0 != 0 } }

  /// The rank of a value's type; range filters only compare values of the same rank.
  package static func typeRank(_ value: Value) -> Int {
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
    case .map(let fields): fields.vector == nil ? 10 : 9
    }
  }

  private static func threeWay<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }
}
