import FirestoreModels
import Testing

@testable import LocalFirestore

/// The rules of `FieldTransform` in google/firestore/v1/write.proto.
@Suite struct FieldTransformsTests {
  private func apply(_ operation: FieldTransform.Operation, to stored: Value?) throws -> Value? {
    var fields = FieldMap()
    fields["f"] = stored
    let time = try #require(Timestamp(seconds: 1, nanoseconds: 123_456_000))
    _ = try FieldTransforms.apply(
      FieldTransform(FieldPath(field: "f"), operation),
      to: &fields,
      commitTime: time
    )
    return fields["f"]
  }

  @Test func increments() throws {
    #expect(try apply(.increment(.integer(1)), to: .integer(2)) == .integer(3))
    #expect(try apply(.increment(.integer(1)), to: .integer(.max)) == .integer(.max))
    #expect(try apply(.increment(.integer(-1)), to: .integer(.min)) == .integer(.min))
    #expect(try apply(.increment(.double(0.5)), to: .integer(2)) == .double(2.5))
    #expect(try apply(.increment(.integer(1)), to: .double(0.5)) == .double(1.5))
    #expect(try apply(.increment(.integer(7)), to: .string("x")) == .integer(7))
    #expect(try apply(.increment(.integer(7)), to: nil) == .integer(7))
    #expect(throws: FirestoreError.self) { try apply(.increment(.string("x")), to: .integer(1)) }
  }

  @Test func extremes() throws {
    #expect(try apply(.maximum(.integer(3)), to: .double(2.5)) == .integer(3))
    #expect(try apply(.maximum(.double(3)), to: .integer(3)) == .integer(3), "equal: the stored one stays")
    #expect(try apply(.maximum(.double(0)), to: .double(-0.0)) == .double(-0.0))
    #expect(try apply(.maximum(.double(.nan)), to: .integer(3)) == .double(.nan))
    #expect(try apply(.minimum(.integer(3)), to: .double(.nan)) == .double(.nan))
    #expect(try apply(.minimum(.integer(3)), to: .integer(4)) == .integer(3))
    #expect(try apply(.minimum(.integer(3)), to: .string("a")) == .integer(3))
    #expect(try apply(.minimum(.integer(3)), to: nil) == .integer(3))
  }

  @Test func arraysTakeEqualNumbersForOne() throws {
    let stored = Value.array([.integer(1), .double(.nan), .integer(1)])
    #expect(
      try apply(.appendMissingElements([.double(1), .double(.nan), .null, .null]), to: stored)
        == .array([.integer(1), .double(.nan), .integer(1), .null])
    )
    #expect(try apply(.removeAllFromArray([.double(1)]), to: stored) == .array([.double(.nan)]))
    #expect(try apply(.removeAllFromArray([.null]), to: .string("x")) == .array([]))
  }

  @Test func theRequestTimeIsInMilliseconds() throws {
    #expect(
      try apply(.requestTime, to: nil)
        == .timestamp(try #require(Timestamp(seconds: 1, nanoseconds: 123_000_000)))
    )
  }
}
