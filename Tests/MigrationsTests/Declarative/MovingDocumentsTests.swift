import FirestoreModels
import FirestoreREST
import Foundation
import GymModels
import RunSupport
import Runs
import TestSupport
import Testing

@testable import MigrationEngine

@Suite("Reads that their own writes would change", .timeLimit(.minutes(60)))
struct MovingDocumentsTests {
  @Test(
    "Every document is read and written once, also on a server that shows no time.",
    arguments: [true, false]
  )
  func once(_ showsTime: Bool) async throws {
    let mini = MiniFirestore()
    for number in 0..<40 {
      try mini.put("users/u\(number)", fields: #"{"x":{"integerValue":"\#(number)"}}"#)
    }
    try mini.put("users/below", fields: #"{"x":{"integerValue":"-1"}}"#)
    let handler: RequestHandler = { request in
      let reaction = mini.handler(request)
      guard !showsTime, request.kind == .batchGet, case .response(var response) = reaction else {
        return reaction
      }
      let text = String(decoding: response.body, as: UTF8.self).replacing("\"readTime\"", with: "\"unknown\"")
      response.body = Array(text.utf8)
      return .response(response)
    }
    try await withTemporaryDirectory { folder in
      try await HTTPTestServer.withServer(handler) { server in
        let client = FirestoreClient.testing(server.url)
        let counts = RunCounts()
        let run = try RunDirectory(in: folder.path + "/state", command: "fix")
        var runner = MigrationRunner(in: .silent(client, run, counts: counts))
        runner.limits = BatchLimits(maximumWrites: 5, maximumInFlight: 2)
        runner.pageSize = 7
        let filter = try FilterExpression.parse("x >= 0", in: LiteralContext(database: client.database))
        let users = CollectionPath(nil, "users")
        _ = try await runner.apply(
          .migration(
            DeclarativeMigration(
              id: "fix",
              summary: "X.",
              scope: DeclarativeMigration.Scope(users, filters: [filter]),
              steps: [.set(FieldPath(field: "x"), .integer(1000))],
              touch: false,
              schema: GymSchema.schema
            )
          )
        )
        #expect(counts.totals.written == 40 && counts.totals.read == 40)
        #expect(mini.totalWrites == 40 && mini.writeCount("users/below") == 0)
      }
    }
  }
}
