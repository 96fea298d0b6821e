package import Files

/// The number of findings of each rule, with a few of their documents.
package struct IntegrityReport: Sendable, Equatable {
  /// The findings of one rule.
  package struct Part: Sendable, Equatable {
    package var count = 0
    /// The first documents, without duplicates.
    package var examples: [DocumentPath] = []
    /// Whether there are further documents.
    package var hasMore = false
  }

  /// The checked rules, in order.
  package let rules: [IntegrityRule]
  private var parts: [IntegrityRule: Part] = [:]
  private let exampleCount: Int

  /// Creates an empty report.
  ///
  /// - Parameter examples: The number of documents to keep for each rule.
  package init(rules: [IntegrityRule], examples: Int = 3) {
    self.rules = rules
    exampleCount = examples
  }

  package mutating func add(_ finding: IntegrityFinding) {
    var part = parts[finding.rule] ?? Part()
    part.count += 1
    if !part.hasMore, !part.examples.contains(finding.path) {
      if part.examples.count < exampleCount {
        part.examples.append(finding.path)
      } else {
        part.hasMore = true
      }
    }
    parts[finding.rule] = part
  }

  /// Adds findings that were counted elsewhere, without documents.
  package mutating func add(_ count: Int, of rule: IntegrityRule) {
    parts[rule, default: Part()].count = self[rule].count.addingClamped(count)
    if count > 0 { parts[rule, default: Part()].hasMore = true }
  }

  package subscript(rule: IntegrityRule) -> Part { parts[rule] ?? Part() }

  package var count: Int { parts.values.reduce(0) { $0 + $1.count } }

  /// One line per rule with the number of findings, the rule and example documents, without control characters from IDs.
  package var table: TerminalText {
    let rows = rules.map { rule in
      let part = self[rule]
      var shown = part.examples.map(\.string).joined(separator: ", ")
      if part.hasMore, !shown.isEmpty { shown += ", …" }
      return [String(part.count), rule.name, shown]
    }
    let lines = TerminalText.aligned([["FINDINGS", "RULE", "DOCUMENTS"]] + rows, numbers: [0])
    return "\(lines.joined(separator: "\n"))\n"
  }
}
