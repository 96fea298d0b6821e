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
    let below = named.type.configuration.subcommands.compactMap { $0.configuration.commandName }
    if let word = rest.first, !word.hasPrefix("-"), !below.isEmpty {
      return failure("run", word, below, after: Array(arguments.prefix(named.words)))
    }
    let type = named.type.configuration.defaultSubcommand ?? named.type
    let known = options(of: type)
    let long = known.filter { $0.hasPrefix("--") }
    for word in rest.prefix(while: { $0 != "--" }) where word.hasPrefix("-") {
      let name = String(word.prefix { $0 != "=" })
      let isLong = name.hasPrefix("--")
      // Of one letter nothing is near; several together, a number and a hyphen alone may be right.
      let isShort = name.count == 2 && name.last?.isLetter ?? false
      if isLong || isShort, !known.contains(name) {
        let command = Array(arguments.prefix(named.words))
        let inner = named.type.configuration.defaultSubcommand?.configuration.commandName
        return failure("use the option", name, isLong ? long : [], of: command + [inner].compactMap { $0 })
      }
    }
    return hyphened(rest.first ?? "-", after: Array(arguments.prefix(named.words)), below: root)
  }

  /// The failure of a word that is almost a command which stands behind a hyphen for the parser, as `export-verify`; nil for another.
  private static func hyphened(
    _ word: String,
    after parent: [String],
    below root: any ParsableCommand.Type
  ) -> Failure? {
    guard let name = parent.first, parent.count == 1 else { return nil }
    let names = root.configuration.subcommands.compactMap { $0.configuration.commandName }
    let known = names.filter { $0.hasPrefix("\(name)-") }.map { String($0.dropFirst(name.count + 1)) }
    return word.nearest(of: known).map { _ in failure("run", word, known, after: parent) }
  }

  /// The failure to find a word among those that exist, with the one that was probably meant: spelled almost so, or, of a
  /// command, of that name elsewhere.
  ///
  /// - Parameters:
  ///   - parent: The words of a command that the word stands behind.
  ///   - command: The words of the command whose option it is meant to be.
  static func failure(
    _ operation: String,
    _ word: String,
    _ known: [String],
    after parent: [String] = [],
    of command: [String] = []
  ) -> Failure {
    let isOption = word.hasPrefix("-")
    let near = (word.nearest(of: known) ?? beginning(with: word, of: known)).map {
      (parent + [$0]).joined(separator: " ")
    }
    let option = optionSynonyms[word].flatMap { known.contains($0) ? $0 : nil }
    let meant = near ?? (isOption ? option : synonyms[word] ?? place(of: word))
    return Failure(
      .usage,
      operation,
      path: (parent + [word]).joined(separator: " "),
      cause: "there is no such \(isOption ? "option" : "command")",
      remedy: meant.map { "Did you mean \($0)?" } ?? overview(known, after: parent, of: command)
    )
  }

  /// The only name that begins with a word of three letters or more.
  private static func beginning(with word: String, of known: [String]) -> String? {
    let names = known.filter { $0.hasPrefix(word) }
    return names.count == 1 && word.filter(\.isLetter).count >= 3 ? names.first : nil
  }

  /// What there is instead.
  private static func overview(
    _ known: [String],
    after parent: [String],
    of command: [String]
  ) -> String {
    if !command.isEmpty { return "'gymmigrate \(command.joined(separator: " ")) --help' says what there is." }
    if parent.isEmpty { return "'gymmigrate --help' and 'gymmigrate help COMMAND' say what there is." }
    return "'gymmigrate \(parent.joined(separator: " "))' has \(known.joined(separator: ", "))."
  }

  /// What other tools call it.
  private static let synonyms = [
    "rollback": "migrate undo", "revert": "migrate undo", "backup": "export", "dump": "export",
    "load": "import",
    "status": "migrate status", "update": "fix", "query": "export --where", "ls": "count --all",
  ]

  private static let optionSynonyms = [
    "--select": "--fields", "--columns": "--fields", "--filter": "--where", "--query": "--where",
    "--sort": "--order-by", "--html": "--output",
  ]

  /// The first command of that name below another one: `migrate undo` for `undo`.
  private static func place(of word: String) -> String? {
    for parent in Gymmigrate.configuration.subcommands.map({ $0.configuration }) {
      let names = parent.subcommands.compactMap { $0.configuration.commandName }
      if names.contains(word), let name = parent.commandName { return "\(name) \(word)" }
    }
    return nil
  }

  /// The options that the help of a command names.
  private static func options(of command: any ParsableCommand.Type) -> [String] {
    let help = Gymmigrate.helpMessage(for: command, includeHidden: true)
    let words = help.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init)
    let options = words.filter { $0.hasPrefix("-") && $0.contains(where: \.isLetter) }
    return Array(Set(options)).sorted { $0.compareUTF8($1) < 0 }
  }
}

extension String {
  /// The sentence about the name that was probably meant by this one, behind a space; nil for one that is known.
  func meant(among known: Set<String>) -> String? {
    if known.contains(self) { return nil }
    return nearest(of: known.sorted()).map { " Did you mean '\($0)'?" }
  }
}
