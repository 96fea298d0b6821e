import Foundation
import TestSupport
import Testing

/// The command line reference and the program's help.
@Suite struct ReferenceTests {
  @Test func referenceIsWhatTheProgramSays() async throws {
    let binary = try BinaryRunner()
    let script = Page.root.appendingPathComponent("scripts/generate-cli-reference.sh").path
    let result = try await BinaryRunner(executable: "/bin/bash").run(
      [script, "-"],
      environment: ["GYMMIGRATE_BINARY": binary.executable],
      directory: Page.root
    )
    #expect(result.exitCode == 0, "\(result.errors)")
    let page = try String(contentsOf: Page.root.appendingPathComponent(Page.reference), encoding: .utf8)
    let difference = zip(
      page.components(separatedBy: "\n") + [""],
      result.output.components(separatedBy: "\n") + [""]
    ).first { $0 != $1 }
    #expect(
      result.output == page,
      "\(Page.reference) is stale: run `make docs`. It says '\(difference?.0 ?? "")', the program '\(difference?.1 ?? "")'."
    )
  }

  /// A command as the parser describes it.
  struct Command: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable {
        var name: String
      }

      var abstract: String?
      var names: [Name]?
      var valueName: String?
    }

    var commandName: String
    var abstract: String?
    var arguments: [Argument]?
    var subcommands: [Command]?

    /// This one and all below it, with the words that lead there.
    func all(under words: [String] = []) -> [(words: [String], command: Command)] {
      let path = words + [commandName]
      let below = (subcommands ?? []).filter { $0.commandName != "help" }
      return [(path, self)] + below.flatMap { $0.all(under: path) }
    }
  }

  private struct Dump: Decodable {
    var command: Command
  }

  private func commands() async throws -> [(words: [String], command: Command)] {
    let result = try await BinaryRunner().run(["--experimental-dump-help"])
    return try JSONDecoder().decode(Dump.self, from: Data(result.standardOutput)).command.all()
  }

  @Test func everyHelpTextIsASentence() async throws {
    for (words, command) in try await commands() {
      let name = words.joined(separator: " ")
      #expect(command.abstract?.hasSuffix(".") == true, "\(name) has no help text that ends in a period")
      for argument in command.arguments ?? [] {
        let what = argument.names?.last?.name ?? argument.valueName ?? "?"
        #expect(
          argument.abstract?.hasSuffix(".") == true,
          "\(name), \(what): its help does not end in a period"
        )
      }
    }
  }

  @Test func everyCommandIsDocumented() async throws {
    let pages = try Page.teaching.filter { $0.hasPrefix("docs/") }.map {
      try Page($0).lines.joined(separator: "\n")
    }
    for (words, command) in try await commands() where command.subcommands?.isEmpty ?? true {
      let name = words.joined(separator: " ")
      #expect(pages.contains { $0.contains(name) }, "'\(name)' stands on no page of docs/")
    }
  }
}
