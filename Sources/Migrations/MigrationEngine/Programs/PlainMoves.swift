import Tables

/// The values of a document that are not under their names any more, so that one that comes back as plain JSON under another name
/// is the value that it was.
struct PlainMoves {
  private var spelled: [PlainKey: [Value]] = [:]
  private var rounded: [PlainKey: [Value]] = [:]
  /// Points, vectors and maps, in which a program may print 3.0 as 3.
  private var composed: [PlainKey: [Value]] = [:]
  private var maps: [Value] = []

  var isEmpty: Bool { spelled.isEmpty }

  /// - Parameter answered: The document that came back.
  init(from original: FieldMap, to answered: JSONCursor) { addMissing(original, answered) }

  /// Returns the value that came back: it has the same spelling, or is a large integer that was rounded, or consists of numbers of
  /// the same value, and nothing else looks like it.
  func origin(of json: JSONCursor) -> Value? {
    if let value = Self.only(spelled[PlainKey(json, .spelled)]) { return value }
    if json.kind == .object || json.kind == .array { return Self.only(composed[PlainKey(json, .worth)]) }
    guard let number = json.double, abs(number) >= Self.exact else { return nil }
    return Self.only(rounded[PlainKey(json, .rounded)])
  }

  /// Returns the map that came back with changes: the one with which it has most members in common.
  func likelyMap(_ json: JSONCursor) -> FieldMap? {
    var likely = LikelyOrigins(of: Array(maps.indices), in: maps)
    let place = likely.take(for: json, at: -1, isMoved: true)
    return likely.isAmbiguous ? nil : place.flatMap { maps[$0].map }
  }

  /// The number from which neighboring integers may be the same double: 2^53.
  static let exact = 9_007_199_254_740_992.0

  private static func only(_ values: [Value]?) -> Value? {
    guard let first = values?.first, values?.allSatisfy({ $0 == first }) ?? false else { return nil }
    return first
  }

  private mutating func addMissing(_ fields: FieldMap, _ answered: JSONCursor) {
    let members = Dictionary(answered.members.map { (UTF8Key($0.string), $1) }) { $1 }
    for entry in fields.entries {
      guard let member = members[UTF8Key(entry.name)] else {
        add(entry.value)
        continue
      }
      if let map = entry.value.map, map.vector == nil, member.kind == .object { addMissing(map, member) }
    }
  }

  /// Adds a value, and those inside it.
  private mutating func add(_ value: Value) {
    // An empty text is more likely to be one.
    if value == .bytes([]) { return }
    spelled[PlainKey(value, .spelled), default: []].append(value)
    switch value {
    case .integer(let number) where abs(Double(number)) >= Self.exact:
      rounded[PlainKey(value, .rounded), default: []].append(value)
    case .array(let values): for value in values { add(value) }
    case .map(let map):
      composed[PlainKey(value, .worth), default: []].append(value)
      guard map.vector == nil else { return }
      maps.append(value)
      for entry in map.entries { add(entry.value) }
    case .geoPoint: composed[PlainKey(value, .worth), default: []].append(value)
    default: break
    }
  }
}
