import Configuration
import Shards

enum ShardText {
  /// What was planned, and how to continue.
  static func planned(_ plan: ShardPlan, at place: ShardPlace) -> [String] {
    let readTime = plan.readTime.map { ", read at \($0)" } ?? ""
    let ranges = NumberText.counted(plan.ranges.count, "range")
    let tasks = NumberText.counted(plan.tasks, "task")
    let last = plan.tasks - 1
    let each = last == 0 ? "The task" : "Each task (--task 0 to \(last); none where a batch engine says it)"
    return [
      "Planned run \(plan.run): \(ranges) for \(tasks)\(readTime).",
      "\(each): \(CommandLineText.quoted(["gymmigrate", "shard", "work", place.text, "--task", "0"]))",
      "Afterwards: \(CommandLineText.quoted(["gymmigrate", "shard", "finish", place.text]))",
    ]
  }

  /// One line per task, one for what they were billed if that is bounded, and one for all.
  static func lines(_ plan: ShardPlan, _ state: ShardState, _ billed: Cost?) -> [TerminalText] {
    var lines = state.tasks.map { task -> TerminalText in
      let who = task.holder.map { holder in
        "\(holder), renewed \(Int(clamping: (task.silentSeconds ?? 0).rounded())) s ago"
      }
      let error = task.error.map { "exit code \($0.exitCode) on \($0.holder): \($0.message)" }
      let ranges = "\(task.done) of \(NumberText.counted(task.ranges, "range"))"
      let cells = ["task \(task.number)", task.status.rawValue, ranges, who, error]
      return TerminalText(cells: cells.compactMap { $0 })
    }
    if let billed { lines.append("billed: \(billed.textOfSome) at most") }
    lines.append(
      "run \(plan.run): \(state.tasks.count - state.open.count) of \(NumberText.counted(plan.tasks, "task")) done\t\(plan.name)"
    )
    return lines
  }

  /// The JSON object of a task whose ranges are done.
  static func worked(_ task: Int, of plan: ShardPlan) -> [UInt8] {
    JSONWriter.object {
      $0.member("runId", plan.run)
      $0.member("command", plan.name)
      $0.member("task", task)
      $0.member("tasks", plan.tasks)
      $0.member("ranges", plan.ranges(of: task).count)
      $0.member("status", "done")
    }
  }

  static func json(_ plan: ShardPlan, _ state: ShardState, _ billed: Cost?) -> [UInt8] {
    JSONWriter.object { json in
      json.member("runId", plan.run)
      json.member("command", plan.name)
      json.member("readTime", plan.readTime)
      json.member("done", state.tasks.count - state.open.count)
      json.member("billed", record: billed)
      json.member("tasks", objects: state.tasks) { json, task in
        json.member("task", task.number)
        json.member("status", task.status.rawValue)
        json.member("ranges", task.ranges)
        json.member("done", task.done)
        json.member("holder", task.holder)
        if let seconds = task.silentSeconds {
          json.member("silentSeconds", (seconds * 10).rounded() / 10)
        }
        json.member("exitCode", task.error?.exitCode)
        json.member("error", task.error?.message)
      }
    }
  }
}
