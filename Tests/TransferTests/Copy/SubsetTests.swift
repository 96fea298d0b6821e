import FirestoreModels
import FirestoreREST
import Foundation
import Schema
import Testing

@testable import Transfer

@Suite("A part of a database") struct SubsetTests {
  @Test("A root is a collection, a filter and a limit; words in quotes are the filter's.")
  func roots() throws {
    func parts(_ text: String) -> [String?]? {
      SubsetRoot(typed: text).map { [$0.collection, $0.filter, $0.limit.map(String.init)] }
    }
    #expect(parts("users") == ["users", nil, nil])
    #expect(parts(" users  limit 20 ") == ["users", nil, "20"])
    #expect(parts("users where role == trainer limit 20") == ["users", "role == trainer", "20"])
    #expect(parts("users where a == \"x  limit 5\"") == ["users", "a == \"x  limit 5\"", nil])
    #expect(parts("users where name == limit") == ["users", "name == limit", nil])
    #expect(parts("groups/*/members where n > 1") == ["groups/*/members", "n > 1", nil])
    for wrong in [
      "", " ", "users where", "users limit", "users limit x", "users a == 1",
      "users limit 99999999999999999999",
    ] {
      #expect(parts(wrong) == nil, "\(wrong)")
    }
  }

  @Test("A share is read exactly.")
  func shares() {
    for right in ["1%", "0.0001%", "100%", "100.0000%", "33.3333%", "007%"] {
      #expect(SampleShare(typed: right) != nil, "\(right)")
    }
    for wrong in [
      "", "%", "1", "0%", "0.0000%", "100.0001%", "1.%", ".5%", "1.00001%", "-1%", "1e1%", "1 %", "1000%",
      "٣%",
    ] {
      #expect(SampleShare(typed: wrong) == nil, "\(wrong)")
    }
  }

  @Test("A document is in a share by the checksum of its name.")
  func sample() throws {
    let names = (0..<1000).compactMap { DocumentPath("users/u\($0)") }
    func count(_ share: String) throws -> Int {
      let share = try #require(SampleShare(typed: share))
      return try names.filter { try share.contains($0) }.count
    }
    #expect(try count("100%") == 1000)
    // As Python's hashlib counts them.
    #expect(try [count("1%"), count("12.5%"), count("50%")] == [13, 131, 517])
  }

  @Test("Which ways are followed.")
  func follow() {
    func ways(_ text: String) -> [Bool]? {
      SubsetSettings.Follow(typed: text).map { [$0.outwards, $0.inwards] }
    }
    #expect(ways("out") == [true, false] && ways("in") == [false, true])
    #expect(
      ways("out,in") == [true, true] && ways("in,out") == [true, true] && ways("none") == [false, false]
    )
    for wrong in ["", "out,", "out,out", "in out", "none,in", "OUT"] {
      #expect(ways(wrong) == nil, "\(wrong)")
    }
  }

  // MARK: References

  private static let database = DatabaseName(project: "p", database: "d")

  private func references() throws -> SubsetReferences {
    let text = """
      schema: small
      collections:
        gyms: { fields: { x: string } }
        users: { fields: { x: string } }
        tags: { fields: { x: string } }
        cities: { fields: { x: string } }
        members:
          fields:
            gymId: { type: string, reference: gyms }
            name: string
            link: reference
            tags: { type: array, elements: { type: string, reference: tags } }
            address: { type: map, fields: { cityId: { type: string, reference: cities } } }
            rows: { type: array, elements: { type: map, fields: { who: { type: string, reference: users } } } }
        groups/*/members:
          fields: { userId: { type: string, reference: users } }
      """
    return SubsetReferences(
      schema: try SchemaReader.schema(parsing: text, path: "small.yaml"),
      database: Self.database
    )
  }

  @Test("Declared texts refer to documents, and Firestore's references do wherever they stand.")
  func outwards() throws {
    func reference(_ name: String, in database: String = "d") -> Value {
      .reference("projects/p/databases/\(database)/documents/\(name)")
    }
    let fields: [(String, Value)] = [
      ("gymId", .string("g1")), ("name", .string("g2")), ("link", reference("a/b")),
      ("tags", .array([.string("t1"), .string(""), .string("a/b"), .string(".."), .integer(1)])),
      ("address", .map(FieldMap([.init(name: "cityId", value: .string("c1"))]))),
      (
        "rows",
        .array([
          .map(
            FieldMap([.init(name: "who", value: .string("u1")), .init(name: "at", value: reference("x/y"))])
          )
        ])
      ),
      (
        "other",
        .array([reference("a/c"), reference("a/d", in: "e"), reference("a"), reference("_gymmigrate/lock")])
      ),
      ("ana@x", reference("a/e")),
    ]
    let path = try #require(DocumentPath("members/m1"))
    let document = RawDocument(path: path, fields: FieldMap(fields.map { .init(name: $0.0, value: $0.1) }))
    let found = try references().references(of: document).map { "\($0.edge) \($0.path)" }
    #expect(
      found.sorted() == [
        "members.(others) -> a a/e", "members.address.cityId -> cities cities/c1",
        "members.gymId -> gyms gyms/g1",
        "members.link -> a a/b", "members.other[] -> a a/c", "members.rows[] -> x x/y",
        "members.rows[].who -> users users/u1", "members.tags[] -> tags tags/t1",
      ]
    )
  }

  @Test("Fields are asked for by queries, but for those of maps in arrays.")
  func inwards() throws {
    let references = try references()
    #expect(
      references.incoming.map(\.name) == [
        "members.gymId -> gyms", "members.link", "members.tags[] -> tags", "members.address.cityId -> cities",
        "groups/*/members.userId -> users",
      ]
    )
    #expect(references.unreachable == ["members.rows[].who"])
    let user = try #require(DocumentPath("users/u1"))
    let field = try #require(references.incoming.last)
    let name = Value.reference(Self.database.name(of: user))
    let read = references.read(field, to: [user])
    #expect(read.reach == .group && read.collection.string == "members")
    guard case .and(let filters)? = read.filter else { return #expect(Bool(false)) }
    #expect(filters.first == .field(FieldPath(field: "userId"), .in, .array([name, .string("u1")])))
    #expect(try field.covers(#require(DocumentPath("groups/g/members/u1"))))
    #expect(try !field.covers(#require(DocumentPath("groups/g/x/y/members/u1"))))
    #expect(field.canRefer(to: user) && !references.incoming[0].canRefer(to: user))
  }
}
