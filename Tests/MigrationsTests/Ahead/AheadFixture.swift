import FirestoreModels
import FirestoreREST
import Foundation
import RunSupport
import Runs
import TestSupport

@testable import MigrationEngine

/// A database behind a server, and what runs over it leave.
struct AheadFixture {
  let client: FirestoreClient
  let server: HTTPTestServer
  let folder: URL

  @discardableResult
  static func with<R>(
    _ handler: @escaping RequestHandler,
    _ body: (AheadFixture) async throws -> R
  ) async throws -> R {
    try await withTemporaryDirectory { folder in
      try await HTTPTestServer.withServer(handler) { server in
        let client = FirestoreClient.testing(
          server.url,
          policy: .brief
        )
        return try await body(AheadFixture(client: client, server: server, folder: folder))
      }
    }
  }

  /// What a run left and said, as texts.
  typealias Outcome = [String: String]

  /// Plans or applies sources with so many requests at a time.
  func run(
    _ sources: [ChangeSource],
    _ what: ForeseenReads.Effect,
    parallel: Int,
    pageSize: Int = 300
  ) async throws -> Outcome {
    let run = try RunDirectory(in: folder.path, command: "migrate")
    let counts = RunCounts()
    let checkpoints =
      what == .written
      ? try await Checkpoints(run, client: client, counts: counts, clock: client.caller.clock) : nil
    var runner = MigrationRunner(in: .silent(client, run, counts: counts, checkpoints: checkpoints))
    runner.limits = BatchLimits(maximumWrites: 4, maximumInFlight: 1)
    (runner.pageSize, runner.parallel) = (pageSize, parallel)
    var reports: [MigrationReport] = []
    switch what {
    case .planned: reports = try await runner.plan(sources) { _ in }.reports
    case .none:
      let ahead = runner.readingAhead(of: sources, what)
      for (stage, source) in sources.enumerated() {
        reports.append(try await ahead.plan(source, stage: stage))
      }
    case .written:
      let ahead = runner.readingAhead(of: sources, what)
      for (stage, source) in sources.enumerated() {
        reports.append(try await ahead.apply(source, stage: stage))
      }
      try counts.assertBalance()
    }
    var outcome = files(of: run)
    outcome["reports"] = reports.map { Self.text($0) }.joined(separator: "\n")
    outcome["counts"] = counts.collections.map { "\($0.name) \($0.counts)" }.joined(separator: "\n")
    // Its port is another each time.
    return outcome.mapValues { $0.replacing(server.url, with: "") }
  }

  private func files(of run: RunDirectory) -> Outcome {
    var files: Outcome = [:]
    // Where a commit ends, and with that its time, is chance.
    let times = /"(update|create)Time":"[^"]*"/
    for name in MigrationRunner.lists + ["findings.jsonl"] {
      files[name] = try? String(contentsOfFile: run.file(name), encoding: .utf8).replacing(times, with: "")
    }
    // What is sent, in its order; results follow as they come.
    let journal = (try? String(contentsOfFile: run.file("journal.jsonl"), encoding: .utf8)) ?? ""
    let lines = journal.split(separator: "\n").dropFirst().filter { !$0.contains("\"result\":") }
    files["journal"] = lines.map { $0.replacing(times, with: "") }.joined(separator: "\n")
    return files
  }

  private static func text(_ report: MigrationReport) -> String {
    let reasons = report.reasons.map { "\($0.key.string) \($0.value)" }.sorted()
    let findings = report.findings.sorted { $0.key < $1.key }.map { "\($0.key.code) \($0.value)" }
    let examples = "\(report.examples)".replacing(/(update|create)Time: Optional\([^)]*\)/, with: "")
    return "\(report.migration) \(report.changeCount) \(report.reads) \(reasons) \(findings) \(examples)"
  }
}
