import FirestoreModels
import Foundation
import Testing

/// The JSON of queries.
@Suite struct StructuredQueryTests {
  private func decode(_ json: String) throws(WireError) -> StructuredQuery {
    let parser = JSONParser()
    return try parser.parse(Array(json.utf8)) { cursor throws(WireError) in
      var decoder = WireDecoder(unknownMembers: .refused)
      return try decoder.structuredQuery(cursor)
    }
  }

  private let full = StructuredQuery(
    from: .init("c", allDescendants: true),
    where: .and([
      .or([
        .field(FieldPath(field: "a.b"), .arrayContainsAny, .array([.integer(1)])),
        .unary(FieldPath(field: "n"), .isNotNaN),
      ]),
      .field(.documentName, .greaterThanOrEqual, .reference("projects/p/databases/d/documents/c/x")),
    ]),
    orderBy: [.init(FieldPath(field: "n"), .descending), .init(.documentName)],
    startAt: .init([.double(1.5)], before: true),
    endAt: .init([.null], before: false),
    offset: 2,
    limit: 0,
    select: [.documentName]
  )

  @Test func aQueryIsWrittenAsDocumented() {
    var json = JSONWriter()
    json.structuredQuery(full)
    #expect(
      String(decoding: json.bytes, as: UTF8.self)
        == #"""
        {"select":{"fields":[{"fieldPath":"__name__"}]},"from":[{"collectionId":"c","allDescendants":true}],
        "where":{"compositeFilter":{"op":"AND","filters":[{"compositeFilter":{"op":"OR","filters":[
        {"fieldFilter":{"field":{"fieldPath":"`a.b`"},"op":"ARRAY_CONTAINS_ANY","value":{"arrayValue":{"values":[{"integerValue":"1"}]}}}},
        {"unaryFilter":{"op":"IS_NOT_NAN","field":{"fieldPath":"n"}}}]}},
        {"fieldFilter":{"field":{"fieldPath":"__name__"},"op":"GREATER_THAN_OR_EQUAL","value":{"referenceValue":"projects/p/databases/d/documents/c/x"}}}]}},
        "orderBy":[{"field":{"fieldPath":"n"},"direction":"DESCENDING"},{"field":{"fieldPath":"__name__"},"direction":"ASCENDING"}],
        "startAt":{"values":[{"doubleValue":1.5}],"before":true},"endAt":{"values":[{"nullValue":null}]},"offset":2,"limit":0}
        """#.split(separator: "\n").joined()
    )
  }

  @Test func aQueryIsReadAsItWasWritten() throws {
    var json = JSONWriter()
    json.structuredQuery(full)
    #expect(try decode(String(decoding: json.bytes, as: UTF8.self)) == full)
  }

  @Test func numbersOfEnumerationsAndSnakeCaseAreRead() throws {
    let query = try decode(
      #"{"from":[{"collection_id":"c","all_descendants":true}],"order_by":[{"field":{"field_path":"a"},"direction":2}],"where":{"field_filter":{"field":{"fieldPath":"a"},"op":5,"value":{"nullValue":0}}},"limit":{}}"#
        .replacingOccurrences(of: #","limit":{}"#, with: "")
    )
    #expect(query.orderBy == [.init(FieldPath(field: "a"), .descending)])
    #expect(query.where == .field(FieldPath(field: "a"), .equal, .null))
    #expect(query.from == .init("c", allDescendants: true))
  }

  @Test(arguments: [
    #"{"foo":1}"#, #"{"from":[{"collectionId":"a"},{"collectionId":"b"}]}"#, #"{"where":{}}"#,
    #"{"limit":"x"}"#,
    #"{"where":{"compositeFilter":{"op":"XOR","filters":[]}}}"#,
    #"{"where":{"compositeFilter":{"op":"AND","filters":[]}}}"#,
    #"{"where":{"fieldFilter":{"field":{"fieldPath":"a b"},"op":"EQUAL","value":{"nullValue":null}}}}"#,
    #"{"where":{"fieldFilter":{"field":{"fieldPath":"a"},"op":"EQUALS","value":{"nullValue":null}}}}"#,
    #"{"orderBy":[{}]}"#, #"{"startAt":{"values":[{}]}}"#, #"{"limit":2147483648}"#, "[]",
  ])
  func whatIsNoQueryIsRefused(json: String) {
    #expect(throws: WireError.self) { try decode(json) }
  }
}
