import Foundation

/// Makes answers: plainly, or in every odd way that the encoding allows.
struct MiniEncoder {
  /// `projects/P/databases/D/documents`.
  let root: String
  let isAwkward: Bool
  private var generator: SplitMix64
  private var turn = 0

  init(root: String, isAwkward: Bool, seed: UInt64) {
    self.root = root
    self.isAwkward = isAwkward
    generator = SplitMix64(seed: seed)
    turn = Int(seed % 3)
  }

  func name(_ path: MiniPath) -> JSON { .text("\(root)/\(path.name)") }
  func time(_ time: MiniTime) -> JSON { .text(time.text) }

  /// An object of the given members; awkwardly in any order, and with one that nobody knows.
  mutating func object(_ members: [JSON.Member], extra: Bool = true) -> JSON {
    guard isAwkward else { return .object(members) }
    var members = members
    if extra, generator.chance(percent: 20) { members.append(unknownMember()) }
    members.shuffle(using: &generator)
    return .object(members)
  }

  private mutating func unknownMember() -> JSON.Member {
    let values: [JSON] = [
      .null, .bool(true), .integer(7), .text("}],\\\""), .array([.object([]), .array([])]),
      .object([JSON.Member("name", .text("nobody")), JSON.Member("fields", .object([]))]),
    ]
    return JSON.Member("xUnknownMember", values.randomElement(using: &generator) ?? .null)
  }

  // MARK: Documents

  mutating func document(_ path: MiniPath, _ document: MiniStored, mask: MiniMask = MiniMask()) -> JSON {
    var members = [JSON.Member("name", name(path))]
    let shown = mask.apply(to: document.fields)
    if !shown.isEmpty { members.append(JSON.Member("fields", fields(shown))) }
    members.append(JSON.Member("createTime", time(document.createTime)))
    members.append(JSON.Member("updateTime", time(document.updateTime)))
    return object(members)
  }

  mutating func fields(_ fields: MiniFields) -> JSON {
    var members: [JSON.Member] = []
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      members.append(JSON.Member(name, self.value(value)))
    }
    return object(members, extra: false)
  }

  mutating func value(_ value: MiniValue) -> JSON {
    let (name, content) = content(value)
    return object([JSON.Member(name, content)])
  }

  private mutating func content(_ value: MiniValue) -> (ByteString, JSON) {
    switch value {
    case .null: return ("nullValue", .null)
    case .bool(let flag): return ("booleanValue", .bool(flag))
    case .integer(let number): return ("integerValue", .text("\(number)"))
    case .double(let bits): return ("doubleValue", double(Double(bitPattern: bits)))
    case .timestamp(let time): return ("timestampValue", self.time(time))
    case .string(let text): return ("stringValue", .string(text))
    case .bytes(let bytes): return ("bytesValue", .text(Data(bytes).base64EncodedString()))
    case .reference(let name): return ("referenceValue", .string(name))
    case .geoPoint(let latitude, let longitude):
      // proto3 leaves out what is zero (and only that: not minus zero).
      var members: [JSON.Member] = []
      if latitude != 0 { members.append(JSON.Member("latitude", double(Double(bitPattern: latitude)))) }
      if longitude != 0 { members.append(JSON.Member("longitude", double(Double(bitPattern: longitude)))) }
      return ("geoPointValue", object(members))
    case .array(let values):
      guard !values.isEmpty else { return ("arrayValue", object([])) }
      let elements = values.map { self.value($0) }
      return ("arrayValue", object([JSON.Member("values", .array(elements))]))
    case .map(let map):
      guard !map.isEmpty else { return ("mapValue", object([])) }
      return ("mapValue", object([JSON.Member("fields", fields(map))]))
    }
  }

  /// A double; an integral one as `1`, as `1.0` and as `1.0E0` in turn.
  private mutating func double(_ number: Double) -> JSON {
    if number.isNaN { return .text("NaN") }
    if number.isInfinite { return .text(number < 0 ? "-Infinity" : "Infinity") }
    let plain = "\(number)"
    guard isAwkward, let whole = Int64(exactly: number), abs(number) < 1e15 else {
      return .number(ByteString(plain))
    }
    turn += 1
    let sign = number.sign == .minus ? "-" : ""
    let digits = "\(abs(whole))"
    switch turn % 3 {
    case 0: return .number(ByteString(sign + digits))
    case 1: return .number(ByteString(plain))
    default:
      let fraction = digits.dropFirst().reversed().drop { $0 == "0" }.reversed()
      let mantissa = "\(digits.prefix(1)).\(fraction.isEmpty ? "0" : String(fraction))"
      return .number(ByteString("\(sign)\(mantissa)E\(digits.count - 1)"))
    }
  }

  /// Any order, where the service promises none.
  mutating func shuffled<T>(_ values: [T]) -> [T] {
    isAwkward ? values.shuffled(using: &generator) : values
  }

  /// A draw that an awkward answer depends on.
  mutating func chance(percent: Double) -> Bool {
    isAwkward && generator.chance(percent: percent)
  }
}
