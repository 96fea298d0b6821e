import Configuration
import FirestoreModels
import MigrationEngine
import Runs

extension ConnectionSettings {
  /// The command that applies a plan file in the same environment; nil where the plan has nothing to do.
  func applying(_ plan: String, _ totals: PlanTotals) throws(Failure) -> String? {
    if totals.changes.total() == 0 { return nil }
    let target = try EnvironmentResolver(self).environment()
    if target.mirror != nil { return nil }
    var words = ["gymmigrate", "migrate", "apply", "--plan", plan]
    func add(_ option: String, _ value: String?) { if let value { words += [option, value] } }
    add("-e", environment)
    add("--project", project)
    add("--database", database)
    add("--endpoint", endpoint)
    add("--credentials", credentials)
    add("--access-token-file", accessTokenFile)
    add("--impersonate-service-account", impersonateServiceAccount.map { "\($0)" })
    add("--config", files.config)
    add("--schema", files.schema)
    if stateDir != Self.defaultStateDir { add("--state-dir", stateDir) }
    let deletions = totals.changes.count(.delete)
    if deletions > 0 { add("--max-delete", String(deletions)) }
    if target.isProtected { add("--confirm", target.name) }
    return CommandLineText.quoted(words)
  }
}
