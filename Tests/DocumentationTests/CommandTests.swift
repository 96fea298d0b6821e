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
          let missing = command.missingLine(in: result.output + "\n" + result.errors)
          #expect(missing == nil, "\(place)\nwas to print this line:\n\(result.output)\(result.errors)")
        }
      }
    }
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
