/// Finds commands and options that do not exist.
enum MisspeltWord {
  /// Returns a failure for the first unknown word of a command line that the parser refused; nil if all words are known.
  ///
  /// The parser reports a misspelt option differently, because it takes the option's value for an argument.
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
      // Single letters have no similar names; a cluster of several, a number or a lone hyphen may be valid.
      let isShort = name.count == 2 && name.last?.isLetter ?? false
      if isLong || isShort, !known.contains(name) {
        let command = Array(arguments.prefix(named.words))
        let inner = named.type.configuration.defaultSubcommand?.configuration.commandName
        return failure("use the option", name, isLong ? long : [], of: command + [inner].compactMap { $0 })
      }
    }
    return argument(Array(rest), after: Array(arguments.prefix(named.words)), below: root)
  }

  /// Returns a failure for a word after a command that is not a subcommand although the parser accepts it as an argument; nil for
  /// any other word.
  ///
  /// It is close to a command that the parser knows with a hyphen, such as `export-verify`, or the existing command has another
  /// name.
  private static func argument(
    _ rest: [String],
    after parent: [String],
    below root: any ParsableCommand.Type
  ) -> Failure? {
    guard let word = rest.first, let name = parent.first, parent.count == 1 else { return nil }
    let names = root.configuration.subcommands.compactMap { $0.configuration.commandName }
    let known = names.filter { $0.hasPrefix("\(name)-") }.map { String($0.dropFirst(name.count + 1)) }
    let isCalledSo = rest.count == 1 && synonyms["\(name) \(word)"] != nil
    return isCalledSo || word.nearest(of: known) != nil ? failure("run", word, known, after: parent) : nil
  }

  /// Returns the failure to find a word among the existing ones, with the one that was probably meant: a similar one, or a
  /// command of that name elsewhere; after another command, only a similar one there.
  ///
  /// - Parameters:
  ///   - parent: The words of the command after which the word stands.
  ///   - command: The words of the command that the option is meant for.
  static func failure(
    _ operation: String,
    _ word: String,
    _ known: [String],
    after parent: [String] = [],
    of command: [String] = []
  ) -> Failure {
    let isOption = word.hasPrefix("-")
    let name = (parent + [word]).joined(separator: " ")
    let near = (word.nearest(of: known) ?? beginning(with: word, of: known)).map {
      (parent + [$0]).joined(separator: " ")
    }
    let option = optionSynonyms[word].flatMap { known.contains($0) ? $0 : nil }
    let other = synonyms[name] ?? (parent.isEmpty ? place(of: word) : nil)
    let meant = (isOption ? near ?? option : near ?? other).map { "Did you mean \($0)?" }
    // A group has few subcommands to list; the program has too many.
    let isListed = meant == nil || !parent.isEmpty && !known.isEmpty
    let all = isListed ? overview(known, after: parent, of: command) : nil
    return Failure(
      .usage,
      operation,
      path: name,
      cause: "there is no such \(isOption ? "option" : "command")",
      remedy: [meant, all].compactMap { $0 }.joined(separator: " ")
    )
  }

  /// Returns the only name that begins with a word of at least three letters.
  private static func beginning(with word: String, of known: [String]) -> String? {
    let names = known.filter { $0.hasPrefix(word) }
    return names.count == 1 && word.filter(\.isLetter).count >= 3 ? names.first : nil
  }

  /// Returns what exists instead.
  private static func overview(
    _ known: [String],
    after parent: [String],
    of command: [String]
  ) -> String {
    if !command.isEmpty { return "'gymmigrate \(command.joined(separator: " ")) --help' says what there is." }
    if parent.isEmpty { return "'gymmigrate --help' and 'gymmigrate help COMMAND' say what there is." }
    return "'gymmigrate \(parent.joined(separator: " "))' has \(known.joined(separator: ", "))."
  }

  /// The names that other tools use.
  private static let synonyms = [
    "rollback": "migrate undo", "revert": "migrate undo", "backup": "export", "dump": "export",
    "load": "import",
    "status": "migrate status", "update": "fix", "query": "export --where", "ls": "count --all",
    "copy check": "copy --verify or diff", "copy verify": "copy --verify or diff",
    "env check": "doctor", "export check": "export verify",
    "migrate check": "migrate verify", "migrate resume": "runs resume",
    "migrate revert": "migrate undo", "migrate rollback": "migrate undo", "migrate run": "migrate apply",
    "mirror check": "mirror verify", "mirror find": "find --mirror", "mirror get": "get --mirror",
    "mirror query": "find --mirror or export --mirror --where",
    "runs revert": "runs undo", "runs rollback": "runs undo",
    "schema check": "schema validate or check --schema", "schema diff": "schema drift",
    "schema lint": "schema validate", "schema verify": "schema validate or check --schema",
  ]

  private static let optionSynonyms = [
    "--select": "--fields", "--columns": "--fields", "--filter": "--where", "--query": "--where",
    "--sort": "--order-by", "--html": "--output",
  ]

  /// Returns the first subcommand with a name: `migrate undo` for `undo`.
  private static func place(of word: String) -> String? {
    NamedCommand.all(below: Gymmigrate.self).first { $0.words.count == 2 && $0.words[1] == word }?
      .words.joined(separator: " ")
  }

  /// Returns the options in the help of a command.
  private static func options(of command: any ParsableCommand.Type) -> [String] {
    let help = Gymmigrate.helpMessage(for: command, includeHidden: true)
    let words = help.split { !($0.isLetter || $0.isNumber || $0 == "-") }.map(String.init)
    let options = words.filter { $0.hasPrefix("-") && $0.contains(where: \.isLetter) }
    return Array(Set(options)).sorted { $0.compareUTF8($1) < 0 }
  }
}

extension String {
  /// Returns a sentence about the name that was probably meant by this one, after a space, empty if there is none; nil for a
  /// known name.
  func unknown(among known: Set<String>) -> String? {
    if known.contains(self) { return nil }
    return nearest(of: known.sorted()).map { " Did you mean '\($0)'?" } ?? ""
  }
}
