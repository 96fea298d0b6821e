import Configuration
import MigrationEngine

extension ConnectionSettings {
  /// The options that lead to the same database, credentials and schema, as words of a command line.
  var words: [String] {
    let options: [(name: String, value: String?)] = [
      ("-e", environment), ("--project", project), ("--database", database), ("--endpoint", endpoint),
      ("--credentials", credentials), ("--access-token-file", accessTokenFile),
      ("--impersonate-service-account", impersonateServiceAccount?.description), ("--config", files.config),
      ("--schema", files.schema),
    ]
    return options.flatMap { option in option.value.map { [option.name, $0] } ?? [] }
      + Self.folderWords(stateDir)
  }

  /// Returns the options with which commands about an environment's runs reach it, and write to it.
  func place(of environment: DatabaseEnvironment) -> CommandPlace {
    CommandPlace(
      database: CommandLineText.quoted(words),
      folder: CommandLineText.quoted(Self.folderWords(stateDir)),
      confirmation: CommandLineText.quoted(environment.confirmationWords),
      quoted: { CommandLineText.quoted([$0]) }
    )
  }

  /// The option for a folder of runs that is not the usual one.
  static func folderWords(_ stateDir: String) -> [String] {
    stateDir == defaultStateDir ? [] : ["--state-dir", stateDir]
  }

  /// Returns the command that applies a plan file in the same environment; nil if the plan changes nothing.
  func applying(_ plan: String, _ totals: PlanTotals) throws(Failure) -> String? {
    if totals.changes.total() == 0 { return nil }
    let target = try EnvironmentResolver(self).environment()
    if target.mirror != nil { return nil }
    var words = ["gymmigrate", "migrate", "apply", "--plan", plan] + self.words
    let deletions = totals.changes.count(.delete)
    if deletions > 0 { words += ["--max-delete", String(deletions)] }
    return CommandLineText.quoted(words + target.confirmationWords)
  }
}

extension DatabaseEnvironment {
  /// The option that a command needs to write to the environment.
  var confirmationWords: [String] { isProtected ? ["--confirm", name] : [] }
}

extension RunRecord {
  /// Returns a command about the run that writes to its database, such as `runs resume`.
  func commandLine(_ words: String..., in stateDir: String) -> String {
    let environment = job.flatMap { try? EnvironmentResolver($0.connection).environment() }
    return CommandLineText.quoted(
      ["gymmigrate"] + words + [id] + ConnectionSettings.folderWords(stateDir)
        + (environment?.confirmationWords ?? [])
    )
  }
}
