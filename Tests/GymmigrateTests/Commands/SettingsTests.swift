import Foundation
import TestSupport
import Testing

@Suite("Settings by variables", .timeLimit(.minutes(60)))
struct SettingsTests {
  /// Name to value and origin, as `env show --origin` prints them.
  private func origins(_ result: RunResult) -> [String: [String]] {
    var found: [String: [String]] = [:]
    for line in result.output.split(separator: "\n") {
      let parts = line.split(separator: "\t").map(String.init)
      if parts.count == 3 { found[parts[0]] = [parts[1], parts[2]] }
    }
    return found
  }

  @Test("An option comes before its variable, that before the file, that before what is built in.")
  func precedence() async throws {
    try await withTool { tool in
      var tool = tool
      try tool.write(
        "project: p1\nenvironments:\n  one: { database: d1, endpoint: 'http://127.0.0.1:1' }\n",
        to: "gymmigrate.yaml"
      )
      tool.environment = [
        "GYMMIGRATE_ENV": "one", "GYMMIGRATE_DATABASE": "d2", "GYMMIGRATE_PAGE_SIZE": "50",
        "GYMMIGRATE_RETRY_FOR": "7", "GYMMIGRATE_NO_PROGRESS": "yes", "GYMMIGRATE_STATE_DIR": "",
      ]
      let shown = try await tool.bare(["env", "show", "--origin", "--retry-for", "9"]).expect(0)
      let found = origins(shown)
      #expect(found["env"] == ["one", "variable GYMMIGRATE_ENV"])
      #expect(found["project"] == ["p1", "file gymmigrate.yaml"])
      #expect(found["database"] == ["d2", "variable GYMMIGRATE_DATABASE"])
      #expect(found["endpoint"] == ["http://127.0.0.1:1", "file gymmigrate.yaml"])
      #expect(found["retry-for"] == ["9", "option --retry-for"])
      #expect(
        found["page-size"]?.last == "built in"
          || found["page-size"] == ["50", "variable GYMMIGRATE_PAGE_SIZE"]
      )
      #expect(found["state-dir"] == [".gymmigrate", "built in"])
      let options = try await tool.bare(["env", "show", "--origin", "-e", "local", "--database=d3"])
      #expect(origins(options)["env"] == ["local", "option --env"])
      #expect(origins(options)["database"] == ["d3", "option --database"])
      let json = try await tool.bare(["env", "show", "--origin", "--json"])
      #expect(
        json.output.contains(#""name":"database","origin":"variable GYMMIGRATE_DATABASE","value":"d2""#)
      )
    }
  }

  @Test("A mirror or an export that is typed is read, whatever database the variables name.")
  func replaced() async throws {
    try await withTool { tool in
      var tool = tool
      try tool.write("{\"name\":\"a/1\",\"fields\":{}}\n", to: "a.jsonl")
      try await tool.bare(["import", "a.jsonl", "-e", "local"]).expect(0)
      try await tool.bare(["mirror", "pull", "-e", "local", "-o", "m.sqlite"]).expect(0)
      tool.environment = [
        "GYMMIGRATE_ENV": "prod", "GYMMIGRATE_PROJECT": "p", "GYMMIGRATE_DATABASE": "d",
        "GYMMIGRATE_ENDPOINT": "http://127.0.0.1:1",
      ]
      for place in [
        ["--mirror", "m.sqlite"], ["--mirror=m.sqlite"], ["--from", "a.jsonl"], ["--from=a.jsonl"],
      ] {
        let found = try await tool.bare(["count", "a", "-q"] + place).expect(0)
        #expect(found.output == "a\t1\n")
      }
      // A command with two sides names both.
      tool.environment = ["GYMMIGRATE_ENV": "prod"]
      try await tool.bare(["diff", "a", "--from", "a.jsonl", "--to", "local"]).expect(0)
      let refused = try await tool.bare(["diff", "a", "--from", "a.jsonl", "--to", "local", "-e", "prod"])
      refused.expectFailure(64, "not with -e")
      // So does one whose argument is an environment.
      try tool.write("{\"name\":\"a/2\",\"fields\":{}}\n", to: "seed/a.jsonl")
      try await tool.bare(["env", "seed", "local", "--from", "seed/"]).expect(0)
      try await tool.bare(["env", "reset", "local", "--max-delete", "10", "-n"]).expect(0)
      try await tool.bare(["env", "reset", "local", "-n", "-e", "local"]).expectFailure(64, "not with -e")
      try tool.write(
        "id: b\nsummary: Sets b.\ncollection: a\nsteps:\n  - set: {b: 1}\n",
        to: "migrations/20260101-0000-b.yaml"
      )
      let status = ["migrate", "status", "--environments", "local"]
      #expect(try await tool.bare(status).expect(0).output.contains("20260101-0000-b"))
      try await tool.bare(status + ["-e", "local"]).expectFailure(64, "not both")
    }
  }

  @Test("A duration has its unit, as an option and as a variable.", arguments: ["1h", "90s", "500ms", "12"])
  func durations(_ text: String) async throws {
    try await withTool { tool in
      let option = try await tool.bare(["env", "show", "--origin", "-e", "local", "--retry-for", text])
      option.expect(0)
      #expect(origins(option)["retry-for"] == [text, "option --retry-for"])
      var tool = tool
      #expect(
        origins(try await tool.bare(["env", "show", "--origin", "-e", "local"]))["retry-for"] == [
          "5m", "built in",
        ]
      )
      tool.environment = ["GYMMIGRATE_RETRY_FOR": text]
      let variable = try await tool.bare(["env", "show", "--origin", "-e", "local"]).expect(0)
      #expect(origins(variable)["retry-for"] == [text, "variable GYMMIGRATE_RETRY_FOR"])
    }
  }

  @Test("Variables reach the commands that know the option, as flags too, and no others.")
  func reach() async throws {
    let mini = try MiniFirestore.withSamples(["exercises"])
    try await withTool(against: mini.handler) { tool, server in
      var tool = tool
      tool.environment = [
        "GYMMIGRATE_PROJECT": "test-project", "GYMMIGRATE_DATABASE": "(default)",
        "GYMMIGRATE_ENDPOINT": server.url, "GYMMIGRATE_PAGE_SIZE": "7", "GYMMIGRATE_GZIP": "true",
        "GYMMIGRATE_LOG_FORMAT": "json", "GYMMIGRATE_STATE_DIR": "elsewhere",
      ]
      let result = try await tool.bare(["export", "exercises", "-o", "out/", "--format", "jsonl"]).expect(0)
      #expect(tool.names(in: "out") == ["exercises.jsonl.gz", "manifest.json"])
      #expect(result.errorLines.allSatisfy { $0.hasPrefix("{") })
      #expect(server.requests(.list).contains { $0.target.contains("pageSize=7") })
      #expect(tool.exists("elsewhere/runs"))
      // An option of the same name wins, and a command without the option does not mind.
      try await tool.bare(["export", "exercises", "-o", "b.jsonl.gz", "--page-size", "11"]).expect(0)
      #expect(server.requests(.list).contains { $0.target.contains("pageSize=11") })
      try await tool.bare(["count", "exercises"]).expect(0)
      try await tool.bare(["migrate", "list"]).expect(0)
      try await tool.bare(["--help"]).expect(0)
      try await tool.bare(["export", "--help"]).expect(0)
    }
  }

  @Test("What is wrong in a variable is told with its name.")
  func wrong() async throws {
    try await withTool { tool in
      for (variable, value, code) in [
        ("PAGE_SIZE", "301", 64), ("PAGE_SIZE", "many", 64), ("LOG_FORMAT", "xml", 64),
        ("NO_PROGRESS", "maybe", 64),
        ("RETRY_FOR", "-1", 64), ("ENV", "nowhere", 78), ("ENDPOINT", "nonsense", 64),
        ("CONFIG", "none.yaml", 78),
        ("CREDENTIALS", "none.json", 78),
      ] as [(String, String, Int32)] {
        var tool = tool
        tool.environment = ["GYMMIGRATE_\(variable)": value]
        let place = variable == "ENV" ? [] : variable == "CREDENTIALS" ? ["-e", "test"] : ["-e", "local"]
        let result = try await tool.bare(["export", "users", "-o", "u.csv"] + place).expect(code)
        #expect(result.errors.contains("GYMMIGRATE_\(variable)"), "\(result.errors)")
        #expect(result.errorLines.count { $0.lowercased().contains("error:") } <= 1, "\(result.errors)")
      }
      // A variable that an option makes void is not looked at.
      var tool = tool
      tool.environment = ["GYMMIGRATE_PAGE_SIZE": "301", "GYMMIGRATE_ENV": "nowhere"]
      try await tool.bare(["export", "users", "-o", "u.csv", "-e", "local", "--page-size=3"]).expect(0)
    }
  }

  @Test("What stands before a write is never answered by a variable.")
  func guards() async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, server in
      var tool = tool
      try tool.write(
        "environments:\n  prod: { project: test-project, protected: true, endpoint: '\(server.url)' }\n",
        to: "gymmigrate.yaml"
      )
      tool.environment = [
        "GYMMIGRATE_ENV": "prod", "GYMMIGRATE_CONFIRM": "prod", "GYMMIGRATE_YES": "1",
        "GYMMIGRATE_DRY_RUN": "1",
      ]
      try await tool.bare(["import", Samples.file("exercises")]).expectFailure(77, "prod")
      #expect(mini.totalWrites == 0)
      try await tool.bare(["import", Samples.file("exercises"), "--confirm", "prod"]).expect(0)
      #expect(mini.totalWrites == 20)
    }
  }

  @Test("A run is resumed with the settings that it began with, whatever the variables say by then.")
  func resumed() async throws {
    let mini = MiniFirestore()
    let running = Later<RunningBinary>()
    let faults = mini.faults(
      FaultRule([.commit], .number(2), .end(running)),
      maximumConsecutive: .max
    )
    try await withTool(against: faults.handler) { tool, server in
      var tool = tool
      tool.environment = ["GYMMIGRATE_BATCH_SIZE": "7", "GYMMIGRATE_IN_FLIGHT": "1"]
      let command = ["import", Samples.file("exercises")] + tool.place
      #expect(try await tool.bare(command, as: running).signal == SIGKILL)
      faults.setOn(false)
      tool.environment = ["GYMMIGRATE_BATCH_SIZE": "2", "GYMMIGRATE_ENV": "prod"]
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(mini.snapshot().count == 20)
      // Those of the tool's own records aside.
      let commits = server.requests(.commit).map { String(decoding: $0.body, as: UTF8.self) }
        .filter { !$0.contains("/_gymmigrate") }
      let sizes = commits.map { $0.components(separatedBy: "\"currentDocument\"").count - 1 }
      #expect(sizes.max() == 7, "\(sizes)")
      #expect(sizes.reduce(0, +) >= 20)
      #expect(sizes.count <= 6, "\(sizes)")
    }
  }

  @Test("env init writes a configuration for any project, which has no schema.")
  func initialisedPlain() async throws {
    try await withTool { tool in
      try await tool.bare(["env", "init"]).expect(0)
      let listed = try await tool.bare(["env", "list"]).expect(0)
      #expect(listed.output.contains("stage\tmy-project-stage\t"))
      #expect(!listed.output.contains("sajarubox"))
      try await tool.bare(["schema", "show"]).expectFailure(64, "there is none")
    }
  }

  @Test(
    "A schema comes with the built-in environments and by its name, to no other configuration and no named project."
  )
  func schemas() async throws {
    try await withTool { tool in
      func schema(_ words: [String]) async throws -> String? {
        let shown = try await tool.bare(["env", "show", "--origin"] + words).expect(0)
        return shown.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
          .first { $0[0] == "schema" }?[1]
      }
      #expect(try await schema(["-e", "stage"]) == "gym")
      #expect(try await schema(["-e", "local"]) == "gym")
      #expect(try await schema(["-e", "stage", "--project", "clinic"]) == "none")
      #expect(try await schema(["--project", "clinic"]) == "none")
      #expect(try await schema(["--project", "clinic", "--schema", "gym"]) == "gym")
      var variable = tool
      variable.environment = ["GOOGLE_CLOUD_PROJECT": "clinic"]
      let shown = try await variable.bare(["env", "show", "--origin"])
      #expect(shown.output.contains("schema\tnone\t"))
      try tool.write("environments: { a: { project: clinic } }\n", to: "gymmigrate.yaml")
      #expect(try await schema(["-e", "a"]) == "none")
      try tool.write("schema: gym\nenvironments: { a: { project: clinic } }\n", to: "gymmigrate.yaml")
      #expect(try await schema(["-e", "a"]) == "gym")
      #expect(try await schema(["-e", "a", "--project", "another"]) == "none")
    }
  }

  @Test("Data of somebody else get nothing of the gym: no report, no migrations, no views.")
  func nothingOfTheGym() async throws {
    try await withTool { tool in
      try tool.write("environments: { a: { project: clinic } }\n", to: "gymmigrate.yaml")
      try tool.write(#"{"fields":{"n":{"stringValue":" x"}},"name":"users/u1"}"# + "\n", to: "in.jsonl")
      try await tool.bare(["import", "in.jsonl", "-e", "local", "-q"]).expect(0)
      try await tool.bare(["export", "--all", "-e", "local", "-o", "a.xlsx", "--summary"])
        .expectFailure(64, "it is about the gym's collections")
      try await tool.bare(["migrate", "plan", "--all", "-e", "local"]).expectFailure(64, "none come along")
      try await tool.bare(["mirror", "pull", "-e", "local", "-o", "m.sqlite", "-q"]).expect(0)
      let file = try Data(contentsOf: tool.folder.appendingPathComponent("m.sqlite"))
      #expect(file.range(of: Data("CREATE TABLE".utf8)) != nil)
      #expect(file.range(of: Data("CREATE VIEW".utf8)) == nil)
    }
  }

  @Test("env init --gym writes the sample, which parses, and writes over nothing.")
  func initialised() async throws {
    try await withTool { tool in
      try await tool.bare(["env", "init", "--gym", "--plain"]).expect(64)
      try await tool.bare(["env", "init", "--gym"]).expect(0)
      let sample = Samples.repository.appendingPathComponent("samples/gymmigrate.yaml")
      #expect(try tool.text("gymmigrate.yaml") == String(contentsOf: sample, encoding: .utf8))
      let listed = try await tool.bare(["env", "list"]).expect(0)
      #expect(listed.output.contains("prod\tsajarubox\tprod\thttps://firestore.googleapis.com\tprotected\n"))
      try tool.write("mine", to: "gymmigrate.yaml")
      try await tool.bare(["env", "init"]).expectFailure(73, "gymmigrate.yaml", "it exists")
      #expect(try tool.text("gymmigrate.yaml") == "mine")
      try FileManager.default.createSymbolicLink(
        atPath: tool.path("link.yaml"),
        withDestinationPath: tool.path("nowhere.yaml")
      )
      try await tool.bare(["env", "init", "link.yaml"]).expect(73)
      #expect(!tool.exists("nowhere.yaml"))
    }
  }
}
