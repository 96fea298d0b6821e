/// Matches each element of an array that came back as plain JSON with one of the old elements.
///
/// Each old element is matched at most once. The closest matches are found first, whatever their order: elements with the same
/// spelling, then numbers with the same value, then integers that were rounded to the nearest double. Among equal ones, positions
/// decide: at the beginning, at the end, then the same ones, then their order.
struct PlainMatch {
  /// The index of the old element for each element; nil for elements that are new or changed.
  private(set) var places: [Int?]
  private(set) var isUsed: [Bool]
  /// Whether distinct old elements may look the same to the program, and fewer or more of them came back.
  private(set) var isAmbiguous = false

  /// - Parameter keepsDigits: Whether the program does not round integers.
  init(_ answered: [JSONCursor], _ original: [Value], keepsDigits: Bool = false) {
    places = Array(repeating: nil, count: answered.count)
    isUsed = Array(repeating: false, count: original.count)
    for likeness in PlainKey.Likeness.allCases where !keepsDigits || likeness != .rounded {
      let keys = zip(answered, places).map { $1 == nil ? PlainKey($0, likeness) : nil }
      let old = zip(original, isUsed).map { $1 ? nil : PlainKey($0, likeness) }
      match(keys, old)
      if places.allSatisfy({ $0 != nil }) { break }
    }
    isAmbiguous = mayBeMistaken(answered, original)
  }

  private mutating func match(_ keys: [PlainKey?], _ old: [PlainKey?]) {
    for index in 0..<min(keys.count, old.count) where places[index] != index {
      guard take(index, for: index, keys, old) else { break }
    }
    for (index, place) in zip(keys.indices.reversed(), old.indices.reversed()) where places[index] != place {
      guard take(place, for: index, keys, old) else { break }
    }
    for index in 0..<min(keys.count, old.count) { _ = take(index, for: index, keys, old) }
    var free: [PlainKey: [Int]] = [:]
    for place in old.indices.reversed() where !isUsed[place] {
      if let key = old[place] { free[key, default: []].append(place) }
    }
    for index in keys.indices where places[index] == nil {
      if let key = keys[index], let place = free[key]?.popLast() { _ = take(place, for: index, keys, old) }
    }
  }

  /// Matches an old element with one that came back, if both are unmatched and alike.
  private mutating func take(_ place: Int, for index: Int, _ keys: [PlainKey?], _ old: [PlainKey?]) -> Bool {
    guard places[index] == nil, !isUsed[place], let key = keys[index], key == old[place] else { return false }
    (places[index], isUsed[place]) = (place, true)
    return true
  }

  /// However an element is spelled, it may be the rounded one of another, unless it has all digits of a large integer.
  private func mayBeMistaken(_ answered: [JSONCursor], _ original: [Value]) -> Bool {
    // Where each is matched and none is left, there are as many of every spelling as there were.
    if answered.count == original.count, !places.contains(nil) { return false }
    let keys = answered.map { PlainKey($0, .rounded) }
    let old = original.map { PlainKey($0, .rounded) }
    var known: Set<Int> = []
    for (key, place) in zip(keys, places) {
      if let place, old[place] != key { known.insert(place) }
    }
    var counts: [PlainKey: Int] = [:]
    for key in keys { counts[key, default: 0] += 1 }
    let alike = Dictionary(grouping: old.indices.filter { !known.contains($0) }) { old[$0] }
    return alike.contains { key, places in
      guard let count = counts[key], count != places.count else { return false }
      return places.contains { original[$0] != original[places[0]] }
    }
  }
}

/// The encoding of a value as plain JSON; values that are alike have the same bytes.
struct PlainKey: Hashable {
  /// How similar numbers must be; everything else must be equal.
  enum Likeness: CaseIterable {
    /// Both are integers, or both doubles.
    case spelled
    /// 3 equals 3.0, as many programs print it.
    case worth
    /// An integer beyond 2^53 equals the double that most programs turn it into.
    case rounded
  }

  private let likeness: Likeness
  private var bytes: [UInt8] = []

  /// Longer than that of any value inside it.
  var length: Int { bytes.count }

  init(_ value: Value, _ likeness: Likeness) {
    self.likeness = likeness
    add(value)
  }

  init(_ json: JSONCursor, _ likeness: Likeness) {
    self.likeness = likeness
    add(json)
  }

  private mutating func add(_ value: Value) {
    switch value {
    case .null: add("n", 0)
    case .boolean(let flag): add("b", flag ? 1 : 0)
    case .integer(let number): add(number)
    case .double(let number):
      if number.isFinite { return add(number) }
      add(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
    case .timestamp(let moment): add(moment.description)
    case .string(let text), .reference(let text): add(text)
    case .bytes(let bytes): add(Base64.standard(bytes))
    case .geoPoint(let point):
      add([("latitude", point.latitude), ("longitude", point.longitude)]) { $0.add($1) }
    case .array(let values): add(values)
    case .map(let fields):
      if let vector = fields.vector { return add(vector.map { .double($0) }) }
      add(fields.entries.map { ($0.name, $0.value) }) { $0.add($1) }
    }
  }

  private mutating func add(_ values: [Value]) {
    add("[", values.count)
    for value in values { add(value) }
  }

  private mutating func add(_ json: JSONCursor) {
    switch json.kind {
    case .null: add("n", 0)
    case .boolean: add("b", json.boolean == true ? 1 : 0)
    case .integer:
      guard let number = json.integer else {
        // A number beyond 64 bits is read as a double, which is also how the largest integers may be printed.
        if likeness != .spelled, let number = json.double { return add(number) }
        return add("u", 0)
      }
      // An integer with all its digits matches no old double.
      if likeness != .rounded || Self.mayBeRounded(number) { add(number) } else { add("u", number) }
    case .double: add(json.double ?? 0)
    case .string: add(json.string ?? "")
    case .array:
      let elements = Array(json.elements)
      add("[", elements.count)
      for element in elements { add(element) }
    case .object: add(json.members.map { ($0.string, $1) }) { $0.add($1) }
    }
  }

  /// Whether a program may print a double as this integer: with its exact digits, or padded with zeros.
  static func mayBeRounded(_ number: Int64) -> Bool {
    number % 10 == 0 || Int64(exactly: Double(number)) == number
  }

  private mutating func add(_ number: Int64) {
    if likeness == .rounded { add("d", Double(number).bitPattern) } else { add("i", number) }
  }

  private mutating func add(_ number: Double) {
    switch likeness {
    case .worth:
      if let whole = Int64(exactly: number) { add("i", whole) } else { add("d", number.bitPattern) }
    case .spelled: add("d", number.bitPattern)
    // Zero with the other sign is also zero.
    case .rounded: add("d", (number + 0).bitPattern)
    }
  }

  private mutating func add(_ text: String) {
    add("s", text.utf8.count)
    bytes += text.utf8
  }

  private mutating func add<Member>(
    _ members: [(name: String, value: Member)],
    _ add: (inout PlainKey, Member) -> Void
  ) {
    self.add("{", members.count)
    for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
      self.add(member.name)
      add(&self, member.value)
    }
  }

  private mutating func add(_ tag: Unicode.Scalar, _ number: some FixedWidthInteger) {
    bytes.append(UInt8(truncatingIfNeeded: tag.value))
    withUnsafeBytes(of: number) { bytes += $0 }
  }
}

extension JSONCursor {
  /// Whether it is the plain JSON of a value, however its numbers are written; members and elements are compared individually
  /// elsewhere.
  func isPlain(_ value: Value, keepsDigits: Bool) -> Bool {
    let isVector = value.map?.vector != nil
    let holdsOthers = value.array != nil || value.map != nil && !isVector
    return PlainKey.Likeness.allCases.prefix(holdsOthers ? 1 : keepsDigits ? 2 : 3).contains {
      PlainKey(self, $0) == PlainKey(value, $0)
    }
  }
}
