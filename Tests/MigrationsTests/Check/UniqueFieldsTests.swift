import FirestoreModels
import Integrity
import Schema
import Testing

@Suite struct UniqueFieldsTests {
  @Test(
    "Values of a unique field are the same where a filter takes them for equal.",
    arguments: [
      (Value.integer(1001), Value.double(1001), true),
      (.double(0), .double(-0.0), true),
      (.array([.integer(1)]), .array([.double(1)]), true),
      (.map(["a": .integer(1)]), .map(["a": .double(1)]), true),
      (.double(1.5), .double(1.5), true),
      (.double(1.5), .integer(1), false),
      (.integer(9_007_199_254_740_993), .double(9_007_199_254_740_992), false),
      (.integer(1), .string("1"), false),
    ]
  )
  func sharedValues(_ a: Value, _ b: Value, isShared: Bool) async throws {
    let schema = try SchemaReader.schema(
      parsing: "schema: s\ncollections: {orders: {unique: [n], fields: {n: any}}}\n",
      path: "s.yaml"
    )
    let documents = try [document("orders/a", ["n": a]), document("orders/b", ["n": b])]
    let check = IntegrityCheck(of: schema, rules: [.notUnique])
    var found: [String] = []
    try await check.run(
      check.reads,
      from: { _, body in try await body(documents) },
      report: { found.append($0.path.string) }
    )
    #expect(found == (isShared ? ["orders/a", "orders/b"] : []))
  }
}
