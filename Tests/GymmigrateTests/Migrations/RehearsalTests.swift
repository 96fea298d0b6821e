import Files
import Foundation
import TestSupport
import Testing

@Suite("Rehearsals of migrations", .timeLimit(.minutes(60)))
struct RehearsalTests {
  /// What `migrate test --json` prints.
  private struct Report: Decodable {
    struct Finding: Decodable { var code, subject: String }
    struct Migration: Decodable {
      var id: String
      var changes, deletes, reads, review: Int
    }

    var findings: [Finding]
    var migrations: [Migration]
  }

  /// Things in every environment, a schema that wants a number of them, and a folder of migrations.
  private func withFolder(_ files: [String: String], _ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      var tool = tool
      let temporary = tool.path("tmp")
      try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
      tool.environment["TMPDIR"] = temporary
      try tool.write(Self.schema, to: "things.yaml")
      try tool.write(
        tool.text("gymmigrate.yaml").replacing("schema: gym", with: "schema: things.yaml"),
        to: "gymmigrate.yaml"
      )
      for (name, text) in files { try tool.write(text, to: "migrations/\(name).yaml") }
      for environment in ["test", "stage", "prod"] {
        try await tool.load((1...3).map { documentLine("things/t\($0)", $0) }, into: environment)
      }
      try await body(tool)
    }
  }

  private static let schema = """
    schema: things
    collections:
      things:
        fields:
          n: { type: integer, required: true }
          a: { type: integer }

    """

  private static func file(_ id: String, _ steps: String, _ header: String = "") -> String {
    "id: \(id)\nsummary: Changes \(id).\n\(header)collection: things\nsteps:\n\(steps)\n"
  }

  /// A program that stands in for Google's, which is written before and not by the test: while a file is open, it cannot be run.
  private static let emulator = Samples.repository.appendingPathComponent("Tests/Resources/fake-emulator")
    .path

  private static let good = ["1-a": file("a", "  - set: {a: 1}")]

  private func rehearse(_ tool: Tool, _ words: String...) async throws -> (RunResult, Report) {
    let result = try await tool.bare(["migrate", "test", "--pending", "--from", "prod", "--json"] + words)
    return (result, try JSONDecoder().decode(Report.self, from: Data(result.standardOutput)))
  }

  @Test("What is refused is no fault, and is counted; nothing to rehearse is JSON, too.")
  func refused() async throws {
    try await withFolder(["1-a": Self.file("a", "  - unset: n")]) { tool in
      let words = ["migrate", "test", "--pending", "--from", "prod"]
      let result = try await tool.bare(words).expect(0)
      let refused = "Refused and left alone: 3 documents; an apply ends in 2.\n"
      let passed = "Passed: it can be applied again, checked and undone.\n"
      #expect(result.output.hasSuffix(refused + passed), "\(result.output)")
      let json = try await tool.bare(words + ["--json"])
      #expect(json.output.contains(#""rejected":3"#), "\(json.output)")
      try FileManager.default.removeItem(atPath: tool.path("migrations/1-a.yaml"))
      let (none, report) = try await rehearse(tool)
      none.expect(0)
      #expect(report.findings.isEmpty && report.migrations.isEmpty)
    }
  }

  @Test("What is refused because it would be changed again is never changed, so it is no fault.")
  func notAtRest() async throws {
    try await withFolder(["1-a": Self.file("a", "  - move: {from: n, to: a}\n  - set: {n: 5}")]) { tool in
      let (result, report) = try await rehearse(tool, "--allow-schema-breaks")
      result.expect(0)
      #expect(report.findings.isEmpty && report.migrations.map(\.changes) == [0], "\(result.output)")
      #expect(result.output.contains(#""rejected":3"#), "\(result.output)")
    }
  }

  @Test("Each fault is found, and what has none ends in 0.")
  func findings() async throws {
    let faults: [(code: String, files: [String: String], words: [String])] = [
      ("", Self.good, []),
      (
        "not-idempotent",
        [
          "1-a": Self.file("a", "  - set: {n: 7}", "where: ['n == 1']\n"),
          "2-b": Self.file("b", "  - set: {n: 1}", "where: ['n == 7']\n"),
        ], []
      ),
      ("check-worse", ["1-a": Self.file("a", "  - unset: n")], ["--allow-schema-breaks"]),
      ("not-undone", ["1-a": Self.file("a", "  - delete: hard", "where: ['n == 1']\n")], []),
      ("needs-index", ["1-a": Self.file("a", "  - set: {a: 1}", "where: ['n > 0 and a < 1']\n")], []),
      ("", ["1-a": Self.file("a", "  - set: {a: 1}", "where: ['n > 0']\n")], []),
    ]
    for (code, files, words) in faults {
      try await withFolder(files) { tool in
        let result = try await tool.bare(
          ["migrate", "test", "--pending", "--from", "prod", "--json"] + words
        )
        result.expect(code.isEmpty ? 0 : 1)
        let report = try JSONDecoder().decode(Report.self, from: Data(result.standardOutput))
        #expect(
          Set(report.findings.map(\.code)) == (code.isEmpty ? [] : [code]),
          "\(result.output)\(result.errors)"
        )
        #expect(tool.names(in: "tmp") == [], "the copy is removed")
      }
    }
  }

  @Test("--on emulator starts the program, rehearses in it, finds the same, and leaves no process.")
  func onEmulator() async throws {
    let faulty = ["1-a": Self.file("a", "  - unset: n")]
    for (files, code) in [(Self.good, Int32(0)), (faulty, 1)] {
      try await withFolder(files) { tool in
        var tool = tool
        try tool.write(tool.runner.executable, to: "store")
        tool.environment["GYMMIGRATE_EMULATOR"] = Self.emulator
        let words = ["--on", "emulator", "--allow-schema-breaks"]
        let result = try await tool.bare(["migrate", "test", "--pending", "--from", "prod"] + words)
        result.expect(code)
        if code == 1 { #expect(result.output.contains("check-worse")) }
        let process = try #require(
          Int32(tool.text("pid").trimmingCharacters(in: .whitespacesAndNewlines))
        )
        // What was killed may take a moment to go.
        for _ in 0..<500 where Self.isRunning(process) { try await Task.sleep(for: .milliseconds(20)) }
        #expect(!Self.isRunning(process))
        #expect(tool.names(in: "tmp") == [])
      }
    }
  }

  /// Whether a process runs; one that has ended may wait to be reaped.
  private static func isRunning(_ process: Int32) -> Bool {
    guard kill(process, 0) == 0 else { return false }
    let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    return status.split(separator: ")").last?.hasPrefix(" Z") != true
  }

  @Test("An emulator that is missing or ends is refused with what it said.")
  func brokenEmulator() async throws {
    try await withFolder(Self.good) { tool in
      var tool = tool
      let words = ["migrate", "test", "--pending", "--from", "prod", "--on", "emulator"]
      tool.environment["GYMMIGRATE_EMULATOR"] = tool.path("none")
      try await tool.bare(words).expectFailure(66, "GYMMIGRATE_EMULATOR", "there is no such file")
      // It does not find its store.
      tool.environment["GYMMIGRATE_EMULATOR"] = Self.emulator
      try await tool.bare(words).expectFailure(69, "it ended: cat:", "store")
      #expect(tool.names(in: "tmp") == [])
    }
  }

  @Test("A deletion that its file calls irreversible is no fault.")
  func irreversible() async throws {
    let header = "irreversible: Old things.\nwhere: ['n == 1']\n"
    try await withFolder(["1-a": Self.file("a", "  - delete: hard", header)]) { tool in
      let (result, report) = try await rehearse(tool)
      result.expect(0)
      #expect(report.migrations.map(\.deletes) == [1])
    }
  }

  @Test("The environment that is copied is only read, and a copy of a part is what is rehearsed on.")
  func source() async throws {
    let source = MiniFirestore.environment("prod")
    for number in 1...3 {
      try source.put("things/t\(number)", fields: #"{"n":{"integerValue":"\#(number)"}}"#)
    }
    let before = source.everything().map(\.jsonLine)
    let writes = Locked(0)
    let handler: RequestHandler = { request in
      if [.commit, .batchWrite].contains(request.kind) { writes.withLock { $0 += 1 } }
      return source.handler(request)
    }
    try await withTwoServers(handler, MiniFirestore.environment("test").handler) { tool in
      try tool.write(Self.file("a", "  - set: {a: 1}"), to: "migrations/1-a.yaml")
      let (result, report) = try await rehearse(tool)
      result.expect(0)
      #expect(report.migrations.map(\.changes) == [3])
      #expect(try await rehearse(tool, "--limit", "2").1.migrations.map(\.changes) == [2])
      #expect(source.everything().map(\.jsonLine) == before)
      #expect(writes.withLock { $0 } == 0)
    }
  }

  @Test(
    "What the service says of an index that is missing is a finding, and another error ends the rehearsal."
  )
  func index() async throws {
    let source = MiniFirestore.environment("prod")
    try source.put("things/t1", fields: #"{"n":{"integerValue":"1"}}"#)
    let error = Locked(ServiceError.failedPrecondition("The query requires an index: https://x/y"))
    let handler: RequestHandler = { request in
      let isAsking = request.kind == .runQuery && request.text.contains(#""fieldPath":"n""#)
      return isAsking ? .response(error.withLock { $0 }.response(for: .runQuery)) : source.handler(request)
    }
    try await withTwoServers(handler, MiniFirestore.environment("test").handler) { tool in
      try tool.write(Self.file("a", "  - set: {a: 1}", "where: ['n == 1']\n"), to: "migrations/1-a.yaml")
      let (result, report) = try await rehearse(tool)
      result.expect(1)
      #expect(report.findings.map(\.code) == ["needs-index"] && result.output.contains("https://x/y"))
      error.withLock { $0 = .permissionDenied }
      try await tool.bare(["migrate", "test", "--pending", "--from", "prod"]).expect(77)
    }
  }

  @Test("The gym's three have no fault on the sample; what is left for review is counted.")
  func gym() async throws {
    try await withStores { tool in
      let files = ["users", "user_emails", "members"].map { Samples.file($0) }
      try await tool.bare(["import"] + files + ["-e", "stage", "-q"]).expect(0)
      let result = try await tool.bare(
        ["migrate", "test", "--pending", "--from", "stage", "--json", "--html", "plan.html"]
      )
      #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
      let report = try JSONDecoder().decode(Report.self, from: Data(result.standardOutput))
      #expect(report.migrations.map(\.id) == ["users-unify", "user-emails", "is-active"])
      #expect(report.migrations.contains { $0.review > 0 })
      #expect(tool.exists("plan.html"))
    }
  }

  @Test("The gate wants a rehearsal of the file as it is, recorded elsewhere than in what was copied.")
  func gate() async throws {
    try await withFolder(Self.good) { tool in
      let gate = "promote: { prod: { after: stage, rehearsed: 7d } }\n"
      try tool.write(tool.text("gymmigrate.yaml") + "\n" + gate, to: "gymmigrate.yaml")
      let up = ["migrate", "up", "-e", "prod", "--confirm", "prod", "-y"]
      try await tool.bare(["migrate", "up", "-e", "stage", "-y"]).expect(0)
      let refused = try await tool.bare(up).expect(77)
      #expect(refused.errors.contains("gymmigrate migrate test 1-a --from prod --record -e stage"))
      let rehearsal = ["migrate", "test", "1-a", "--from", "prod"]
      try await tool.bare(rehearsal + ["--record", "-e", "prod", "--confirm", "prod"]).expect(64)
      try await tool.bare(rehearsal + ["-e", "stage"]).expect(64)
      try await tool.bare(rehearsal).expect(0)
      try await tool.bare(up).expect(77)
      let recorded = try await tool.bare(rehearsal + ["--record", "-e", "stage"]).expect(0)
      let bills = recorded.errorLines.filter { $0.hasPrefix("Billed: ") }
      #expect(bills.count == 1 && bills[0].contains(" 1 write,"), "\(bills)")
      try await tool.bare(up).expect(0)
    }
  }

  @Test("A gate of a rehearsal alone takes one of another environment's data, and --override passes it.")
  func gateAlone() async throws {
    try await withFolder(Self.good) { tool in
      let gate = "promote: { prod: { rehearsed: 7d } }\n"
      try tool.write(tool.text("gymmigrate.yaml") + "\n" + gate, to: "gymmigrate.yaml")
      let up = ["migrate", "up", "-e", "prod", "--confirm", "prod", "-y"]
      try await tool.bare(up).expect(77)
      let record = ["--record", "-e", "prod"]
      try await tool.bare(["migrate", "test", "a", "--from", "stage"] + record).expect(77)
      try await tool.bare(["migrate", "test", "a", "--from", "stage"] + record + ["--confirm", "prod"])
        .expect(0)
      try await tool.bare(up).expect(0)
      try tool.write(Self.file("b", "  - set: {a: 2}"), to: "migrations/2-b.yaml")
      try await tool.bare(up).expect(77)
      try await tool.bare(up + ["--override", "It burns."]).expect(0)
    }
  }

  @Test("An interrupted rehearsal leaves nothing behind.")
  func interruption() async throws {
    let source = MiniFirestore.environment("prod")
    try source.put("things/t1", fields: #"{"n":{"integerValue":"1"}}"#)
    let isCopying = Locked(false)
    let handler: RequestHandler = { request in
      if request.path.contains("/documents") { isCopying.withLock { $0 = true } }
      return .stall
    }
    try await withTwoServers(handler, MiniFirestore.environment("test").handler) { tool in
      var tool = tool
      try tool.createFolder("tmp")
      (tool.environment["TMPDIR"], tool.place) = (tool.path("tmp"), [])
      try tool.write(Self.file("a", "  - set: {a: 1}"), to: "migrations/1-a.yaml")
      let run = try tool.start("migrate", "test", "1-a", "--from", "prod")
      while !isCopying.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(10)) }
      #expect(tool.names(in: "tmp").count == 1)
      run.send(SIGINT)
      #expect(await run.wait().exitCode == 130)
      #expect(tool.names(in: "tmp") == [])
    }
  }
}
