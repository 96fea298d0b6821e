import Dispatch
import Files
import FirestoreModels
import FirestoreREST
import Foundation
import Schema
import TestSupport
import Testing

@testable import MigrationEngine

@Suite("Migrations that read ahead", .timeLimit(.minutes(60)))
struct ReadsAheadTests {
  private static func mini(_ documents: [(name: String, fields: String)]) throws -> MiniFirestore {
    var options = MiniFirestore.Options()
    options.clock = { 1_700_000_000_000_000 }
    let mini = MiniFirestore(options)
    for document in documents { try mini.put(document.name, fields: document.fields) }
    return mini
  }

  /// What one kind of run leaves with so many requests at a time, the database included.
  private static func outcome(
    _ what: ForeseenReads.Effect,
    seed: UInt64,
    parallel: Int
  ) async throws -> AheadFixture.Outcome {
    var random = RandomMigrations(seed: seed)
    let mini = try mini(random.documents())
    return try await AheadFixture.with(mini.handler) { fixture in
      let sources = try random.sources(guardedBy: fixture.client)
      let pageSize = random.number(3...9)
      var outcome = try await fixture.run(sources, what, parallel: parallel, pageSize: pageSize)
      outcome["database"] = mini.snapshot().map(\.jsonLine).joined(separator: "\n")
      return outcome
    }
  }

  @Test(
    "Plans, verifications and applies of random migrations are the same to the byte.",
    arguments: [ForeseenReads.Effect.planned, .none, .written]
  )
  func random(_ what: ForeseenReads.Effect) async throws {
    var changes = 0
    for seed in UInt64(1)...25 {
      let wanted = try await Self.outcome(what, seed: seed, parallel: 1)
      let found = try await Self.outcome(what, seed: seed, parallel: 8)
      for (name, text) in wanted { #expect(found[name] == text, "seed \(seed), \(name)") }
      #expect(found.count == wanted.count)
      if wanted["reports"]?.contains(" 0 ") == false { changes += 1 }
    }
    #expect(changes > 4)
  }

  /// Sources over collections of their own, each with some documents.
  private static func fifteen(documents: Int) throws -> (MiniFirestore, [ChangeSource]) {
    var documentsOfAll: [(String, String)] = []
    let sources = try (10..<25).map { number in
      for id in 0..<documents { documentsOfAll.append(("c\(number)/\(id)", #"{"t":{"stringValue":" x"}}"#)) }
      return ChangeSource.migration(
        DeclarativeMigration(
          id: "m\(number)",
          summary: "M.",
          scope: DeclarativeMigration.Scope(try #require(CollectionPath("c\(number)"))),
          steps: [.rewrite(FieldPath(field: "t"), .trim)],
          schema: .none
        )
      )
    }
    return (try mini(documentsOfAll), sources)
  }

  /// Answers no page before fifteen are asked for; after a while it does, so that a failure ends.
  private static func together(_ mini: MiniFirestore) -> RequestHandler {
    let (arrived, gate) = (Locked(0), DispatchSemaphore(value: 0))
    return { request in
      if request.kind == .runQuery || request.kind == .list, !request.target.contains("_gymmigrate") {
        let isLast = arrived.withLock { count in
          count += 1
          return count == 15
        }
        if isLast { for _ in 0..<1000 { gate.signal() } }
        _ = gate.wait(timeout: .now() + 5)
      }
      return mini.handler(request)
    }
  }

  @Test(
    "Fifteen collections are on their way together, under one budget, each with no more than its pages.",
    arguments: [ForeseenReads.Effect.planned, .none, .written]
  )
  func together(_ what: ForeseenReads.Effect) async throws {
    let (mini, sources) = try Self.fifteen(documents: 5)
    try await AheadFixture.with(Self.together(mini)) { fixture in
      _ = try await fixture.run(sources, what, parallel: 16)
      let pages = fixture.server.requests(.runQuery) + fixture.server.requests(.list)
      let asked = pages.filter { !$0.target.contains("_gymmigrate") }
      #expect(asked.count == 15)
      if what == .written {
        let first = try #require(fixture.server.requests.first { $0.kind == .commit })
        #expect(asked.allSatisfy { $0.index < first.index })
      }
      // Of one page nothing is left to be counted.
      #expect(fixture.server.requests(.aggregation).isEmpty)
    }
  }

  @Test("One request at a time reads one collection after the other.")
  func alone() async throws {
    let (mini, sources) = try Self.fifteen(documents: 5)
    try await AheadFixture.with(mini.handler) { fixture in
      _ = try await fixture.run(sources, .planned, parallel: 1)
      let asked = fixture.server.requests(.list).map(\.path)
      #expect(asked == asked.sorted() && Set(asked).count == 15)
    }
  }

  @Test(
    "A collection that cannot be read ends the run at its turn, and what was before it is as one after the other."
  )
  func failure() async throws {
    for parallel in [1, 16] {
      let (mini, sources) = try Self.fifteen(documents: 5)
      let handler: RequestHandler = { request in
        String(decoding: request.body, as: UTF8.self).contains("\"c17\"") || request.target.contains("/c17?")
          ? .json(#"{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}"#, status: 403)
          : mini.handler(request)
      }
      try await AheadFixture.with(handler) { fixture in
        await #expect(throws: Failure.self) { try await fixture.run(sources, .written, parallel: parallel) }
      }
      let written = Set(mini.changedDocuments.map { $0.name.prefix(3) })
      #expect(written.sorted() == (10..<17).map { "c\($0)" }, "--parallel \(parallel)")
    }
  }

  @Test("What others change while it is read ahead is planned again, once.")
  func otherWriter() async throws {
    let (mini, sources) = try Self.fifteen(documents: 5)
    mini.setBeforeCommit { number, _ in
      if number == 2 { try? mini.put("c24/3", fields: #"{"t":{"stringValue":" new "}}"#) }
    }
    try await AheadFixture.with(Self.together(mini)) { fixture in
      _ = try await fixture.run(sources, .written, parallel: 16)
    }
    #expect(try #require(mini.document("c24/3")).jsonLine.contains(#""stringValue":"new""#))
    #expect(mini.totalChanges == 75)
  }
}
