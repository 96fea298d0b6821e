import TestSupport
import Testing

@Suite("Masked copies through faults", .timeLimit(.minutes(60)))
struct MaskFaultTests {
  @Test("Faults at random change nothing of what a masked copy leaves.", arguments: Settings.seeds(2))
  func randomFaults(_ seed: UInt64) async throws {
    let collections = ["users", "user_emails", "groups"]
    let source = MiniFirestore.environment("prod")
    let (plain, faulty) = (MiniFirestore.environment("test"), MiniFirestore.environment("stage"))
    try source.load(jsonLines: Samples.text(collections))
    let reads = source.faults(
      FaultRule(
        [.list, .runQuery, .batchGet, .aggregation],
        .percent(15),
        oneOf: [
          .error(.unavailable), .drop, .halfBody(0.5), .unterminated, .html(500), .error(.internalError),
        ]
      ),
      seed: seed
    )
    let writes = faulty.faults(
      FaultRule(
        [.commit],
        .percent(30),
        oneOf: [
          .error(.unavailable), .error(.aborted), .dropAfterApplying, .drop, .resetAfterApplying,
          .errorAfterApplying(.internalError), .emptyBody,
        ]
      ),
      seed: seed
    )
    let target: RequestHandler = { request in
      request.target.contains("/databases/stage/") ? writes.handler(request) : plain.handler(request)
    }
    try await withTwoServers(reads.handler, target) { tool in
      try await tool.bare(["mask", "key", "new", "key"]).expect(0)
      for environment in ["test", "stage"] {
        let copy =
          ["copy"] + collections + ["--from", "prod", "--to", environment, "--page-size", "60"]
          + ["--batch-size", "40", "--mask", "--mask-key-file", "key", "--yes", "-q"]
        try await tool.bare(copy).expect(0)
      }
    }
    #expect(!reads.played.isEmpty && !writes.played.isEmpty)
    #expect(faulty.snapshot().map(\.jsonLine) == plain.snapshot().map(\.jsonLine))
    #expect(faulty.snapshot().count == source.snapshot().count)
  }
}
