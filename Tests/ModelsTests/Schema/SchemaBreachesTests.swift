import FirestoreModels
import Testing

@testable import Schema

/// What a write breaks of a schema more than what is there, by hand.
@Suite struct SchemaBreachesTests {
  private let people: CollectionSchema

  init() throws {
    let text = """
      schema: club
      collections:
        people:
          update-time: updatedAt
          id-field: id
          forbidden: [password]
          fields:
            id: string
            name: { type: string, required: true }
            phone: string
            status: { type: string, values: [open, shut] }
            updatedAt: { type: timestamp, required: true }
      """
    let schema = try SchemaReader.schema(parsing: text, path: "club.yaml")
    people = try #require(schema.collection(CollectionPath(nil, "people")))
  }

  private func codes(_ after: FieldMap, over before: FieldMap?, isPartial: Bool = false) -> [String] {
    let document = RawDocument(path: DocumentPath(CollectionPath(nil, "people"), "p"), fields: after)
    let times = [FieldPath(field: "updatedAt")]
    return people.breaches(by: document, over: before, settingTimes: times, isPartial: isPartial).map {
      "\($0.field?.description ?? "-") \($0.kind.rawValue)"
    }
  }

  private let good: FieldMap = ["id": .string("p"), "name": .string("Ana"), "phone": .string("7")]

  @Test("What is worse than before is found, and what was wrong already is not.")
  func worse() throws {
    var after = good
    after["phone"] = .integer(7)
    #expect(codes(after, over: good) == ["phone wrong-type"])
    #expect(codes(after, over: after).isEmpty)
    var other = after
    other["phone"] = .boolean(true)
    #expect(codes(other, over: after).isEmpty)
    other["status"] = .string("half")
    #expect(codes(other, over: after) == ["status value-unknown"])
    after["name"] = nil
    #expect(codes(after, over: good).sorted() == ["name required-missing", "phone wrong-type"])
    after = good
    after["password"] = .string("x")
    #expect(codes(after, over: good) == ["password field-unexpected"])
  }

  @Test("Another kind of violation of a field that is wrong already is worse.")
  func anotherKind() {
    var before = good
    before["status"] = .string("half")
    var after = good
    after["status"] = .integer(1)
    #expect(codes(after, over: before) == ["status wrong-type"])
  }

  @Test("A document that is new has no excuse, and one of fields to change lacks none.")
  func newAndPartial() {
    #expect(codes(["phone": .string("7")], over: nil).sorted() == ["id id-missing", "name required-missing"])
    #expect(codes(["phone": .string("7")], over: nil, isPartial: true).isEmpty)
    #expect(codes(["name": .null], over: nil, isPartial: true) == ["name required-missing"])
  }
}
