import FirestoreModels
import TestSupport
import Testing

@testable import Transfer

@Suite("Comparing two documents")
struct DocumentComparisonTests {
  private let prod = DatabaseName(project: "p", database: "prod")
  private let test = DatabaseName(project: "p", database: "test")

  private func reference(_ database: DatabaseName, _ path: String) -> Value {
    .reference("\(database.documents)/\(path)")
  }

  @Test("References are compared as seen from their own databases.")
  func references() {
    let comparison = DocumentComparison(from: prod, to: test)
    func same(_ a: Value, _ b: Value) -> Bool { comparison.areSame(["r": .array([a])], ["r": .array([b])]) }
    #expect(same(reference(prod, "c/d"), reference(test, "c/d")))
    #expect(!same(reference(prod, "c/d"), reference(test, "c/e")))
    // A document that still references the source differs from a copy, even if the bytes are equal.
    #expect(!same(reference(prod, "c/d"), reference(prod, "c/d")))
    let other = DatabaseName(project: "q", database: "x")
    #expect(same(reference(other, "c/d"), reference(other, "c/d")))
    #expect(!same(reference(other, "c/d"), reference(test, "c/d")))
    // A reference into the target stays as it is, and is correct there.
    #expect(same(reference(test, "c/d"), reference(test, "c/d")))
    let blind = DocumentComparison(from: nil, to: test)
    #expect(blind.areSame(["r": reference(test, "c/d")], ["r": reference(test, "c/d")]))
    #expect(!blind.areSame(["r": reference(prod, "c/d")], ["r": reference(test, "c/d")]))
  }

  @Test("Types, signs and Unicode forms are distinguished; ignored fields are not compared.")
  func values() {
    let comparison = DocumentComparison(from: prod, to: test)
    let pairs: [(Value, Value)] = [
      (.integer(1), .double(1)), (.double(0), .double(-0.0)), (.string("é"), .string("e\u{301}")),
      (.string(""), .null), (.array([.null]), .array([])), (.map([:]), .null),
    ]
    for (a, b) in pairs { #expect(!comparison.areSame(["v": a], ["v": b]), "\(a) \(b)") }
    #expect(comparison.areSame(["v": .double(.nan)], ["v": .double(-.nan)]))
    let ignoring = DocumentComparison(
      from: prod,
      to: test,
      ignoring: [FieldPath(field: "updatedAt"), FieldPath(field: "m").appending("x")]
    )
    #expect(
      ignoring.areSame(
        ["updatedAt": .integer(1), "m": .map(["x": .integer(1), "y": .null])],
        ["m": .map(["y": .null])]
      )
    )
    #expect(!ignoring.areSame(["m": .map(["y": .null])], ["m": .map(["y": .boolean(true)])]))
  }

  @Test("Differences name the fields, with the values of the documents.")
  func differences() throws {
    let path = try #require(DocumentPath("c/d"))
    let a = RawDocument(
      path: path,
      fields: [
        "same": reference(prod, "c/x"), "r": reference(prod, "c/d"),
        "m": .map(["x": .integer(1), "y": .null]), "gone": .boolean(true),
      ]
    )
    let b = RawDocument(
      path: path,
      fields: [
        "same": reference(test, "c/x"), "r": reference(test, "c/e"),
        "m": .map(["x": .integer(2), "y": .null]), "new": .null,
      ]
    )
    let found = DocumentComparison(from: prod, to: test).differences(a, b)
    #expect(
      found == [
        FieldDifference(path: FieldPath(field: "gone"), before: .boolean(true), after: nil),
        FieldDifference(
          path: FieldPath(field: "m").appending("x"),
          before: .integer(1),
          after: .integer(2)
        ),
        FieldDifference(path: FieldPath(field: "new"), before: nil, after: .null),
        FieldDifference(
          path: FieldPath(field: "r"),
          before: reference(prod, "c/d"),
          after: reference(test, "c/e")
        ),
      ]
    )
  }
}
