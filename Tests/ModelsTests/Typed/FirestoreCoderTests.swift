import FirestoreModels
import Foundation
import Testing
import TypedDocuments

@Suite("Plain structs and documents", .bothParsers)
struct FirestoreCoderTests {
  private func encode(_ value: some Encodable) throws -> FieldMap { try FirestoreEncoder().encode(value) }

  private func decode<T: Decodable>(_ value: Value, _ type: T.Type = T.self) throws -> T {
    try FirestoreDecoder().decode([UTF8Key: T].self, from: ["v": value])[UTF8Key("v")].unwrapped()
  }

  private func value(_ content: some Encodable) throws -> Value {
    try encode(["v": content])["v"].unwrapped()
  }

  enum Status: String, Codable { case active, expired }

  struct Everything: Codable, Equatable {
    struct Inner: Codable, Equatable {
      var a: Int
      var b: [String]
    }
    var bool = true
    var string = "e\u{301}"
    var int = Int.min
    var small: Int8 = -128
    var unsigned: UInt64 = 1 << 62
    var double = 1.0
    var float: Float = 0.1
    var date = Date(timeIntervalSinceReferenceDate: 596_452_419.969797)
    var data = Data([1, 2])
    var url = URL(filePath: "/a")
    var uuid = UUID()
    var status = Status.expired
    var inner = Inner(a: 1, b: [])
    var inners = [Inner(a: 2, b: ["x"])]
    var byName = ["é": 1, "a.b": 2]
    var point = GeoPoint(latitude: 1, longitude: -0.0)
    var moment = Timestamp(seconds: 1, nanoseconds: 1)
    var reference: ReferenceValue = "projects/p/databases/d/documents/a/b"
    var any: Value = .array([.null, .bytes([0])])
    var map: FieldMap = ["x": .integer(1)]
    var none: String?
    var optionals: [Int?] = [1, nil]
    var nested: [[String: [Double]]] = [["a": [1, 2.5]], [:]]
  }

  @Test func everyType() throws {
    let everything = Everything(url: try #require(URL(string: "https://example.org/a?b=c")))
    let fields = try encode(everything)
    let expected: FieldMap = [
      "bool": .boolean(true), "string": .string("e\u{301}"), "int": .integer(.min), "small": .integer(-128),
      "unsigned": .integer(1 << 62), "double": .double(1), "float": .double(0.100000001490116119384765625),
      "date": .timestamp(try #require(Timestamp("2019-11-26T09:13:39.969797Z"))), "data": .bytes([1, 2]),
      "url": .string("https://example.org/a?b=c"), "uuid": .string(everything.uuid.uuidString),
      "status": .string("expired"), "inner": .map(["a": .integer(1), "b": .array([])]),
      "inners": .array([.map(["a": .integer(2), "b": .array([.string("x")])])]),
      "byName": .map(["é": .integer(1), "a.b": .integer(2)]),
      "point": .geoPoint(GeoPoint(latitude: 1, longitude: -0.0)),
      "moment": .timestamp(try #require(Timestamp(seconds: 1, nanoseconds: 1))),
      "reference": .reference("projects/p/databases/d/documents/a/b"), "any": .array([.null, .bytes([0])]),
      "map": .map(["x": .integer(1)]), "optionals": .array([.integer(1), .null]),
      "nested": .array([.map(["a": .array([.double(1), .double(2.5)])]), .map([:])]),
    ]
    for entry in expected.entries { #expect(fields[entry.name] == entry.value, "\(entry.name)") }
    #expect(fields == expected)
    #expect(try FirestoreDecoder().decode(Everything.self, from: fields) == everything)
  }

  @Test func numbers() throws {
    #expect(try decode(.integer(500), Double.self) == 500)
    #expect(try decode(.double(500), Int.self) == 500)
    #expect(try decode(.integer(1 << 53), Double.self) == 0x1p53)
    #expect(throws: DecodingError.self) { try decode(.integer(1 << 53 + 1), Double.self) }
    #expect(throws: DecodingError.self) { try decode(.double(0.5), Int.self) }
    #expect(throws: DecodingError.self) { try decode(.double(.nan), Int.self) }
    #expect(throws: DecodingError.self) { try decode(.double(0x1p63), Int.self) }
    #expect(throws: DecodingError.self) { try decode(.integer(128), Int8.self) }
    #expect(throws: DecodingError.self) { try decode(.integer(-1), UInt.self) }
    #expect(throws: DecodingError.self) { try decode(.double(1e39), Float.self) }
    #expect(try decode(.double(.infinity), Float.self) == .infinity)
    #expect(try decode(.double(.nan), Double.self).isNaN)
    #expect(try decode(.double(-0.0), Double.self).sign == .minus)
    #expect(try value(UInt64(Int64.max)) == .integer(.max))
    #expect(throws: EncodingError.self) { try value(UInt64(Int64.max) + 1) }
    #expect(throws: EncodingError.self) { try value(UInt.max) }
    #expect(throws: EncodingError.self) { try value(Decimal(1)) }
    #expect(throws: DecodingError.self) { try decode(.double(1), Decimal.self) }
  }

  @Test(arguments: [
    Value.string("1"), .integer(1), .double(1.5), .boolean(true), .null, .bytes([1]), .array([]), .map([:]),
    .geoPoint(GeoPoint(latitude: 0, longitude: 0)), .reference("a/b"), .timestamp(Timestamp(rounded: 0)),
  ])
  func nothingElseIsConverted(_ value: Value) {
    func accepts<T: Decodable>(_ type: T.Type) -> Bool { (try? decode(value, type)) != nil }
    let name = value.typeName
    #expect(accepts(String.self) == (name == "string"))
    #expect(accepts(Bool.self) == (name == "boolean"))
    #expect(accepts(Int.self) == (name == "integer"))
    #expect(accepts(Double.self) == (name == "integer" || name == "double"))
    #expect(accepts(Date.self) == (name == "timestamp"))
    #expect(accepts(Timestamp.self) == (name == "timestamp"))
    #expect(accepts(Data.self) == (name == "bytes"))
    #expect(accepts(GeoPoint.self) == (name == "geo point"))
    #expect(accepts(ReferenceValue.self) == (name == "reference"))
    #expect(accepts([Int].self) == (name == "array"))
    #expect(accepts([String: Int].self) == (name == "map"))
    #expect(accepts(NullValue.self) == (name == "null"))
    #expect(accepts(Value.self))
  }

  @Test func absentAndNull() throws {
    struct Fields: Codable, Equatable {
      var a: Int?
      var date: Date?
      @ExplicitNull var b: String?
    }
    #expect(try FirestoreDecoder().decode(Fields.self, from: [:]) == Fields())
    #expect(
      try FirestoreDecoder().decode(Fields.self, from: ["a": .null, "date": .null, "b": .null]) == Fields()
    )
    #expect(try encode(Fields()) == ["b": .null])
    #expect(try encode(Fields(a: 1, b: "x")) == ["a": .integer(1), "b": .string("x")])
    struct Required: Codable { var a: Int }
    #expect(throws: DecodingError.self) { try FirestoreDecoder().decode(Required.self, from: [:]) }
    #expect(throws: DecodingError.self) { try FirestoreDecoder().decode(Required.self, from: ["a": .null]) }
  }

  @Test func errorsNameTheirPlace() throws {
    struct Block: Codable { var exercises: [[String: Int]] }
    struct Routine: Codable { var blocks: [Block] }
    let exercise = Value.map(["reps": .integer(1), "sets": .string("3")])
    let fields: FieldMap = [
      "blocks": .array([.map(["exercises": .array([])]), .map(["exercises": .array([exercise])])])
    ]
    let error = try #require(throws: DecodingError.self) {
      try FirestoreDecoder().decode(Routine.self, from: fields)
    }
    guard case .typeMismatch(let type, let context) = error else {
      Issue.record(error)
      return
    }
    #expect(ObjectIdentifier(type) == ObjectIdentifier(Int.self))
    #expect(context.codingPath.map(\.stringValue) == ["blocks", "[1]", "exercises", "[0]", "sets"])
    #expect(context.debugDescription == "an integer is expected, and the value is of the type string")

    struct Price: Codable { var amounts: [UInt64] }
    let written = try #require(throws: EncodingError.self) {
      try encode(["price": Price(amounts: [1, .max])])
    }
    guard case .invalidValue(_, let place) = written else {
      Issue.record(written)
      return
    }
    #expect(place.codingPath.map(\.stringValue) == ["price", "amounts", "[1]"])
  }

  @Test func aDocumentIsAMap() throws {
    #expect(throws: EncodingError.self) { try encode([1, 2]) }
    #expect(throws: EncodingError.self) { try encode("text") }
    #expect(throws: EncodingError.self) { try encode(Int?.none) }
    struct Empty: Codable {}
    #expect(try encode(Empty()) == [:])
    #expect(try encode(["a": .null] as FieldMap) == ["a": .null])
  }

  @Test func namesAreBytes() throws {
    let fields: FieldMap = ["\u{E9}": .integer(1), "e\u{301}": .integer(2)]
    let exact = try FirestoreDecoder().decode([UTF8Key: Int].self, from: fields)
    #expect(exact == [UTF8Key("\u{E9}"): 1, UTF8Key("e\u{301}"): 2])
    #expect(try encode(exact) == fields)
    // A dictionary of String would lose one of them.
    #expect(throws: DecodingError.self) { try FirestoreDecoder().decode([String: Int].self, from: fields) }
    #expect(throws: DecodingError.self) { try decode(.array([.map(fields)]), [[String: Int]].self) }
    struct One: Codable { var é: Int }
    #expect(try FirestoreDecoder().decode(One.self, from: fields).é == 1)
    #expect(throws: DecodingError.self) {
      try FirestoreDecoder().decode(One.self, from: ["e\u{301}": .integer(2)])
    }
  }

  @Test func documentIDs() throws {
    struct GymClass: Codable, Equatable {
      @DocumentID var id: String?
      var nombre: String
    }
    let path = try #require(DocumentPath("classes/c1"))
    let document = RawDocument(path: path, fields: ["nombre": .string("Yoga")])
    let read = try FirestoreDecoder().decode(GymClass.self, from: document)
    #expect(read == GymClass(id: "c1", nombre: "Yoga"))
    #expect(try FirestoreEncoder().encode(read, at: path) == document)
    #expect(try FirestoreDecoder().decode(GymClass.self, from: document.fields).id == nil)
    #expect(throws: DecodingError.self) {
      try FirestoreDecoder().decode(GymClass.self, from: ["id": .string("c1"), "nombre": .string("Yoga")])
    }
    let json =
      #"{"name":"projects/p/databases/d/documents/classes/c2","fields":{"nombre":{"stringValue":"Box"}}}"#
    let typed: Result<FieldsOnlyDocument<GymClass>, FirestoreError> =
      try JSONDecoder().decodeGetResult(from: Data(json.utf8))
    #expect(try typed.get().id == "c2")
    #expect(try typed.get().nombre == "Box")
  }

  @Test func containersByHand() throws {
    class Base: Codable {
      var a = 1
      init() {}
    }
    final class Derived: Base {
      var b = 2
      private enum Key: CodingKey { case b, point, list }
      private enum Inner: CodingKey { case x, y }
      override init() { super.init() }
      required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        b = try container.decode(Int.self, forKey: .b)
        let point = try container.nestedContainer(keyedBy: Inner.self, forKey: .point)
        #expect(try point.decode(Int.self, forKey: .x) == 3)
        #expect(try point.decode(Int.self, forKey: .y) == 4)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        #expect(list.count == 2)
        #expect(try list.decodeNil() == false)
        #expect(try list.decode(Int.self) == 5)
        #expect(try list.decodeNil())
        #expect(list.isAtEnd)
        try super.init(from: container.superDecoder())
      }
      override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(b, forKey: .b)
        var first = container.nestedContainer(keyedBy: Inner.self, forKey: .point)
        try first.encode(3, forKey: .x)
        var second = container.nestedContainer(keyedBy: Inner.self, forKey: .point)
        try second.encode(4, forKey: .y)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(5)
        try list.encodeNil()
        try super.encode(to: container.superEncoder())
      }
    }
    let value = Derived()
    value.a = 9
    let fields = try encode(value)
    let expected: FieldMap = [
      "b": .integer(2), "point": .map(["x": .integer(3), "y": .integer(4)]),
      "list": .array([.integer(5), .null]), "super": .map(["a": .integer(9)]),
    ]
    #expect(fields == expected)
    #expect(try FirestoreDecoder().decode(Derived.self, from: fields).a == 9)
  }

  @Test func userInfoAndDepth() throws {
    struct Reader: Decodable {
      var zone: String?
      init(from decoder: any Decoder) throws {
        zone = CodingUserInfoKey(rawValue: "zone").flatMap { decoder.userInfo[$0] as? String }
      }
    }
    var decoder = FirestoreDecoder()
    decoder.userInfo[try #require(CodingUserInfoKey(rawValue: "zone"))] = "America/Mexico_City"
    #expect(try decoder.decode(Reader.self, from: [:]).zone == "America/Mexico_City")
    // A type that contains itself results in an error, not in a stack overflow.
    struct Endless: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(self)
      }
    }
    #expect(throws: EncodingError.self) { try encode(["a": Endless()]) }
  }
}

extension Optional {
  fileprivate func unwrapped() throws -> Wrapped { try #require(self) }
}

extension Timestamp {
  fileprivate init(rounded seconds: Int64) {
    guard let moment = Timestamp(seconds: seconds) else {
      preconditionFailure("a moment of the service's years")
    }
    self = moment
  }
}
