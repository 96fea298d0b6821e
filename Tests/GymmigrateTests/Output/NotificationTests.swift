import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Monitors are notified of runs", .timeLimit(.minutes(60)))
struct NotificationTests {
  /// A part of the address that only its owner knows.
  private static let secret = "/5f1c9a52-aaaa-bbbb"

  /// The program beside a monitor, in a folder with documents to import.
  private func withMonitor(
    _ handler: @escaping RequestHandler = { _ in .respond() },
    _ body: (Tool, HTTPTestServer) async throws -> Void
  ) async throws {
    try await withTool { tool in
      try tool.write((1...10).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"), to: "a.jsonl")
      try await HTTPTestServer.withServer(handler) { try await body(tool, $0) }
    }
  }

  private func options(_ monitor: HTTPTestServer) -> [String] {
    [
      "--notify-ping", "\(monitor.url)\(Self.secret)?a=b", "--notify-webhook",
      "\(monitor.url)/hook\(Self.secret)",
    ]
  }

  /// What was asked for beside the webhook.
  private func pings(_ monitor: HTTPTestServer) -> [String] {
    monitor.requests.filter { $0.method == "GET" }.map { $0.target.replacing(Self.secret, with: "") }
  }

  private func sent(_ monitor: HTTPTestServer) throws -> [String: Any] {
    let posted = monitor.requests.filter { $0.method == "POST" }
    let body = try #require(posted.count == 1 ? posted.first?.body : nil)
    return try #require(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
  }

  @Test("At the start, and at the end with the numbers of the run.")
  func done() async throws {
    try await withMonitor { tool, monitor in
      let words = ["import", "a.jsonl", "--json", "--metrics-textfile", "m.prom", "-e", "local"]
      let result = try await tool.bare(words + options(monitor)).expect(0)
      #expect(pings(monitor) == ["/start?a=b", "?a=b"])
      let json = try sent(monitor)
      #expect(json["command"] as? String == "import" && json["status"] as? String == "done")
      #expect((json["totals"] as? [String: Int])?["written"] == 10)
      #expect((json["environment"] as? [String: String])?["name"] == "local")
      #expect(json["runId"] as? String == (try result.summary().runId))
      #expect(
        try tool.text("m.prom").contains(
          #"gymmigrate_last_run_written_documents{env="local",command="import"} 10.0"#
        )
      )
      // Nothing that is kept or said has the secret.
      let run = try #require(tool.runs().last)
      for text in [result.errors, result.output, try tool.text("\(run)/run.json")] {
        #expect(!text.contains("5f1c9a52"))
      }
    }
  }

  @Test(
    "The path of an address is not kept or told, however short it is and wherever the address comes from.",
    arguments: ["option", "joined", "variable"]
  )
  func shortPath(_ source: String) async throws {
    try await withMonitor { tool, monitor in
      let addresses = ["ping": "\(monitor.url)/s3c", "webhook": "\(monitor.url)/s3c/h"]
      var (tool, words) = (tool, ["-e", "local", "--schema", "none"])
      for (name, address) in addresses {
        switch source {
        case "option": words += ["--notify-\(name)", address]
        case "joined": words.append("--notify-\(name)=\(address)")
        default: tool.environment["GYMMIGRATE_NOTIFY_\(name.uppercased())"] = address
        }
      }
      let results = [
        try await tool.bare(["import", "a.jsonl"] + words).expect(0),
        try await tool.bare(["fix", "a", "--all-documents", "--set", "b=1", "-n"] + words).expect(0),
        try await tool.bare(["env", "show", "-e", "local", "--origin"]).expect(0),
        try await tool.bare(["runs", "list", "--json"]), try await tool.bare(["runs", "show", "last"]),
      ]
      #expect(monitor.requests.contains { $0.target == "/s3c" }, "the monitor is asked at the whole address")
      var all = results.map { $0.output + $0.errors }
      for run in tool.runs() { all += try tool.names(in: run).map { try tool.text("\(run)/\($0)") } }
      for text in all { #expect(!text.contains("s3c"), "\(text)") }
      #expect(all.contains { $0.contains("\(monitor.url)[removed]") }, "the host is told")
    }
  }

  @Test("An address that is none is not told.")
  func wrongAddress() async throws {
    try await withTool { tool in
      for words in [["--notify-ping", "htp://x.test/s3c"], ["--notify-webhook=htp://x.test/s3c"]] {
        let result = try await tool.bare(["count", "a", "-e", "local"] + words).expect(64)
        #expect(!result.errors.contains("s3c"), "\(result.errors)")
      }
    }
  }

  @Test("What is refused, malformed or given up says so, before a run begins, too.")
  func failures() async throws {
    try await withMonitor { tool, monitor in
      try tool.write("{", to: "broken.jsonl")
      try tool.write("environments: { prod: { project: p, protected: true } }\n", to: "gymmigrate.yaml")
      let options = options(monitor)
      try await tool.bare(["import", "a.jsonl", "-e", "prod", "--yes"] + options).expect(77)
      try await tool.bare(["import", "broken.jsonl", "-e", "local"] + options).expect(65)
      try await tool.bare(["import", "none.jsonl", "-e", "local"] + options).expect(66)
      try await tool.bare(["export", "a", "-e", "nowhere", "-o", "x.jsonl"] + options).expect(78)
      let codes = ["77", "65", "66", "78"]
      #expect(pings(monitor).filter { $0 != "/start?a=b" } == codes.map { "/\($0)?a=b" })
      #expect(pings(monitor).count { $0 == "/start?a=b" } == 4)
      let bodies = monitor.requests.filter { $0.method == "POST" }.map {
        String(decoding: $0.body, as: UTF8.self)
      }
      #expect(bodies.count == 4 && bodies.allSatisfy { $0.contains(#""status":"failed""#) })
      #expect(!bodies.contains { $0.contains("jsonl") })
    }
  }

  @Test("An interrupted run says so.")
  func interrupted() async throws {
    let mini = MiniFirestore()
    try await withMonitor { tool, monitor in
      let running = Later<RunningBinary>()
      let faults = mini.faults(
        FaultRule([.commit], .always, .drip(chunk: 64, interval: .milliseconds(3))),
        maximumConsecutive: .max
      )
      faults.before(.commit, 1) { _ in running.get()?.send(SIGTERM) }
      try await HTTPTestServer.withServer(faults.handler) { server in
        let words = ["import", "a.jsonl", "--batch-size", "1", "--in-flight", "1"] + tool.at(server)
        let result = try await tool.bare(words + options(monitor), as: running, timeout: .seconds(600))
        result.expect(143)
        #expect(pings(monitor) == ["/start?a=b", "/143?a=b"])
        #expect(try sent(monitor)["status"] as? String == "interrupted")
        #expect(result.lastLine.hasPrefix("To resume: "))
      }
    }
  }

  /// A target that is of no use.
  enum Trouble: String, CaseIterable {
    case hangs, redirects, dies, refuses, drips, isDown

    func reaction(_ request: TestRequest) -> Reaction {
      let target = request.target
      return switch self {
      case .hangs, .isDown: .stall
      case .redirects: .respond(302, headers: [HTTPField("Location", "\(target)")])
      case .dies: .dropConnection
      case .refuses: .respond(500)
      case .drips:
        .drip(TestResponse(body: [UInt8](repeating: 32, count: 3000)), chunk: 1, interval: .seconds(1))
      }
    }
  }

  @Test(
    "A target that is of no use costs a warning, and the command ends as ever.",
    arguments: Trouble.allCases
  )
  func trouble(_ trouble: Trouble) async throws {
    try await withMonitor({ trouble.reaction($0) }) { tool, monitor in
      var options = options(monitor)
      if trouble == .isDown {
        options = options.map { $0.replacing(monitor.url, with: "http://127.0.0.1:1") }
      }
      let words = ["import", "a.jsonl", "-e", "local", "--metrics-textfile", "none/m.prom"]
      // A request of ours may otherwise take 75 s.
      let result = try await tool.bare(words + options, timeout: .seconds(40)).expect(0)
      let warnings = result.errorLines.filter { $0.contains("Not notified") }
      let warning = try #require(warnings.count == 1 ? warnings.first : nil, "\(result.errors)")
      for text in [
        "the ping to http://127.0.0.1:", "the webhook at http://127.0.0.1:", "the metrics in none/m.prom",
      ] {
        #expect(warning.contains(text), "\(warning)")
      }
      #expect(!result.errors.contains("5f1c9a52"))
    }
  }

  @Test("The configuration names targets for all commands or some, and an environment its own.")
  func configuration() async throws {
    try await withMonitor { tool, monitor in
      try tool.write(
        """
        project: p
        notify: { ping: "\(monitor.url)/all", metrics: m.prom }
        environments:
          local:
            notify: { ping: "\(monitor.url)/own", commands: [import] }
        """,
        to: "gymmigrate.yaml"
      )
      try await tool.bare(["import", "a.jsonl", "-e", "local"]).expect(0)
      try await tool.bare(["count", "a", "-e", "local"]).expect(0)
      #expect(pings(monitor) == ["/own/start", "/own", "/all/start", "/all"])
      #expect(try tool.text("m.prom").contains(#"command="count""#))
      let variable = ["GYMMIGRATE_NOTIFY_PING": "\(monitor.url)/variable"]
      var other = tool
      other.environment = variable
      try await other.bare(["import", "a.jsonl", "-e", "local", "--mode", "upsert"]).expect(0)
      #expect(pings(monitor).suffix(2) == ["/variable/start", "/variable"])
      try tool.write(
        "project: p\nnotify: { ping: ftp://x }\nenvironments: { local: {} }\n",
        to: "gymmigrate.yaml"
      )
      try await tool.bare(["count", "a", "-e", "local"]).expectFailure(
        78,
        "line 2",
        "'ping' must be an address"
      )
      try await tool.bare(["count", "a", "-e", "local", "--notify-ping", "x"]).expect(64)
    }
  }

  @Test("Monitors of an environment are notified of every step of a divided command.")
  func shards() async throws {
    try await HTTPTestServer.withServer({ _ in .respond() }) { monitor in
      try await withStore { tool, url in
        try tool.write(
          """
          project: p
          environments:
            test: { database: test, endpoint: "\(url)", notify: { webhook: "\(monitor.url)/h" } }
          """,
          to: "gymmigrate.yaml"
        )
        try await tool.load((1...9).map { documentLine("a/\($0)", 1) }, into: "test")
        for step in [
          "shard plan --shards 1 --to W -- export a -e test --notify-ping \(monitor.url)/s3c",
          "shard work W --task 0", "shard finish W",
        ] {
          try await tool.bare(step.split(separator: " ").map(String.init)).expect(0)
        }
        #expect(!(try tool.text("W/plan.json").contains("s3c")))
        let sent = try monitor.requests.filter { $0.method == "POST" }.map {
          try JSONSerialization.jsonObject(with: Data($0.body)) as? [String: Any]
        }
        let commands = sent.map { $0?["command"] as? String }
        #expect(commands == ["import", "shard plan", "shard work", "shard finish"])
        #expect((sent.last??["totals"] as? [String: Int])?["read"] == 9)
      }
    }
  }

  @Test("A command that there is not is refused where it is named.")
  func commands() async throws {
    try await withTool { tool in
      func write(_ commands: String) throws {
        let notify = "{ ping: 'https://x.test/1', commands: [\(commands)] }"
        try tool.write(
          "project: p\nnotify: \(notify)\nenvironments: { local: {} }\n",
          to: "gymmigrate.yaml"
        )
      }
      let show = ["env", "show", "-e", "local"]
      try write("import, exports")
      try await tool.bare(show).expectFailure(78, "line 2, column", "'exports'; did you mean 'export'?")
      try write("migrate aply")
      try await tool.bare(show).expectFailure(78, "did you mean 'migrate apply'?")
      try write("migrate")
      try await tool.bare(show).expectFailure(78, "stands for several commands", "migrate up")
      try write("export, migrate apply, runs resume, migrate up")
      try await tool.bare(show).expect(0)
    }
  }
}
