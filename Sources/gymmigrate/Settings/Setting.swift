import FirestoreModels

/// An option that can also be set by an environment variable: one that says where and how to work, never what to do.
///
/// What a command does, to which documents, and the guards before a write (`--confirm`, `--yes`, `--hard`,
/// `--max-delete`, `--prune`) is typed for each run: a variable that somebody exported last week would answer instead
/// of a person.
struct Setting: Equatable {
  /// The option's long name, without hyphens.
  let option: String

  /// The variable's name: `GYMMIGRATE_PAGE_SIZE` for `--page-size`.
  var variable: String { Self.prefix + option.uppercased().replacing("-", with: "_") }

  static let prefix = "GYMMIGRATE_"

  /// Every setting, in the order in which they are shown.
  static let all =
    [
      "env", "project", "database", "endpoint", "credentials", "access-token-file",
      "impersonate-service-account", "config", "schema", "state-dir", "retry-for", "page-size", "batch-size",
      "in-flight", "parallel", "max-writes-per-second", "max-errors",
      "header", "delimiter", "null", "time-zone", "excel", "gzip", "log-format", "no-progress",
    ].map { Setting(option: $0) }

  /// Settings of which one makes the other void.
  static let alternatives = [["credentials", "access-token-file"]]

  /// Variables that are set and are not settings, those of the tests and scripts apart.
  static func unknown(in variables: [String: String]) -> [String] {
    let known = Set(all.map(\.variable) + ["GYMMIGRATE_BINARY", "GYMMIGRATE_PYTHON"])
    return variables.keys.filter {
      $0.hasPrefix(prefix) && !known.contains($0) && !$0.hasPrefix("GYMMIGRATE_TEST_")
    }
    .sorted { $0.compareUTF8($1) < 0 }
  }
}

/// A command line with what the environment variables add to it.
struct CompletedArguments: Sendable {
  /// A setting that came from its variable.
  struct Addition: Sendable {
    var option: String
    var variable: String
    var value: String
    /// What it comes to on the command line.
    var words: [String]
  }

  /// The words that name the command.
  private var command: [String]
  /// Their values.
  private var rest: [String]
  /// The settings that came from variables.
  private(set) var additions: [Addition] = []
  /// The options that were typed, by their long names.
  private(set) var given: [String: String] = [:]

  /// The whole command line.
  var words: [String] { command + additions.flatMap(\.words) + rest }

  /// Arguments that nothing is added to.
  init(_ arguments: [String]) {
    command = []
    rest = arguments
  }

  /// Completes a command line by the variables of the settings that its command has and that were not typed.
  ///
  /// An empty variable is one that is not set. Of alternatives, a typed one makes the others void.
  ///
  /// - Throws: `.usage` naming the variable of a flag that is neither true nor false.
  init(
    _ arguments: [String],
    variables: [String: String],
    _ commands: () throws(Failure) -> CommandTree
  ) throws(Failure) {
    self.init(arguments)
    let isHelp = arguments.contains { $0 == "--help" || $0 == "-h" || $0 == "--version" }
    let set = Setting.all.filter { !(variables[$0.variable] ?? "").isEmpty }
    // The parser's own ways of completing words in a shell begin with three hyphens.
    if set.isEmpty || isHelp || arguments.first?.hasPrefix("-") ?? true { return }
    let found = try commands().command(of: arguments)
    command = Array(arguments.prefix(found.words))
    rest = Array(arguments.dropFirst(found.words))
    given = found.command.given(in: rest[...])
    for setting in set {
      guard let option = found.command.options.first(where: { $0.name == setting.option }),
        given[setting.option] == nil,
        !Setting.alternatives.contains(where: {
          $0.contains(setting.option) && $0.contains { given[$0] != nil }
        }),
        let value = variables[setting.variable]
      else { continue }
      var words = ["--\(setting.option)=\(value)"]
      if !option.takesValue {
        words = try Self.truth(value, setting.variable) ? ["--\(setting.option)"] : []
      }
      additions.append(
        Addition(option: setting.option, variable: setting.variable, value: value, words: words)
      )
    }
  }

  /// The same without one of the additions.
  func without(_ addition: Addition) -> CompletedArguments {
    var fewer = self
    fewer.additions.removeAll { $0.option == addition.option }
    return fewer
  }

  /// A failure with the variable that the value it is about came from.
  func naming(_ failure: Failure) -> Failure {
    guard let path = failure.path, let culprit = additions.first(where: { $0.value.isIdentical(to: path) })
    else { return failure }
    var failure = failure
    failure.cause += " (\(culprit.variable) names it)"
    return failure
  }

  private static func truth(_ text: String, _ variable: String) throws(Failure) -> Bool {
    switch text.lowercased() {
    case "1", "true", "yes", "on": return true
    case "0", "false", "no", "off": return false
    default: throw Failure(.usage, "use", path: variable, cause: "'\(text)' is neither true nor false")
    }
  }
}
