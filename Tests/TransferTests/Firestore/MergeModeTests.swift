import FirestoreModels
import FirestoreREST
import Testing

@Suite struct MergeModeTests {
  private static let vector = Value.map([
    "__type__": .string("__vector__"), "value": .array([.double(1)]),
  ])
  private static let one = Value.map(["a": .integer(1)])

  @Test(
    "A merge goes into maps; a vector is a value of another kind.",
    arguments: [
      (one, Value.map(["b": .integer(2)]), Value.map(["a": .integer(1), "b": .integer(2)])),
      (one, .map([:]), one), (.integer(1), .map([:]), .map([:])), (.integer(1), one, one),
      (vector, one, one), (vector, .map([:]), .map([:])), (one, vector, vector), (vector, vector, vector),
      (.map(["x": vector]), .map(["x": one]), .map(["x": one])),
    ]
  )
  func merges(_ current: Value, _ incoming: Value, _ merged: Value) throws {
    let path = try #require(DocumentPath("c/d"))
    let before = RawDocument(path: path, fields: ["m": current, "n": .null])
    let document = LoadDocument.decoded(RawDocument(path: path, fields: ["m": incoming]))
    switch WriteMode.merge.decide(document, current: before) {
    case .unchanged: #expect(merged == current)
    case .change(let change): #expect(change.after == ["m": merged, "n": .null] && merged != current)
    case .rejected(let error, _): Issue.record("\(error)")
    }
  }
}
