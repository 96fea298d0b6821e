import FirestoreModels
import FirestoreREST
import Foundation
import Logging
import RunSupport
import Runs
import TestSupport
import Testing
import TypedDocuments

@testable import GymMigrations
@testable import MigrationEngine

/// Users that the unify migration has something to do for.
private func androidUser(_ id: String) -> (name: String, fields: String) {
  (
    "users/\(id)",
    #"{"nombre":{"stringValue":"Ana"},"primerApellido":{"stringValue":"Ruiz"},"activo":{"booleanValue":true},"role":{"stringValue":"member"},"onboardingCompleted":{"booleanValue":true}}"#
  )
}

/// A runner over a server of its own.
private struct RunnerFixture {
  let mini: MiniFirestore
  let runner: MigrationRunner
  let run: RunDirectory
  let counts: RunCounts

  func lines(_ name: String) -> [String] {
    let text = (try? String(contentsOfFile: run.file(name), encoding: .utf8)) ?? ""
    return text.split(whereSeparator: \.isNewline).map(String.init)
  }

  /// The lines of a list of the run, as objects.
  func objects(_ name: String) throws -> [[String: Any]] {
    try lines(name).map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  func fields(_ name: String) throws -> [String: Any] { try #require(mini.document(name)).fields() }

  func text(_ name: String, _ field: String) throws -> String? {
    (try fields(name)[field] as? [String: Any])?["stringValue"] as? String
  }
}

extension MiniFirestore {
  /// Changes one field of a document as another program would, the others as they are.
  fileprivate func set(_ field: String, _ value: String, of name: String) throws {
    let current = try #require(document(name))
    var fields = try current.fields()
    fields[field] = try JSONSerialization.jsonObject(with: Data(value.utf8))
    let data = try JSONSerialization.data(withJSONObject: fields)
    try put(name, fields: String(decoding: data, as: UTF8.self))
  }
}

/// A migration that records each document by itself.
private struct OneByOne: Migration {
  let inner: UsersUnify
  var id: String { inner.id }
  var summary: String { inner.summary }
  var reads: [CollectionPath] { inner.reads }
  var writes: [CollectionPath] { inner.writes }

  init(_ inner: UsersUnify) { self.inner = inner }

  var strategy: MigrationStrategy {
    .streaming { source, sink in
      for read in reads {
        try await source.forEachDocument(in: read) { document in
          try await sink.record(inner.outcome(for: document), of: document)
        }
      }
    }
  }
}

@Suite("Migration runner", .timeLimit(.minutes(60)))
struct MigrationRunnerTests {
  private func withWorkshop(
    _ documents: [(name: String, fields: String)],
    batch: Int = 10,
    options: MiniFirestore.Options = MiniFirestore.Options(),
    _ body: (RunnerFixture) async throws -> Void
  ) async throws {
    let mini = MiniFirestore(options)
    for document in documents { try mini.put(document.name, fields: document.fields) }
    try await withTemporaryDirectory { folder in
      try await HTTPTestServer.withServer(mini.handler) { server in
        let client = FirestoreClient.testing(
          server.url,
          policy: .brief
        )
        let run = try RunDirectory(in: folder.path + "/state", command: "migrate")
        let counts = RunCounts()
        var runner = MigrationRunner(in: .silent(client, run, counts: counts))
        runner.limits = BatchLimits(maximumWrites: batch, maximumInFlight: 3)
        runner.pageSize = 7
        try await body(RunnerFixture(mini: mini, runner: runner, run: run, counts: counts))
      }
    }
  }

  @Test("plan writes nothing and puts before, after and update time of every change into plan.jsonl.")
  func plan() async throws {
    let done = (
      "users/done",
      #"{"firstName":{"stringValue":"Eva"},"paternalLastName":{"stringValue":"Paz"},"fullName":{"stringValue":"Eva Paz"},"isActive":{"booleanValue":true},"onboardingCompleted":{"booleanValue":false},"role":{"stringValue":"member"}}"#
    )
    try await withWorkshop([androidUser("a"), androidUser("b"), done]) { shop in
      let before = shop.mini.snapshot()
      let report = try await shop.runner.plan(.migration(UsersUnify()))
      #expect(report.changeCount == 2)
      #expect(shop.mini.totalWrites == 0)
      #expect(shop.mini.snapshot() == before)
      let users = shop.counts.totals
      #expect(users.read == 3)
      #expect(users.unchanged == 1)

      let lines = try shop.objects("plan.jsonl")
      #expect(lines.map { $0["path"] as? String } == ["users/a", "users/b"])
      for line in lines {
        let path = try #require(line["path"] as? String)
        let stored = try #require(shop.mini.document(path))
        #expect(line["updateTime"] as? String == stored.updateTime)
        let before = NSDictionary(dictionary: line["before"] as? [String: Any] ?? [:])
        #expect(before == NSDictionary(dictionary: try stored.fields()))
        #expect(line["serverTimes"] as? [String] == ["updatedAt"])
        #expect((line["reasons"] as? [String])?.isEmpty == false)
        // The members of the plan, worked out by hand.
        var after = try stored.fields()
        for (field, value) in ["firstName": "Ana", "paternalLastName": "Ruiz", "fullName": "Ana Ruiz"] {
          after[field] = ["stringValue": value]
        }
        after["isActive"] = ["booleanValue": true]
        let planned = NSDictionary(dictionary: line["after"] as? [String: Any] ?? [:])
        #expect(planned == NSDictionary(dictionary: after))
      }
    }
  }

  @Test("A plan told page by page is the plan told document by document, in every count and list.")
  func pages() async throws {
    let rest = #""role":{"stringValue":"member"},"activo":{"booleanValue":false}"#
    let users = (0..<40).map { number -> (name: String, fields: String) in
      let fields =
        switch number % 5 {
        case 0: #"{"fullName":{"stringValue":"Ana de la Cruz"},\#(rest)}"#
        case 1: #"{"fullName":{"integerValue":"7"},"phone":{"booleanValue":true},\#(rest)}"#
        case 2:
          #"{"fullName":{"stringValue":"=\"Ñ\""},"isActive":{"booleanValue":true},"onboardingCompleted":{"booleanValue":true},\#(rest)}"#
        case 3:
          #"{"fullName":{"stringValue":"Ana Ruiz"},"updatedAt":{"timestampValue":"2025-01-01T00:00:00Z"},\#(rest)}"#
        default:
          #"{"fullName":{"stringValue":"Ana Ruiz"},"firstName":{"stringValue":"Ana"},"paternalLastName":{"stringValue":"Ruiz"},"isActive":{"booleanValue":false},"onboardingCompleted":{"booleanValue":true},"role":{"stringValue":"member"}}"#
        }
      return ("users/u\(100 + number)", fields)
    }
    let lists = ["plan.jsonl", "findings.csv", "findings.jsonl", "review.csv", "rejects.jsonl"]
    var options = MiniFirestore.Options()
    options.clock = { 1_700_000_000_000_000 }
    var told: [[String]] = []
    var counted: [(report: [UInt8], counts: DocumentCounts, examples: [Change])] = []
    for migration in [UsersUnify(), OneByOne(UsersUnify())] as [any Migration] {
      try await withWorkshop(users, options: options) { shop in
        let report = try await shop.runner.plan(.migration(migration))
        // A line of a plan names its server, and each has one of its own.
        told.append(
          lists.map { list in
            let text = (try? String(contentsOfFile: shop.run.file(list), encoding: .utf8)) ?? ""
            return text.replacing(#/127\.0\.0\.1:[0-9]+/#, with: "server")
          }
        )
        counted.append((report.json, shop.counts.totals, report.examples))
      }
    }
    #expect(told.count == 2 && told[0] == told[1])
    #expect(told[0].allSatisfy { !$0.isEmpty })
    #expect(counted[0].report == counted[1].report)
    #expect(counted[0].counts == counted[1].counts)
    #expect(counted[0].examples == counted[1].examples && counted[0].examples.count == 3)
    #expect(counted[0].counts.read == 40 && counted[0].counts.rejected == 8)
  }

  @Test("Names that were decided and names that a person must decide are counted apart, also of one code.")
  func findingsOfOneCode() async throws {
    let taken =
      #"{"fullName":{"stringValue":"Ana Ruiz"},"nombre":{"stringValue":"Eva"},"primerApellido":{"stringValue":"Sol"}}"#
    let open =
      #"{"firstName":{"stringValue":"Ana"},"nombre":{"stringValue":"Eva"},"primerApellido":{"stringValue":"Sol"}}"#
    let users = [("users/a", taken), ("users/b", open), ("users/c", taken)].map { (name: $0.0, fields: $0.1) }
    let accepting = UsersUnify(acceptProposals: true)
    for migration in [accepting, OneByOne(accepting)] as [any Migration] {
      try await withWorkshop(users) { shop in
        let report = try await shop.runner.plan(.migration(migration))
        let names = report.findings.filter { $0.key.code == "name-disagrees" }
        #expect(
          names == [
            .init(kind: .note, code: "name-disagrees"): 2, .init(kind: .review, code: "name-disagrees"): 1,
          ]
        )
      }
    }
  }

  @Test("Every change of a writer who works at the same time survives, and every document is migrated.")
  func concurrentWriter() async throws {
    let users = (0..<60).map { androidUser("u\($0)") }
    try await withWorkshop(users) { shop in
      var random = SplitMix64(seed: 7)
      var written: [String: Int] = [:]
      // Only the server's one commit at a time calls this, under its own order.
      let chosen = (0..<200).map { _ in Int.random(in: 0..<60, using: &random) }
      let log = WriterLog()
      let mini = shop.mini
      mini.setBeforeCommit { number, request in
        for name in request.documentNames where number < 40 {
          // A third of the documents of each of the first commits changes right before it.
          guard
            chosen[(number * 31 + name.utf8.count * 7 + name.utf8.reduce(0) { $0 + Int($1) }) % 200] % 3 == 0
          else { continue }
          try? mini.set("touched", #"{"integerValue":"\#(log.next(name))"}"#, of: name)
        }
      }
      let report = try await shop.runner.apply(.migration(UsersUnify()))
      mini.setBeforeCommit(nil)
      written = log.last
      #expect(written.count > 5, "the writer had something to do")
      let counts = shop.counts.totals
      #expect(counts.balance)
      // How the commits are cut depends on time, and so does which document is out of attempts.
      #expect(report.changeCount == 60 - counts.conflicted && counts.written == report.changeCount)
      let conflicts = Set(try shop.objects("rejects.jsonl").compactMap { $0["path"] as? String })
      #expect(counts.conflicted == conflicts.count)
      for (name, _) in users {
        let touched = (try shop.fields(name)["touched"] as? [String: Any])?["integerValue"] as? String
        #expect(touched == written[name].map(String.init), "\(name)")
        if !conflicts.contains(name) {
          #expect(try shop.text(name, "fullName") == "Ana Ruiz", "\(name)")
          #expect(shop.mini.writeCount(name) == 1)
        }
      }
    }
  }

  @Test("A document that changes before every attempt is listed as conflicted, and the others are written.")
  func endlessConflict() async throws {
    try await withWorkshop((0..<12).map { androidUser("u\($0)") }, batch: 4) { shop in
      let mini = shop.mini
      mini.setBeforeCommit { number, request in
        if request.documentNames.contains("users/u3") {
          try? mini.set("touched", #"{"integerValue":"\#(number)"}"#, of: "users/u3")
        }
      }
      let report = try await shop.runner.apply(.migration(UsersUnify()))
      let counts = shop.counts.totals
      #expect(counts.balance)
      #expect(counts.written == 11)
      #expect(counts.conflicted == 1)
      #expect(report.changeCount == 11 && report.reasons.values.allSatisfy { $0 == 11 })
      let rejects = try shop.objects("rejects.jsonl")
      #expect(rejects.map { $0["path"] as? String } == ["users/u3"])
      #expect(rejects.map { $0["code"] as? String } == ["conflict"])
      #expect(mini.writeCount("users/u3") == 0)
      #expect(try shop.text("users/u3", "fullName") == nil)
    }
  }

  @Test("What a document has become meanwhile is what is planned: a name given by hand stays.")
  func replanned() async throws {
    try await withWorkshop([androidUser("a"), androidUser("b")]) { shop in
      let mini = shop.mini
      mini.setBeforeCommit { number, _ in
        if number == 0 {
          try? mini.set("fullName", #"{"stringValue":"Ana Ruiz Mora"}"#, of: "users/a")
          try? mini.set("segundoApellido", #"{"stringValue":"Mora"}"#, of: "users/a")
        }
      }
      let report = try await shop.runner.apply(.migration(UsersUnify()))
      // Counted is what was written, and not what was planned first.
      let reason = UTF8Key("maternalLastName-from-segundoApellido")
      #expect(report.changeCount == 2 && report.reasons[reason] == 1, "\(report.reasons)")
      #expect(try shop.text("users/a", "fullName") == "Ana Ruiz Mora")
      #expect(try shop.text("users/a", "maternalLastName") == "Mora")
      #expect(try shop.text("users/b", "fullName") == "Ana Ruiz")
      #expect(shop.counts.totals.written == 2)
    }
  }

  @Test("A document that somebody migrates or deletes meanwhile is left to them.")
  func overtaken() async throws {
    try await withWorkshop([androidUser("a"), androidUser("b"), androidUser("c")]) { shop in
      let mini = shop.mini
      mini.setBeforeCommit { number, _ in
        guard number == 0 else { return }
        for (field, value) in ["firstName": "Ana", "paternalLastName": "Ruiz", "fullName": "Ana Ruiz"] {
          try? mini.set(field, #"{"stringValue":"\#(value)"}"#, of: "users/a")
        }
        try? mini.set("isActive", #"{"booleanValue":true}"#, of: "users/a")
        mini.remove("users/b")
      }
      let report = try await shop.runner.apply(.migration(UsersUnify()))
      #expect(report.changeCount == 1 && report.reasons.values.allSatisfy { $0 == 1 })
      #expect(mini.document("users/b") == nil)
      #expect(mini.writeCount("users/a") == 0)
      let counts = shop.counts.totals
      #expect(counts.balance)
      #expect(counts.unchanged == 1)
      #expect(counts.written == 1)
      #expect(counts.conflicted == 1)
      #expect(try shop.objects("rejects.jsonl").map { $0["path"] as? String } == ["users/b"])
    }
  }

  @Test("What becomes doubtful or wrong meanwhile is listed as if it had been read so.")
  func doubtfulMeanwhile() async throws {
    try await withWorkshop([androidUser("a"), androidUser("b"), androidUser("c")]) { shop in
      let mini = shop.mini
      mini.setBeforeCommit { number, _ in
        guard number == 0 else { return }
        try? mini.set("activo", #"{"stringValue":"si"}"#, of: "users/a")
        try? mini.set("fullName", #"{"stringValue":"Eva Paz"}"#, of: "users/b")
      }
      let report = try await shop.runner.apply(.migration(UsersUnify()))
      let counts = shop.counts.totals
      #expect(counts.balance)
      #expect(counts.rejected == 1)
      #expect(counts.review == 1)
      #expect(mini.writeCount("users/a") == 0)
      #expect(try shop.objects("rejects.jsonl").map { $0["code"] as? String } == ["wrong-type"])
      #expect(shop.lines("review.csv").contains { $0.contains("users/b") })
      let listed = try shop.objects("findings.jsonl").map { "\($0["document"] ?? "") \($0["code"] ?? "")" }
      #expect(listed.sorted() == ["users/a wrong-type", "users/b name-disagrees"])
      #expect(try shop.text("users/b", "firstName") == nil)
      #expect(report.findings[.init(kind: .reject, code: "wrong-type")] == 1)
    }
  }

  @Test(
    "A commit carries the update time that was read, a mask of just what changes, and updatedAt from the server."
  )
  func writes() async throws {
    try await withWorkshop([androidUser("a")]) { shop in
      let mini = shop.mini
      let seen = WriterLog()
      let updateTime = try #require(mini.document("users/a")).updateTime
      mini.setBeforeCommit { _, request in
        seen.keep(request.text)
        _ = seen.next("commits")
      }
      _ = try await shop.runner.apply(.migration(UsersUnify()))
      #expect(seen.last == ["commits": 1])
      let commit = try #require(seen.texts.first)
      let json = try #require(JSONSerialization.jsonObject(with: Data(commit.utf8)) as? [String: Any])
      let write = try #require((json["writes"] as? [[String: Any]])?.first)
      #expect((write["currentDocument"] as? [String: String]) == ["updateTime": updateTime])
      let mask = (write["updateMask"] as? [String: [String]])?["fieldPaths"] ?? []
      #expect(mask.sorted() == ["firstName", "fullName", "isActive", "paternalLastName"])
      let transforms = write["updateTransforms"] as? [[String: String]]
      #expect(transforms == [["fieldPath": "updatedAt", "setToServerValue": "REQUEST_TIME"]])
    }
  }
}

/// What a concurrent writer wrote last, by document.
private final class WriterLog: @unchecked Sendable {
  private let lock = NSLock()
  private var numbers: [String: Int] = [:]
  private var kept: [String] = []

  func next(_ name: String) -> Int {
    lock.withLock {
      numbers[name, default: 0] += 1
      return numbers[name, default: 0]
    }
  }

  func keep(_ text: String) { lock.withLock { kept.append(text) } }

  var last: [String: Int] { lock.withLock { numbers } }
  var texts: [String] { lock.withLock { kept } }
}
