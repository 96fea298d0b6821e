/// The maximum number of rejected and conflicted documents before a run stops (`--max-errors`).
package enum ErrorBudget: Sendable, Equatable {
  /// A number of documents; exceeding it stops the run.
  case count(Int)
  /// A percentage of the documents read, applied from the thousandth document on.
  case percent(Double)

  /// The number of documents from which a percentage is applied.
  static let firstJudgement = 1000

  /// Parses `100` or `1.5%`; returns nil for any other text.
  package init?(parsing text: String) {
    if text.hasSuffix("%") {
      guard let share = Double(text.dropLast()), (0...100).contains(share) else { return nil }
      self = .percent(share)
    } else {
      guard let count = Int(text), count >= 0 else { return nil }
      self = .count(count)
    }
  }

  /// Whether the counts of a run exceed the budget.
  package func isExceeded(by counts: DocumentCounts) -> Bool {
    let errors = counts.rejected.addingClamped(counts.conflicted)
    switch self {
    case .count(let count): return errors > count
    case .percent(let share):
      return counts.read >= Self.firstJudgement && Double(errors) * 100 > share * Double(counts.read)
    }
  }
}
