import Files
import YAML

/// Who is notified of runs: `notify:` in the configuration or in an environment, or options.
package struct NotificationTargets: Sendable, Equatable {
  /// Requested at the start and at the end of a command, in the manner of healthchecks.io.
  package var ping: NotificationAddress?
  /// Receives the summary as JSON.
  package var webhook: NotificationAddress?
  /// The path of a file for Prometheus' textfile collector.
  package var metrics: String?
  /// The commands that it applies to, such as `migrate apply`; nil for all.
  package var commands: [String]?

  package init() {}

  package var isEmpty: Bool { ping == nil && webhook == nil && metrics == nil }

  /// Returns a copy that takes missing targets from others, if these apply to the command.
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
/// Its path is a secret, because anybody who knows it may send notifications.
package struct NotificationAddress: Sendable, Equatable {
  package let url: String
  /// Scheme, host and port.
  package let host: String

  package static let expectation = "an address that begins with https:// or http://, without a login"

  /// - Returns: Nil if the text does not match ``expectation``.
  package init?(_ text: String) {
    let scheme = ["https://", "http://"].first { text.lowercased().hasPrefix($0) }
    let isPrintable = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard let scheme, text.utf8.count <= 2000, isPrintable else { return nil }
    let host = text.dropFirst(scheme.utf8.count).prefix { !"/?#".contains($0) }
    guard !host.isEmpty, !host.contains("@") else { return nil }
    (url, self.host) = (text, scheme + host)
    // Shorter paths are words that may occur anywhere.
    let path = String(text.dropFirst(self.host.utf8.count))
    if path.utf8.count >= 16 { Secrets.add(path) }
  }

  /// The address without its secret, however short that is.
  package var shown: String { url == host ? url : host + Secrets.mark }

  /// Returns the address with another component at the end of its path.
  package func appending(_ part: String) -> String {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let rest = url[path.endIndex...].prefix { $0 != "#" }
    return "\(path)\(path.hasSuffix("/") ? "" : "/")\(part)\(rest)"
  }
}

extension NotificationTargets {
  /// Parses `notify:`.
  ///
  /// - Parameters:
  ///   - known: The names of the commands; empty if they are not known.
  ///   - place: Resolves a path against the file.
  /// - Throws: `.configuration` with the line and column of the error.
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

  /// Why a command cannot be one that notifies, so that it would never match; nil if it can.
  private static func problem(of command: String, _ known: [String]) -> String? {
    if known.isEmpty || known.contains(where: { $0.isIdentical(to: command) }) { return nil }
    let below = known.filter { $0.hasPrefix("\(command) ") }
    if !below.isEmpty { return "'\(command)' stands for several commands: \(below.joined(separator: ", "))" }
    let near = command.nearest(of: known).map { "; did you mean '\($0)'?" } ?? ""
    return "there is no command '\(command)'\(near)"
  }
}
