import Configuration
import Files
import FirestoreModels
import FirestoreREST
import Foundation
import LocalFirestore
import Logging
import RunSupport
import Runs
import Schema
import TestSupport
import Testing

@testable import Mirror

@Suite("Pulls of a mirror and pushes from it", .timeLimit(.minutes(10)))
struct MirrorTransferTests {
  private let schema: DatabaseSchema

  init() throws {
    let stock = FieldSchema(try FieldPath(parsing: "stock"), [.integer])
    let products = CollectionSchema(CollectionPath(nil, "products"), fields: [stock])
    schema = DatabaseSchema(name: "shop", collections: [products])
  }

  /// Pulls a database of two products into a new mirror.
  private func withMirror(
    _ body: (MirrorFile, FirestoreClient, HTTPTestServer) async throws -> Void
  ) async throws {
    let mini = MiniFirestore()
    for id in ["p1", "p2"] { try mini.put("products/\(id)", fields: #"{"stock":{"integerValue":"10"}}"#) }
    try await withTemporaryDirectory { folder in
      try await HTTPTestServer.withServer(mini.handler) { server in
        let database = DatabaseName(project: "test-project")
        let client = FirestoreClient.testing(
          server.url,
          database: database,
          policy: .brief
        )
        let path = folder.path + "/shop.sqlite"
        let environment = DatabaseEnvironment(name: "test", database: database, endpoint: server.url)
        let context = DatabaseContext(
          Connection(environment: environment, client: client),
          schema: schema,
          counts: RunCounts(),
          progress: .silent(),
          logger: .silent
        )
        let pull = MirrorPull(in: context, to: path, MirrorPull.Options())
        let report = try await pull.run()
        #expect(report.isNew && report.read == 2)
        try await body(try MirrorFile(path, for: .writing), client, server)
      }
    }
  }

  @Test("A pull first asks whether a moment can be read, whatever collections there are.")
  func probe() async throws {
    try await withMirror { _, _, server in
      let targets = server.requests.map(\.target)
      #expect(targets.contains { $0.contains("/documents/_gymmigrate?") && $0.contains("pageSize=1&") })
      #expect(!targets.contains { $0.contains("/documents/users") })
    }
  }

  @Test("What rolls the mirror back while edits are settled is what is reported.")
  func firstError() async throws {
    try await withMirror { file, client, _ in
      let statements = [
        "UPDATE products SET stock = 11 WHERE _id = 'p1'", "UPDATE products SET stock = 10 WHERE _id = 'p1'",
        """
        CREATE TRIGGER refusal BEFORE DELETE ON _mirror_edits BEGIN
          SELECT RAISE(ROLLBACK, 'the first error');
        END
        """,
      ]
      for sql in statements { try file.use { db in try StatementWriter(db, sql).run() } }
      let edits = try MirrorEdits(in: file, client: client, schema: schema)
      let failure = await #expect(throws: Failure.self) { _ = try await edits.settle() }
      #expect(failure?.cause.contains("the first error") ?? false, "\(String(describing: failure))")
    }
  }
}
