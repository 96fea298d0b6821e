package import FirestoreModels

/// Random documents that the service would store, from a seed; edge cases are far likelier than by chance.
package struct RandomDocuments: Sendable {
  var random: SplitMix64
  private let database: DatabaseName
  private let isStored: Bool

  /// Makes a generator; the same seed produces the same documents.
  ///
  /// - Parameters:
  ///   - database: Where half of the references point to; the others leave it.
  ///   - isStored: Whether everything is as the service gives it back: timestamps in whole microseconds.
  package init(seed: UInt64, database: DatabaseName = DatabaseName(project: "p"), isStored: Bool = false) {
    random = SplitMix64(seed: seed)
    self.database = database
    self.isStored = isStored
  }

  /// A document below a random path of one or two collections.
  package mutating func document() -> RawDocument {
    var path = DocumentPath(CollectionPath(nil, collectionID()), documentID())
    if chance(4) { path = DocumentPath(CollectionPath(path, collectionID()), documentID()) }
    var document = RawDocument(path: path, fields: fields(levels: depth()))
    if chance(8) { document.fields["deepest"] = deepest() }
    if chance(2) { document.createTime = timestamp() }
    if chance(2) { document.updateTime = timestamp() }
    return document
  }

  /// Members with values of at most `levels` nested maps and arrays.
  package mutating func fields(levels: Int) -> FieldMap {
    FieldMap(
      (0..<count(upTo: 6)).map { _ in
        FieldMap.Entry(name: fieldName(), value: value(levels: levels, inArray: false))
      }
    )
  }

  /// A value of any type, of at most `levels` nested maps and arrays; no array is directly inside an array.
  package mutating func value(levels: Int, inArray: Bool = false) -> Value {
    switch Int.random(in: 0..<(levels > 0 ? 16 : 10), using: &random) {
    case 0: return .null
    case 1: return .boolean(chance(2))
    case 2: return .integer(integer())
    case 3: return .double(double())
    case 4: return .timestamp(timestamp())
    case 5, 6: return .string(text())
    case 7: return .bytes((0..<count(upTo: 40)).map { _ in UInt8.random(in: 0...255, using: &random) })
    case 8:
      let path = DocumentPath(CollectionPath(nil, collectionID()), documentID())
      let foreign = [
        DatabaseName(project: "p", database: "elsewhere"),
        DatabaseName(project: "elsewhere", database: "data"),
      ]
      return .reference((chance(2) ? database : pick(foreign)).name(of: path))
    case 9: return .geoPoint(GeoPoint(latitude: coordinate(90), longitude: coordinate(180)))
    case 10:
      return .map([
        "__type__": .string("__vector__"),
        "value": .array((0...count(upTo: 8)).map { _ in .double(double()) }),
      ])
    case 11, 12, 13:
      if inArray { return .map(fields(levels: levels - 1)) }
      return .array((0..<count(upTo: 5)).map { _ in value(levels: levels - 1, inArray: true) })
    default: return .map(fields(levels: levels - 1))
    }
  }

  /// Nested maps and arrays down to the service's limit of 20 levels.
  package mutating func deepest() -> Value {
    var value = value(levels: 0)
    var isArray = false
    for _ in 0..<20 {
      isArray = !isArray && chance(2)
      value = isArray ? .array([value]) : .map([fieldName(): value])
    }
    return value
  }

  /// A number of any size, with the ends of the range and of what a double holds.
  package mutating func integer() -> Int64 {
    let edges: [Int64] = [0, 1, -1, .max, .min, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1, 1 << 62]
    if chance(2) { return pick(edges) }
    return Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
  }

  /// A double of any bits, with the edges of the format.
  package mutating func double() -> Double {
    let edges: [Double] = [
      0, -0.0, 1, -1, 0.1, 1e7, 1e-7, 1e16, 1e22, 0x1p63, -0x1p63, 0x1p53, .nan, .infinity, -.infinity,
      .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, 123_456_789_012_345_680,
    ]
    return chance(2) ? pick(edges) : Double(bitPattern: random.next())
  }

  /// A timestamp from the year 1 to 9999 with 0, 3, 6 or 9 digits.
  package mutating func timestamp() -> Timestamp {
    let seconds =
      chance(4)
      ? pick([Timestamp.minimumSeconds, Timestamp.maximumSeconds, 0, -1])
      : Int64.random(in: Timestamp.minimumSeconds...Timestamp.maximumSeconds, using: &random)
    let unit: Int32 = pick([isStored ? 1000 : 1, 1000, 1_000_000, 1_000_000_000])
    let nanoseconds =
      unit == 1_000_000_000 ? 0 : Int32.random(in: 0..<1_000_000_000, using: &random) / unit * unit
    guard let moment = Timestamp(seconds: seconds, nanoseconds: nanoseconds) else {
      preconditionFailure("a moment within the service's years")
    }
    return moment
  }

  /// Text of control characters, quotes, all planes of Unicode and canonically equivalent spellings.
  package mutating func text(upTo length: Int = 12) -> String {
    var text = ""
    for _ in 0..<count(upTo: length) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        text += pick([
          "é", "e\u{301}", "\u{212B}", "\u{C5}", "가", "\u{1100}\u{1161}", "👩‍👩‍👧", "\u{301}", "\u{FEFF}",
        ])
      case 1:
        text += pick(["\"", "\\", "/", "\u{0}", "\u{1F}", "\u{7F}", "\n", "\r\n", "\t", "\u{8}", "\u{C}"])
      case 2: text.unicodeScalars.append(scalar(upTo: 0x10FFFF))
      case 3: text.unicodeScalars.append(scalar(upTo: 0xFFFF))
      case 4: text += pick(["\u{2028}", "\u{2029}", "\u{FFFF}", "\u{10FFFF}", "\u{E000}", "\u{D7FF}"])
      default: text.unicodeScalars.append(scalar(upTo: 0x7E))
      }
    }
    return text
  }

  private mutating func fieldName() -> String {
    let names = [
      "a", "b", "é", "e\u{301}", "a.b", "with space", "`", "\\", "1a", "__x", "membershipPlanSnapshot",
    ]
    if chance(2) { return pick(names) }
    let name = text()
    return name.isEmpty || isReserved(name) ? "_" : name
  }

  /// Whether a name is reserved.
  func isReserved(_ name: String) -> Bool {
    name.utf8.count >= 4 && name.utf8.starts(with: "__".utf8) && name.utf8.suffix(2).elementsEqual("__".utf8)
  }

  private mutating func collectionID() -> String {
    pick(["users", "c", "con espacio", "e\u{301}", "\u{301}"])
  }

  mutating func documentID() -> String {
    if chance(3) { return pick(["__id7__", "__id-5__", "a:b", "50%", "#?&", "é", "😀", "\u{301}"]) }
    let id = text().filter { !$0.unicodeScalars.contains("/") }
    return id.isEmpty || isReserved(id) || id.unicodeScalars.allSatisfy { $0 == "." } ? "x" : id
  }

  private mutating func coordinate(_ limit: Double) -> Double {
    chance(2) ? pick([0, -0.0, limit, -limit]) : Double.random(in: -limit...limit, using: &random)
  }

  private mutating func depth() -> Int { chance(8) ? 20 : Int.random(in: 0...4, using: &random) }

  mutating func scalar(upTo limit: UInt32) -> Unicode.Scalar {
    Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) ?? "\u{FFFD}"
  }

  mutating func chance(_ n: Int) -> Bool { random.chance(n) }

  mutating func count(upTo n: Int) -> Int { Int.random(in: 0...n, using: &random) }

  mutating func pick<T>(_ choices: [T]) -> T { random.pick(choices) }
}
