/// The results of the checks of an environment.
package struct Diagnosis: Sendable, Equatable {
  /// The result of a check.
  package enum State: String, Sendable {
    case ok
    /// It works, but there is something worth knowing.
    case warning
    /// It does not work.
    case problem
  }

  package struct Check: Sendable, Equatable {
    /// The name, one word.
    package var name: String
    package var state: State
    /// The message: one line, without secrets.
    package var message: String
    package var remedy: String?
    package var kind: Failure.Kind?

    /// The check in one line, such as `problem  token: …. Do this`.
    package var line: String {
      var text = "\(name): \(message)"
      if !text.hasSuffix(".") { text += "." }
      if let remedy { text += " \(remedy)" }
      let label = state.rawValue
      return (label + String(repeating: " ", count: 9 - label.utf8.count) + text)
        .split(whereSeparator: \.isNewline).joined(separator: " ")
    }
  }

  /// The checks, in the order in which they were made.
  package private(set) var checks: [Check] = []

  package init() {}

  /// The kinds of the problems.
  package var problems: [Failure.Kind] { checks.compactMap(\.kind) }

  package mutating func ok(_ name: String, _ message: String) {
    checks.append(Check(name: name, state: .ok, message: message))
  }

  package mutating func warn(_ name: String, _ message: String, remedy: String? = nil) {
    checks.append(Check(name: name, state: .warning, message: message, remedy: remedy))
  }

  package mutating func fail(_ name: String, _ message: String, remedy: String?, kind: Failure.Kind) {
    checks.append(Check(name: name, state: .problem, message: message, remedy: remedy, kind: kind))
  }

  /// Adds a failure as a problem.
  package mutating func fail(_ name: String, _ failure: Failure) {
    let path = failure.path.map { " \($0)" } ?? ""
    fail(
      name,
      "cannot \(failure.operation)\(path): \(failure.cause)",
      remedy: failure.remedy,
      kind: failure.kind
    )
  }

  /// Writes the checks as a JSON array.
  package func writeChecks(to json: inout JSONWriter) {
    json.array { list in
      list.objects(checks) { json, check in
        json.member("message", check.message)
        json.member("name", check.name)
        json.member("remedy", check.remedy)
        json.member("state", check.state.rawValue)
      }
    }
  }
}
