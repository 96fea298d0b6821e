import FirestoreModels

/// How many documents may be rejected or conflicted before a run stops (`--max-errors`).
package enum ErrorBudget: Sendable, Equatable {
  /// So many; the next one stops the run.
  case count(Int)
  /// So many of a hundred that were read; judged from the thousandth document on.
  case percent(Double)

  /// Documents before a share of them says anything.
  static let firstJudgement = 1000

  /// Parses `100` or `1.5%`; nil where the text is neither.
  package init?(parsing text: String) {
    if text.hasSuffix("%") {
      guard let share = Double(text.dropLast()), (0...100).contains(share) else { return nil }
      self = .percent(share)
    } else {
      guard let count = Int(text), count >= 0 else { return nil }
      self = .count(count)
    }
  }

  /// Whether the counts of a run have more errors than it may have.
  package func isExceeded(by counts: DocumentCounts) -> Bool {
    let errors = counts.rejected.addingClamped(counts.conflicted)
    switch self {
    case .count(let count): return errors > count
    case .percent(let share):
      return counts.read >= Self.firstJudgement && Double(errors) * 100 > share * Double(counts.read)
    }
  }
}
