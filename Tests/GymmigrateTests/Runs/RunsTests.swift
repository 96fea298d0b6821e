import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Runs that are resumed", .timeLimit(.minutes(60)))
struct RunsTests {
  /// All files of the state directory with their contents.
  private func state(_ tool: Tool) throws -> [String: Data] {
    var files: [String: Data] = [:]
    let root = tool.path(".gymmigrate")
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
      if let data = FileManager.default.contents(atPath: "\(root)/\(name)") { files[name] = data }
    }
    return files
  }

  /// Resumes, and expects to be refused in one line with nothing changed; what a run that is at work writes may only have
  /// been appended.
  private func refuse(
    _ tool: Tool,
    _ code: Int32,
    _ texts: String...,
    run: String = "last",
    atWork: String? = nil,
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try state(tool)
    let result = try await tool.bare(["runs", "resume", run])
    result.expect(code, location)
    #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: location)
    #expect(result.output.isEmpty, sourceLocation: location)
    for text in texts {
      #expect(result.lastLine.contains(text), "\(text): \(result.errors)", sourceLocation: location)
    }
    var after = try state(tool)
    let growing = atWork.map { run in ["operation.log", "journal.jsonl"].map { "runs/\(run)/\($0)" } } ?? []
    for name in growing {
      let (old, new) = try (#require(before[name]), #require(after[name]))
      #expect(new.starts(with: old), "\(name)", sourceLocation: location)
      after[name] = old
    }
    #expect(after == before, sourceLocation: location)
  }

  /// A run that was killed at its fourth commit; what is asked afterwards is not to come to the server.
  private func withKilled(
    _ arguments: [String]? = nil,
    place: [String]? = nil,
    _ prepare: (Tool, HTTPTestServer) throws -> Void = { _, _ in },
    _ body: (Tool, MiniFirestore) async throws -> Void
  ) async throws {
    let mini = MiniFirestore()
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, server in
      try tool.write(Samples.text("exercises"), to: "in.jsonl")
      try prepare(tool, server)
      let command = arguments ?? ["import", "in.jsonl"]
      let result = try await kill.run(until: .commit(2, .after)) {
        try tool.startBare(command + (place ?? tool.place) + ["--batch-size", "4", "--in-flight", "1"])
      }
      try #require(result.signal == SIGKILL, "\(result.errors)")
      let writes = mini.totalWrites
      try await body(tool, mini)
      #expect(mini.totalWrites == writes)
    }
  }

  @Test("A run that is running, and then one that is finished")
  func running() async throws {
    let mini = MiniFirestore()
    let (reached, goOn) = (Later<Bool>(), Later<Bool>())
    let handler: RequestHandler = { request in
      if request.kind == .commit {
        reached.set(true)
        _ = goOn.get()
      }
      return mini.handler(request)
    }
    try await withTool(against: handler) { tool, _ in
      var tool = tool
      // The server waits for what is asked meanwhile.
      tool.isGated = false
      let process = try tool.start("import", Samples.file("exercises"))
      #expect(await reached.value() == true)
      try await refuse(tool, 75, "it is running", atWork: tool.lastRun())
      let list = try await tool.bare(["runs", "list"])
      #expect(list.output.contains("  running  "))
      goOn.set(true)
      await process.wait().expect(0)
      try await refuse(tool, 64, "it is done", "runs show", run: tool.lastRun())
    }
  }

  @Test("An export, a plan and a dry run only read: the command to run is named.")
  func reading() async throws {
    try await withMini(.withSamples(["exercises"])) { tool, _ in
      try await tool.run("export", "exercises", "-o", "it's.csv").expect(0)
      try await refuse(tool, 64, "gymmigrate export exercises -o 'it'\\''s.csv'", run: tool.lastRun())
      try await tool.run("migrate", "plan", "is-active").expect(0)
      try await refuse(tool, 64, "gymmigrate migrate plan is-active", run: tool.lastRun())
      try await tool.run("import", Samples.file("exercises"), "--dry-run").expect(0)
      try await refuse(tool, 64, "--dry-run", run: tool.lastRun())
    }
  }

  @Test("An input that has changed, or is joined by another")
  func inputs() async throws {
    try await withKilled { tool, _ in
      try tool.write(Samples.text("exercises") + "\n", to: "in.jsonl")
      try await refuse(tool, 65, "in.jsonl has changed")
      try FileManager.default.removeItem(atPath: tool.path("in.jsonl"))
      try await refuse(tool, 66, "in.jsonl")
    }
    try await withKilled(["import", "folder"]) { tool, _ in
      try tool.createFolder("folder")
      try tool.write(Samples.text("exercises"), to: "folder/b.jsonl")
    } _: { tool, _ in
      try tool.write("", to: "folder/a.jsonl")
      try await refuse(tool, 65, "other files")
    }
  }

  @Test("A schema that has changed, and not only its comments")
  func schema() async throws {
    let schema = "schema: s\ncollections:\n  exercises: {}\n"
    try await withKilled(place: ["-e", "mine"]) { tool, server in
      try tool.write(schema, to: "s.yaml")
      let mine = "  mine: {project: test-project, database: (default), endpoint: '\(server.url)'}\n"
      try tool.write("schema: s.yaml\nenvironments:\n\(mine)", to: "gymmigrate.yaml")
    } _: { tool, _ in
      try tool.write(schema.replacingOccurrences(of: "{}", with: "{ catalogue: true }"), to: "s.yaml")
      try await refuse(tool, 65, "the schema has changed since the run began")
      try tool.write("# A comment.\n" + schema, to: "s.yaml")
      try tool.write(Samples.text("exercises") + "\n", to: "in.jsonl")
      try await refuse(tool, 65, "in.jsonl has changed")
    }
  }

  @Test("Standard input cannot be read again; the command that resumes is the same one.")
  func standardInput() async throws {
    let mini = MiniFirestore()
    let faults = mini.faults(FaultRule([.commit], .first(1), .error(.permissionDenied)))
    try await withTool(against: faults.handler) { tool, _ in
      let result = try await tool.run("import", "-", input: Array(Samples.text("exercises").utf8)).expect(77)
      #expect(result.lastLine.hasPrefix("To resume: gymmigrate import -"))
      try await refuse(tool, 66, "standard input")
    }
  }

  @Test("A configuration that leads elsewhere")
  func configuration() async throws {
    func settings(_ tool: Tool, _ url: String, _ database: String) throws {
      let text = "environments:\n  mine: {project: test-project, database: \(database), endpoint: '\(url)'}\n"
      try tool.write(text, to: "gymmigrate.yaml")
    }
    let address = Later<String>()
    try await withKilled(place: ["-e", "mine"]) { tool, server in
      address.set(server.url)
      try settings(tool, server.url, "(default)")
    } _: { tool, _ in
      let url = try #require(address.get())
      try settings(tool, url, "other")
      try await refuse(tool, 78, "projects/test-project/databases/other")
      try settings(tool, "http://127.0.0.1:1", "(default)")
      try await refuse(tool, 78, "http://127.0.0.1:1")
    }
  }

  @Test(
    "A checkpoint or a journal that is damaged",
    arguments: ["checkpoint", "no journal", "journal", "cut"]
  )
  func damaged(_ what: String) async throws {
    try await withKilled { tool, _ in
      let run = try #require(tool.runs().last)
      let journal = try tool.text("\(run)/journal.jsonl")
      switch what {
      case "checkpoint": try tool.write("{\"stage\":", to: "\(run)/checkpoint.json")
      case "no journal": try FileManager.default.removeItem(atPath: tool.path("\(run)/journal.jsonl"))
      case "journal":
        try tool.write(journal.replacing("\"path\"", with: "\"pat\""), to: "\(run)/journal.jsonl")
      default: try tool.write(String(journal.dropFirst(40)), to: "\(run)/journal.jsonl")
      }
      try await refuse(tool, 65, what == "checkpoint" ? "checkpoint.json" : "journal")
      let list = try await tool.bare(["runs", "list"])
      #expect(list.output.contains("  killed  "))
    }
  }

  @Test("A run that is not there, and a beginning that several have")
  func names() async throws {
    try await withTool { tool in
      let result = try await tool.bare(["runs", "resume", "last"])
      result.expectFailure(66, "find the run")
    }
    try await withKilled { tool, _ in
      let run = try #require(tool.runs().last).components(separatedBy: "/").last ?? ""
      let twin = tool.path(".gymmigrate/runs/\(run)x")
      try FileManager.default.copyItem(atPath: tool.path(".gymmigrate/runs/\(run)"), toPath: twin)
      let record = try tool.text(".gymmigrate/runs/\(run)/run.json").replacing(run, with: "\(run)x")
      try tool.write(record, to: ".gymmigrate/runs/\(run)x/run.json")
      try await refuse(tool, 64, "it is part of 2 run IDs", run: String(run.prefix(4)))
      try await refuse(tool, 66, run: "nothing")
    }
  }

  @Test(
    "Interrupted by INT or TERM and resumed, twice: the same as uninterrupted.",
    arguments: [SIGINT, SIGTERM]
  )
  func interrupted(_ signal: Int32) async throws {
    let works = try KillWork.sample()
    for work in [works[0], works[3]] {
      let baseline = try await KillBaselines.shared.of(work)
      let mini = try work.database()
      let writes = baseline.outcome.writes.values.reduce(0, +)
      let alarm = Alarm(signal)
      let handler: RequestHandler = { request in
        guard request.kind == .commit else { return mini.handler(request) }
        alarm.ring(ifAfter: mini.totalWrites)
        return .delayed(.milliseconds(60), mini.handler(request))
      }
      try await withTool(against: handler) { tool, _ in
        try work.prepare(tool)
        var command = work.arguments + tool.place + ["--json"]
        for number in [writes / 3, writes * 2 / 3] {
          let process = try alarm.set(at: number) {
            try tool.startBare(command)
          }
          let result = await process.wait()
          result.expect(128 + signal)
          let summary = try result.summary()
          #expect(summary.status == "interrupted")
          #expect(summary.totals.balance)
          // Of a run that was not resumed, every commit that the server applied was heard of; a machine that is too busy to
          // answer in time is told of.
          if command[0] != "runs", !result.errors.contains("it is not known") {
            #expect(summary.totals.written == mini.totalWrites)
          }
          #expect(summary.totals.written <= mini.totalWrites)
          #expect(summary.resumeCommand == "gymmigrate runs resume \(summary.runId)")
          let list = try await tool.bare(["runs", "list"])
          #expect(list.output.contains("  interrupted  "))
          command = ["runs", "resume", summary.runId]
        }
        let result = try await tool.bare(command)
        let differences = try KillOutcome(result, mini, tool).differences(from: baseline.outcome)
        #expect(differences == [], "\(work): \(differences.joined(separator: "\n"))")
        #expect(tool.runs().count == 1)
      }
    }
  }
}

/// Sends a signal to a program once, at its first commit after so many writes.
///
/// Writes and not commits are counted: how many there are of those depends on how busy the machine is.
private final class Alarm: Sendable {
  private let signal: Int32
  private let state = Mutex<(writes: Int, process: Later<RunningBinary>)?>(nil)

  init(_ signal: Int32) { self.signal = signal }

  func set(at writes: Int, _ start: () throws -> RunningBinary) rethrows -> RunningBinary {
    let running = Later<RunningBinary>()
    state.withLock { $0 = (writes, running) }
    let process = try start()
    running.set(process)
    return process
  }

  func ring(ifAfter writes: Int) {
    let process = state.withLock { state -> Later<RunningBinary>? in
      guard let set = state, writes >= set.writes else { return nil }
      state = nil
      return set.process
    }
    process?.get()?.send(signal)
  }
}
