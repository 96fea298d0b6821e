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

  var name: String
  var options: [Option] = []
  var subcommands: [CommandTree] = []
  var defaultSubcommand: String?

  /// The tree of the whole program.
  ///
  /// - Throws: `.internal` where the parser describes itself in another way than it did.
  static func whole() throws(Failure) -> CommandTree {
    do throws(WireError) {
      return try JSONParser().parse(Array(Gymmigrate._dumpHelp().utf8)) { json throws(WireError) in
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

  /// Arguments with a flag that their command has and that is not among them.
  func adding(_ flag: String, to arguments: [String]) -> [String] {
    let (command, words) = command(of: arguments)
    if command.given(in: arguments[words...]).contains(flag) { return arguments }
    var arguments = arguments
    arguments.insert("--\(flag)", at: words)
    return arguments
  }

  /// Arguments without some options of their command, the values of those included.
  ///
  /// - Parameter names: Their long names.
  func removing(_ names: Set<String>, from arguments: [String]) -> [String] {
    let (command, words) = command(of: arguments)
    var kept = Array(arguments[..<words])
    var index = words
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if argument == "--" { return kept + arguments[(index - 1)...] }
      guard argument.hasPrefix("-"), argument.count > 1 else {
        kept.append(argument)
        continue
      }
      var takesNext = false
      var isRemoved = false
      if argument.hasPrefix("--") {
        let name = argument.dropFirst(2).prefix { $0 != "=" }
        isRemoved = names.contains(String(name))
        let option = command.options.first { $0.name == name }
        takesNext = option?.takesValue == true && !argument.contains("=")
        if !isRemoved { kept.append(argument) }
      } else {
        // Short options are combined up to the first that takes a value.
        var letters = "-"
        var rest = argument.dropFirst()
        while let letter = rest.popFirst() {
          let option = command.options.first { $0.letters.contains(letter) }
          isRemoved = option.map { names.contains($0.name) } ?? false
          if !isRemoved { letters.append(letter) }
          guard option?.takesValue ?? true else { continue }
          if !isRemoved { letters += rest }
          takesNext = option != nil && rest.isEmpty
          break
        }
        if letters != "-" { kept.append(letters) }
      }
      guard takesNext, index < arguments.count else { continue }
      if !isRemoved { kept.append(arguments[index]) }
      index += 1
    }
    return kept
  }

  /// The first option of a name, in this command or below.
  func option(named name: String) -> Option? {
    if let found = options.first(where: { $0.name == name }) { return found }
    for command in subcommands {
      if let found = command.option(named: name) { return found }
    }
    return nil
  }

  /// The long names of the options that arguments give to this command.
  func given(in arguments: ArraySlice<String>) -> Set<String> {
    var given: Set<String> = []
    for argument in arguments {
      if argument == "--" { break }
      if argument.hasPrefix("--") {
        given.insert(String(argument.dropFirst(2).prefix { $0 != "=" }))
      } else if argument.hasPrefix("-") {
        // Short options are combined up to the first that takes a value.
        for letter in argument.dropFirst() {
          guard let option = options.first(where: { $0.letters.contains(letter) }) else { break }
          given.insert(option.name)
          if option.takesValue { break }
        }
      }
    }
    return given
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
