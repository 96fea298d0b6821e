import FirestoreModels
import Foundation
import Logging
import RunSupport
import TestSupport
import Testing

@testable import Configuration
@testable import FirestoreREST
@testable import GymMigrations
@testable import MigrationEngine
@testable import Runs

/// A migration over documents, and what it has to report, which no run of it may leave out or report twice.
private struct Reporting: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var migration: any Migration
  var documents: [String: String]
  /// `DOCUMENT CODE`, sorted.
  var expected: [String]
  /// Commits of one write each.
  var commits: Int

  private static func fields(_ texts: [String: String]) -> String {
    let members = texts.map { #""\#($0.key)":{"stringValue":"\#($0.value)"}"# }
    return "{\(members.joined(separator: ","))}"
  }

  static let all = [
    Reporting(
      testDescription: "user-emails --prune",
      migration: UserEmails(prune: true),
      documents: [
        "users/a": fields(["email": "a@x.mx"]), "users/b": fields(["email": " B@x.mx"]), "users/c": "{}",
        "users/d": fields(["email": "d@x.mx"]), "user_emails/a@x.mx": fields(["primaryUserId": "gone"]),
        "user_emails/d@x.mx": fields(["primaryUserId": "a", "email": "d@x.mx"]),
        "user_emails/B@x.mx": fields(["primaryUserId": "b"]),
        "user_emails/old@x.mx": fields(["primaryUserId": "gone"]),
        "user_emails/other@x.mx": fields(["primaryUserId": "b"]), "user_emails/z@x.mx": "{}",
      ],
      expected: [
        "user_emails/B@x.mx entry-orphan-not-normalised", "user_emails/a@x.mx entry-reassigned",
        "user_emails/d@x.mx entry-reassigned", "user_emails/old@x.mx entry-orphan-user-gone",
        "user_emails/other@x.mx entry-orphan-other-email", "user_emails/z@x.mx entry-orphan-no-user",
        "users/c email-missing",
      ],
      // Two are given to others, four are removed, and b@x.mx is made.
      commits: 7
    ),
    // The email decides who of those with one phone belong together; once they are linked, nobody is left for the others.
    Reporting(
      testDescription: "members-link",
      migration: MembersLink(),
      documents: [
        "users/a": fields(["phone": "7221110001", "email": "a@x.mx"]),
        "users/b": fields(["phone": "7221110002"]),
        "users/c": fields(["phone": "7221110002", "email": "c@x.mx"]),
        "users/d": fields(["phone": "7221110003", "linkedMemberId": "q"]),
        "users/e": fields(["phone": "7221110003"]),
        "members/m": fields(["phone": "7221110001", "email": "a@x.mx"]),
        "members/n": fields(["phone": "7221110001"]),
        "members/p": fields(["phone": "7221110002", "email": "c@x.mx"]),
        "members/q": fields(["phone": "7221110003", "linkedUserId": "d"]),
      ],
      expected: ["users/b match-ambiguous", "users/e match-taken"],
      commits: 4
    ),
  ]
}

@Suite("Findings of migrations that are resumed", .timeLimit(.minutes(60)))
struct FindingResumptionTests {
  /// What a run leaves.
  private struct Outcome: Equatable {
    var findings: [String]
    /// Of its lists, in their order.
    var lines: [String: [String]]
    var counted: [MigrationReport.FindingGroup: Int]
    var counts: DocumentCounts
    /// The fields of the documents as JSON, without the service's times.
    var documents: [String: String]
  }

  private func apply(
    _ reporting: Reporting,
    _ server: HTTPTestServer,
    _ run: RunDirectory
  ) async throws -> (MigrationReport, DocumentCounts) {
    let client = FirestoreClient.testing(server.url)
    let counts = RunCounts(resuming: run.restoredCounts)
    var runner = MigrationRunner(
      in: .silent(
        client,
        run,
        counts: counts,
        checkpoints: try await Checkpoints(run, client: client, counts: counts, clock: .system)
      )
    )
    runner.limits = BatchLimits(maximumWrites: 1, maximumInFlight: 1)
    runner.pageSize = 3
    let report = try await runner.apply(.migration(reporting.migration))
    return (report, counts.totals)
  }

  /// Applies a migration in a run whose commits of these numbers fail, one after the other in a process of its own.
  ///
  /// - Parameter meanwhile: What somebody else does before the last process.
  private func outcome(
    _ reporting: Reporting,
    failing numbers: [Int],
    fromStart: Bool,
    meanwhile: (MiniFirestore) throws -> Void = { _ in }
  ) async throws -> Outcome {
    let mini = MiniFirestore()
    for (name, fields) in reporting.documents.sorted(by: { $0.key < $1.key }) {
      try mini.put(name, fields: fields)
    }
    let rules = numbers.map { FaultRule([.commit], .number($0), .error(.permissionDenied)) }
    let faults = ScriptedFaults(mini.handler, rules: rules)
    return try await withTemporaryDirectory { folder in
      try await HTTPTestServer.withServer(faults.handler) { server in
        let state = "\(folder.path)/state"
        var record: RunRecord?
        for _ in numbers {
          let run =
            try record.map { try RunDirectory(resuming: $0, in: state, fromStart: fromStart) }
            ?? RunDirectory(in: state, command: "migrate")
          record = RunRecord(
            id: run.id,
            command: "migrate apply",
            arguments: [],
            workingDirectory: "/",
            environment: DatabaseEnvironment(name: "x", database: DatabaseName(project: "test-project")),
            startedAt: .now,
            writes: true
          )
          await #expect(throws: Failure.self) { _ = try await apply(reporting, server, run) }
        }
        try meanwhile(mini)
        let run =
          try record.map { try RunDirectory(resuming: $0, in: state, fromStart: fromStart) }
          ?? RunDirectory(in: state, command: "migrate")
        let (report, counts) = try await apply(reporting, server, run)
        var lines: [String: [String]] = [:]
        for name in ["findings.csv", "findings.jsonl", "review.csv", "rejects.jsonl"] {
          let text = (try? String(contentsOfFile: run.file(name), encoding: .utf8)) ?? ""
          lines[name] = text.split(whereSeparator: \.isNewline).map(String.init)
        }
        let findings = try lines["findings.jsonl", default: []].map { line in
          let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
          return "\(json?["document"] ?? "") \(json?["code"] ?? "")"
        }
        return Outcome(
          findings: findings.sorted(),
          lines: lines,
          counted: report.findings,
          counts: counts,
          documents: try Dictionary(
            uniqueKeysWithValues: mini.snapshot().map { document in
              var fields = try document.fields()
              for time in ["createdAt", "updatedAt"] where fields[time] != nil { fields[time] = "time" }
              let data = try JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)
              return (document.name, String(decoding: data, as: UTF8.self))
            }
          )
        )
      }
    }
  }

  @Test(
    "However a run is interrupted, once or twice, it reports what one that is not reports.",
    arguments: Reporting.all,
    [false, true]
  )
  private func interrupted(_ reporting: Reporting, fromStart: Bool) async throws {
    let whole = try await outcome(reporting, failing: [], fromStart: fromStart)
    #expect(whole.findings == reporting.expected)
    #expect(whole.counted.values.reduce(0, +) == reporting.expected.count)
    #expect(whole.counts.written == reporting.commits && whole.counts.balance)
    for first in 1...reporting.commits {
      let once = try await outcome(reporting, failing: [first], fromStart: fromStart)
      #expect(once == whole, "at commit \(first)")
      // A commit that failed is sent again by the next process, whose number is one more.
      let second = first + 1 + reporting.commits / 3
      guard second <= reporting.commits + 1 else { continue }
      let twice = try await outcome(reporting, failing: [first, second], fromStart: fromStart)
      #expect(twice == whole, "at commits \(first) and \(second)")
    }
  }

  @Test("What others changed in between is decided anew, and reported once.", arguments: [false, true])
  func changedMeanwhile(fromStart: Bool) async throws {
    let entry = "user_emails/a@x.mx"
    let email = #"{"email":{"stringValue":"a@x.mx"}}"#
    let reporting = Reporting(
      testDescription: "user-emails",
      migration: UserEmails(),
      documents: [
        entry: #"{"email":{"stringValue":"a@x.mx"},"primaryUserId":{"stringValue":"gone"}}"#,
        "users/u": email,
        "users/v": email, "users/z": #"{"email":{"stringValue":"z@x.mx"}}"#,
      ],
      expected: ["\(entry) entry-reassigned"],
      commits: 2
    )
    // The entry is given to the first who bears the email, who is gone before the run is resumed.
    let whole = try await outcome(reporting, failing: [], fromStart: fromStart)
    #expect(whole.documents[entry]?.contains(#""primaryUserId":{"stringValue":"u"}"#) == true)
    let outcome = try await outcome(reporting, failing: [2], fromStart: fromStart) { $0.remove("users/u") }
    #expect(outcome.findings == reporting.expected)
    #expect(outcome.counted.values.reduce(0, +) == 1)
    #expect(outcome.counts.balance && outcome.counts.written == 2)
    #expect(outcome.documents[entry]?.contains(#""primaryUserId":{"stringValue":"v"}"#) == true)
  }
}
