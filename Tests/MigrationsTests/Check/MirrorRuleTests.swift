import FirestoreModels
import FirestoreREST
import Integrity
import Schema
import Testing

@Suite struct MirrorRuleTests {
  @Test(
    "A document that a link names is asked whom it names, also if its own field declares no mirror.",
    arguments: ["users", "{ collection: users, mirror: member }"],
    ["members", "workers"]
  )
  func mirrored(by reference: String, in target: String) async throws {
    let schema = try SchemaReader.schema(
      parsing: """
        schema: s
        collections:
          users:
            fields: { member: { type: string, reference: { collection: \(target), mirror: user } } }
          \(target):
            fields: { user: { type: string, reference: \(reference) } }

        """,
      path: "s.yaml"
    )
    let documents = try [
      document("users/a", ["member": .string("m")]), document("users/b", ["member": .string("n")]),
      document("\(target)/m", ["user": .string("a")]), document("\(target)/n", [:]),
    ]
    let check = IntegrityCheck(of: schema, rules: [.linkNotMirrored])
    var found: [String] = []
    try await check.run(
      check.reads,
      from: { read, body in try await body(documents.filter { $0.path.collection == read.collection }) },
      report: { found.append($0.path.string) }
    )
    #expect(found == ["users/b"])
  }
}
