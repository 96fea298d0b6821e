import Configuration

/// An option that can also be set by an environment variable: it determines where and how to work, never what to do.
///
/// What a command does, to which documents, and the guards before a write (`--confirm`, `--yes`, `--hard`, `--max-delete`) must
/// be typed for each run: a variable that somebody exported last week would answer instead of a person.
struct Setting: Sendable {
  /// What a setting determines.
  enum Subject: String, CaseIterable {
    case place = "where"
    case pace = "how"
    case files, output
  }

  /// The option's long name, without hyphens.
  let option: String
  let subject: Subject
  /// The property that holds it, in a command or a group of options.
  let property: String
  let isFlag: Bool
  /// The default.
  let standard: String

  /// The variable's name: `GYMMIGRATE_PAGE_SIZE` for `--page-size`.
  var variable: String { Self.prefix + option.uppercased().replacing("-", with: "_") }

  static let prefix = "GYMMIGRATE_"

  private init(
    _ option: String,
    _ subject: Subject,
    in property: String? = nil,
    isFlag: Bool = false,
    _ standard: String = "-"
  ) {
    self.option = option
    self.subject = subject
    let words = option.split(separator: "-")
    self.property =
      property
      ?? words.dropFirst().reduce(String(words[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    self.isFlag = isFlag
    self.standard = standard
  }

  /// Every setting, in the order in which they are shown.
  static let all = [
    Setting("env", .place, in: "environment"),
    Setting("project", .place),
    Setting("database", .place),
    Setting("endpoint", .place),
    Setting("credentials", .place),
    Setting("access-token-file", .place),
    Setting("impersonate-service-account", .place),
    Setting("config", .place),
    Setting("schema", .place),
    Setting("state-dir", .place, ConnectionSettings.defaultStateDir),
    Setting("retry-for", .pace, Duration.seconds(ConnectionSettings.usualRetry).typedText),
    Setting("page-size", .pace, String(ReadingSettings().pageSize)),
    Setting("batch-size", .pace, String(WriteSettings().batchSize)),
    Setting("in-flight", .pace, String(WriteSettings().inFlight)),
    Setting("parallel", .pace, String(ReadingSettings().parallel)),
    Setting("max-writes-per-second", .pace),
    Setting("max-errors", .pace),
    Setting("header", .files, "fields"),
    Setting("delimiter", .files, "comma"),
    Setting("null", .files, in: "nullText", "null"),
    Setting("time-zone", .files, "the schema's, else UTC"),
    Setting("excel", .files, isFlag: true),
    Setting("gzip", .files, isFlag: true),
    Setting("log-format", .output, OutputSettings().logFormat.rawValue),
    Setting("no-progress", .output, isFlag: true),
    Setting("notify-ping", .output),
    Setting("notify-webhook", .output),
    Setting("metrics-textfile", .output),
  ]

  /// Settings that exclude each other.
  static let alternatives = [["credentials", "access-token-file"]]

  /// Whether its value is an address whose path is a secret.
  private var isSecret: Bool { option.hasPrefix("notify-") }

  /// Returns a value without its secret.
  func shown(_ value: String) -> String {
    isSecret ? NotificationAddress(value)?.shown ?? Secrets.mark : value
  }

  /// Returns the words of a command line without secrets, which are found by the options before them.
  static func shown(_ words: [String]) -> [String] {
    let secret = all.filter(\.isSecret)
    return words.indices.map { index in
      for setting in secret {
        let option = "--\(setting.option)"
        if index > 0, words[index - 1] == option { return setting.shown(words[index]) }
        if words[index].hasPrefix("\(option)=") {
          return "\(option)=\(setting.shown(String(words[index].dropFirst(option.count + 1))))"
        }
      }
      return words[index]
    }
  }

  /// Whether it names a database, so that it is ignored if something replaces the database.
  var namesDatabase: Bool { ["env", "project", "database", "endpoint"].contains(option) }

  /// The variables by subject, for the help.
  static var help: String {
    Subject.allCases.map { subject in
      let names = all.filter { $0.subject == subject }.map { "    \($0.variable)" }
      return "  \(subject.rawValue):\n\(names.joined(separator: "\n"))"
    }.joined(separator: "\n")
  }

  /// Returns variables that are set but are not settings, apart from those of tests and scripts.
  static func unknown(in variables: [String: String]) -> [String] {
    let known = Set(all.map(\.variable) + ["GYMMIGRATE_BINARY", "GYMMIGRATE_PYTHON"])
    return variables.keys.filter {
      $0.hasPrefix(prefix) && !known.contains($0) && !$0.hasPrefix("GYMMIGRATE_TEST_")
    }
    .sorted { $0.compareUTF8($1) < 0 }
  }

  /// Returns the settings given in words, by option.
  static func given(in words: [String]) -> [String: String] {
    var given: [String: String] = [:]
    var rest = words[...]
    while let word = rest.popFirst(), word != "--" {
      if word.hasPrefix("--") {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let setting = all.first(where: { $0.option == parts[0] }) else { continue }
        given[setting.option] = parts.count > 1 ? String(parts[1]) : setting.isFlag ? "true" : rest.popFirst()
      } else if word.hasPrefix("-"), let letter = word.firstIndex(where: { $0 == "e" || $0 == "o" }) {
        // The letter of an option with a value, which is the rest of the word or the next word.
        let value = word[word.index(after: letter)...]
        let text = value.isEmpty ? rest.popFirst() : String(value)
        if word[letter] == "e" { given["env"] = text }
      }
    }
    return given
  }
}

/// A command that knows its environments otherwise than by `--env`, which it refuses, so that a variable does not set it.
protocol PlacedCommand: ParsableCommand {}

/// The command that words name, according to the commands' configurations.
struct NamedCommand {
  private(set) var type: any ParsableCommand.Type
  /// The number of words that form its name.
  private(set) var words = 0

  /// - Parameter enteringDefaults: Whether to enter the default subcommand of a command.
  init(of arguments: [String], below root: any ParsableCommand.Type, enteringDefaults: Bool = true) {
    type = root
    while words < arguments.count,
      let next = type.configuration.subcommands.first(where: {
        $0.configuration.commandName == arguments[words]
      })
    {
      type = next
      words += 1
    }
    if enteringDefaults { type = type.configuration.defaultSubcommand ?? type }
  }

  /// A command with the words that name it.
  typealias Path = (words: [String], type: any ParsableCommand.Type)

  /// Returns every command below another one, parents first.
  static func all(below parent: any ParsableCommand.Type) -> [Path] {
    parent.configuration.subcommands.flatMap { type -> [Path] in
      guard let name = type.configuration.commandName else { return [] }
      let below = all(below: type).map { (words: [name] + $0.words, type: $0.type) }
      return [(words: [name], type: type)] + below
    }
  }

  /// The settings that it has, directly or in its groups of options.
  var settings: [Setting] {
    let properties = Self.properties(of: type)
    let isPlaced = type is any PlacedCommand.Type
    return Setting.all.filter { properties.contains($0.property) && !(isPlaced && $0.option == "env") }
  }

  /// Whether words name a replacement for a database: a mirror, an export, or several environments.
  func replacesDatabase(_ words: [String]) -> Bool {
    let properties = Self.properties(of: type)
    let options = [("mirror", "--mirror"), ("snapshot", "--from"), ("environments", "--environments")]
      .filter { properties.contains($0.0) }
    return words.prefix { $0 != "--" }.contains { word in
      options.contains { word == $0.1 || word.hasPrefix("\($0.1)=") }
    }
  }

  private static func properties(of arguments: any ParsableArguments.Type) -> Set<String> {
    Swift.Mirror(reflecting: arguments.init()).children.reduce(into: []) { names, child in
      if let group = child.value as? any OptionGroupOfType {
        names.formUnion(properties(of: group.arguments))
      } else if let label = child.label, label.hasPrefix("_") {
        // The wrapper of a property has its name after an underscore.
        names.insert(String(label.dropFirst()))
      }
    }
  }
}

extension ParsableArguments {
  /// Returns the parsed group of options of a type, at any level; nil if there is none.
  func group<Group: ParsableArguments>(_ type: Group.Type) -> Group? {
    for child in Swift.Mirror(reflecting: self).children {
      guard let parsed = (child.value as? any OptionGroupOfType)?.parsed else { continue }
      if let group = parsed as? Group ?? parsed.group(type) { return group }
    }
    return nil
  }
}

private protocol OptionGroupOfType {
  var arguments: any ParsableArguments.Type { get }
  var parsed: any ParsableArguments { get }
}

extension OptionGroup: OptionGroupOfType {
  fileprivate var arguments: any ParsableArguments.Type { Value.self }
  fileprivate var parsed: any ParsableArguments { wrappedValue }
}
