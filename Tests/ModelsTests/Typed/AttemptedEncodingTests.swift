import FirestoreModels
import Foundation
import Testing
import TypedDocuments

@Suite("What a type tries to encode, and cannot, leaves nothing behind")
struct AttemptedEncodingTests {
  /// Writes its first member, and fails at its second.
  private struct Broken: Encodable {
    var first = 1
    var second = Decimal(1)
  }

  @Test func members() throws {
    struct Attempts: Encodable {
      private enum Key: CodingKey { case before, broken, number, after }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(1, forKey: .before)
        try? container.encode(Broken(), forKey: .broken)
        try? container.encodeIfPresent(UInt64.max as UInt64?, forKey: .number)
        try container.encode(2, forKey: .after)
      }
    }
    let expected: FieldMap = ["before": .integer(1), "after": .integer(2)]
    #expect(try FirestoreEncoder().encode(Attempts()) == expected)
    let (fields, mask) = try FirestoreEncoder().update(Attempts())
    #expect(fields == expected)
    #expect(mask.map(\.description).sorted() == ["after", "before"])
  }

  @Test func elements() throws {
    struct Attempts: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(1)
        try? container.encode(Broken())
        #expect(container.count == 1)
        try container.encode(2)
        #expect(container.count == 2)
      }
    }
    let fields = try FirestoreEncoder().encode(["v": Attempts()])
    #expect(fields == ["v": .array([.integer(1), .integer(2)])])
  }

  @Test("A type may write something else instead, of any shape.")
  func instead() throws {
    struct Attempt: Encodable {
      var instead: [Int]?
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        do {
          try container.encode(Broken())
        } catch {
          if let instead { try container.encode(instead) } else { try container.encodeNil() }
        }
      }
    }
    let fields = try FirestoreEncoder().encode([
      "list": Attempt(instead: [1]), "nothing": Attempt(instead: nil),
    ])
    #expect(fields == ["list": .array([.integer(1)]), "nothing": .null])
  }
}
