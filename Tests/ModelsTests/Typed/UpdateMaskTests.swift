import FirestoreModels
import Foundation
import Testing
import TypedDocuments

@Suite("The fields and the mask of an update", .bothParsers)
struct UpdateMaskTests {
  private struct Everything: Codable {
    @DocumentID var id: String?
    @ExplicitNull var explicit: Int?
    var text: String?
    var flag: Bool?
    var whole: Int?
    var byte: UInt8?
    var real: Double?
    var date: Date?
    var url: URL?
    var list: [String]?
    var map: [String: Int]?
    var typed: IntegerValue?
    var inner: Inner
    var dotted: Int?

    struct Inner: Codable {
      var a: Int?
      var b = 1
    }

    enum CodingKeys: String, CodingKey {
      case id, explicit, text, flag, whole, byte, real, date, url, list, map, typed, inner
      case dotted = "a.b"
    }
  }

  @Test("Properties that are nil are in the mask and not in the fields; an ID is in neither.")
  func nilProperties() throws {
    let (fields, mask) = try FirestoreEncoder().update(Everything(id: "x", inner: .init()))
    #expect(fields == ["explicit": .null, "inner": .map(["b": .integer(1)])])
    let expected = [
      "`a.b`", "byte", "date", "explicit", "flag", "inner", "list", "map", "real", "text", "typed", "url",
      "whole",
    ]
    #expect(mask.map(\.description).sorted() == expected)
  }

  @Test("Properties with values are in both.")
  func values() throws {
    var value = Everything(id: nil, inner: .init(a: 2))
    value.text = "t"
    value.whole = 3
    value.typed = 4
    value.dotted = 5
    let (fields, mask) = try FirestoreEncoder().update(value)
    let plain = try FirestoreEncoder().encode(value)
    #expect(fields == plain)
    #expect(fields["a.b"] == .integer(5))
    #expect(fields["inner"] == .map(["a": .integer(2), "b": .integer(1)]))
    #expect(Set(mask).isSuperset(of: fields.entries.map { FieldPath(field: $0.name) }))
    #expect(Set(mask).count == mask.count)
    #expect(mask.count == 13)
  }

  @Test func noMap() {
    #expect(throws: EncodingError.self) { try FirestoreEncoder().update([1, 2]) }
  }
}
