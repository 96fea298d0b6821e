import Foundation
import TestSupport
import Testing

@Suite("Fault matrix", .timeLimit(.minutes(60)))
struct FaultMatrixTests {
  private static func setting(_ name: String, _ usual: UInt64) -> UInt64 {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } ?? usual
  }

  @Test("As many seeds as there are cells meet every fault in every operation at every place.")
  func cells() {
    let cells = Set(
      (0..<FaultCase.cells).map { seed in
        let test = FaultCase(seed: seed)
        return "\(test.kind) \(test.operation) \("\(test.placement)".filter { !$0.isNumber })"
      }
    )
    #expect(cells.count == Int(FaultCase.cells))
  }

  @Test("Whatever fails, the database, the counts and the end of a run are true.")
  func runs() async throws {
    let first = Self.setting("GYMMIGRATE_FAULT_SEED", 1)
    let count = Self.setting("GYMMIGRATE_FAULT_RUNS", 93)
    var (played, failed) = (0, 0)
    await withTaskGroup(of: FaultRun.self) { group in
      var next = first
      func add() {
        guard next < first + count else { return }
        let test = FaultCase(seed: next)
        next += 1
        group.addTask {
          var run = FaultRun(test)
          do {
            try await run.run()
          } catch {
            Issue.record("\(test): \(error)")
          }
          return run
        }
      }
      for _ in 0..<4 { add() }
      for await run in group {
        played += run.played
        if !run.problems.isEmpty {
          failed += 1
          Issue.record("\(run.test)\n  \(run.problems.joined(separator: "\n  "))")
        }
        add()
      }
    }
    print("fault matrix: \(count) runs from seed \(first), \(played) faults, \(failed) runs failed")
    #expect(count < 50 || played > 0)
  }
}
