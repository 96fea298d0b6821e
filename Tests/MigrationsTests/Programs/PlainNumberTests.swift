import FirestoreModels
import FirestoreREST
import TestSupport
import Testing

@testable import MigrationEngine

/// Numbers that programs with plain JSON print as other values of the document may be printed.
@Suite("Numbers that programs move", .timeLimit(.minutes(60)))
struct PlainNumberTests {
  @Test(
    "A whole number is a double that is gone if it is in a new place and nothing else looks like it.",
    arguments: [
      // A field is renamed.
      (#"{"price":499.0}"#, #"{"fee":499}"#, #"{"fee":499.0}"#, []),
      (
        #"{"a":[{"price":7.0},{"price":7.0}]}"#, #"{"a":[{"fee":7},{"fee":7}]}"#,
        #"{"a":[{"fee":7.0},{"fee":7.0}]}"#, []
      ),
      (#"{"m":{"a":7.0,"b":8.0}}"#, #"{"n":{"a":7,"b":8}}"#, #"{"n":{"a":7.0,"b":8.0}}"#, []),
      // It is moved elsewhere, or another number.
      (#"{"price":499.0}"#, #"{"to":{"fee":499}}"#, #"{"to":{"fee":499.0}}"#, ["to.fee"]),
      (#"{"x":4.0}"#, #"{"l":[3,4]}"#, #"{"l":[3,4.0]}"#, ["l"]),
      // Its place has another number, or the new place had something.
      (
        #"{"rate":1.0,"v":5}"#, #"{"rate":1.5,"v":5,"schema":1}"#, #"{"rate":1.5,"v":5,"schema":1}"#,
        ["schema"]
      ),
      (#"{"rate":2.0,"v":1}"#, #"{"v":2}"#, #"{"v":2}"#, ["v"]),
      (#"{"rate":2.0,"v":"a"}"#, #"{"v":2}"#, #"{"v":2}"#, ["v"]),
      // Another value looks like it.
      (#"{"price":3.0,"n":3}"#, #"{"n":3,"m":3}"#, #"{"n":3,"m":3}"#, ["m"]),
      (#"{"l":[3],"p":3.0}"#, #"{"l":[3,3]}"#, #"{"l":[3,3]}"#, ["l"]),
      (
        #"{"m":{"n":1.0},"o":{"n":1}}"#, #"{"o":{"n":1},"p":{"n":1}}"#, #"{"o":{"n":1},"p":{"n":1}}"#, ["p.n"]
      ),
      (
        #"{"m":{"n":1.0,"k":"a"},"o":1}"#, #"{"o":1,"p":{"n":1,"k":"a","x":0}}"#,
        #"{"o":1,"p":{"n":1,"k":"a","x":0}}"#, ["p.n"]
      ),
      // No integer is -0, so it does not say how the program writes whole doubles.
      (#"{"b":1.0,"c":-0.0}"#, #"{"fee":1,"c":-0}"#, #"{"fee":1.0,"c":-0.0}"#, []),
      (#"{"b":1.0,"l":[-0.0]}"#, #"{"fee":1,"l":[-0.0]}"#, #"{"fee":1.0,"l":[-0.0]}"#, []),
    ]
  )
  func wholeDoubles(old: String, answer: String, expected: String, noted: [String]) throws {
    try check(old, answer, expected, noted)
  }

  @Test(
    "Where the answer has a number such as 3.0, 3 is an integer, which is noted if that double is gone.",
    arguments: [
      (#"{"b":1.0,"c":2.0}"#, #"{"fee":1,"c":2.0}"#, #"{"fee":1,"c":2.0}"#, ["fee"]),
      (#"{"b":1.0,"l":[2.0]}"#, #"{"to":{"fee":1},"l":[2.0]}"#, #"{"to":{"fee":1},"l":[2.0]}"#, ["to.fee"]),
      (#"{"b":1.0,"c":2.0}"#, #"{"b":1.0,"c":2.0,"n":1}"#, #"{"b":1.0,"c":2.0,"n":1}"#, []),
      (#"{"b":1.0,"c":2.0,"n":5}"#, #"{"fee":1.0,"c":2.0,"n":5}"#, #"{"fee":1.0,"c":2.0,"n":5}"#, []),
      // The same holds for an integer that is gone.
      (#"{"b":1,"c":2.0,"n":5}"#, #"{"fee":1.0,"c":2.0,"n":5}"#, #"{"fee":1.0,"c":2.0,"n":5}"#, ["fee"]),
    ] as [(String, String, String, [String])]
  )
  func spelledDoubles(old: String, answer: String, expected: String, noted: [String]) throws {
    try check(old, answer, expected, noted)
  }

  @Test(
    "Another integer with the same double is meant if the answer has digits of an integer that is no double, else it is noted.",
    arguments: [
      (
        #"{"id":9007199254740993,"n":1}"#, #"{"id":9007199254740992,"n":1}"#,
        #"{"id":9007199254740993,"n":1}"#, ["id"]
      ),
      (#"{"id":9007199254740993}"#, #"{"next":9007199254740992}"#, #"{"next":9007199254740993}"#, ["next"]),
      (#"{"id":9007199254740993,"n":5}"#, #"{"n":9007199254740992}"#, #"{"n":9007199254740993}"#, ["n"]),
      (#"{"l":[9007199254740993]}"#, #"{"l":[9007199254740992]}"#, #"{"l":[9007199254740993]}"#, ["l"]),
      (
        #"{"m":{"id":9007199254740993}}"#, #"{"k":{"id":9007199254740992}}"#,
        #"{"k":{"id":9007199254740993}}"#, ["k"]
      ),
      (#"{"id":9007199254740993}"#, #"{"id":9007199254740993}"#, #"{"id":9007199254740993}"#, []),
      (
        #"{"id":1234567890123456789}"#, #"{"next":1234567890123456800}"#, #"{"next":1234567890123456789}"#, []
      ),
      (#"{"id":1234567890123456789}"#, #"{"id":1234567890123456787}"#, #"{"id":1234567890123456787}"#, []),
      (
        #"{"id":9007199254740993,"k":9007199254740995}"#, #"{"id":9007199254740992,"k":9007199254740995}"#,
        #"{"id":9007199254740992,"k":9007199254740995}"#, []
      ),
      (
        #"{"l":[9007199254740993,9007199254740995]}"#, #"{"l":[9007199254740992,9007199254740995]}"#,
        #"{"l":[9007199254740992,9007199254740995]}"#, []
      ),
      (
        #"{"id":9007199254740993,"k":9007199254740995}"#, #"{"next":9007199254740992,"k":9007199254740995}"#,
        #"{"next":9007199254740992,"k":9007199254740995}"#, []
      ),
    ]
  )
  func largeIntegers(old: String, answer: String, expected: String, noted: [String]) throws {
    try check(old, answer, expected, noted)
  }

  /// Checks what a document without a schema becomes, and of which fields something is noted.
  private func check(_ old: String, _ answer: String, _ expected: String, _ noted: [String]) throws {
    func fields(_ text: String) throws -> FieldMap {
      try JSONParser.decode(Array(text.utf8)) { json, _ throws(WireError) in try Self.value(json) }.map
        ?? FieldMap()
    }
    guard case .fields(let made, let notes) = try PlainOriginsTests.answer(answer, about: fields(old)) else {
      Issue.record("no document")
      return
    }
    #expect(try made == fields(expected))
    #expect(notes.map(\.field) == noted, "\(notes)")
  }

  private static func value(_ json: JSONCursor) throws(WireError) -> Value {
    switch json.kind {
    case .integer: .integer(json.integer ?? 0)
    case .double: .double(json.double ?? 0)
    case .array: .array(try json.elements.map { element throws(WireError) in try value(element) })
    case .object:
      .map(
        FieldMap(
          try json.members.map { name, member throws(WireError) in
            FieldMap.Entry(name: name.string, value: try value(member))
          }
        )
      )
    default: .string(json.string ?? "")
    }
  }
}
