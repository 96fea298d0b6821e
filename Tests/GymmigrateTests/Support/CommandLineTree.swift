import Foundation
import TestSupport

/// The commands of the program and their options, as its parser describes them.
struct CommandLineTree {
  /// An option that takes a value.
  struct Option {
    /// The words of its command.
    var command: [String]
    /// Its long name, without hyphens.
    var name: String
    /// The name of its value in the help.
    var valueName: String
  }

  /// An argument without a name.
  struct Argument {
    /// The name of its value in the help.
    var name: String
    var isOptional: Bool
  }

  /// A command that does something itself.
  struct Command {
    /// Its words.
    var words: [String]
    /// The long names of its options and flags.
    var names: [String]
    /// Its arguments, in their order.
    var arguments: [Argument] = []
  }

  var options: [Option] = []
  var commands: [Command] = []

  private struct Dump: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable {
        var kind: String
        var name: String
      }

      var kind: String
      var names: [Name]?
      var valueName: String?
      var isOptional: Bool?

      var longName: String? { names?.first { $0.kind == "long" }?.name }
    }

    struct Command: Decodable {
      var commandName: String
      var arguments: [Argument]?
      var subcommands: [Command]?
    }

    var command: Command
  }

  /// Asks the program.
  static func read(_ tool: Tool) async throws -> CommandLineTree {
    let result = try await tool.bare(["--experimental-dump-help"])
    var tree = CommandLineTree()
    tree.add(try JSONDecoder().decode(Dump.self, from: Data(result.standardOutput)).command, under: nil)
    return tree
  }

  private mutating func add(_ command: Dump.Command, under words: [String]?) {
    if command.commandName == "help" { return }
    let path = words.map { $0 + [command.commandName] } ?? []
    let below = (command.subcommands ?? []).filter { $0.commandName != "help" }
    for next in below { add(next, under: path) }
    guard below.isEmpty else { return }
    let arguments = command.arguments ?? []
    let positional = arguments.filter { $0.kind == "positional" }.map {
      Argument(name: $0.valueName ?? "", isOptional: $0.isOptional ?? false)
    }
    commands.append(Command(words: path, names: arguments.compactMap(\.longName), arguments: positional))
    for argument in arguments where argument.kind == "option" {
      guard let name = argument.longName else { continue }
      options.append(Option(command: path, name: name, valueName: argument.valueName ?? name))
    }
  }
}
