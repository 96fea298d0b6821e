import ArgumentParser
import FirestoreModels

/// The commands and their options, as the parser itself describes them.
struct CommandTree {
  /// An option or a flag.
  struct Option {
    /// What precedes the default of an option at the end of its help.
    static let defaultMark = " (default: "

    /// Its long name, without hyphens.
    var name: String
    /// Its letters.
    var letters: [Character]
    /// Whether it takes a value.
    var takesValue: Bool
    /// What it is where it is not given.
    var defaultValue: String?
  }

  var name = ""
  var options: [Option] = []
  var subcommands: [CommandTree] = []
  var defaultSubcommand: String?

  /// The tree of the whole program.
  ///
  /// - Throws: `.internal` where the parser describes itself in another way than it did.
  static func whole(below root: any ParsableCommand.Type) throws(Failure) -> CommandTree {
    do throws(WireError) {
      return try JSONParser().parse(Array(root._dumpHelp().utf8)) { json throws(WireError) in
        guard let command = json["command"] else { throw WireError("it has no command") }
        return CommandTree(command)
      }
    } catch {
      throw Failure(.internal, "read the description of the commands", cause: error.description)
    }
  }

  private init(_ json: JSONCursor) {
    name = json["commandName"]?.string ?? ""
    defaultSubcommand = json["defaultSubcommand"]?.string
    if let arguments = json["arguments"] {
      for argument in arguments.elements {
        if let option = Option(argument) { options.append(option) }
      }
    }
    if let commands = json["subcommands"] {
      for command in commands.elements { subcommands.append(CommandTree(command)) }
    }
  }

  /// The command that arguments are for, and how many of them are its name.
  func command(of arguments: [String]) -> (command: CommandTree, words: Int) {
    var command = self
    var words = 0
    while let next = command.subcommands.first(where: {
      words < arguments.count && $0.name == arguments[words]
    }) {
      command = next
      words += 1
    }
    if let standard = command.subcommands.first(where: { $0.name == command.defaultSubcommand }) {
      command = standard
    }
    return (command, words)
  }

  /// The first option of a name, in this command or below.
  func option(named name: String) -> Option? {
    if let found = options.first(where: { $0.name == name }) { return found }
    for command in subcommands {
      if let found = command.option(named: name) { return found }
    }
    return nil
  }

  /// The options that arguments give to this command, by their long names; the value of a flag is `true`.
  func given(in arguments: ArraySlice<String>) -> [String: String] {
    var given: [String: String] = [:]
    var rest = arguments
    while let argument = rest.popFirst(), argument != "--" {
      if argument.hasPrefix("--") {
        let parts = argument.dropFirst(2).split(
          separator: "=",
          maxSplits: 1,
          omittingEmptySubsequences: false
        )
        let name = String(parts[0])
        let takesNext = parts.count == 1 && options.first { $0.name == name }?.takesValue ?? false
        given[name] = parts.count > 1 ? String(parts[1]) : takesNext ? rest.popFirst() : "true"
      } else if argument.hasPrefix("-") {
        take(argument.dropFirst(), &rest, into: &given)
      }
    }
    return given
  }

  /// Takes short options, which are combined up to the first that takes a value.
  private func take(
    _ letters: Substring,
    _ rest: inout ArraySlice<String>,
    into given: inout [String: String]
  ) {
    for index in letters.indices {
      guard let option = options.first(where: { $0.letters.contains(letters[index]) }) else { return }
      guard option.takesValue else {
        given[option.name] = "true"
        continue
      }
      let value = letters[letters.index(after: index)...]
      given[option.name] = value.isEmpty ? rest.popFirst() : String(value)
      return
    }
  }
}

extension CommandTree.Option {
  fileprivate init?(_ json: JSONCursor) {
    let kind = json["kind"]?.string
    guard kind == "option" || kind == "flag", let names = json["names"] else { return nil }
    var long: String?
    letters = []
    for name in names.elements {
      guard let text = name["name"]?.string else { continue }
      switch name["kind"]?.string {
      case "long": long = long ?? text
      case "short": letters += Array(text)
      default: break
      }
    }
    guard let long else { return nil }
    name = long
    takesValue = kind == "option"
    defaultValue = json["defaultValue"]?.string ?? Self.defaultValue(in: json["abstract"]?.string ?? "")
  }

  /// The default at the end of a help, of an option that is read as a type of our own.
  private static func defaultValue(in help: String) -> String? {
    guard help.hasSuffix(")."), let mark = help.firstRange(of: defaultMark) else { return nil }
    return String(help[mark.upperBound...].dropLast(2))
  }
}
