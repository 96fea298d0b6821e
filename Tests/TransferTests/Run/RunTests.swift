import FirestoreModels
import Foundation
import RunSupport
import TestSupport
import Testing

@testable import Configuration
@testable import Files
@testable import FirestoreREST
@testable import Runs

@Suite("The counts and files of a run")
struct RunTests {
  private func permissions(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  private func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
  }

  // MARK: Progress

  @Test("The progress line has what is known: count, share, rate, time left, retries")
  func line() {
    func line(_ done: Int, _ total: Int?, _ elapsed: Double, _ retries: Int = 0) -> String {
      Progress.State(what: "users", done: done, total: total).line(at: elapsed, retries: retries)
    }
    #expect(line(0, nil, 0) == "users: 0")
    #expect(line(0, 40_000, 10) == "users: 0 of 40,000 (0 %)")
    #expect(line(12_300, 40_000, 10, 2) == "users: 12,300 of 40,000 (30 %), 1,230/s, 0:23 left, 2 retries")
    #expect(line(300, nil, 0.4) == "users: 300")
    #expect(line(300, nil, 2, 1) == "users: 300, 150/s, 1 retry")
    #expect(line(100, 100, 10) == "users: 100 of 100 (100 %), 10/s")
    // More documents were created after the count.
    #expect(line(150, 100, 10) == "users: 150 of 100 (100 %), 15/s")
    #expect(line(10, 6_010, 1) == "users: 10 of 6,010 (0 %), 10/s, 10:00 left")
    #expect(line(5, 0, 1) == "users: 5, 5/s")
  }

  @Test("If only the share is known, the line shows it and the remaining time")
  func share() {
    func line(_ done: Int, _ share: Double?, _ elapsed: Double, from first: Double = 0) -> String {
      Progress.State(what: "import", done: done, share: share, firstShare: first).line(
        at: elapsed,
        retries: 0
      )
    }
    #expect(line(12_300, nil, 10) == "import: 12,300, 1,230/s")
    #expect(line(0, 0, 0) == "import: 0 (0 %)")
    #expect(line(200, 0.001, 0.2) == "import: 200 (0 %)")
    #expect(line(12_300, 0.25, 10) == "import: 12,300 (25 %), 1,230/s, 0:30 left")
    #expect(line(12_300, 0.999, 10) == "import: 12,300 (99 %), 1,230/s, 0:01 left")
    #expect(line(12_300, 1, 10) == "import: 12,300 (100 %), 1,230/s")
    // What an earlier run did takes no time: a quarter more in 10 s, and as much again is left.
    #expect(line(12_300, 0.75, 10, from: 0.5) == "import: 12,300 (75 %), 1,230/s, 0:10 left")
    #expect(line(200, 0.5, 10, from: 0.5) == "import: 200 (50 %), 20/s")
    #expect(line(200, 1.2, 10) == "import: 200 (100 %), 20/s")
    #expect(line(200, 1e-12, 10) == "import: 200 (0 %), 20/s, 5999:59 left")
    // A total says more than a share.
    let both = Progress.State(what: "copy", done: 1, total: 4, share: 0.9)
    #expect(both.line(at: 0, retries: 0) == "copy: 1 of 4 (25 %)")
  }

  @Test("A document whose write is on the way is not done, also where another collection has begun.")
  func unwritten() {
    let progress = Runs.Progress.silent()
    let now = RunClock.system.now()
    progress.begin("users", total: 4)
    for _ in 0..<3 { progress.hold() }
    #expect(progress.line(at: now).hasPrefix("users: 0 of 4 (0 %)"))
    progress.advance(by: 4)
    #expect(progress.line(at: now).hasPrefix("users: 1 of 4 (25 %)"))
    progress.begin("members", total: 2)
    progress.release()
    progress.advance(by: 2)
    #expect(progress.line(at: now).hasPrefix("members: 0 of 2 (0 %)"))
    for _ in 0..<3 { progress.release() }
    #expect(progress.line(at: now).hasPrefix("members: 2 of 2 (100 %)"))
  }

  @Test("Numbers are grouped by thousands")
  func grouped() {
    let expected = [0: "0", 999: "999", 1000: "1,000", -1000: "-1,000", 1_234_567: "1,234,567"]
    for (number, text) in expected { #expect(NumberText.grouped(number) == text) }
    #expect(NumberText.grouped(.min) == "-9,223,372,036,854,775,808")
    let counted = [0, 1, 2, 1000, -1].map { NumberText.counted($0, "row") }
    #expect(counted == ["0 rows", "1 row", "2 rows", "1,000 rows", "-1 rows"])
  }

  // MARK: Counts

  @Test("Counts balance, add up and show what is left")
  func counts() throws {
    var counts = DocumentCounts()
    counts.read = 5
    counts.created = 1
    #expect(!counts.balance)
    counts.settle(.delete, .written(updateTime: nil))
    counts.settle(.update, .written(updateTime: moment(0)))
    counts.settle(.update, .unchanged)
    counts.settle(.update, .skipped)
    #expect(!counts.leavesSomething)
    counts.settle(.update, .rejected(FirestoreError(.invalidArgument, "x")))
    counts.settle(.update, .conflicted)
    #expect(counts.balance)
    #expect(counts.leavesSomething)
    #expect(counts.members.map(\.count) == [5, 1, 2, 1, 1, 1, 1, 0, 1])
    #expect((counts + counts).members.map(\.count) == [10, 2, 4, 2, 2, 2, 2, 0, 2])
    #expect((counts + counts).balance)
  }

  @Test("Counts that do not balance name the collection, and counts from many tasks are not lost")
  func counts() async {
    let counts = RunCounts()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          counts.update(collection(index % 2 == 0 ? "b" : "a/x/c")) {
            $0.read += 1
            $0.unchanged += 1
          }
        }
      }
    }
    #expect(counts.totals.read == 200)
    #expect(counts[collection("b")].read == 100)
    #expect(counts[collection("none")] == DocumentCounts())
    #expect(throws: Never.self) { try counts.assertBalance() }
    // A collection that was not opened by its own path is counted by its pattern.
    #expect(counts[collection("a/*/c")].read == 100 && counts[collection("a/x/c")].read == 0)
    counts.open(collection("d/x/e"))
    counts.update(collection("d/x/e")) {
      $0.read += 1
      $0.unchanged += 1
    }
    #expect(counts[collection("d/x/e")].read == 1)
    counts.update(collection("a/x/c")) { $0.read += 1 }
    #expect {
      try counts.assertBalance()
    } throws: {
      let failure = $0 as? Failure
      return failure?.kind == .internal && failure?.path == "a/*/c"
        && failure?.cause.contains("read 101") == true
    }
  }

  // MARK: Files

  @Test("Only the owner can read the folder and files of a run, and no two runs share a folder")
  func directory() async throws {
    try await withTemporaryDirectory { folder in
      let state = folder.path + "/state"
      let ids = Locked<Set<String>>([])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<40 {
          group.addTask {
            let run = try RunDirectory(in: state, command: "import")
            #expect(ids.withLock { $0.insert(run.id).inserted })
          }
        }
        try await group.waitForAll()
      }
      let run = try RunDirectory(in: state, command: "migrate")
      #expect(run.id.wholeMatch(of: /\d{8}T\d{6}Z-migrate-[a-z2-9]{4}/) != nil)
      try RejectList(run).add(path("c/a"), code: "x", message: "y", document: nil)
      try run.write(RunSummary(command: "migrate", runID: run.id, environment: nil, startedAt: .now))
      for path in [state, state + "/runs", run.path] { #expect(try permissions(path) == 0o700) }
      for file in ["operation.log", "rejects.jsonl", "summary.json"] {
        #expect(try permissions(run.file(file)) == 0o600)
      }
      #expect(!FileManager.default.fileExists(atPath: run.file("summary.json.part")))
    }
  }

  @Test("A state directory that cannot be created is a write error")
  func noDirectory() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.path + "/file"
      try Data().write(to: URL(fileURLWithPath: file))
      for state in [file, file + "/below", folder.path + "/a/b/c"] {
        #expect {
          try RunDirectory(in: state, command: "x")
        } throws: {
          ($0 as? Failure)?.kind == .cannotWrite
        }
      }
    }
  }

  @Test("summary.json has the members of the contract and is replaced atomically")
  func summary() async throws {
    try await withTemporaryDirectory { folder in
      let run = try RunDirectory(in: folder.path, command: "import")
      var counts = DocumentCounts()
      counts.read = 3
      counts.written = 3
      counts.deleted = 1
      var summary = RunSummary(
        command: "import",
        runID: run.id,
        environment: DatabaseEnvironment(name: "prod", database: DatabaseName(project: "p", database: "d\"")),
        startedAt: moment(0)
      )
      try run.write(summary)
      summary.collections = [
        .init(name: "a", counts: counts, file: "a.jsonl"), .init(name: "b/x/c", counts: counts),
      ]
      summary.status = .incomplete
      summary.exitCode = 2
      summary.durationSeconds = 1.23456
      summary.readTime = moment(1_500_000)
      summary.resumeCommand = "gymmigrate runs resume X"
      summary.traffic.requests = 7
      try run.write(summary)
      let line = try text(run.file("summary.json"))
      #expect(line.hasSuffix("}\n"))
      let json = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(
        Set(json.keys) == [
          "command", "status", "exitCode", "runId", "environment", "readTime", "startedAt", "durationSeconds",
          "collections", "totals", "requests", "retries", "bytesIn", "bytesOut", "resumeCommand",
        ]
      )
      #expect(json["exitCode"] as? Int == 2)
      #expect(json["status"] as? String == "incomplete")
      #expect(json["durationSeconds"] as? Double == 1.235)
      #expect(json["readTime"] as? String == "2026-01-01T00:00:01.500Z")
      let environment = try #require(json["environment"] as? [String: String])
      #expect(
        environment == [
          "name": "prod", "project": "p", "database": "d\"", "endpoint": "https://firestore.googleapis.com",
        ]
      )
      let collections = try #require(json["collections"] as? [[String: Any]])
      let names = [
        "read", "created", "written", "unchanged", "skipped", "superseded", "rejected", "conflicted",
        "review",
        "deleted", "new",
      ]
      #expect(Set(collections[0].keys) == Set(names + ["name", "file"]))
      #expect(Set(collections[1].keys) == Set(names + ["name"]))
      let totals = try #require(json["totals"] as? [String: Int])
      #expect(Set(totals.keys) == Set(names))
      #expect(totals["read"] == 6 && totals["deleted"] == 2)
    }
  }

  @Test("Rejects are one line each with the intended document, and the first one creates the list")
  func rejects() async throws {
    try await withTemporaryDirectory { folder in
      let run = try RunDirectory(in: folder.path, command: "import")
      let list = RejectList(run)
      #expect(!FileManager.default.fileExists(atPath: list.path))
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<50 {
          group.addTask {
            #expect(throws: Never.self) {
              try list.add(
                path("c/d\(index)"),
                code: "INVALID_ARGUMENT",
                message: "no \"good\"\n",
                document: index == 0
                  ? nil : RawDocument(path: path("c/d\(index)"), fields: ["n": .integer(Int64(index))])
              )
            }
          }
        }
      }
      let lines = try text(list.path).split(separator: "\n")
      #expect(lines.count == 50)
      for line in lines {
        let json = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let path = try #require(json["path"] as? String)
        #expect(json["code"] as? String == "INVALID_ARGUMENT")
        #expect(json["message"] as? String == "no \"good\"\n")
        let document = json["document"] as? [String: Any]
        #expect((document == nil) == (path == "c/d0"))
        if let document { #expect(document["name"] as? String == path) }
      }
    }
  }

  @Test("A whole import with faults and rejects logs no token and no field")
  func quietLogs() async throws {
    let mini = MiniFirestore()
    let handler = mini.handler
    let faults = ScriptedFaults(
      handler,
      rules: [FaultRule([.commit], .every(2), oneOf: [.error(.unavailable), .drop])]
    )
    let said = Locked<[String]>([])
    try await HTTPTestServer.withServer({ request in
      request.text.contains("d0003") && request.kind == .commit
        ? .response(ServiceError.invalidArgument("no").response(for: .commit)) : faults.handler(request)
    }) { server in
      let transport = CurlTransport()
      let time = SleepingClock()
      let traffic = TrafficCounter()
      let caller = ServiceCaller(
        transport: transport,
        credentials: TokenProvider(Credentials(.emulatorOwner), transport: transport),
        clock: time.clock(),
        traffic: traffic,
        onRetry: { notice in said.withLock { $0.append("\(notice)") } }
      )
      let client = FirestoreClient(database: testDatabase, endpoint: server.url, caller: caller)
      _ = try await load(
        try documents(jsonLines("c", 0..<30) { "person-\($0)@example.com" }),
        into: client,
        mode: .create,
        traffic: traffic
      )
      let all = said.withLock { $0 }.joined(separator: "\n")
      #expect(all.contains("commit"))
      #expect(!all.contains("person-") && !all.contains("Bearer") && !all.contains("owner"))
      #expect(
        "\(Authorization(token: AccessToken(Secret("s3cret"), expiry: nil, refreshTime: nil), quotaProject: nil, generation: 1))"
          == "token 1"
      )
    }
  }
}
