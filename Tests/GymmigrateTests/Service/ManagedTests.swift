import Foundation
import Synchronization
import TestSupport
import Testing

/// The managed service by its commands, against one that the tests play.
@Suite("managed", .timeLimit(.minutes(60)))
struct ManagedTests {
  /// The members of `--json` that the contract has.
  private struct Operation: Decodable {
    struct Amount: Decodable, Equatable {
      var completed: Int
      var estimated: Int?
    }

    struct Problem: Decodable {
      var status, message: String
    }

    var name, kind, state: String
    var done: Bool
    var collections: [String]
    var prefix: String
    var startTime: String
    var endTime, snapshotTime, output: String?
    var documents: Amount?
    var error: Problem?
  }

  private struct Ending: Decodable {
    var command, status: String
    var exitCode: Int32
    var operation: Operation?
    var resumeCommand, error: String?
  }

  private func ending(_ result: RunResult) throws -> Ending {
    #expect(result.output.hasSuffix("}\n") && result.output.split(separator: "\n").count == 1)
    return try JSONDecoder().decode(Ending.self, from: Data(result.standardOutput))
  }

  /// The program beside a service for one environment, which is empty.
  private func withService(
    for environment: String,
    onStart: @escaping @Sendable (Int) -> ManagedService.Start = { _ in .begin },
    _ body: (Tool, ManagedService) async throws -> Void
  ) async throws {
    let service = ManagedService(
      onStart: onStart,
      other: MiniFirestore.environment(environment).handler
    )
    try await withTool(against: service.handler) { tool, server in
      var tool = tool
      tool.place = []
      try tool.configure(prod: server.url, others: server.url)
      try await body(tool, service)
    }
  }

  @Test("An export and an import are waited for, and each says what follows.")
  func exportAndImport() async throws {
    try await withService(for: "stage") { tool, service in
      let export = try await tool.bare([
        "managed", "export", "--all", "-e", "stage", "--to", "gs://backups/a/", "--wait",
      ]).expect(0)
      let name = export.output.trimmingCharacters(in: .newlines)
      #expect(name == "projects/p/databases/stage/operations/op0")
      #expect(export.errors.contains("20 of 20 (100 %)") && export.errors.contains("--from gs://backups/a'"))
      #expect(!export.errors.contains("0 documents/s") && !export.errors.contains("0 read"))
      let imported = try await tool.bare([
        "managed", "import", "--from", "gs://backups/a", "-e", "stage", "--wait", "--json",
      ]).expect(0)
      let end = try ending(imported)
      #expect(
        end.command == "managed import" && end.status == "done" && end.exitCode == 0
          && end.resumeCommand == nil
      )
      let operation = try #require(end.operation)
      #expect(operation.kind == "import" && operation.state == "SUCCESSFUL" && operation.done)
      #expect(
        operation.documents == .init(completed: 20, estimated: 20) && operation.prefix == "gs://backups/a"
      )
      #expect(imported.errors.contains("overwritten") && imported.errors.contains("undo"))
      #expect(service.starts == 2)
    }
  }

  @Test("The embedded store has no managed service, and says so.")
  func embedded() async throws {
    try await withStores { tool in
      for words in [
        ["export", "--all", "--to", "gs://backups/a"], ["import", "--from", "gs://backups/a"], ["list"],
        ["backups"],
      ] {
        let result = try await tool.bare(["managed"] + words + ["-e", "test"])
        result.expectFailure(78, "The embedded store has no managed exports")
      }
    }
  }

  @Test("Operations are listed newest first, shown by either name, and cancelled.")
  func listStatusCancel() async throws {
    let missing = Self.error(404, "NOT_FOUND")
    try await withService(for: "test", onStart: { $0 < 2 ? .begin : .refuse(missing) }) { tool, _ in
      #expect(try await tool.bare(["managed", "list", "-e", "test"]).output.isEmpty)
      var names: [String] = []
      for prefix in ["one", "two"] {
        let result = try await tool.bare([
          "managed", "export", "users", "items", "-e", "test", "--to", "gs://backups/\(prefix)",
        ]).expect(0)
        names.append(result.output.trimmingCharacters(in: .newlines))
        #expect(
          result.errors.contains(
            "managed status \(names.last?.split(separator: "/").last ?? "?") --wait -e test"
          )
        )
      }
      let ids = names.compactMap { $0.split(separator: "/").last.map(String.init) }
      let list = try await tool.bare(["managed", "list", "-e", "test"])
      let rows = list.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
      #expect(rows.map { $0[0] } == ids.reversed())
      #expect(
        rows.map { [$0[1], $0[2], $0[5]] }
          == ["two", "one"].map { ["export", "INITIALIZING", "gs://backups/\($0)"] }
      )

      let waited = try await tool.bare(["managed", "status", names[0], "-e", "test", "--wait"]).expect(0)
      #expect(waited.output.contains("export of users, items to gs://backups/one"))
      #expect(
        waited.output.contains("state      SUCCESSFUL")
          && waited.output.contains("documents  20 of 20 (100 %)")
      )
      let cancelled = try await tool.bare(["managed", "cancel", ids[1], "-e", "test", "--wait"]).expect(0)
      #expect(cancelled.output.contains("state      CANCELLED"))
      let status = try await tool.bare(["managed", "status", ids[1], "-e", "test", "--json"]).expect(130)
      let end = try ending(status)
      #expect(end.exitCode == 130 && end.operation?.error?.status == "CANCELLED" && end.resumeCommand == nil)
      // One that has ended stays as it is.
      try await tool.bare(["managed", "cancel", ids[0], "-e", "test"]).expect(0)
      #expect(try await tool.bare(["managed", "list", "--running", "-e", "test"]).output.isEmpty)
      let json = try await tool.bare(["managed", "list", "-e", "test", "--json"])
      let operations = try JSONDecoder().decode([Operation].self, from: Data(json.standardOutput))
      #expect(
        operations.map(\.name) == names.reversed() && operations.map(\.state) == ["CANCELLED", "SUCCESSFUL"]
      )
      #expect(operations.allSatisfy { $0.collections == ["users", "items"] })

      try await tool.bare(["managed", "status", names[0], "-e", "stage"]).expectFailure(
        64,
        "projects/p/databases/stage"
      )
      try await tool.bare(["managed", "import", "--from", "gs://backups/two", "-e", "test"]).expectFailure(66)
    }
  }

  @Test("A protected environment is imported into with its name alone, and exported from without.")
  func protected() async throws {
    try await withService(for: "prod") { tool, service in
      try await tool.bare(["managed", "export", "users", "-e", "prod", "--to", "gs://backups/p", "--wait"])
        .expect(0)
      let words = ["managed", "import", "users", "--from", "gs://backups/p", "-e", "prod"]
      for guards in [[], ["--yes"], ["--confirm", "stage"]] {
        try await tool.bare(words + guards).expectFailure(77, "--confirm prod")
      }
      // Nothing was started.
      #expect(service.starts == 1)
      let imported = try await tool.bare(words + ["--confirm", "prod", "--wait"]).expect(0)
      #expect(imported.errors.contains("into prod: project p, database prod, http://127.0.0.1"))
      let run = try #require(tool.runs().last)
      let id = try #require(run.split(separator: "/").last)
      try await tool.bare(["migrate", "undo", "\(id)", "-e", "prod", "--confirm", "prod"])
        .expectFailure(64, "managed import")
      try await tool.bare(["runs", "resume", "\(id)"]).expectFailure(64, "managed list")
    }
  }

  @Test("While a run holds the lock, nothing is imported.")
  func locked() async throws {
    try await withPausedMigration("users-unify") { tool in
      let run = try tool.lastRun()
      let result = try await tool.run("managed", "import", "--from", "gs://backups/a")
      result.expectFailure(75, "holds the lock", run)
    }
  }

  @Test("A bucket alone gets a prefix of its own, and what is not one is refused before anything is sent.")
  func prefixes() async throws {
    let service = ManagedService()
    try await withTool(against: service.handler) { tool, server in
      let result = try await tool.run("managed", "export", "--all", "--to", "gs://backups", "--json")
      result.expect(0)
      let prefix = try ending(result).operation?.prefix ?? ""
      #expect(
        prefix.wholeMatch(of: /gs:\/\/backups\/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ_\d{5}/) != nil,
        "\(prefix)"
      )
      let requests = server.requests.count
      for words in [
        ["export", "--all", "--to", "backups"], ["export", "--all", "users", "--to", "gs://backups/a"],
        ["export", "--to", "gs://backups/a"], ["export", "users/u1/items", "--to", "gs://backups/a"],
        ["export", "user*", "--to", "gs://backups/a"], ["export", "a", "a", "--to", "gs://backups/a"],
        ["export", "a", "--to", "gs://backups/a", "--snapshot-time", "2026-01-31T03:00:30Z"],
        ["export", "a", "--to", "gs://backups/a", "--timeout", "5"], ["import", "--from", "gs://backups"],
        ["status", "a/b"], ["status", ""], ["cancel", "a b"],
      ] {
        try await tool.bare(["managed"] + words + tool.place).expect(64)
      }
      #expect(server.requests.count == requests)
    }
  }

  private static func error(_ code: Int, _ status: String) -> Reaction {
    .json(#"{"error":{"code":\#(code),"status":"\#(status)","message":"no"}}"#, status: code)
  }

  @Test("An operation that the service does not know is missing.")
  func unknown() async throws {
    let handler: RequestHandler = { _ in Self.error(404, "NOT_FOUND") }
    try await withTool(against: handler) { tool, _ in
      for words in [["status", "none"], ["cancel", "none"]] {
        try await tool.bare(["managed"] + words + tool.place).expectFailure(66, "managed list")
      }
    }
  }

  @Test("After a 503 at the start no second operation is started.")
  func unheard() async throws {
    let service = ManagedService(onStart: { _ in .beginUnheard(Self.error(503, "UNAVAILABLE")) })
    try await withTool(against: service.handler) { tool, _ in
      let result = try await tool.run(
        "managed",
        "export",
        "--all",
        "--to",
        "gs://backups/a",
        "--wait",
        "--json"
      ).expect(0)
      #expect(try ending(result).operation?.state == "SUCCESSFUL")
      #expect(service.starts == 1 && service.operations == 1)
    }
  }

  @Test("A command that is stopped ends with the one that waits on, and stops nothing else.")
  func interrupted() async throws {
    let service = ManagedService(onLook: { _ in nil })
    let isDone = Atomic(false)
    let handler: RequestHandler = { request in
      !isDone.load(ordering: .relaxed) && request.path.hasSuffix("/operations/op0")
        ? .json(service.json("op0", "PROCESSING", done: 7)) : service.handler(request)
    }
    try await withTool(against: handler) { tool, server in
      let running = try tool.start("managed", "export", "--all", "--to", "gs://backups/a", "--wait")
      #expect(await running.waitForText("operations/op0\n"))
      running.send(SIGINT)
      let result = await running.wait()
      result.expect(130)
      let words =
        "managed status op0 --wait --project test-project --database '(default)' --endpoint \(server.url) --schema gym"
      #expect(result.lastLine == "To resume: gymmigrate \(words)", "\(result.errors)")
      #expect(!server.requests.contains { $0.path.hasSuffix(":cancel") })

      let late = try await tool.run("managed", "status", "op0", "--wait", "--timeout", "1s", "--json")
      late.expect(75)
      #expect(try ending(late).resumeCommand == "gymmigrate \(words)")
      // Without --wait, one that runs is no failure.
      let now = try await tool.run("managed", "status", "op0", "--json").expect(0)
      #expect(try ending(now).operation?.documents == .init(completed: 7, estimated: 20))
      let again = try await tool.run("managed", "export", "--all", "--to", "gs://backups/a")
      again.expectFailure(75, "op0", "--wait")
      isDone.store(true, ordering: .relaxed)
      try await tool.run("managed", "status", "op0", "--wait").expect(0)
      #expect(service.starts == 1)
    }
  }

  @Test("A failed operation ends in the exit code of its status, and shows the service's words.")
  func failed() async throws {
    let code = Mutex(0)
    let service = ManagedService()
    let handler: RequestHandler = { request in
      guard request.path.hasSuffix("/operations/op0") else { return service.handler(request) }
      let error =
        #","error":{"code":\#(code.withLock { $0 }),"message":"The bucket is in asia-east1\u001b[2J"}"#
      return .json(service.json("op0", "FAILED", more: error))
    }
    try await withTool(against: handler) { tool, _ in
      try await tool.run("managed", "export", "--all", "--to", "gs://backups/a").expect(0)
      for (number, exit) in [(7, 77), (3, 64), (5, 66), (8, 75), (9, 78), (13, 69)] as [(Int, Int32)] {
        code.withLock { $0 = number }
        let result = try await tool.run("managed", "status", "op0", "--wait")
        result.expectFailure(exit, "The bucket is in asia-east1")
        #expect(!result.errors.contains("To resume") && !result.errors.contains("\u{1B}"))
      }
    }
  }

  @Test("Backups and schedules are listed, and a location that does not answer is named.")
  func backups() async throws {
    let handler: RequestHandler = { request in
      request.path.hasSuffix("/backupSchedules")
        ? .json(
          #"{"backupSchedules":[{"name":"projects/p/databases/d/backupSchedules/s1","retention":"604800s","dailyRecurrence":{}}]}"#
        )
        : .json(
          #"{"backups":[{"name":"projects/p/locations/nam5/backups/b1","database":"projects/test-project/databases/(default)","snapshotTime":"2026-01-31T03:00:00Z","expireTime":"2026-02-07T03:00:00Z","state":"READY","stats":{"documentCount":"1234"}}],"unreachable":["projects/p/locations/eur3"]}"#
        )
    }
    try await withTool(against: handler) { tool, _ in
      let result = try await tool.run("managed", "backups").expect(0)
      #expect(
        result.output == """
          schedule\tdaily\tkept 7 days\ts1
          backup\tREADY\t2026-01-31T03:00:00Z\texpires 2026-02-07T03:00:00Z\t1,234 documents\tprojects/p/locations/nam5/backups/b1

          """
      )
      #expect(result.errors.contains("projects/p/locations/eur3"))
      let json = try await tool.run("managed", "backups", "--json")
      let object = try JSONSerialization.jsonObject(with: Data(json.standardOutput)) as? [String: [Any]]
      #expect(object?["schedules"]?.count == 1 && object?["backups"]?.count == 1)
      #expect(object?["unreachable"] as? [String] == ["projects/p/locations/eur3"])
    }
  }

  @Test("doctor counts the documents, and leaves more than an hour's worth to the service.")
  func doctor() async throws {
    let mini = try MiniFirestore.withSamples(["app_config", "exercises"])
    let count = Mutex<String?>(nil)
    let handler: RequestHandler = { request in
      guard request.kind == .aggregation, let number = count.withLock({ $0 }) else {
        return mini.handler(request)
      }
      return .json(
        #"[{"result":{"aggregateFields":{"n":{"integerValue":"\#(number)"}}},"readTime":"2026-01-31T03:00:00Z"}]"#
      )
    }
    try await withTool(against: handler) { tool, _ in
      func size() async throws -> String {
        let result = try await tool.run("doctor").expect(0)
        return result.output.split(separator: "\n").map(String.init).first { $0.contains(" size: ") } ?? ""
      }
      // 21 documents in two collections.
      #expect(try await size().hasPrefix("ok       size: there are 21 documents"))
      // Twice 42,000 × 3,600 / 2 fits, and one document more does not; 151,200,002 reads at 0.06 for 100,000.
      count.withLock { $0 = "75600000" }
      #expect(try await size().hasPrefix("ok       size: there are 151,200,000 documents"))
      count.withLock { $0 = "75600001" }
      let large = try await size()
      #expect(large.hasPrefix("warning  size: there are at least 151,200,002 documents"))
      #expect(large.contains("at least 90.72 USD") && large.contains("'gymmigrate managed export --all'"))
      count.withLock { $0 = "x" }
      let unknown = try await size()
      #expect(unknown.hasPrefix("ok       size: the service did not count app_config, exercises"))
    }
  }
}
