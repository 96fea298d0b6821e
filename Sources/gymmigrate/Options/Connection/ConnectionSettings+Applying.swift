import Configuration
import MigrationEngine

extension ConnectionSettings {
  /// The options that lead to the same database, with the same signer and schema, as words of a command line.
  var words: [String] {
    let options: [(name: String, value: String?)] = [
      ("-e", environment), ("--project", project), ("--database", database), ("--endpoint", endpoint),
      ("--credentials", credentials), ("--access-token-file", accessTokenFile),
      ("--impersonate-service-account", impersonateServiceAccount?.description), ("--config", files.config),
      ("--schema", files.schema), ("--state-dir", stateDir == Self.defaultStateDir ? nil : stateDir),
    ]
    return options.flatMap { option in option.value.map { [option.name, $0] } ?? [] }
  }

  /// The command that applies a plan file in the same environment; nil where the plan has nothing to do.
  func applying(_ plan: String, _ totals: PlanTotals) throws(Failure) -> String? {
    if totals.changes.total() == 0 { return nil }
    let target = try EnvironmentResolver(self).environment()
    if target.mirror != nil { return nil }
    var words = ["gymmigrate", "migrate", "apply", "--plan", plan] + self.words
    let deletions = totals.changes.count(.delete)
    if deletions > 0 { words += ["--max-delete", String(deletions)] }
    if target.isProtected { words += ["--confirm", target.name] }
    return CommandLineText.quoted(words)
  }
}
