package import FirestoreModels

/// What an examination of an environment found, one line per check.
package struct Diagnosis: Sendable, Equatable {
  /// How a check came out.
  package enum State: String, Sendable {
    case ok
    /// It works, and something is worth knowing.
    case warning
    /// It does not work.
    case problem
  }

  /// One check.
  package struct Check: Sendable, Equatable {
    /// Its name, one word.
    package var name: String
    /// How it came out.
    package var state: State
    /// What was found, one line without a secret.
    package var message: String
    /// What to do about it.
    package var remedy: String?
    /// The class of a problem.
    package var kind: Failure.Kind?

    /// The check in one line.
    ///
    /// As `problem  token: …. Do this.`
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

  /// Nothing examined yet.
  package init() {}

  /// The classes of the problems.
  package var problems: [Failure.Kind] { checks.compactMap(\.kind) }

  /// Adds a check that came out well.
  package mutating func ok(_ name: String, _ message: String) {
    checks.append(Check(name: name, state: .ok, message: message))
  }

  /// Adds a check that is worth knowing about.
  package mutating func warn(_ name: String, _ message: String, remedy: String? = nil) {
    checks.append(Check(name: name, state: .warning, message: message, remedy: remedy))
  }

  /// Adds a problem.
  package mutating func fail(_ name: String, _ message: String, remedy: String?, kind: Failure.Kind) {
    checks.append(Check(name: name, state: .problem, message: message, remedy: remedy, kind: kind))
  }

  /// Adds a problem that is a failure.
  package mutating func fail(_ name: String, _ failure: Failure) {
    let path = failure.path.map { " \($0)" } ?? ""
    fail(
      name,
      "cannot \(failure.operation)\(path): \(failure.cause)",
      remedy: failure.remedy,
      kind: failure.kind
    )
  }

  /// Writes the checks as an array.
  package func writeChecks(to json: inout JSONWriter) {
    json.array { list in
      for check in checks {
        list.object { json in
          json.key("message")
          json.string(check.message)
          json.key("name")
          json.string(check.name)
          if let remedy = check.remedy {
            json.key("remedy")
            json.string(remedy)
          }
          json.key("state")
          json.string(check.state.rawValue)
        }
      }
    }
  }
}
