import Foundation
import TestSupport
import Testing

/// What commands say at their end: numbers of what was done, and commands that work as they stand.
@Suite("What is said at the end", .timeLimit(.minutes(30)))
struct SaidNumbersTests {
  private func withThings(_ count: Int = 3, _ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      for environment in ["test", "stage", "prod"] {
        try await tool.load((1...count).map { documentLine("things/t\($0)", $0) }, into: environment)
      }
      try await body(tool)
    }
  }

  private static func set(_ field: String) -> String {
    "id: set-\(field)\nsummary: Sets \(field).\ncollection: things\nsteps:\n  - set: {\(field): 1}\n"
  }

  @Test("A plan that is spent changes nothing, says so, and offers no undo.")
  func spentPlan() async throws {
    try await withThings { tool in
      try tool.write(Self.set("a"), to: "a.yaml")
      try await tool.bare(["migrate", "plan", "a.yaml", "-o", "p.jsonl", "-e", "test"]).expect(0)
      let apply = ["migrate", "apply", "--plan", "p.jsonl", "-e", "test"]
      let first = try await tool.bare(apply).expect(0)
      #expect(first.output.hasSuffix(": 3 documents changed\n  set a: 3\n"), "\(first.output)")
      #expect(first.lastLine.hasPrefix("To undo: "))
      try await tool.bare(["migrate", "undo", "last"]).expect(0)
      let spent = try await tool.bare(apply).expect(2)
      #expect(
        spent.output.hasSuffix(": 0 documents changed\n  left alone, conflict: 3\n"),
        "\(spent.output)"
      )
      #expect(!spent.errors.contains("To undo") && spent.errors.contains("plan again"), "\(spent.errors)")
      let run = try tool.lastRun()
      let rejects = try tool.text(".gymmigrate/runs/\(run)/rejects.jsonl")
      #expect(rejects.contains("the document was changed since") && !rejects.contains("went on"))
      // A conflict is no document to import, and the message says what to do.
      try tool.write(rejects, to: "rejects.jsonl")
      try await tool.bare(["import", "rejects.jsonl", "-e", "test"])
        .expectFailure(65, "line 1", "as that of a conflict", "take it out")
      // Nothing of it can be undone, and the undo says so.
      let undo = try await tool.bare(["migrate", "undo", run])
      #expect(undo.errors.contains(", 0 documents.") && undo.output.hasSuffix(": nothing to change\n"))
    }
  }

  @Test("An import that finds everything done offers no undo.")
  func idleImport() async throws {
    try await withTool { tool in
      try tool.write(documentLine("things/t", 1), to: "things.jsonl")
      let first = try await tool.run("import", "things.jsonl")
      #expect(first.lastLine.hasPrefix("To undo: "))
      let second = try await tool.run("import", "things.jsonl").expect(0)
      #expect(second.errors.contains("1 unchanged") && !second.errors.contains("To undo"))
    }
  }

  @Test("What somebody reads no more ends with 73, and the run is done: nobody waits for it.")
  func unread() async throws {
    try await withThings { tool in
      try tool.write(Self.set("a"), to: "a.yaml")
      for command in [
        "migrate apply a.yaml -e test", "migrate undo last", "fix things --all-documents --set b=1 -e test",
      ] {
        let line = "\"$TOOL\" \(command) >&- 2>errors; echo $? >code"
        let shell = try BinaryRunner(executable: "/bin/sh")
        try await shell.run(
          ["-c", line],
          environment: ["TOOL": tool.runner.executable],
          directory: tool.folder
        ).expect(0)
        let errors = try tool.text("errors")
        #expect(try tool.text("code") == "73\n", "\(errors)")
        let shown = try await tool.bare(["runs", "show", "last"])
        #expect(shown.output.contains("\nstatus       done, "), "\(command): \(shown.output)")
        // The next begins.
        try await tool.bare(["fix", "things", "--all-documents", "--set", "c=1", "-e", "test"]).expect(0)
      }
    }
  }

  @Test("'up -n' offers 'up' where its gate is open and no run is half way, and else nothing; never 'apply'.")
  func up() async throws {
    try await withThings { tool in
      try tool.write(Self.set("a"), to: "migrations/1-a.yaml")
      let gate = "\npromote: { stage: { after: test } }\n"
      try tool.write(try tool.text("gymmigrate.yaml") + gate, to: "gymmigrate.yaml")
      let closed = try await tool.bare(["migrate", "up", "-e", "stage", "-n"]).expect(77)
      #expect(!closed.errors.contains("To apply"), "\(closed.errors)")
      let open = try await tool.bare(["migrate", "up", "-n", "-e", "prod"]).expect(0)
      #expect(open.lastLine == "To apply this: gymmigrate migrate up -e prod --confirm prod")
      #expect(open.errors.contains("'up' plans this again, applies and verifies it"), "\(open.errors)")
      let words = open.lastLine.split(separator: " ").dropFirst(4).map(String.init)
      let applied = try await tool.bare(words).expect(0)
      #expect(!applied.errors.contains("To apply"))
    }
  }

  @Test("'migrate new' says what the folder that it makes takes the place of, once.")
  func newFolder() async throws {
    try await withThings { tool in
      let new = try await tool.bare(["migrate", "new", "add-x"]).expect(0)
      #expect(new.errors.contains("01-users-unify, 02-user-emails, 03-is-active"), "\(new.errors)")
      #expect(try await tool.bare(["migrate", "new", "add-y"]).errors.isEmpty)
    }
  }

  @Test("The table of migrations has the run that wrote, and says whose numbers they are.")
  func table() async throws {
    try await withThings { tool in
      for name in ["a", "b"] { try tool.write(Self.set(name), to: "migrations/\(name).yaml") }
      let apply = ["migrate", "apply", "migrations/a.yaml", "migrations/b.yaml", "-e", "test"]
      try await tool.bare(apply).expect(0)
      // A later one finds nothing to do.
      try await tool.bare(apply).expect(0)
      let table = try await tool.bare(["migrate", "status", "--environments", "test"])
      let lines = table.output.split(separator: "\n").dropFirst()
      #expect(lines.count == 2)
      for line in lines { #expect(line.contains("6 written by 2 migrations together"), "\(line)") }
      try await tool.bare(["migrate", "up", "-e", "stage"]).expect(0)
      let alone = try await tool.bare(["migrate", "status", "--environments", "stage"])
      #expect(alone.output.components(separatedBy: ", 3 written").count == 3, "\(alone.output)")
      #expect(!alone.output.contains("together"))
    }
  }

  @Test("'last' is of the environment that is named, and where there is none it says so.")
  func last() async throws {
    try await withThings { tool in
      for run in tool.runs() { try FileManager.default.removeItem(atPath: tool.path(run)) }
      let fix = ["fix", "things", "--all-documents", "--set", "a=1"]
      try await tool.bare(fix + ["-e", "stage"]).expect(0)
      let run = try tool.lastRun()
      try await tool.bare(fix + ["-e", "test"]).expect(0)
      try await tool.bare(["migrate", "verify", "--run", "last", "-e", "stage"]).expect(0)
      let undone = try await tool.bare(["migrate", "undo", "last", "-e", "stage"]).expect(0)
      #expect(undone.errors.hasPrefix("Run \(run): "), "\(undone.errors)")
      try await tool.bare(["migrate", "undo", "last"]).expect(0)
      for command in [["migrate", "undo", "last"], ["migrate", "undo", "last", "-e", "stage"]] {
        let nothing = try await tool.bare(command)
        nothing.expectFailure(64, "cannot undo last", "is left to undo")
        #expect(!nothing.errors.contains(run), "\(nothing.errors)")
      }
      try await tool.bare(["export", "things", "-o", "t.jsonl", "-e", "test"]).expect(0)
      try await tool.bare(["runs", "resume", "last"])
        .expectFailure(64, "cannot resume last", "stopped before it was done")
    }
    try await withTool { tool in
      try await tool.run("migrate", "undo", "last").expectFailure(64, "has written to the database")
      try await tool.load([documentLine("things/t", 1)], into: "local")
      for run in tool.runs() { try FileManager.default.removeItem(atPath: tool.path(run)) }
      try await tool.run("count", "things").expect(0)
      try await tool.run("export", "things", "-o", "t.jsonl").expect(0)
      try await tool.run("migrate", "undo", "last").expectFailure(64, "has written to the database")
    }
  }

  @Test("A restore from files pays for the database alone, and says what a folder lacks.")
  func restore() async throws {
    try await withThings { tool in
      try await tool.bare(["export", "things", "-o", "back/", "--format", "jsonl", "-e", "test"]).expect(0)
      let delete = ["delete", "things", "--id", "t1", "--hard", "--max-delete", "1"]
      try await tool.bare(delete + ["-e", "test"]).expect(0)
      let restore = ["restore", "things", "-e", "test", "-n", "--from"]
      let plan = try await tool.bare(restore + ["back", "--scope", "partial"]).expect(0)
      #expect(plan.output.contains("\nTo apply it: 2 reads, 1 write, 0 deletes: "), "\(plan.output)")
      try FileManager.default.removeItem(atPath: tool.path("back/manifest.json"))
      try await tool.bare(restore + ["back"]).expectFailure(77, "it has no manifest.json")
      try FileManager.default.createDirectory(
        atPath: tool.path("empty"),
        withIntermediateDirectories: false
      )
      for scope in [[], ["--scope", "partial"]] {
        try await tool.bare(restore + ["empty"] + scope).expectFailure(66, "cannot read empty")
      }
    }
  }

  @Test("doctor counts the collections that are somebody's.")
  func doctor() async throws {
    try await withThings { tool in
      let result = try await tool.bare(["doctor", "-e", "test"])
      #expect(result.output.contains("at the root: 1 collection."), "\(result.output)")
      #expect(result.output.contains("at least 3 reads: less than 0.01 USD for these"), "\(result.output)")
    }
  }

  @Test(
    "What a run that stopped half way offers works as it stands.",
    arguments: ["resume", "undo", "unlock"]
  )
  func halfWay(_ way: String) async throws {
    let (mini, isOpen) = (MiniFirestore.environment("prod"), Later<Bool>())
    for number in 1...4 { try mini.put("things/t\(number)", fields: "{}") }
    let handler: RequestHandler = { request in
      let isThing = request.kind == .commit && request.text.contains("/documents/things/t3")
      if isThing, !isOpen.isSet {
        return .response(ServiceError.permissionDenied.response(for: .commit))
      }
      return mini.handler(request)
    }
    try await withTwoServers(handler, MiniFirestore().handler) { tool in
      let fix = ["fix", "things", "--all-documents", "-e", "prod", "--confirm", "prod", "--set"]
      try await tool.bare(fix + ["a=1", "--batch-size", "1", "--in-flight", "1"]).expect(77)
      let run = try tool.lastRun()
      let next = try await tool.bare(fix + ["b=1"])
      next.expectFailure(75, "stopped before it was done")
      isOpen.set(false)
      let status = try await tool.bare(["migrate", "status", "-e", "prod"])
      let shown = try await tool.bare(["runs", "show", run])
      #expect(shown.output.contains("gymmigrate runs resume \(run) --confirm prod"), "\(shown.output)")
      for text in [next.errors, status.output] {
        #expect(text.contains("(gymmigrate runs resume \(run) --confirm prod)"), "\(text)")
      }
      let command = try #require(
        next.errors.split(whereSeparator: { "()".contains($0) }).first {
          $0.hasPrefix("gymmigrate ") && $0.contains(" \(way) ")
        }
      )
      try await tool.bare(command.split(separator: " ").dropFirst().map(String.init)).expect(0)
      try await tool.bare(fix + ["b=1"]).expect(0)
    }
  }

  @Test("The page of several migrations has each document once, and of a code what it says of each field.")
  func page() async throws {
    try await withMini(.withSamples(["users", "user_emails", "groups"])) { tool, _ in
      try await tool.run("migrate", "plan", "users-unify", "is-active", "--html", "p.html", "-q").expect(0)
      let page = try tool.text("p.html")
      func count(_ heading: String) throws -> Int? {
        let row = try #require(page.range(of: "<tr><th scope=\"row\"><bdi>users</bdi>"))
        let cell = "data-label=\"\(heading)\">"
        guard let place = page[row.upperBound...].range(of: cell) else { return nil }
        return Int(page[place.upperBound...].prefix { $0 != "<" })
      }
      #expect(try count("Documents") == 400)
      let changed = try #require(try count("Update"))
      #expect(try count("Unchanged") == 400 - changed)
      #expect(try count("Skipped") == nil)
      let section = try #require(page.range(of: "<h2><bdi>is-active</bdi></h2>"))
      let codes = String(page[section.upperBound...]).components(separatedBy: "</section>")[0]
      #expect(codes.contains("activo is ") && codes.contains("isActive is "), "\(codes)")
      #expect(!codes.contains("telefono"))
    }
  }
}
