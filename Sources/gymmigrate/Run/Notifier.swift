import Configuration
import Logging
import Platform

/// Notifies monitors when a command begins, and how it ended; any failure to do so only causes a warning.
final class Notifier: Sendable {
  private struct State {
    var report: RunReport
    var targets: NotificationTargets
    /// Whether the targets of the configuration are included.
    var isComplete = false
    var start: Task<Void, Never>?
    /// The counters of the requests of each run.
    var counters: [TrafficCounter] = []
    /// The targets that are being notified at the moment.
    var open: [String] = []
    /// The failures so far.
    var failures: [String] = []
  }

  private let state: Locked<State>
  private let logger: Logger
  private let certificates: String?
  private let began = RunClock.system.now()

  /// The seconds that one request may take, and everything at the end.
  private static let (patience, limit) = (4.0, 9.0)

  /// - Returns: nil for a command without notification options.
  init?(of command: any ParsableCommand, in invocation: Invocation) {
    guard let options = command.group(NotificationOptions.self) else { return nil }
    let report = RunReport(command: invocation.commandName, startedAt: .now)
    state = Locked(State(report: report, targets: options.targets))
    logger = (command.group(VerbosityOptions.self)?.settings ?? OutputSettings()).logger()
    certificates = invocation.certificates
  }

  /// Notifies that a command begins if it names its environment; for other commands the environment is known later.
  func begin(for command: any ParsableCommand) {
    guard let options = command.group(ConnectionOptions.self), options.environment != nil else { return }
    begin(on: options.settings)
  }

  /// Notifies that the command begins on the environment of a connection, once.
  func begin(on connection: ConnectionSettings) {
    begin(in: try? EnvironmentResolver(connection).environment(), of: connection)
  }

  /// Notifies that the command begins, once.
  func begin(in environment: DatabaseEnvironment?, of connection: ConnectionSettings) {
    let all = try? EnvironmentResolver(connection).configuration().notify
    state.withLock { state in
      guard !state.isComplete else { return }
      let command = state.report.command
      state.targets = state.targets.completed(by: environment?.notify, for: command)
        .completed(by: all, for: command)
      (state.isComplete, state.report.environment) = (true, environment)
      guard let ping = state.targets.ping else { return }
      state.start = Task.detached { await self.ping(ping, ping.appending("start")) }
    }
  }

  /// Adds the results of one of the command's runs.
  func note(_ summary: RunSummary, _ counter: TrafficCounter) {
    state.withLock { state in
      state.report.totals = state.report.totals + summary.totals
      if summary.hasRun { state.report.runID = summary.runID }
      if !state.counters.contains(where: { $0 === counter }) { state.counters.append(counter) }
    }
  }

  /// Notifies how the command ended.
  func end(_ code: Int32) async {
    let report = report(code)
    let (targets, start) = state.withLock { ($0.targets, $0.start) }
    if targets.isEmpty { return }
    await Self.waiting(atMost: Self.limit) {
      await start?.value
      await withTaskGroup(of: Void.self) { group in
        if let ping = targets.ping {
          let url = code == ExitCodes.done ? ping.url : ping.appending("\(code)")
          group.addTask { await self.ping(ping, url) }
        }
        if let webhook = targets.webhook { group.addTask { await self.send(report, to: webhook) } }
        if let metrics = targets.metrics { group.addTask { await self.record(report, in: metrics) } }
      }
    }
    let (failures, open) = state.withLock { ($0.failures, $0.open) }
    let all = failures + open.map { "\($0): it takes too long" }
    if !all.isEmpty { logger.warning("Not notified of the run: \(all.joined(separator: "; ")).") }
  }

  private func report(_ code: Int32) -> RunReport {
    state.withLock { state in
      state.report.exitCode = code
      state.report.durationSeconds = ((RunClock.system.now() - began) * 1000).rounded() / 1000
      for counter in state.counters { state.report.add(counter) }
      return state.report
    }
  }

  // MARK: Requests

  private func ping(_ address: NotificationAddress, _ url: String) async {
    await notify("the ping to \(address.host)", HTTPRequest(method: "GET", url: url, timeout: Self.patience))
  }

  private func send(_ report: RunReport, to address: NotificationAddress) async {
    let type = [(name: "Content-Type", value: "application/json")]
    await notify(
      "the webhook at \(address.host)",
      HTTPRequest(method: "POST", url: address.url, headers: type, body: report.json, timeout: Self.patience)
    )
  }

  private func record(_ report: RunReport, in path: String) async {
    await notify("the metrics in \(path)") {
      await BackgroundThread.run { _ in
        do throws(Failure) {
          try MetricsFile(path).record(report)
          return nil
        } catch {
          return error.cause
        }
      }
    }
  }

  private func notify(_ whom: String, _ request: HTTPRequest) async {
    await notify(whom) { [certificates] in
      do throws(TransportError) {
        let response = try await CurlTransport(certificates: certificates).send(request)
        return (200..<300).contains(response.status) ? nil : "it answered \(response.status)"
      } catch {
        return error.message
      }
    }
  }

  /// - Parameter body: Returns what went wrong; nil if nothing.
  private func notify(_ whom: String, _ body: () async -> String?) async {
    state.withLock { $0.open.append(whom) }
    let cause = await body()
    state.withLock { state in
      if let index = state.open.firstIndex(of: whom) { state.open.remove(at: index) }
      guard let failure = cause.map({ "\(whom): \($0)" }), !state.failures.contains(failure) else { return }
      state.failures.append(failure)
    }
  }

  /// Waits for a call that may hang without being cancellable, such as a name lookup or a file system access; also in a cancelled
  /// task.
  private static func waiting(atMost seconds: Double, for body: @escaping @Sendable () async -> Void) async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    Task.detached {
      await body()
      end.finish()
    }
    Task.detached {
      try? await Task.sleep(for: .seconds(seconds))
      end.finish()
    }
    await Task.detached { for await _ in ends {} }.value
  }
}
