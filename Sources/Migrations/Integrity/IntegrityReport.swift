package import Files
package import FirestoreModels

/// How many findings each rule has, with a few of their documents.
package struct IntegrityReport: Sendable, Equatable {
  /// One rule's part.
  package struct Part: Sendable, Equatable {
    package var count = 0
    /// The first documents, each once.
    package var examples: [DocumentPath] = []
  }

  /// The rules that were checked, in their order.
  package let rules: [IntegrityRule]
  private var parts: [IntegrityRule: Part] = [:]
  private let exampleCount: Int

  /// An empty report.
  ///
  /// - Parameter examples: How many documents of each rule are kept.
  package init(rules: [IntegrityRule], examples: Int = 3) {
    self.rules = rules
    exampleCount = examples
  }

  package mutating func add(_ finding: IntegrityFinding) {
    var part = parts[finding.rule] ?? Part()
    part.count += 1
    if part.examples.count < exampleCount, !part.examples.contains(finding.path) {
      part.examples.append(finding.path)
    }
    parts[finding.rule] = part
  }

  /// Adds findings that were counted elsewhere, without documents.
  package mutating func add(_ count: Int, of rule: IntegrityRule) {
    parts[rule, default: Part()].count = parts[rule, default: Part()].count.addingClamped(count)
  }

  package subscript(rule: IntegrityRule) -> Part { parts[rule] ?? Part() }

  package var count: Int { parts.values.reduce(0) { $0 + $1.count } }

  /// One line per rule: the number of findings, the rule, and documents; without a control character, whatever ids hold.
  package var table: TerminalText {
    let numbers = rules.map { String(self[$0].count) }
    let width = (numbers + ["FINDINGS"]).map(\.count).max() ?? 0
    let nameWidth = (rules.map(\.name) + ["RULE"]).map(\.count).max() ?? 0
    var lines: [TerminalText] = [Self.line("FINDINGS", "RULE", "DOCUMENTS", width, nameWidth)]
    for (rule, number) in zip(rules, numbers) {
      let part = self[rule]
      var shown = part.examples.map(\.string).joined(separator: ", ")
      if part.count > part.examples.count, !shown.isEmpty { shown += ", …" }
      lines.append(Self.line(number, rule.name, shown, width, nameWidth))
    }
    return "\(lines.joined(separator: "\n"))\n"
  }

  private static func line(
    _ number: String,
    _ name: String,
    _ documents: String,
    _ width: Int,
    _ nameWidth: Int
  ) -> TerminalText {
    let left = String(repeating: " ", count: max(0, width - number.count)) + number + "  " + name
    if documents.isEmpty { return "\(left)" }
    return "\(left)\(String(repeating: " ", count: max(0, nameWidth - name.count)))  \(documents)"
  }
}
