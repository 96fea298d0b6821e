import ArgumentParser
import FirestoreModels

/// A command or an option that does not exist.
enum MisspeltWord {
  /// The first one of a command line that the parser did not take; nil where all are known, so that it is something else.
  ///
  /// A misspelt option makes other complaints of it: its value is taken for an argument.
  static func failure(in arguments: [String], below root: any ParsableCommand.Type) -> Failure? {
    let named = NamedCommand(of: arguments, below: root, enteringDefaults: false)
    let rest = arguments.dropFirst(named.words)
    let below = named.type.configuration.subcommands
    if let word = rest.first, !word.hasPrefix("-"), !below.isEmpty {
      return failure("run", word, below.compactMap { $0.configuration.commandName })
    }
    let type = named.type.configuration.defaultSubcommand ?? named.type
    let known = options(of: type)
    for word in rest.prefix(while: { $0 != "--" }) where word.hasPrefix("--") {
      let name = String(word.prefix { $0 != "=" })
      if !known.contains(name) { return failure("use the option", name, known) }
    }
    return nil
  }

  /// The failure to find a word among those that exist.
  static func failure(_ operation: String, _ word: String, _ known: [String]) -> Failure {
    let near = word.nearest(of: known)
    return Failure(
      .usage,
      operation,
      path: word,
      cause: "there is no such \(word.hasPrefix("-") ? "option" : "command")",
      remedy: near.map { "Did you mean \($0)?" }
        ?? "'gymmigrate --help' and 'gymmigrate help COMMAND' say what there is."
    )
  }

  /// The long options that the help of a command names.
  private static func options(of command: any ParsableCommand.Type) -> [String] {
    let help = Gymmigrate.helpMessage(for: command, includeHidden: true)
    let words = help.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init)
    return Array(Set(words.filter { $0.hasPrefix("--") && $0.count > 2 })).sorted { $0.compareUTF8($1) < 0 }
  }
}
