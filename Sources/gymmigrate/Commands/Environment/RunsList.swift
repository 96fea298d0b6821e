import Configuration

struct RunsList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the runs, the latest first.",
    discussion: """
      Prints a table: the id, the environment, the status, the counts, and the command. The status is one of done, differences, incomplete (something is left for a person), failed, interrupted, running, killed (it ended without a summary; 'runs resume' resumes it), or sharded (its tasks are not finished; 'shard status' shows them).

        gymmigrate runs list --env stage --command 'migrate apply'
        gymmigrate runs list --limit 50
      """
  )

  @Option(env: "Only runs on this environment.")
  var environment: String?

  @Option(
    help: "Only runs of this command, or of those below it: 'migrate', 'migrate apply'.",
    as: TypedValue.text("name")
  )
  var command: String?

  @Option(help: "The latest runs, at most so many (default: 10 in a table, all with --json).", from: 1)
  var limit: Int?

  @OptionGroup var folder: StateOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    let entries = folder.history.entries().filter(matches)
    if entries.isEmpty { sayNothingIsThere() }
    if json {
      return try StandardOutput.writeArray(of: entries.suffix(limit ?? .max)) {
        RunText.members(of: $1, history: folder.history, to: &$0)
      }
    }
    if entries.isEmpty { return }
    let shown = Array(entries.suffix(limit ?? 10).reversed())
    for line in RunText.table(shown) { try StandardOutput.write("\(line)\n") }
    if shown.count < entries.count {
      Terminal.standardError.line(
        "\(shown.count) of \(NumberText.counted(entries.count, "run")); --limit \(entries.count) lists all."
      )
    }
  }

  private func sayNothingIsThere() {
    let isAll = environment == nil && command == nil
    let unknown = [unknownEnvironment, unknownCommand].compactMap { $0 }.joined()
    Terminal.standardError.line(
      "There are no \(isAll ? "" : "such ")runs in \(folder.stateDir)/runs.\(unknown)"
    )
  }

  /// A message that neither a run nor the configuration has the environment, with the closest name; nil if one of them has it.
  private var unknownEnvironment: String? {
    guard let environment else { return nil }
    let configuration = try? ConfigurationResolver(ConfigurationChoice()).configuration()
    let configured = configuration?.environments.map(\.name) ?? []
    return environment.unknown(among: Set(folder.history.entries().map(\.record.environment) + configured))
      .map { " No environment is called '\(environment)'.\($0)" }
  }

  private var unknownCommand: String? {
    guard let command else { return nil }
    let known = NamedCommand.all(below: Invocation.current.root).map { $0.words.joined(separator: " ") }
    return command.unknown(among: Set(known)).map { " There is no command '\(command)'.\($0)" }
  }

  private func matches(_ entry: RunHistory.Entry) -> Bool {
    let record = entry.record
    if let environment, !record.environment.isIdentical(to: environment) { return false }
    guard let command else { return true }
    return record.command.isIdentical(to: command) || record.command.utf8.starts(with: "\(command) ".utf8)
  }
}
