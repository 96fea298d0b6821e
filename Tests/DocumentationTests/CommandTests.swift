import Foundation
import TestSupport
import Testing

/// What the pages show is what the program does.
@Suite struct CommandTests {
  @Test("Every command of a page ends as the page says", arguments: Page.teaching)
  func commands(of path: String) async throws {
    let steps = try Page(path).steps()
    let commands = steps.compactMap { step in if case .command(let command) = step { command } else { nil } }
    if commands.isEmpty, Page.library.contains(path) { return }
    #expect(commands.contains { $0.isOurs }, "\(path) shows no command that is run")
    let named = Set(commands.flatMap(\.environments)).intersection(["test", "stage", "prod", "legacy"])
    let isManaged = commands.contains { $0.text.contains("gymmigrate managed ") }
    try await DocumentationSandbox.open(environments: named, isManaged: isManaged) { room in
      for step in steps {
        switch step {
        case .file(let name, let text): try room.write(name, text)
        case .command(let command):
          let result = try await room.run(command)
          let place = "\(path), line \(command.number): \(command.text)"
          #expect(result.exitCode == command.exitCode, "\(place)\n\(result.output)\(result.errors)")
          let faults = command.isOurs ? Wording.faults(in: result.errors) : []
          #expect(faults.isEmpty, "\(place)\n\(faults.joined(separator: "\n"))")
          let missing = command.missingLine(in: result.output + "\n" + result.errors)
          #expect(missing == nil, "\(place)\nwas to print this line:\n\(result.output)\(result.errors)")
        }
      }
    }
  }

  @Test("What goes wrong is said in one style, in one line, with nothing missing in it.")
  func wordingOfFailures() async throws {
    let lines = [
      "check -e nowhere", "check -e local --schema none", "find ana -e local --schema none",
      "report month -e local --schema none", "groups list -e local --schema none", "count users -e \"\"",
      "get users/u1 -e local", "count", "export users -o users.xls -e local", "export users -e local",
      "migrate list -x",
      "export users -o u.csv --where \"a > 5 and\" -e local", "import nothing.csv -e local", "undo last",
      "schema chek",
      "migrate undo last", "runs resume last", "delete users/u1 -e local", "migrate plan nothing -e local",
      "schema infer -e local", "init", "help nothing", "migrate apply --plan nothing.jsonl -e local",
      "env show -e nowhere", "mirror status nothing.sqlite", "shard status nowhere",
      "diff --all --from a --to b",
      "fix users --all-documents -e local", "history users -e local", "classes week --of monday -e local",
    ]
    try await DocumentationSandbox.open(environments: [], isManaged: false) { room in
      for line in lines {
        let block = Page.Block(info: ["sh"], number: 1, lines: ["gymmigrate \(line)"])
        let command = try #require(try DocumentedCommand.all(in: block).first)
        let result = try await room.run(command)
        let errors = result.errors.split(separator: "\n").filter { $0.hasPrefix("error: ") }
        #expect(result.exitCode != 0 && errors.count == 1, "\(line)\n\(result.errors)")
        #expect(Wording.faults(in: result.errors).isEmpty, "\(line)\n\(result.errors)")
      }
    }
  }

  @Test(
    "A message with such a fault is found.",
    arguments: [
      "1 documents were read.", "users: 1 fields", "40000 documents, 3 requests",
      "error: cannot check none: there is no schema.",
      "error: cannot use the environment : it is not one of a, b", "Error: no such file.",
      "error: Name a collection.",
      "error: name a collection", "Incomplete in 0.0 s", "run Optional(\"x\")", "Usage: gymmigrate export",
    ]
  )
  func faultsOfWording(_ line: String) {
    #expect(!Wording.faults(in: line).isEmpty)
  }

  @Test(arguments: [
    "Done in 0.0 s, 1 documents/s, 1 request, 0 retries.", "users: 1 read, 1 written",
    "40,000 documents, 1 retry",
    "error: cannot find users/u1: there is none", "error: cannot check: there is no schema. Name one.",
    "error: 'p.xls' does not name a format. See 'gymmigrate export --help'.", "2026-01-31T10:21 documents",
  ])
  func goodWording(_ line: String) {
    #expect(Wording.faults(in: line) == [])
  }

  @Test func blocksAreReadAsTheyAreMeant() throws {
    let block = Page.Block(
      info: ["sh"],
      number: 10,
      lines: ["$ gymmigrate count users \\", "    -e test  # exit 2", "users\t…", "", "$ cat a | wc -l"]
    )
    let commands = try DocumentedCommand.all(in: block)
    #expect(commands.map(\.text) == ["gymmigrate count users -e test", "cat a | wc -l"])
    #expect(commands.map(\.exitCode) == [2, 0])
    #expect(commands.map(\.number) == [10, 14])
    #expect(commands[0].environments == ["test"])
    #expect(commands[0].missingLine(in: "x\nusers\t400\n") == nil)
    #expect(commands[0].missingLine(in: "user\t400\n") == "users\t…")
    #expect(commands.map(\.isOurs) == [true, false])
  }

  @Test(arguments: ["rm -rf /", "gymmigrate count users | sh", "curl https://example.com", "gymmigrated x"])
  func unknownFormsAreRefused(_ line: String) {
    #expect(throws: DocumentedCommand.Unknown.self) {
      try DocumentedCommand.all(in: Page.Block(info: ["sh"], number: 1, lines: [line]))
    }
  }
}
