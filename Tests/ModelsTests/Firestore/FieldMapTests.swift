import FirestoreModels
import TestSupport
import Testing

@Suite("Field maps")
struct FieldMapTests {
  @Test func sortedByBytesAndTheLaterOneStays() {
    let map = FieldMap([
      .init(name: "b", value: .integer(1)), .init(name: "a", value: .integer(2)),
      .init(name: "\u{FFFF}", value: .null), .init(name: "\u{10000}", value: .null),
      .init(name: "b", value: .integer(3)), .init(name: "", value: .null), .init(name: "aa", value: .null),
    ])
    // UTF-16 order would place U+10000 before U+FFFF.
    #expect(map.entries.map(\.name) == ["", "a", "aa", "b", "\u{FFFF}", "\u{10000}"])
    #expect(map["b"] == .integer(3))
    #expect(map.count == 6)
  }

  @Test func canonicallyEquivalentNamesAreTwo() {
    var map = FieldMap()
    map["\u{E9}"] = .integer(1)
    map["e\u{301}"] = .integer(2)
    #expect(map.count == 2)
    map["\u{E9}"] = nil
    #expect(map == ["e\u{301}": .integer(2)])
    #expect(map != ["\u{E9}": .integer(2)])
  }

  @Test func behavesAsADictionaryOfBytes() {
    for seed in UInt64(1)...10 {
      var random = SplitMix64(seed: seed)
      var map = FieldMap()
      var model: [UTF8Key: Int64] = [:]
      for step in Int64(0)..<300 {
        let name = "k\(UInt8.random(in: 0..<40, using: &random))"
        if Bool.random(using: &random) {
          map[name] = .integer(step)
          model[UTF8Key(name)] = step
        } else {
          map[name] = nil
          model[UTF8Key(name)] = nil
        }
      }
      #expect(map.entries.map(\.name) == model.keys.sorted().map(\.string), "seed \(seed)")
      for (key, number) in model { #expect(map[key.string] == .integer(number), "seed \(seed)") }
    }
  }

  @Test func pathsReachIntoMaps() throws {
    var map: FieldMap = ["a": .map(["b": .map(["c": .integer(1)])]), "a.b": .integer(2), "s": .string("x")]
    #expect(map[try FieldPath(parsing: "a.b.c")] == .integer(1))
    #expect(map[try FieldPath(parsing: "`a.b`")] == .integer(2))
    #expect(map[try FieldPath(parsing: "a.x.c")] == nil)
    #expect(map[try FieldPath(parsing: "s.x")] == nil)

    map[try FieldPath(parsing: "a.b.d")] = .null
    #expect(map["a"] == .map(["b": .map(["c": .integer(1), "d": .null])]))
    map[try FieldPath(parsing: "a.b.c")] = nil
    map[try FieldPath(parsing: "a.b.d")] = nil
    #expect(map["a"] == .map(["b": .map([:])]))
    map[try FieldPath(parsing: "n.m.o")] = .boolean(true)
    #expect(map["n"] == .map(["m": .map(["o": .boolean(true)])]))
    // A map replaces another value, as in a commit with a mask.
    map[try FieldPath(parsing: "s.x")] = .integer(3)
    #expect(map["s"] == .map(["x": .integer(3)]))
  }

  @Test func removingMakesNothing() throws {
    var map: FieldMap = ["s": .string("x")]
    map[try FieldPath(parsing: "s.x")] = nil
    map[try FieldPath(parsing: "t.x.y")] = nil
    map[try FieldPath(parsing: "u")] = nil
    #expect(map == ["s": .string("x")])
  }

  @Test func vectors() {
    let type = Value.string("__vector__")
    func vector(_ map: FieldMap) -> [Double]? { map.vector }
    #expect(vector(["__type__": type, "value": .array([.double(1), .integer(2)])]) == [1, 2])
    #expect(vector(["__type__": type, "value": .array([])]) == [])
    #expect(vector(["__type__": type, "value": .array([.null])]) == nil)
    #expect(vector(["__type__": type, "value": .array([]), "x": .null]) == nil)
    #expect(vector(["__type__": .string("other"), "value": .array([])]) == nil)
    #expect(vector(["__type__": type]) == nil)
    #expect(Value.map(["__type__": type, "value": .array([])]).typeName == "vector")
    #expect(Value.map([:]).typeName == "map")
  }
}

@Suite("Equality of values")
struct ValueEqualityTests {
  @Test func exact() {
    #expect(Value.double(.nan) == .double(-.nan))
    #expect(Value.double(.nan) == .double(.signalingNaN))
    #expect(Value.double(0) != .double(-0.0))
    #expect(Value.double(1) != .integer(1))
    #expect(Value.string("\u{E9}") != .string("e\u{301}"))
    #expect(Value.reference("\u{E9}") != .reference("e\u{301}"))
    #expect(Value.string("a") != .reference("a"))
    #expect(
      Value.geoPoint(GeoPoint(latitude: 0, longitude: 0)) != .geoPoint(GeoPoint(latitude: -0.0, longitude: 0))
    )
    #expect(Value.array([.double(.nan)]) == .array([.double(.nan)]))
    #expect(Value.map(["a": .double(.nan)]) == .map(["a": .double(.nan)]))
  }
}
