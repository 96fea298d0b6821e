import Dispatch
import FirestoreModels
import Synchronization
import TypedDocuments

@testable import Files
@testable import Shards
@testable import Storage

/// The place of a sharded run as somebody left it: its plan and its records are read or refused, and what was read is the same
/// after it was written and read.
///
/// The parts are `plan.json`, `ranges/00000.json`, `claims/00000.json` and `errors/00000.json`.
func fuzzShards(_ input: [UInt8]) {
  let found = parts(input, 4)
  if let plan = parsed(found[0], ShardPlan.init) {
    expect(parsed(plan.json, ShardPlan.init) == plan, "a plan is another after it was written and read")
    var next = 0
    for task in 0..<plan.tasks {
      let ranges = plan.ranges(of: task)
      expect(ranges.startIndex == next, "task \(task) begins at \(ranges.startIndex), not at \(next)")
      next = ranges.endIndex
    }
    expect(next == plan.ranges.count, "\(plan.ranges.count - next) ranges are nobody's")
  }
  if let result = parsed(found[1], ShardResult.init) {
    let again = parsed(result.json, ShardResult.init)
    expect(again == result, "a result is another after it was written and read")
    expect(result.agrees(with: result), "a result does not agree with itself")
    for list in result.lists {
      expect(!list.utf8.contains(UInt8(ascii: "/")), "a list leads elsewhere: \(list)")
    }
  }
  if let claim = parsed(found[2], ShardClaim.init) {
    expect(parsed(claim.json, ShardClaim.init) == claim, "a claim is another after it was written and read")
    _ = WorkerProcess.hasEnded(claim.process)
  }
  if let error = parsed(found[3], ShardError.init) {
    expect(parsed(error.json, ShardError.init) == error, "an error is another after it was written and read")
  }
  // Of every eighth, for it is slower.
  if input.count.isMultiple(of: 8) { place(found) }
}

private func parsed<Record>(_ bytes: [UInt8], _ read: (JSONCursor) throws(WireError) -> Record) -> Record? {
  attempt { () throws(WireError) in try JSONParser(maximumBytes: 1 << 20).parse(bytes, read) }
}

private func place(_ found: [[UInt8]]) {
  let names = ["plan.json", "ranges/00000.json", "claims/00000.json", "errors/00000.json"]
  let files = zip(names, found).filter { !$1.isEmpty }.map { (name: $0, bytes: $1) }
  inFolder(files) { folder in
    let done = DispatchSemaphore(value: 0)
    Task {
      await look(folder)
      done.signal()
    }
    done.wait()
  }
}

private func look(_ folder: String) async {
  do throws(Failure) {
    let shards = ShardFolder(try LocalObjectStore(folder))
    let plan = try await shards.plan()
    if plan.tasks > 100 { return }
    let state = try await ShardState(of: plan, in: shards)
    expect(state.tasks.count == plan.tasks, "\(state.tasks.count) of \(plan.tasks) tasks are shown")
    for task in state.tasks {
      expect(task.done <= task.ranges, "task \(task.number) has done more than its share")
    }
    if let result = try await shards.result(of: 0, in: plan) {
      expect(result.range == 0, "a result of another range")
    }
  } catch {
    expect(!error.description.contains("\n"), "an error of several lines")
  }
}
