import FirestoreModels
import FirestoreREST
import Foundation
import Schema
import Tables
import TestSupport
import Testing

@testable import MigrationEngine

/// Elements of arrays that come back as plain JSON, and which of the old ones they are.
@Suite("Elements that come back from programs", .timeLimit(.minutes(60)))
struct PlainMatchTests {
  /// A value, and how a program prints it that has all digits, and one that has only doubles.
  private struct Element: Equatable {
    var value: Value
    var exact: String
    var double: String
    /// What it is worth, of numbers.
    var number: Double?
  }

  private static func integer(_ number: Int64, _ double: String? = nil) -> Element {
    Element(
      value: .integer(number),
      exact: "\(number)",
      double: double ?? "\(number)",
      number: Double(number)
    )
  }

  private static func double(_ number: Double, _ double: String) -> Element {
    Element(value: .double(number), exact: "\(number)", double: double, number: number)
  }

  private static func text(_ value: Value, _ text: String) -> Element {
    Element(value: value, exact: "\"\(text)\"", double: "\"\(text)\"")
  }

  private static let moment = "2026-01-01T00:00:00Z"
  private static let elements: [Element] = [
    integer(3), double(3, "3"), integer(4), double(0.5, "0.5"), double(-0.0, "0"), integer(0),
    integer(9_007_199_254_740_993, "9007199254740992"), integer(9_007_199_254_740_992),
    integer(9_007_199_254_740_995, "9007199254740996"), integer(9_007_199_254_740_996),
    integer(9_007_199_254_740_997, "9007199254740996"), double(9_007_199_254_740_992, "9007199254740992"),
    integer(1_234_567_890_123_456_789, "1234567890123456800"),
    text(.string(moment), moment), text(Timestamp(moment).map { .timestamp($0) } ?? .null, moment),
    text(.string("AAEC"), "AAEC"), text(.bytes([0, 1, 2]), "AAEC"), text(.string("NaN"), "NaN"),
    text(.double(.nan), "NaN"), text(.string("a"), "a"),
    Element(value: .map(["n": .integer(3)]), exact: #"{"n":3}"#, double: #"{"n":3}"#),
    Element(value: .map(["n": .double(3)]), exact: #"{"n":3.0}"#, double: #"{"n":3}"#),
  ]

  private static func answer(_ words: [String], about old: [Value]) throws -> ProgramAnswer {
    let text = #"{"v":[\#(words.joined(separator: ","))]}"#
    return try PlainOriginsTests.answer(text, about: ["v": .array(old)])
  }

  /// The elements that an answer holds; nil where it is not known which.
  private static func stored(_ words: [String], _ old: [Element]) throws -> [Value]? {
    switch try answer(words, about: old.map(\.value)) {
    case .fields(let fields, _): return fields["v"]?.array
    case .unclear(let field, _):
      #expect(field.description == "v")
      return nil
    default: throw Unexpected()
    }
  }

  private struct Unexpected: Error {}

  // MARK: By hand

  @Test("An exact match wins; a value is used once; elements that are gone are those that are gone.")
  func examples() throws {
    let (odd, even) = ("9007199254740993", "9007199254740992")
    let big = [Self.integer(9_007_199_254_740_993), Self.integer(9_007_199_254_740_992)]
    #expect(try Self.stored([even, odd], big) == [big[1].value, big[0].value])
    #expect(try Self.stored([even, even, "1"], big) == [big[0].value, big[1].value, .integer(1)])
    let threes = [Self.double(3, "3"), Self.integer(3), Self.double(4, "4")]
    #expect(try Self.stored(["3", "3", "4"], threes) == threes.map(\.value))
    #expect(try Self.stored(["3", "3"], [Self.integer(1)] + threes.prefix(2)) == [.double(3), .integer(3)])
    // What is appended is a copy.
    let moment = Self.elements.filter { $0.value.typeName == "timestamp" }
    #expect(
      try Self.stored([moment[0].exact, moment[0].exact], moment) == [moment[0].value, .string(Self.moment)]
    )
    // All digits of another integer: it is another.
    #expect(try Self.stored([odd], [big[1]]) == [big[0].value])
  }

  @Test("Of values that look the same, and are not as many as before, none is guessed.")
  func ambiguous() throws {
    let quoted = "\"\(Self.moment)\""
    let both = Self.elements.filter { $0.exact == quoted }
    #expect(both.count == 2)
    #expect(try Self.stored([quoted, "1"], both + [Self.integer(1)]) == nil)
    #expect(try Self.stored([quoted, quoted, quoted], both) == nil)
    #expect(try Self.stored(["1"], both + [Self.integer(1)]) == [.integer(1)])
    #expect(try Self.stored([quoted, quoted], [Self.integer(1)] + both) == both.map(\.value))
    #expect(try Self.stored([quoted], [both[1], both[1]]) == [both[1].value])
    // A program that rounds spells one of them as another.
    let (odd, even) = ("9007199254740993", "9007199254740992")
    let big = [9_007_199_254_740_992, 9_007_199_254_740_993].map { Self.integer($0) }
    #expect(try Self.stored([even], big) == nil)
    #expect(try Self.stored([odd], big) == [big[1].value])
    let maps = big.map { Element(value: .map(["n": $0.value]), exact: "", double: "") }
    #expect(try Self.stored([#"{"n":\#(even)}"#], maps) == nil)
    #expect(try Self.stored([#"{"n":\#(odd)}"#], maps) == [maps[1].value])
    // So does one that also adds a member, unless all are there, in their places.
    let more = #"{"k":1,"n":\#(even)}"#
    #expect(try Self.stored([more], maps) == nil)
    #expect(try Self.stored([more, more], maps)?.map { $0.map?["n"] } == big.map(\.value))
    let threes = [Self.integer(3), Self.double(3, "3"), Self.integer(4)]
    #expect(try Self.stored(["3", "4"], threes) == nil)
    #expect(try Self.stored(["3", "3"], threes) == [.integer(3), .double(3)])
    let rounded = [9_007_199_254_740_995, 9_007_199_254_740_997].map { Self.integer($0) }
    #expect(try Self.stored(["9007199254740996"], rounded) == nil)
  }

  @Test("An element that is changed, where others are gone, keeps the types of its other members.")
  func changedAmongGone() throws {
    let moment = try #require(Timestamp(Self.moment))
    func element(_ name: String, _ number: Value, _ more: FieldMap = [:]) -> Value {
      let fields: FieldMap = ["at": .timestamp(moment), "n": number, "sku": .string(name)]
      return .map(FieldMap(fields.entries + more.entries))
    }
    let old = [element("a", .double(4)), element("b", .double(5)), element("c", .integer(5))]
    func word(_ name: String) -> String { #"{"sku":"\#(name)","at":"\#(Self.moment)","n":5,"ok":true}"# }
    guard case .fields(let fields, _) = try Self.answer([word("b"), word("c")], about: old) else {
      throw Unexpected()
    }
    let ok: FieldMap = ["ok": .boolean(true)]
    #expect(fields["v"] == .array([element("b", .double(5), ok), element("c", .integer(5), ok)]))
  }

  @Test("Within a long array elements are found wherever they are, in no time to speak of.")
  func long() throws {
    let old = (0..<20_000).map { Self.double(Double($0), "\($0)") }
    let stored = try Self.stored(old.reversed().map(\.double), old)
    #expect(stored == old.reversed().map(\.value))
  }

  // MARK: By a reference

  /// How close a word is to an element: spelled alike, worth as much, or the double of it; nil for not at all.
  ///
  /// - Parameter isRounding: Whether the program may have turned integers into doubles.
  private static func distance(_ word: String, _ element: Element, isRounding: Bool) -> Int? {
    if word == element.exact { return 0 }
    if word.hasPrefix("{"), element.exact.hasPrefix("{") { return 1 }
    guard let number = element.number, let other = Double(word) else { return nil }
    if Decimal(string: word) == Decimal(string: element.exact) { return 1 }
    // No program that has only doubles prints such a number.
    if let whole = Int64(word), Int64(exactly: other) != whole, !word.hasSuffix("0") { return nil }
    return other == number && isRounding ? 2 : nil
  }

  /// Whether a word is an integer with digits that no double has.
  private static func hasAllDigits(_ word: String) -> Bool {
    Int64(word).map { $0 % 10 != 0 && Int64(exactly: Double($0)) != $0 } ?? false
  }

  /// Matches pair by pair, as the documentation says.
  private static func reference(_ words: [String], _ old: [Element]) -> [Int?]? {
    var (places, used) = ([Int?](repeating: nil, count: words.count), Set<Int>())
    let isRounding = !words.contains(where: hasAllDigits)
    func distance(_ index: Int, _ place: Int, isRounding: Bool) -> Int? {
      Self.distance(words[index], old[place], isRounding: isRounding)
    }
    for level in 0...2 {
      func fits(_ index: Int, _ place: Int) -> Bool {
        guard places[index] == nil, !used.contains(place) else { return false }
        return distance(index, place, isRounding: isRounding).map { $0 <= level } ?? false
      }
      func take(_ index: Int, _ place: Int) -> Bool {
        guard fits(index, place) else { return false }
        places[index] = place
        used.insert(place)
        return true
      }
      var start = 0
      while start < min(words.count, old.count), places[start] == start || take(start, start) { start += 1 }
      var (index, place) = (words.count - 1, old.count - 1)
      while index >= 0, place >= 0, places[index] == place || take(index, place) {
        (index, place) = (index - 1, place - 1)
      }
      for index in words.indices where index < old.count { _ = take(index, index) }
      for index in words.indices { for place in old.indices where take(index, place) { break } }
    }
    // All digits of a large integer are no other's; of the rest, as many must be there as may look the same.
    let open = words.indices.filter { !hasAllDigits(words[$0]) }
    let known = words.indices.filter { hasAllDigits(words[$0]) }.compactMap { places[$0] }
    let left = old.indices.filter { !known.contains($0) }
    for index in open {
      let candidates = left.filter { distance(index, $0, isRounding: true) != nil }
      let rivals = open.filter { other in
        candidates.contains { distance(other, $0, isRounding: true) != nil }
      }
      if candidates.count != rivals.count, candidates.contains(where: { old[$0] != old[candidates[0]] }) {
        return nil
      }
    }
    return places
  }

  @Test(
    "Random arrays, after elements were removed, sorted and repeated, come back as the reference has them."
  )
  func random() throws {
    var random = SplitMix64(seed: 20_261_129)
    var (known, ambiguous) = (0, 0)
    for round in 0..<6000 {
      let old = (0..<Int.random(in: 0...7, using: &random)).map { _ in
        Self.elements[Int.random(in: 0..<Self.elements.count, using: &random)]
      }
      var kept = old.filter { _ in random.chance(percent: 80) }
      let exactly = random.chance(percent: 60)
      let word = exactly ? \Element.exact : \Element.double
      if random.chance(percent: 40) { kept.sort { $0[keyPath: word] < $1[keyPath: word] } }
      let isRepeated = random.chance(percent: 20)
      if isRepeated, let copy = kept.randomElement(using: &random) { kept.append(copy) }
      let words = kept.map { $0[keyPath: word] }
      let stored = try Self.stored(words, old)
      guard let places = Self.reference(words, old), let stored else {
        ambiguous += 1
        let isNeither = stored == nil && Self.reference(words, old) == nil
        #expect(isNeither, "round \(round): \(words) of \(old.map(\.value))")
        continue
      }
      known += 1
      for (index, place) in places.enumerated() {
        guard let place else { continue }
        #expect(stored[index] == old[place].value, "round \(round): \(words) of \(old.map(\.value))")
      }
      // A program with all digits gets back exactly what it kept.
      if exactly, !isRepeated {
        func sorted(_ values: [Value]) -> [String] { values.map { "\($0)" }.sorted() }
        #expect(
          sorted(stored) == sorted(kept.map(\.value)),
          "round \(round): \(words) of \(old.map(\.value))"
        )
      }
    }
    #expect(known > 3000 && ambiguous > 100, "\(known), \(ambiguous)")
  }
}
