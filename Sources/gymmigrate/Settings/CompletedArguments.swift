/// A command line with the additions from environment variables.
struct CompletedArguments: Sendable {
  /// A setting that came from a variable.
  struct Addition: Sendable {
    var option: String
    var variable: String
    var value: String
    /// The resulting words of the command line.
    var words: [String]
  }

  /// The words that name the command.
  private var command: [String] = []
  /// The words after the name of the command.
  private var rest: [String]
  /// The settings that came from variables.
  private(set) var additions: [Addition] = []
  /// The typed settings, by option.
  let given: [String: String]
  /// The options of the settings that the command has; determined only if a variable is set.
  private(set) var known: [String] = []

  /// The entire command line, for the parser only.
  var parsed: [String] { command + additions.flatMap(\.words) + rest }

  /// The entire command line, without secrets, for display and for what is recorded.
  var words: [String] { Setting.shown(parsed) }

  /// Creates a command line without additions.
  init(_ arguments: [String]) {
    rest = arguments
    given = Setting.given(in: arguments)
  }

  /// Completes a command line from the variables of settings that its command has and that were not typed.
  ///
  /// An empty variable counts as not set. Among alternative settings, a typed one disables the others.
  ///
  /// - Throws: `.usage` naming the variable of a flag that is neither true nor false.
  init(
    _ arguments: [String],
    variables: [String: String],
    below root: any ParsableCommand.Type
  ) throws(Failure) {
    self.init(arguments)
    let isHelp = arguments.contains { $0 == "--help" || $0 == "-h" || $0 == "--version" }
    let set = Setting.all.filter { !(variables[$0.variable] ?? "").isEmpty }
    // The parser's own completion requests begin with three hyphens.
    if set.isEmpty || isHelp || arguments.first?.hasPrefix("-") ?? true { return }
    let named = NamedCommand(of: arguments, below: root)
    command = Array(arguments.prefix(named.words))
    rest = Array(arguments.dropFirst(named.words))
    known = named.settings.map(\.option)
    let isReplaced = named.replacesDatabase(rest)
    for setting in named.settings where !isSettled(setting.option) {
      if isReplaced, setting.namesDatabase { continue }
      guard let value = variables[setting.variable], !value.isEmpty else { continue }
      var words = ["--\(setting.option)=\(value)"]
      if setting.isFlag { words = try Self.truth(value, setting.variable) ? ["--\(setting.option)"] : [] }
      additions.append(
        Addition(option: setting.option, variable: setting.variable, value: value, words: words)
      )
    }
  }

  /// Whether a typed option or alternative overrides the variable.
  private func isSettled(_ option: String) -> Bool {
    given[option] != nil
      || Setting.alternatives.contains { $0.contains(option) && $0.contains { given[$0] != nil } }
  }

  /// Returns the same command line without one of the additions.
  func without(_ addition: Addition) -> CompletedArguments {
    var fewer = self
    fewer.additions.removeAll { $0.option == addition.option }
    return fewer
  }

  /// Returns a failure that names the variable from which its value came.
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

extension [String] {
  /// Returns the words of a command line without an option and its value.
  func without(_ option: String) -> [String] {
    var words = filter { !$0.hasPrefix("\(option)=") }
    while let place = words.firstIndex(of: option) {
      words.removeSubrange(place..<Swift.min(place + 2, words.count))
    }
    return words
  }
}
