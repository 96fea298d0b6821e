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

  @Test(
    "Documents in flight are among those that the budget is a share of, because only those rejected are counted yet."
  )
  func documentsInFlight() throws {
    let things = try #require(CollectionPath("things"))
    let counts = RunCounts(budget: .percent(12))
    counts.update(things) { $0 = self.counts(read: 1000, rejected: 150) }
    counts.hold(500)
    try counts.assertBudget()
    counts.release(400)
    let failure = #expect(throws: Failure.self) { try counts.assertBudget() }
    #expect(
      failure?.description.contains("150 of the 1,100 documents looked at by then were rejected") == true
    )
  }

  @Test func aShareIsJudgedOnceItSaysSomething() {
    #expect(!ErrorBudget.percent(1).isExceeded(by: counts(read: 999, rejected: 999)))
    #expect(!ErrorBudget.percent(1).isExceeded(by: counts(read: 1000, rejected: 10)))
    #expect(ErrorBudget.percent(1).isExceeded(by: counts(read: 1000, rejected: 11)))
  }
}
