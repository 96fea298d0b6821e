import Foundation
import TestSupport
import Testing

/// What a run's folder says counts only where this user made it, and never answers in the place of a person.
@Suite("Runs from elsewhere", .timeLimit(.minutes(60)))
struct ForeignRunTests {
  /// A run on a protected environment whose second commit was refused.
  private func withStopped(
    _ arguments: [String] = ["-e", "prod", "--confirm=prod", "-vy"],
    _ body: (Tool, MiniFirestore, _ run: String) async throws -> Void
  ) async throws {
    let mini = MiniFirestore.environment("prod")
    let rule = FaultRule([.commit], .number(2), .error(.permissionDenied))
    let faults = mini.faults(rule)
    try await withTool(against: faults.handler) { tool, server in
      var tool = tool
      tool.place = []
      try tool.configure(prod: server.url, others: server.url)
      try tool.write(
        (0..<9).map { documentLine("things/t\($0)", $0) }.joined(separator: "\n"),
        to: "in.jsonl"
      )
      let small = ["--batch-size", "4", "--in-flight", "1"]
      let result = try await tool.bare(["import", "in.jsonl"] + arguments + small).expect(77)
      let run = try #require(tool.runs().last)
      let id = run.components(separatedBy: "/").last ?? ""
      #expect(result.lastLine == "To resume: gymmigrate runs resume \(id) --confirm prod")
      try await body(tool, mini, run)
    }
  }

  /// Expects one line, and that nothing was written anywhere.
  private func refuse(
    _ tool: Tool,
    _ mini: MiniFirestore,
    _ code: Int32,
    _ text: String,
    _ arguments: [String] = ["runs", "resume", "last", "--confirm", "prod"],
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try files(tool)
    let writes = mini.totalWrites
    let result = try await tool.bare(arguments)
    result.expectFailure(code, text, at: location)
    #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: location)
    #expect(try files(tool) == before, sourceLocation: location)
    #expect(mini.totalWrites == writes, sourceLocation: location)
  }

  /// Every file below the folder with its contents.
  private func files(_ tool: Tool) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: tool.folder.path) {
      if let data = FileManager.default.contents(atPath: tool.path(name)) { files[name] = data }
    }
    return files
  }

  @Test("A protected environment is asked for as by the command itself.")
  func protected() async throws {
    try await withStopped { tool, mini, _ in
      let resume = ["runs", "resume", "last"]
      for more in [[], ["--yes"], ["-y"], ["--confirm", "stage"], ["--confirm", "stage", "-y"]] {
        try await refuse(tool, mini, 77, "--confirm prod", resume + more)
      }
      let shown = try await tool.bare(["runs", "show", "last"])
      let run = try #require(tool.runs().last?.split(separator: "/").last)
      #expect(shown.output.contains(" \(run) ") && shown.output.contains("--confirm prod"), "\(shown.output)")
      try await tool.bare(resume + ["--confirm", "prod", "--json"]).expect(0)
      #expect(mini.snapshot().count == 9 && mini.totalWrites == 9)
    }
  }

  @Test("A folder that was copied gives neither a command nor a place, nor who signs.")
  func copied() async throws {
    try await withStopped { tool, mini, _ in
      try FileManager.default.copyItem(atPath: tool.path(".gymmigrate"), toPath: tool.path("unpacked"))
      let there = ["--state-dir", "unpacked"]
      let why = "it was not made here"
      try await refuse(tool, mini, 77, why, ["runs", "resume", "last", "--confirm", "prod"] + there)
      try await refuse(tool, mini, 77, why, ["migrate", "undo", "last", "--confirm", "prod"] + there)
      try await refuse(tool, mini, 77, why, ["migrate", "verify", "--run", "last"] + there)
      let shown = try await tool.bare(["runs", "show", "last"] + there).expect(0)
      #expect(!shown.output.contains("resume"))
      let list = try await tool.bare(["runs", "list", "--json"] + there)
      #expect(list.output.contains(#""canGoOn":false"#))
      // Who names the place may restored what the journal holds.
      let undo = ["migrate", "undo", "last", "-e", "prod", "--confirm", "prod"] + there
      try await tool.bare(undo).expect(0)
      #expect(mini.snapshot().isEmpty)
    }
  }

  @Test("A run's id is the name of its folder.", arguments: ["../../victim", "/victim", "other", ""])
  func id(_ id: String) async throws {
    try await withStopped { tool, mini, run in
      let own = run.components(separatedBy: "/").last ?? ""
      try FileManager.default.createDirectory(
        atPath: tool.path("victim"),
        withIntermediateDirectories: false
      )
      let record = try tool.text("\(run)/run.json")
      try tool.write(
        record.replacing("\"runId\":\"\(own)\"", with: "\"runId\":\"\(id)\""),
        to: "\(run)/run.json"
      )
      for command in [
        ["runs", "resume"], ["runs", "show"], ["migrate", "undo"], ["migrate", "verify", "--run"],
      ] {
        try await refuse(tool, mini, 65, "run.json", command + [own])
        try await refuse(tool, mini, 65, "run.json", command + ["last"])
      }
      let list = try await tool.bare(["runs", "list"]).expect(0)
      #expect(list.output.isEmpty && list.errors.contains("a run is skipped"))
      #expect(tool.names(in: "victim").isEmpty)
    }
  }

  @Test("Others may write to the folder or a file of it; a folder or a file leads elsewhere.")
  func writable() async throws {
    try await withStopped { tool, mini, run in
      for name in [run, "\(run)/run.json", "\(run)/journal.jsonl", "\(run)/checkpoint.json"] {
        let file = tool.path(name)
        let mode = try #require(
          FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        )
        for open in [0o020, 0o002] {
          try FileManager.default.setAttributes([.posixPermissions: mode | open], ofItemAtPath: file)
          try await refuse(tool, mini, 77, "others may write to it")
          try await refuse(tool, mini, 77, "others may write", ["runs", "undo", "last", "-e", "prod"])
          let id = run.components(separatedBy: "/").last ?? ""
          try await refuse(
            tool,
            mini,
            77,
            "others may write",
            ["migrate", "unlock", id, "-e", "prod", "--confirm", "prod", "-q"]
          )
        }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        try FileManager.default.moveItem(atPath: file, toPath: tool.path("moved"))
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: tool.path("moved"))
        try await refuse(tool, mini, 77, "leads elsewhere")
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: tool.path("moved"), toPath: file)
      }
      try await tool.bare(["runs", "resume", "last", "--confirm", "prod"]).expect(0)
    }
  }

  @Test(
    "The words of a record are for people: whatever they are, its job is resumed.",
    arguments: [["runs", "resume", "last"], ["export", "things", "-o", "victim"], []]
  )
  func words(_ words: [String]) async throws {
    try await withStopped { tool, mini, run in
      try replaceWords(in: "\(run)/run.json", by: words, tool)
      try await tool.bare(["runs", "resume", "last", "--confirm", "prod"]).expect(0)
      #expect(mini.snapshot().count == 9 && mini.totalWrites == 9)
      #expect(!tool.exists("victim"))
    }
  }

  @Test(
    "A job that is none, that is not the command of its record, or that would write nothing",
    arguments: [
      (#""kind":"import""#, #""kind":"imports""#), (#""kind":"import""#, #""kind":"copy""#),
      (#""files":["in.jsonl"]"#, #""files":"in.jsonl""#), (#""isDryRun":false"#, #""isDryRun":true"#),
      (#""mode":"create""#, #""mode":"destroy""#), (#""command":"import""#, #""command":"copy""#),
    ]
  )
  func job(_ text: String, _ replacement: String) async throws {
    try await withStopped { tool, mini, run in
      let record = try tool.text("\(run)/run.json")
      #expect(record.contains(text))
      try tool.write(record.replacing(text, with: replacement), to: "\(run)/run.json")
      try await refuse(tool, mini, 65, "run.json is damaged")
    }
  }

  @Test(
    "A journal of another run, or of another database, is not this run's.",
    arguments: ["run", "database"]
  )
  func journal(_ member: String) async throws {
    try await withStopped { tool, mini, run in
      let journal = try tool.text("\(run)/journal.jsonl")
      let id = run.components(separatedBy: "/").last ?? ""
      let (old, new) = member == "run" ? (id, "other") : ("databases/prod", "databases/test")
      try tool.write(journal.replacing(old, with: new), to: "\(run)/journal.jsonl")
      try await refuse(tool, mini, 65, "journal.jsonl")
      let undo = ["migrate", "undo", "last", "--confirm", "prod"]
      let isRun = member == "run"
      try await refuse(tool, mini, isRun ? 65 : 77, isRun ? "journal.jsonl" : "databases/test", undo)
    }
  }

  @Test("A run on a collection whose id would command a terminal is the last one, and is undone.")
  func strangeCollection() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: #"{"fields":{"n":{"integerValue":"1"}},"name":"c\u001bo/d"}"# + "\n")
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("fix", "c\u{1B}o", "--all-documents", "--set", "q=1").expect(0)
      let undone = try await tool.run("migrate", "undo", "last").expect(0)
      #expect(undone.errors.contains(#"c\u{1B}o: 1 read, 1 written"#), "\(undone.errors)")
    }
  }

  @Test("What a record shows cannot command a terminal.")
  func controls() async throws {
    try await withStopped { tool, mini, run in
      let record = try tool.text("\(run)/run.json")
      try tool.write(
        record.replacing("\"command\":\"import\"", with: "\"command\":\"import\\u001b[2J\""),
        to: "\(run)/run.json"
      )
      try await refuse(tool, mini, 65, #"names the command 'import\u{1B}[2J'"#)
      try tool.write(
        record.replacing("\"arguments\":[", with: "\"arguments\":[\"\\u001b[2J\u{9B}a'\\\\\\n\","),
        to: "\(run)/run.json"
      )
      let shown = try await tool.bare(["runs", "show", "last"]).expect(0)
      #expect(shown.output.contains(#"gymmigrate $'\x1b[2J\xc2\x9ba\'\\\x0a' import in.jsonl"#))
    }
  }
}
