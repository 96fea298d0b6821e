import Files
import YAML

/// Who is notified of runs: `notify:` of the configuration or of an environment, or options.
package struct NotificationTargets: Sendable, Equatable {
  /// Asked for at the start of a command and at its end, as healthchecks.io has it.
  package var ping: NotificationAddress?
  /// Gets the summary as JSON.
  package var webhook: NotificationAddress?
  /// The path of a file of Prometheus' textfile collector.
  package var metrics: String?
  /// The commands that it is for, as `migrate apply`; nil for all.
  package var commands: [String]?

  package init() {}

  package var isEmpty: Bool { ping == nil && webhook == nil && metrics == nil }

  /// The same with what it lacks from others, as far as these are for the command.
  package func completed(by others: NotificationTargets?, for command: String) -> NotificationTargets {
    guard let others, others.commands?.contains(where: { $0.isIdentical(to: command) }) ?? true else {
      return self
    }
    var completed = self
    completed.ping = ping ?? others.ping
    completed.webhook = webhook ?? others.webhook
    completed.metrics = metrics ?? others.metrics
    return completed
  }
}

/// An address that is notified of runs.
///
/// Whoever knows its path may speak for it, so that is a secret.
package struct NotificationAddress: Sendable, Equatable {
  package let url: String
  /// Scheme, host and port.
  package let host: String

  package static let expectation = "an address that begins with https:// or http://, without a login"

  /// - Returns: nil for what is not ``expectation``.
  package init?(_ text: String) {
    let scheme = ["https://", "http://"].first { text.lowercased().hasPrefix($0) }
    let isPrintable = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard let scheme, text.utf8.count <= 2000, isPrintable else { return nil }
    let host = text.dropFirst(scheme.utf8.count).prefix { !"/?#".contains($0) }
    guard !host.isEmpty, !host.contains("@") else { return nil }
    (url, self.host) = (text, scheme + host)
    // Shorter ones are words that may stand anywhere.
    let path = String(text.dropFirst(self.host.utf8.count))
    if path.utf8.count >= 16 { Secrets.add(path) }
  }

  /// The address with one more part at the end of its path.
  package func appending(_ part: String) -> String {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let rest = url[path.endIndex...].prefix { $0 != "#" }
    return "\(path)\(path.hasSuffix("/") ? "" : "/")\(part)\(rest)"
  }
}

extension NotificationTargets {
  /// Reads `notify:`.
  ///
  /// - Parameters:
  ///   - known: The names of the commands; none where they are not known.
  ///   - place: Resolves a path against the file.
  /// - Throws: `.configuration` with the line and column of what is wrong.
  static func read(
    _ node: YAMLNode,
    in yaml: YAMLFile,
    _ known: [String],
    at place: (String) -> String
  ) throws(Failure) -> NotificationTargets {
    var targets = NotificationTargets()
    let keys = ["ping", "webhook", "metrics", "commands"]
    for (name, _, value) in try yaml.members(node, "'notify'", known: keys) {
      switch name {
      case "metrics": targets.metrics = place(try yaml.text(value, name))
      case "commands":
        guard case .sequence(let commands) = value.content else {
          throw yaml.failure(at: value, "'commands' must be a list, as [export, migrate apply]")
        }
        targets.commands = try commands.map { node throws(Failure) in
          let command = try yaml.text(node, name)
          if let cause = problem(of: command, known) { throw yaml.failure(at: node, cause) }
          return command
        }
      default:
        guard let address = NotificationAddress(try yaml.text(value, name)) else {
          throw yaml.failure(at: value, "'\(name)' must be \(NotificationAddress.expectation)")
        }
        if name == "ping" { targets.ping = address } else { targets.webhook = address }
      }
    }
    return targets
  }

  /// Why a command is none that notifies: it would never be met.
  private static func problem(of command: String, _ known: [String]) -> String? {
    if known.isEmpty || known.contains(where: { $0.isIdentical(to: command) }) { return nil }
    let below = known.filter { $0.hasPrefix("\(command) ") }
    if !below.isEmpty { return "'\(command)' stands for several commands: \(below.joined(separator: ", "))" }
    let near = command.nearest(of: known).map { "; did you mean '\($0)'?" } ?? ""
    return "there is no command '\(command)'\(near)"
  }
}
