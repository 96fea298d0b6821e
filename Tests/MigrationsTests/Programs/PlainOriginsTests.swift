import FirestoreModels
import FirestoreREST
import Schema
import Tables
import TestSupport
import Testing

@testable import MigrationEngine

/// Documents that come back as plain JSON after a program has moved, copied, inserted and removed values.
@Suite("Values that programs move", .timeLimit(.minutes(60)))
struct PlainOriginsTests {
  /// A value, and how programs print it: one that has all digits, and one that has only doubles.
  private struct Leaf {
    var value: Value
    var exact: String
    var rounded: String
    /// Whether it was copied, or is a copy.
    var isCopied = false
    var isNew = false
  }

  private enum Step: Hashable { case member(String), element(Int) }

  private indirect enum Tree {
    /// The index of a leaf.
    case leaf(Int)
    case map([String: Tree])
    case array([Tree])

    var isArray: Bool { if case .array = self { true } else { false } }

    /// Returns the paths of everything inside.
    func paths(_ path: [Step] = []) -> [[Step]] {
      let parts: [(Step, Tree)]
      switch self {
      case .leaf: parts = []
      case .map(let members): parts = members.sorted { $0.key < $1.key }.map { (.member($0), $1) }
      case .array(let elements): parts = elements.enumerated().map { (.element($0), $1) }
      }
      return parts.flatMap { [path + [$0]] + $1.paths(path + [$0]) }
    }

    subscript(path: some Collection<Step>) -> Tree? {
      guard let step = path.first else { return self }
      switch (self, step) {
      case (.map(let members), .member(let name)): return members[name]?[path.dropFirst()]
      case (.array(let elements), .element(let index)): return elements[index][path.dropFirst()]
      default: return nil
      }
    }

    /// Changes what is at a path.
    mutating func change(_ path: some Collection<Step>, _ body: (inout Tree) -> Void) {
      guard let step = path.first else { return body(&self) }
      switch (self, step) {
      case (.map(var members), .member(let name)):
        members[name]?.change(path.dropFirst(), body)
        self = .map(members)
      case (.array(var elements), .element(let index)):
        elements[index].change(path.dropFirst(), body)
        self = .array(elements)
      default: break
      }
    }

    mutating func remove(_ path: [Step]) {
      change(path.dropLast()) { outer in
        switch (outer, path.last) {
        case (.map(var members), .member(let name)):
          members[name] = nil
          outer = .map(members)
        case (.array(var elements), .element(let index)):
          elements.remove(at: index)
          outer = .array(elements)
        default: break
        }
      }
    }
  }

  /// A document, and what a program does to it.
  private struct Work {
    var leaves: [Leaf] = []
    var tree = Tree.map([:])
    var random: SplitMix64
    var names = 0

    func value(_ tree: Tree) -> Value {
      switch tree {
      case .leaf(let index): leaves[index].value
      case .map(let members): .map(FieldMap(members.map { .init(name: $0, value: value($1)) }))
      case .array(let elements): .array(elements.map { value($0) })
      }
    }

    func text(_ tree: Tree, _ word: KeyPath<Leaf, String>) -> String {
      switch tree {
      case .leaf(let index): leaves[index][keyPath: word]
      case .map(let members): "{\(members.map { "\"\($0)\":\(text($1, word))" }.joined(separator: ","))}"
      case .array(let elements): "[\(elements.map { text($0, word) }.joined(separator: ","))]"
      }
    }

    mutating func fill(_ pool: [Leaf]) {
      leaves = pool.shuffled(using: &random)
      for index in leaves.indices { put(.leaf(index), overwriting: false) }
    }

    /// Puts something into a random map or array.
    mutating func put(_ part: Tree, overwriting: Bool) {
      var part = part
      if random.chance(percent: 20) { part = .map(["in": part]) }
      if random.chance(percent: 20), !part.isArray { part = .array([part]) }
      let places = ([[]] + tree.paths()).filter { path in
        if case .leaf? = tree[path] { return false }
        return path.count < 6 && !(part.isArray && tree[path]?.isArray ?? false)
      }
      let (index, roll) = (
        Int.random(in: 0..<places.count, using: &random), Int.random(in: 0...999, using: &random)
      )
      names += 1
      let name = "n\(names)"
      tree.change(places[index]) { outer in
        switch outer {
        case .leaf: break
        case .map(var members):
          let known = members.keys.sorted()
          members[overwriting && roll < 400 && !known.isEmpty ? known[roll % known.count] : name] = part
          outer = .map(members)
        case .array(var elements):
          elements.insert(part, at: roll % (elements.count + 1))
          outer = .array(elements)
        }
      }
    }

    mutating func copied(_ part: Tree) -> Tree {
      switch part {
      case .leaf(let index):
        leaves[index].isCopied = true
        leaves.append(leaves[index])
        return .leaf(leaves.count - 1)
      case .map(let members): return .map(members.mapValues { copied($0) })
      case .array(let elements): return .array(elements.map { copied($0) })
      }
    }

    /// Changes the document in one of many ways, or only moves something.
    mutating func step(onlyMoves: Bool) {
      guard let path = tree.paths().randomElement(using: &random), let part = tree[path] else { return }
      switch onlyMoves ? 0 : Int.random(in: 0...9, using: &random) {
      case 0...4:
        tree.remove(path)
        put(part, overwriting: !onlyMoves)
      case 5, 6: put(copied(part), overwriting: true)
      case 7: tree.remove(path)
      default:
        leaves.append(
          names % 2 == 0
            ? PlainOriginsTests.integer(1_000_000 + Int64(leaves.count), isNew: true)
            : PlainOriginsTests.text(.string("new\(leaves.count)"), "new\(leaves.count)", isNew: true)
        )
        put(.leaf(leaves.count - 1), overwriting: true)
      }
    }
  }

  private static func integer(_ number: Int64, _ rounded: String? = nil, isNew: Bool = false) -> Leaf {
    Leaf(value: .integer(number), exact: "\(number)", rounded: rounded ?? "\(number)", isNew: isNew)
  }

  private static func double(_ number: Double, _ exact: String, _ rounded: String) -> Leaf {
    Leaf(value: .double(number), exact: exact, rounded: rounded)
  }

  private static func text(_ value: Value, _ text: String, isNew: Bool = false) -> Leaf {
    Leaf(value: value, exact: "\"\(text)\"", rounded: "\"\(text)\"", isNew: isNew)
  }

  private static func plain(_ value: Value, _ text: String) -> Leaf {
    Leaf(value: value, exact: text, rounded: text)
  }

  private static func time(_ text: String) -> Leaf {
    Self.text(Timestamp(text).map { .timestamp($0) } ?? .null, text)
  }

  /// Values of every type, no two of which look the same.
  private static let distinct: [Leaf] = [
    time("2026-01-01T00:00:00Z"), time("2026-01-02T00:00:00.500Z"),
    text(.reference("projects/p/databases/d/documents/a/b"), "projects/p/databases/d/documents/a/b"),
    text(.bytes([0, 1, 2]), "AAEC"), text(.bytes([]), ""), text(.string("a"), "a"), text(.string("b"), "b"),
    text(.double(.nan), "NaN"), text(.double(.infinity), "Infinity"), text(.double(-.infinity), "-Infinity"),
    double(-0.0, "-0.0", "0"), double(499, "499.0", "499"), double(7, "7.0", "7"), double(2.5, "2.5", "2.5"),
    double(1e22, "1e+22", "1e+22"), integer(5), integer(6), integer(.max, "9223372036854776000"),
    integer(9_007_199_254_740_993, "9007199254740992"),
    integer(1_234_567_890_123_456_789, "1234567890123456800"),
    plain(.geoPoint(GeoPoint(latitude: 1.5, longitude: 2.25)), #"{"latitude":1.5,"longitude":2.25}"#),
    plain(
      .map(["__type__": .string("__vector__"), "value": .array([.double(0.5), .double(1.25)])]),
      "[0.5,1.25]"
    ),
    plain(.null, "null"), plain(.boolean(true), "true"),
  ]

  /// Values of which several look the same.
  private static let alike: [Leaf] = [
    time("2026-01-01T00:00:00Z"), text(.string("2026-01-01T00:00:00Z"), "2026-01-01T00:00:00Z"),
    text(.bytes([0, 1, 2]), "AAEC"), text(.string("AAEC"), "AAEC"), text(.double(.nan), "NaN"),
    text(.string("NaN"), "NaN"),
    integer(3), double(3, "3.0", "3"), double(-0.0, "-0.0", "0"), integer(0), double(0, "0.0", "0"),
    integer(9_007_199_254_740_993, "9007199254740992"), integer(9_007_199_254_740_992),
    text(.bytes([]), ""), text(.string(""), ""),
  ]

  private static func answer(
    _ work: Work,
    about old: FieldMap,
    _ word: KeyPath<Leaf, String>
  ) throws -> ProgramAnswer {
    try answer(work.text(work.tree, word), about: old)
  }

  private static func whole(_ value: Value?) -> Double? {
    switch value {
    case .integer(let number)?: Double(number)
    case .double(let number)? where number == number.rounded(): number
    default: nil
    }
  }

  static func answer(_ text: String, about old: FieldMap) throws -> ProgramAnswer {
    let path = try #require(DocumentPath("a/b"))
    let document = RawDocument(path: path, fields: old)
    let database = DatabaseName(project: "p")
    let members = text.dropFirst()
    let line = #"{"__name__":"a/b""# + (members == "}" ? "" : ",") + members
    let zone = try LocalTimeZone(named: "UTC")
    let schema = DatabaseSchema(name: "none", collections: [])
    return try ProgramAnswer(
      Array(line.utf8),
      about: document,
      in: database,
      plain: PlainDocument(document, in: database, schema, zone)
    )
  }

  /// Returns the leaves with the values that they became, and the fields that these are in.
  private static func leaves(_ tree: Tree, _ value: Value?, _ field: [String] = []) -> [(Int, Value?, String)]
  {
    switch (tree, value) {
    case (.leaf(let index), _): [(index, value, field.joined(separator: "."))]
    case (.map(let members), let value):
      members.flatMap { leaves($1, value?.map?[$0], field + [$0]) }
    case (.array(let elements), let value):
      elements.enumerated().flatMap { index, element in
        leaves(element, value?.array.flatMap { $0.indices.contains(index) ? $0[index] : nil }, field)
      }
    }
  }

  @Test(
    "Every value that was moved is the one that it was, wherever to; of copies, what loses its type is noted."
  )
  func distinct() throws {
    for round in 0..<4000 {
      var work = Work(random: SplitMix64(seed: UInt64(20_261_130 + round)))
      work.fill(Self.distinct)
      let old = try #require(work.value(work.tree).map)
      for _ in 0...Int.random(in: 0...7, using: &work.random) { work.step(onlyMoves: round % 2 == 0) }
      let word = round % 4 < 2 ? \Leaf.exact : \Leaf.rounded
      let shown: Comment = "round \(round): \(work.text(work.tree, word)) of \(old)"
      guard case .fields(let fields, let notes) = try Self.answer(work, about: old, word) else {
        // Where a copy is no value: a vector in an array, or a number beyond 64 bits.
        let isCopied = work.leaves.contains { $0.isCopied }
        #expect(isCopied, shown)
        continue
      }
      let noted = Set(notes.compactMap(\.field))
      for (index, value, field) in Self.leaves(work.tree, .map(fields))
      where value != work.leaves[index].value {
        let leaf = work.leaves[index]
        // A double stays one.
        let isWidened = leaf.value.integer.map { value == .double(Double($0)) } ?? false
        // A whole double may be any program's integer where something was.
        let isWhole = word == \.rounded && Self.whole(leaf.value).map { $0 == Self.whole(value) } ?? false
        let isSaid = noted.contains(field) && (leaf.isCopied || isWidened || isWhole)
        #expect(
          isSaid || isWidened && (leaf.isNew || leaf.isCopied),
          "\(field) is \(value.map { "\($0)" } ?? "nothing"), \(shown)"
        )
      }
      let doubts = [
        "double that looks like the integer", "taken for the", "integer that looks like the double",
        "double that looks like the double",
      ]
      let superfluous = notes.filter { note in !doubts.contains { note.message.contains($0) } }
      let isCopied = work.leaves.contains { $0.isCopied }
      #expect(isCopied || superfluous.isEmpty, "\(notes), \(shown)")
    }
  }

  @Test("Of values that look the same and are moved, all are there afterwards, or what is not is noted.")
  func alike() throws {
    func sorted(_ tree: Tree, _ value: Value) -> [String] {
      Self.leaves(tree, value).map { _, value, _ in value.map { "\($0)" } ?? "nothing" }.sorted()
    }
    var known = 0
    for round in 0..<6000 {
      var work = Work(random: SplitMix64(seed: UInt64(20_270_101 + round)))
      // A program that tells doubles from integers may have written 3.0 in the place of 3 and mean it.
      let pool =
        round % 2 == 0 ? Self.alike.filter { $0.exact == $0.rounded || $0.value.integer != nil } : Self.alike
      work.fill(Array(pool.shuffled(using: &work.random).prefix(10)))
      let (before, old) = (work.tree, try #require(work.value(work.tree).map))
      for _ in 0...Int.random(in: 0...5, using: &work.random) { work.step(onlyMoves: true) }
      let word = round % 2 == 0 ? \Leaf.exact : \Leaf.rounded
      guard case .fields(let fields, let notes) = try Self.answer(work, about: old, word), notes.isEmpty
      else {
        continue
      }
      known += 1
      let isSame = sorted(work.tree, .map(fields)) == sorted(before, .map(old))
      #expect(
        isSame,
        "round \(round): \(work.text(work.tree, word)) of \(old)"
      )
    }
    #expect(known > 500, "\(known)")
  }

  @Test(
    "Beside what looks the same, whether it stays or goes, a copy is what it was copied from, or is noted."
  )
  func staying() throws {
    var right = 0
    for round in 0..<6000 {
      var work = Work(random: SplitMix64(seed: UInt64(20_280_101 + round)))
      let word = round % 2 == 0 ? \Leaf.exact : \Leaf.rounded
      work.leaves = Array(Self.alike.shuffled(using: &work.random).prefix(8))
      var members: [String: Tree] = [:]
      for index in work.leaves.indices {
        let isInside = work.random.chance(percent: 40)
        members["n\(index)"] = isInside ? .map(["in": .leaf(index)]) : .leaf(index)
      }
      work.tree = .map(members)
      let old = try #require(work.value(work.tree).map)
      let sources = work.tree.paths().shuffled(using: &work.random).prefix(3).compactMap { work.tree[$0] }
      for index in work.leaves.indices where work.random.chance(percent: 40) {
        work.tree.remove([.member("n\(index)")])
      }
      for (index, source) in sources.enumerated() {
        let copy = work.random.chance(percent: 30) ? Tree.map(["to": source]) : source
        work.tree.change([Step]()) { outer in
          guard case .map(var members) = outer else { return }
          members["copy\(index)"] = copy
          outer = .map(members)
        }
      }
      let shown: Comment = "round \(round): \(work.text(work.tree, word)) of \(old)"
      guard case .fields(let fields, let notes) = try Self.answer(work, about: old, word) else {
        Issue.record(shown)
        continue
      }
      let noted = Set(notes.compactMap(\.field))
      for (index, value, field) in Self.leaves(work.tree, .map(fields)) {
        let isRight = value == work.leaves[index].value
        #expect(isRight || noted.contains(field), "\(field), \(shown)")
        if isRight, field.hasPrefix("copy") { right += 1 }
      }
    }
    #expect(right > 5000, "\(right)")
  }
}
