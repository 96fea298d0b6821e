/// The values of a document that a program sent back as plain JSON, and which of the old ones they are.
///
/// Each old value is claimed once: by the place of the same name, by the element of the same array, and then by any other place, if
/// no other value of the document looks like it, wherever that is. What claims none is new.
struct PlainOrigins {
  /// What the schema says about a place.
  enum Rule { case free, isContainer, isDeclared }

  /// An old value; those inside it follow it.
  struct Old {
    let path: [String]
    let value: Value
    var end = 0
    var isClaimed = false
    /// Whether something else came back in its place.
    var isChanged = false
  }

  /// A value that came back; those inside it follow it.
  ///
  /// The elements of an array have the name `[]`.
  struct Place {
    let json: JSONCursor
    let path: [String]
    let rule: Rule
    var end = 0
    /// The old value that it is.
    var origin: Int?
    /// The old value that it changes.
    var changed: Int?
    var isTaken = false
    /// Whether it may as well be another value than the old one.
    var isDoubtful = false

    var isContainer: Bool { json.kind == .object || json.kind == .array }
  }

  /// The number from which neighboring integers may be the same double: 2^53.
  private static let exact = 9_007_199_254_740_992.0

  private(set) var old: [Old] = []
  private(set) var places: [Place] = []
  /// Whether the program writes 3.0 for a double and 3 for an integer.
  private var distinguishesDoubles = false
  /// Whether the answer has an integer that is no double, with all its digits.
  private var keepsDigits = false
  /// All old values by their look.
  private var looks: [PlainKey: [Int]] = [:]
  /// The looks that different values have.
  private var mistakable: Set<PlainKey> = []
  /// The first two different values of each look, however numbers are spelled, as which a new value may be meant.
  private var indistinct: [PlainKey: [Int]] = [:]

  /// The first field with distinct elements that look the same, of which fewer or more came back, so that it is not known which.
  private(set) var ambiguous: FieldPath?

  init(_ json: JSONCursor, from original: FieldMap, rule: (JSONCursor, [String]) -> Rule) {
    add(.map(original), at: [])
    add(json, at: [], rule)
    distinguishesDoubles =
      places.contains { $0.json.kind == .integer }
      && places.contains {
        // Programs that write 3.0 as 3 write -0.0 as -0, for no integer is -0.
        $0.json.kind == .double
          && $0.json.double.map { $0 == $0.rounded() && !Self.isLarge($0) && ($0 != 0 || $0.sign == .plus) }
            ?? false
      }
    keepsDigits = places.contains { place in
      place.json.integer.map { Self.isLarge(Double($0)) && !PlainKey.mayBeRounded($0) } ?? false
    }
    pair(0, with: 0)
    if places.allSatisfy(\.isTaken) { return }
    looks = Dictionary(grouping: old.indices) { look(of: old[$0].value) }
    mistakable = Set(looks.filter { differing($0.value).count > 1 }.keys)
    moveExactIntegers()
    move(containers: true)
    pairMovedMaps()
    move(containers: false)
    indistinct = Dictionary(grouping: old.indices.filter(isLost)) { PlainKey(old[$0].value, looseness) }
      .mapValues(differing)
  }

  private mutating func add(_ value: Value, at path: [String]) {
    let index = old.count
    old.append(Old(path: path, value: value))
    switch value {
    case .array(let values): for value in values { add(value, at: path + ["[]"]) }
    case .map(let fields) where fields.vector == nil:
      for entry in fields.entries { add(entry.value, at: path + [entry.name]) }
    default: break
    }
    old[index].end = old.count
  }

  private mutating func add(_ json: JSONCursor, at path: [String], _ rule: (JSONCursor, [String]) -> Rule) {
    let index = places.count
    places.append(Place(json: json, path: path, rule: rule(json, path)))
    if places[index].rule != .isDeclared {
      for (name, member) in json.members where !path.isEmpty || !(name == "__name__") {
        add(member, at: path + [name.string], rule)
      }
      for element in json.elements { add(element, at: path + ["[]"], rule) }
    }
    places[index].end = places.count
  }

  /// Returns the members or elements of a place.
  func parts(of place: Int) -> [Int] { Self.parts(of: place, in: places, \.end) }

  private static func parts<Node>(of index: Int, in nodes: [Node], _ end: KeyPath<Node, Int>) -> [Int] {
    var (parts, next) = ([Int](), index + 1)
    while next < nodes[index][keyPath: end] {
      parts.append(next)
      next = nodes[next][keyPath: end]
    }
    return parts
  }

  // MARK: In the same place

  /// - Parameter isMoved: Whether the place is in a map that came back elsewhere.
  private mutating func pair(_ place: Int, with origin: Int, isMoved: Bool = false) {
    let (json, value) = (places[place].json, old[origin].value)
    if isFree(origin), json.isPlain(value, keepsDigits: keepsDigits) {
      let isKnown = !isMoved || isDistinct(origin) && look(of: json) == look(of: value)
      if isKnown { return take(origin, for: place) }
      if !places[place].isContainer { return }
    }
    places[place].changed = origin
    old[origin].isChanged = true
    if places[place].rule == .isDeclared { return }
    let answered = parts(of: place).filter { !places[$0].isTaken }
    let original = Self.parts(of: origin, in: old, \.end).filter(isFree)
    switch (json.kind, value) {
    case (.object, .map):
      let named = Dictionary(original.map { (UTF8Key(old[$0].path.last ?? ""), $0) }) { $1 }
      for part in answered {
        if let other = named[UTF8Key(places[part].path.last ?? "")] {
          pair(part, with: other, isMoved: isMoved)
        }
      }
    case (.array, .array): pairElements(answered, with: original)
    default: break
    }
  }

  private mutating func pairElements(_ answered: [Int], with original: [Int]) {
    let (elements, values) = (answered.map { places[$0].json }, original.map { old[$0].value })
    let match = PlainMatch(elements, values, keepsDigits: keepsDigits)
    for (index, place) in match.places.enumerated() {
      if let place { take(original[place], for: answered[index]) }
    }
    var likely = LikelyOrigins(of: values.indices.filter { !match.isUsed[$0] }, in: values)
    let changed = elements.indices.filter { match.places[$0] == nil }
    for (index, place) in likely.take(
      for: changed.map { ($0, elements[$0]) },
      isMoved: elements.count != values.count
    ) {
      pair(answered[index], with: original[place])
    }
    if match.isAmbiguous || likely.isAmbiguous, ambiguous == nil, let first = answered.first ?? original.first
    {
      ambiguous = Self.field((answered.isEmpty ? old[first].path : places[first].path))
    }
  }

  private mutating func take(_ origin: Int, for place: Int) {
    places[place].origin = origin
    for index in place..<places[place].end { places[index].isTaken = true }
    places[place].isDoubtful = mayBeNeighbor(place)
    for index in origin..<old[origin].end { old[index].isClaimed = true }
  }

  private func isFree(_ origin: Int) -> Bool { !old[origin..<old[origin].end].contains(where: \.isClaimed) }

  // MARK: In another place

  /// Takes the large integers that came back with all digits, so that no other value is taken for them.
  private mutating func moveExactIntegers() {
    var free: [Int64: [Int]] = [:]
    for (index, old) in old.enumerated() where !old.isClaimed {
      if let number = old.value.integer, Self.isLarge(Double(number)) {
        free[number, default: []].append(index)
      }
    }
    if free.isEmpty { return }
    for (index, place) in places.enumerated() where !place.isTaken && place.rule == .free {
      guard let number = place.json.integer, !PlainKey.mayBeRounded(number) else { continue }
      if let origin = free[number]?.popLast() { take(origin, for: index) }
    }
  }

  /// Gives the places that are no old value the only free one that they look like, the longest first.
  private mutating func move(containers: Bool) {
    var open: [PlainKey: [Int]] = [:]
    for (index, place) in places.enumerated() where !place.isTaken && place.isContainer == containers {
      open[look(of: place.json), default: []].append(index)
    }
    for key in open.keys.filter({ looks[$0] != nil }).sorted(by: { $0.length > $1.length }) {
      var moved = (open[key] ?? []).filter { !places[$0].isTaken }
      var alike = (looks[key] ?? []).filter(isFree)
      guard let first = alike.first, isDistinct(first), containers || isIndistinct(old[first].value) else {
        continue
      }
      if isSmall(old[first].value) {
        // Any program may come up with such a number.
        alike = alike.filter { !old[$0].isChanged }
        if moved.contains(where: { places[$0].changed != nil }) { moved = [] }
      }
      if moved.count > alike.count { continue }
      for (place, origin) in zip(moved, alike) where places[place].rule == .free {
        take(origin, for: place)
        if isSmall(old[origin].value), !isRenamed(place) { places[place].isDoubtful = true }
      }
    }
  }

  /// Whether a place has other digits than its old value, which it may mean.
  ///
  /// Digits that end in zero are those of a rounded number.
  private func mayBeNeighbor(_ place: Int) -> Bool {
    let hasDigits = places[place..<places[place].end].contains { place in
      place.json.integer.map { Self.isLarge(Double($0)) && $0 % 10 != 0 } ?? false
    }
    guard hasDigits, let origin = places[place].origin else { return false }
    return PlainKey(places[place].json, .worth) != PlainKey(old[origin].value, .worth)
  }

  /// Whether a place only has another name than its old value, or shows what it is.
  private func isRenamed(_ place: Int) -> Bool {
    guard places[place].json.kind == .integer, let origin = places[place].origin else { return true }
    let path = places[place].path
    return path.dropLast() == old[origin].path.dropLast() && path.last?.isIdentical(to: "[]") == false
  }

  /// Compares maps that came back elsewhere, with changes, with those with which they have most members in common.
  private mutating func pairMovedMaps() {
    let open = places.indices.dropFirst().filter { index in
      let place = places[index]
      let isPaired = place.changed.map { old[$0].value.map != nil } ?? false
      return place.json.kind == .object && !place.isTaken && !isPaired && place.rule != .isDeclared
    }
    if open.isEmpty { return }
    let maps = old.indices.dropFirst().filter { !old[$0].isClaimed && old[$0].value.map != nil }
    var likely = LikelyOrigins(of: maps, in: old.map(\.value))
    for (place, origin) in likely.take(for: open.map { ($0, places[$0].json) }, isMoved: nil) {
      let isPaired = places[place].changed.map { old[$0].value.map != nil } ?? false
      if !places[place].isTaken, !isPaired, !old[origin].isClaimed {
        pair(place, with: origin, isMoved: true)
      }
    }
  }

  // MARK: Likeness

  /// Returns an old value of another type, or with more digits, that the value of a place looks like; nil if there is none.
  func lookalike(of place: Int, as value: Value) -> Old? {
    (indistinct[PlainKey(places[place].json, looseness)] ?? []).first { old[$0].value != value }.map {
      old[$0]
    }
  }

  /// Whether a new value that looks like an old one may have lost its type or digits.
  ///
  /// A number that the program distinguishes by its spelling is not lost while it is still there.
  private func isLost(_ origin: Int) -> Bool {
    let value = old[origin].value
    if distinguishesDoubles, isSmall(value) { return !old[origin].isClaimed }
    return isIndistinct(value) || value.integer != nil && !old[origin].isClaimed
  }

  /// Returns the first of some old values, and the first that differs from it.
  private func differing(_ alike: [Int]) -> [Int] {
    guard let first = alike.first else { return [] }
    return [first] + (alike.first { old[$0].value != old[first].value }.map { [$0] } ?? [])
  }

  /// Whether all old values that look like one are equal to it.
  private func isDistinct(_ origin: Int) -> Bool { !mistakable.contains(look(of: old[origin].value)) }

  /// Whether a value is a whole double below 2^53.
  private func isSmall(_ value: Value) -> Bool {
    if case .double(let number) = value { number == number.rounded() && !Self.isLarge(number) } else { false }
  }

  /// Whether the plain JSON of a value is read as a value of another type, or may have lost digits.
  private func isIndistinct(_ value: Value) -> Bool {
    switch value {
    case .timestamp, .reference, .bytes, .geoPoint: true
    case .integer(let number): Self.isLarge(Double(number))
    case .double(let number): !number.isFinite || number == number.rounded()
    case .map(let fields): fields.vector != nil
    default: false
    }
  }

  private static func isLarge(_ number: Double) -> Bool { abs(number) >= exact }

  private func look(of json: JSONCursor) -> PlainKey { PlainKey(json, likeness(json.double)) }

  private func look(of value: Value) -> PlainKey {
    switch value {
    case .integer(let number): PlainKey(value, likeness(Double(number)))
    case .double(let number): PlainKey(value, likeness(number.isFinite ? number : nil))
    default: PlainKey(value, likeness(nil))
    }
  }

  /// How similar values must be to look the same: a program that distinguishes doubles from integers may yet round large ones.
  private func likeness(_ number: Double?) -> PlainKey.Likeness {
    if distinguishesDoubles, let number, !Self.isLarge(number) { return .spelled }
    return looseness
  }

  /// How similar numbers must be to look the same, however they are spelled.
  private var looseness: PlainKey.Likeness { keepsDigits ? .worth : .rounded }

  /// Returns the field of a place; nil for names that no path has.
  static func field(_ path: [String]) -> FieldPath? {
    FieldPath(segments: path.filter { !$0.isIdentical(to: "[]") })
  }
}
