import Configuration
import Transfer
import TypedDocuments

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `gymmigrate doctor`: checks whether an environment is usable, and if not, why.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check an environment: credentials, network, database, permissions.",
    discussion: """
      Prints one line per check: ok, warning or problem, what was found, and what to do about it. Nothing is \
      changed, and no secret is shown. Root collections are counted, at a read per 1,000 documents. \
      Exits with 0 when there is no problem, else with the highest code of the problems.

        gymmigrate doctor -e prod
      """
  )

  @OptionGroup var connection: ConnectionOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  /// The maximum time to retry a call, in seconds, because somebody waits for the answer.
  private static let patience = 10.0

  /// What was found.
  struct Findings {
    fileprivate var diagnosis: Diagnosis
    fileprivate var environment: DatabaseEnvironment?
    /// The exit code.
    var code: Int32 { diagnosis.problems.map { ExitCodes.code(of: $0) }.max() ?? ExitCodes.done }
  }

  func run() async throws {
    let findings = await examined()
    try write(findings)
    OutputSettings().reportBill()
    if findings.code != ExitCodes.done { throw ExitStatus(findings.code) }
  }

  /// Examines the machine, the environment and the service.
  func examined() async -> Findings {
    let variables = Invocation.current.variables
    let resolver = EnvironmentResolver(connection)
    var diagnosis = Diagnosis()
    diagnosis.checkMachine(variables: variables, stateDir: connection.stateDir)
    let unknown = Setting.unknown(in: variables)
    if !unknown.isEmpty {
      diagnosis.warn(
        "settings",
        "\(unknown.joined(separator: ", ")) are not settings",
        remedy: "'gymmigrate env show --origin' lists the variables that do."
      )
    }
    var environment: DatabaseEnvironment?
    do throws(Failure) {
      let found = try resolver.environment()
      environment = found
      diagnosis.ok("environment", "\(found.name) is \(found.database) at \(found.server)")
      if let bucket = found.storageBucket { diagnosis.ok("storage", "its bucket is \(bucket)") }
      diagnosis.ok("credentials", try resolver.signer(for: found))
    } catch {
      diagnosis.fail(
        environment == nil ? "environment" : "credentials",
        Invocation.current.arguments.naming(error)
      )
    }
    if let environment, diagnosis.checks.last?.state == .ok {
      let store = "\(connection.stateDir)/local.sqlite"
      if environment.isLocal, !FileCheck.exists(store) {
        diagnosis.ok("database", "\(store) is not there yet; the first command that works on it makes it")
      } else {
        let command = CommandRun(name: "doctor", connection: connection.settings, output: OutputSettings())
        await command.account(in: environment) { context in
          await examine(environment, resolver, context, &diagnosis)
        }
      }
    }
    return Findings(diagnosis: diagnosis, environment: environment)
  }

  /// Prints what was found, and in JSON also what was billed by now.
  func write(_ findings: Findings) throws {
    if json { return try StandardOutput.writeObject { write(findings, to: &$0) } }
    for check in findings.diagnosis.checks { try StandardOutput.write("\(check.line)\n") }
  }

  private func examine(
    _ environment: DatabaseEnvironment,
    _ resolver: EnvironmentResolver,
    _ context: CommandContext,
    _ diagnosis: inout Diagnosis
  ) async {
    do {
      let prices = try resolver.prices()
      try await resolver.withCaller(
        environment,
        policy: RetryPolicy(budget: min(connection.retryFor.inSeconds, Self.patience)),
        traffic: context.traffic,
        onRetry: { _ in }
      ) { endpoint, _, caller in
        let client = FirestoreClient(database: environment.database, endpoint: endpoint, caller: caller)
        await ServiceChecks(client: client, environment: environment, prices: prices).run(into: &diagnosis)
      }
    } catch {
      diagnosis.fail(
        "service",
        error as? Failure ?? Failure(.internal, "examine the service", cause: "\(error)")
      )
    }
  }

  private func write(_ findings: Findings, to json: inout JSONWriter) {
    json.member("command", "doctor")
    json.member("exitCode", findings.code)
    if let environment = findings.environment {
      json.member("environment") { environment.writeMembers(to: &$0) }
    }
    let billed = Invocation.current.traffic.account.billed
    json.member("billed", record: billed.known)
    if billed.uncertain != Cost() { json.member("perhapsBilled", record: billed.uncertain) }
    json.key("checks")
    findings.diagnosis.writeChecks(to: &json)
  }
}
