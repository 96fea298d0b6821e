/// The output of `--help` without a command, and of `help TOPIC` for what commands have in common.
enum HelpText {
  /// The overview: every command in one line, by purpose.
  static var overview: String {
    var lines = [
      Gymmigrate.configuration.abstract,
      "  gymmigrate import samples/gym/users.jsonl -e local",
      "  gymmigrate migrate plan --all -e test -o plan.jsonl --html plan.html",
      "  gymmigrate export --all -e prod -o backup/ --format jsonl",
    ]
    for set in Gymmigrate.sets {
      lines.append("\(set.title):")
      for command in set.commands.map({ $0.configuration }) where command.shouldDisplay {
        let name = command.commandName ?? ""
        let gap = String(repeating: " ", count: max(1, 11 - name.utf8.count))
        lines.append("  \(name)\(gap)\(command.abstract)")
      }
    }
    let topics = Topic.allCases.map(\.rawValue).joined(separator: "|")
    lines.append("Also: help COMMAND|\(topics)")
    return lines.joined(separator: "\n")
  }

  /// Subjects that commands have in common.
  enum Topic: String, CaseIterable {
    case connection, reading, writing, output, variables
    case exitCodes = "exit-codes"

    var text: String {
      switch self {
      case .connection:
        """
        Where a command works, and who authenticates. An environment is a name of
        gymmigrate.yaml, 'local', the store in a file of its own, or 'mirror:' and a
        file of 'mirror pull'.

        \(HelpText.options(ConnectionOptions.self))
        """
      case .reading:
        """
        With more than one request at a time, a collection is cut into ranges of
        names, and export, copy and diff read several collections at once. Documents
        come out in the same order: faster where the service is far away, for a few
        more requests.

        \(HelpText.options(ReadingOptions.self))
        """
      case .writing:
        """
        A protected environment is written only with --confirm and its name. A
        database called prod, production, live or (default) that no environment names
        is protected, too: --confirm takes its full name, projects/P/databases/D. With
        --yes nothing is asked, so without --confirm such a database is refused.

        \(HelpText.options(WriteOptions.self))
        """
      case .output:
        """
        Standard output is data; what gymmigrate has to say goes to standard error.

        \(HelpText.options(LoggingOptions.self))
        """
      case .variables: "Variables, each the default of the option with its name:\n\n\(Setting.help)"
      case .exitCodes: ExitCodes.help
      }
    }
  }

  /// The parser's help for a group of options, including those hidden in the help of commands.
  private static func options(_ group: any ParsableArguments.Type) -> String {
    let help = group.helpMessage(includeHidden: true)
    guard let start = help.firstRange(of: "OPTIONS:\n") else { return help }
    let options = help[start.upperBound...]
    let end = options.firstRange(of: "\n  -h, --help")?.lowerBound ?? options.endIndex
    return String(options[..<end])
  }

  /// Returns the text for a command line that requests an overview or a topic; nil for any other.
  ///
  /// - Throws: `.usage` for an unknown topic.
  static func answer(to arguments: [String]) throws(Failure) -> String? {
    switch arguments.count {
    case 0: return overview
    case 1 where ["help", "--help", "-h"].contains(arguments[0]): return overview
    case 2...3 where arguments[0] == "help": return try answer(about: Array(arguments.dropFirst()))
    default: return nil
    }
  }

  private static func answer(about words: [String]) throws(Failure) -> String? {
    if words.count == 1, let topic = Topic(rawValue: words[0]) { return topic.text }
    let named = NamedCommand(of: words, below: Gymmigrate.self, enteringDefaults: false)
    let below = named.type.configuration.subcommands.compactMap { $0.configuration.commandName }
    // The parser reports other words.
    guard named.words == words.count - 1, !below.isEmpty else { return nil }
    let known = named.words == 0 ? below + Topic.allCases.map(\.rawValue) : below
    throw MisspeltWord.failure("show help on", words[named.words], known, after: Array(words.dropLast()))
  }
}
