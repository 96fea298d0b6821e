import Testing

@testable import Runs

@Suite struct ErrorBudgetTests {
  private func counts(read: Int, rejected: Int, conflicted: Int = 0) -> DocumentCounts {
    var counts = DocumentCounts()
    counts.read = read
    counts.rejected = rejected
    counts.conflicted = conflicted
    return counts
  }

  @Test func parses() {
    #expect(ErrorBudget(parsing: "0") == .count(0))
    #expect(ErrorBudget(parsing: "100") == .count(100))
    #expect(ErrorBudget(parsing: "1.5%") == .percent(1.5))
    for text in ["", "%", "-1", "101%", "-1%", "x", "1.5", "1 %"] {
      #expect(ErrorBudget(parsing: text) == nil)
    }
  }

  @Test func aCountIsExceededByTheNext() {
    #expect(!ErrorBudget.count(2).isExceeded(by: counts(read: 5, rejected: 1, conflicted: 1)))
    #expect(ErrorBudget.count(2).isExceeded(by: counts(read: 5, rejected: 2, conflicted: 1)))
    #expect(ErrorBudget.count(0).isExceeded(by: counts(read: 5, rejected: 1)))
  }

  @Test func aShareIsJudgedOnceItSaysSomething() {
    #expect(!ErrorBudget.percent(1).isExceeded(by: counts(read: 999, rejected: 999)))
    #expect(!ErrorBudget.percent(1).isExceeded(by: counts(read: 1000, rejected: 10)))
    #expect(ErrorBudget.percent(1).isExceeded(by: counts(read: 1000, rejected: 11)))
  }
}
