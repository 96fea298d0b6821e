import FirestoreModels
import TestSupport
import Testing

@Suite("Order of values")
struct ValueOrderTests {
  private static func vector(_ components: Double...) -> Value {
    .map(["__type__": .string("__vector__"), "value": .array(components.map(Value.double))])
  }
  private static func name(_ path: String, project: String = "p") -> Value {
    .reference("projects/\(project)/databases/d/documents/\(path)")
  }

  /// Groups of equal values, ascending.
  static let ascending: [[Value]] = [
    [.null],
    [.boolean(false)],
    [.boolean(true)],
    [.double(.nan), .double(-.nan)],
    [.double(-.infinity)],
    [.double(-.greatestFiniteMagnitude)],
    [.double((-0x1p63).nextDown)],
    [.integer(.min), .double(-0x1p63)],
    [.integer(.min + 1)],
    [.double((-0x1p63).nextUp), .integer(.min + 1024)],
    [.integer(-9_007_199_254_740_993)],
    [.integer(-9_007_199_254_740_992), .double(-9_007_199_254_740_992)],
    [.double(-1.5)],
    [.integer(-1), .double(-1)],
    [.double(-0.5)],
    [.double(-.leastNonzeroMagnitude)],
    [.integer(0), .double(0), .double(-0.0)],
    [.double(.leastNonzeroMagnitude)],
    [.double(0.5)],
    [.integer(1), .double(1)],
    [.double(1.0.nextUp)],
    [.double(1.5)],
    [.integer(9_007_199_254_740_992), .double(9_007_199_254_740_992)],
    [.integer(9_007_199_254_740_993)],
    [.integer(9_007_199_254_740_994), .double(9_007_199_254_740_994)],
    [.double(0x1p63.nextDown), .integer(.max - 1023)],
    [.integer(.max)],
    [.double(0x1p63)],
    [.double(.greatestFiniteMagnitude)],
    [.double(.infinity)],
    [.timestamp(Timestamp.epoch(-1, 999_999_999))],
    [.timestamp(Timestamp.epoch(0, 0))],
    [.timestamp(Timestamp.epoch(0, 1))],
    [.string("")],
    [.string("\0")],
    [.string("a")],
    [.string("a\0")],
    [.string("aa")],
    [.string("b")],
    [.string("e\u{301}")],
    [.string("\u{E9}")],
    [.string("\u{FFFF}")],
    [.string("\u{10000}")],
    [.bytes([])],
    [.bytes([0])],
    [.bytes([0, 0])],
    [.bytes([1])],
    [.bytes([0xFF])],
    [name("a/__id-1__")],
    [name("a/__id2__")],
    [name("a/__id10__")],
    [name("a/a")],
    [name("a/a/b/c")],
    [name("a/a!")],
    [name("a!/a")],
    [name("a/a", project: "q")],
    [.geoPoint(GeoPoint(latitude: -90, longitude: 180))],
    [.geoPoint(GeoPoint(latitude: 0, longitude: -1)), .geoPoint(GeoPoint(latitude: -0.0, longitude: -1))],
    [.geoPoint(GeoPoint(latitude: 0, longitude: 0))],
    [.array([])],
    [.array([.null])],
    [.array([.integer(1)]), .array([.double(1)])],
    [.array([.integer(1), .null])],
    [.array([.integer(2)])],
    [.array([.string("a")])],
    [vector()],
    [vector(9)],
    [vector(1, 2)],
    [vector(1, 3)],
    [.map([:])],
    [.map(["a": .integer(1)]), .map(["a": .double(1)])],
    [.map(["a": .integer(1), "b": .null])],
    [.map(["a": .integer(2)])],
    [.map(["aa": .null])],
    [.map(["b": .null])],
  ]

  @Test func everyPairIsInTheServicesOrder() {
    for (i, left) in Self.ascending.enumerated() {
      for (j, right) in Self.ascending.enumerated() {
        for a in left {
          for b in right {
            let order = ValueOrder.compare(a, b).signum()
            #expect(order == (i < j ? -1 : i > j ? 1 : 0), "\(a) \(b)")
          }
        }
      }
    }
  }

  @Test func equalValuesCompareEqual() {
    for seed in UInt64(1)...20 {
      var random = RandomDocuments(seed: seed)
      for _ in 0..<50 {
        let a = random.value(levels: 3)
        let b = random.value(levels: 3)
        #expect(ValueOrder.compare(a, a) == 0, "seed \(seed)")
        #expect(ValueOrder.compare(a, b).signum() == -ValueOrder.compare(b, a).signum(), "seed \(seed)")
      }
    }
  }
}

extension Timestamp {
  fileprivate static func epoch(_ seconds: Int64, _ nanoseconds: Int32) -> Timestamp {
    guard let moment = Timestamp(seconds: seconds, nanoseconds: nanoseconds) else {
      preconditionFailure("a moment near 1970")
    }
    return moment
  }
}
