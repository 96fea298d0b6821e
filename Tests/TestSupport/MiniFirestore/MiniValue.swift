/// A value as it is stored.
///
/// Equality is of type and bits: `1` and `1.0` differ, and so do `0.0` and `-0.0`.
indirect enum MiniValue: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case double(bits: UInt64)
  case timestamp(MiniTime)
  case string(ByteString)
  case bytes([UInt8])
  case reference(ByteString)
  case geoPoint(latitude: UInt64, longitude: UInt64)
  case array([MiniValue])
  case map(MiniFields)

  static func number(_ value: Double) -> MiniValue {
    .double(bits: value.isNaN ? Double.nan.bitPattern : value.bitPattern)
  }

  /// The service's order of types.
  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .integer, .double: 2
    case .timestamp: 3
    case .string: 4
    case .bytes: 5
    case .reference: 6
    case .geoPoint: 7
    case .array: 8
    case .map(let fields): fields["__type__"] == .string("__vector__") ? 9 : 10
    }
  }

  func isSameType(as other: MiniValue) -> Bool { rank == other.rank }

  /// Negative, zero or positive, in the service's order; `1` equals `1.0` here, and NaN equals NaN.
  func compare(_ other: MiniValue) -> Int {
    guard rank == other.rank else { return rank - other.rank }
    switch (self, other) {
    case (.bool(let left), .bool(let right)): return (left ? 1 : 0) - (right ? 1 : 0)
    case (.integer(let left), .integer(let right)): return Self.order(left, right)
    case (.double(let left), .double(let right)):
      return Self.order(Double(bitPattern: left), Double(bitPattern: right))
    case (.integer(let left), .double(let right)): return Self.order(left, Double(bitPattern: right))
    case (.double(let left), .integer(let right)): return -Self.order(right, Double(bitPattern: left))
    case (.timestamp(let left), .timestamp(let right)):
      return Self.order(left.microseconds, right.microseconds)
    case (.string(let left), .string(let right)): return left.compare(right)
    case (.bytes(let left), .bytes(let right)):
      return ByteString(bytes: left).compare(ByteString(bytes: right))
    case (.reference(let left), .reference(let right)): return MiniPath.compareNames(left, right)
    case (.geoPoint(let latitude, let longitude), .geoPoint(let otherLatitude, let otherLongitude)):
      let first = Self.order(Double(bitPattern: latitude), Double(bitPattern: otherLatitude))
      let second = Self.order(Double(bitPattern: longitude), Double(bitPattern: otherLongitude))
      return first != 0 ? first : second
    case (.array(let left), .array(let right)):
      for (first, second) in zip(left, right) {
        let result = first.compare(second)
        if result != 0 { return result }
      }
      return left.count - right.count
    case (.map(let left), .map(let right)): return Self.compare(left, right)
    default: return 0
    }
  }

  private static func compare(_ left: MiniFields, _ right: MiniFields) -> Int {
    let pairs = zip(left.sorted { $0.key < $1.key }, right.sorted { $0.key < $1.key })
    for (first, second) in pairs {
      let names = first.key.compare(second.key)
      if names != 0 { return names }
      let values = first.value.compare(second.value)
      if values != 0 { return values }
    }
    return left.count - right.count
  }

  private static func order(_ left: Int64, _ right: Int64) -> Int { left < right ? -1 : left > right ? 1 : 0 }

  private static func order(_ left: Double, _ right: Double) -> Int {
    if left.isNaN || right.isNaN { return (right.isNaN ? 1 : 0) - (left.isNaN ? 1 : 0) }
    return left < right ? -1 : left > right ? 1 : 0
  }

  private static func order(_ left: Int64, _ right: Double) -> Int {
    if right.isNaN { return 1 }
    if right >= 0x1p63 { return -1 }
    if right < -0x1p63 { return 1 }
    let whole = right.rounded(.towardZero)
    let result = order(left, Int64(whole))
    return result != 0 ? result : order(whole, right)
  }
}

/// A document's fields, or a map's.
typealias MiniFields = [ByteString: MiniValue]
