/// Which task of a sharded run a process executes, given by options or by the environment variables of its scheduler.
///
/// - `CLOUD_RUN_TASK_INDEX` and `CLOUD_RUN_TASK_COUNT` of Cloud Run jobs.
/// - `JOB_COMPLETION_INDEX` of Kubernetes Indexed Jobs, which provide no count.
/// - `SLURM_ARRAY_TASK_ID` of Slurm arrays, counted from `SLURM_ARRAY_TASK_MIN` in steps of `SLURM_ARRAY_TASK_STEP`; the count is
///   `SLURM_ARRAY_TASK_COUNT`.
package struct TaskIdentity: Sendable, Equatable {
  /// The index, from 0.
  package var index: Int
  /// The number of tasks; nil if the source does not provide it.
  package var count: Int?
  package var source: String

}

extension TaskIdentity {
  /// - Parameters:
  ///   - task: The value of `--task`.
  ///   - tasks: The value of `--tasks`.
  ///   - variables: The environment of the process.
  ///   - planned: The number of tasks in the plan.
  /// - Throws: `.usage` if nothing specifies the task, if two sources disagree, or if it is not one of the plan's.
  package init(
    task: Int?,
    tasks: Int?,
    variables: [String: String],
    planned: Int
  ) throws(Failure) {
    var found = try Self.engines(variables)
    if let task { found.insert(TaskIdentity(index: task, count: tasks, source: "--task"), at: 0) }
    guard var identity = found.first else {
      throw Self.refusal(
        "no option and no variable of an engine says which task this is",
        "Give --task and --tasks, or start it as a task of Cloud Run, Kubernetes (Indexed) or a Slurm array."
      )
    }
    for other in found.dropFirst() {
      let isSame =
        other.index == identity.index && (other.count == nil || other.count == identity.count ?? other.count)
      if !isSame {
        throw Self.refusal(
          "\(identity.source) says \(identity.text), and \(other.source) \(other.text)",
          "Unset one of them."
        )
      }
      identity.count = identity.count ?? other.count
    }
    let count = identity.count ?? tasks
    if let count, count != planned {
      throw Self.refusal(
        "\(identity.source) says that there are \(count) tasks, and the plan has \(planned)",
        "Start \(NumberText.counted(planned, "task")); a single one with --task \(identity.index) --tasks \(planned)."
      )
    }
    guard (0..<planned).contains(identity.index) else {
      throw Self.refusal(
        "\(identity.source) says task \(identity.index), and the plan has \(planned), from 0 to \(planned - 1)",
        "Start \(NumberText.counted(planned, "task"))."
      )
    }
    identity.count = planned
    self = identity
  }

  private var text: String { "task \(index)\(count.map { " of \($0)" } ?? "")" }

  private static func engines(_ variables: [String: String]) throws(Failure) -> [TaskIdentity] {
    func number(_ name: String) throws(Failure) -> Int? {
      guard let text = variables[name], !text.isEmpty else { return nil }
      if let number = Int(count: text) { return number }
      throw Failure(.usage, "use", path: name, cause: "'\(text)' is not a whole number from 0")
    }
    var found: [TaskIdentity] = []
    if let index = try number("CLOUD_RUN_TASK_INDEX") {
      let count = try number("CLOUD_RUN_TASK_COUNT")
      found.append(TaskIdentity(index: index, count: count, source: "CLOUD_RUN_TASK_INDEX"))
    }
    if let index = try number("JOB_COMPLETION_INDEX") {
      found.append(TaskIdentity(index: index, count: nil, source: "JOB_COMPLETION_INDEX"))
    }
    if let id = try number("SLURM_ARRAY_TASK_ID") {
      let first = try number("SLURM_ARRAY_TASK_MIN") ?? 0
      let step = max(1, try number("SLURM_ARRAY_TASK_STEP") ?? 1)
      guard id >= first, (id - first) % step == 0 else {
        throw Failure(
          .usage,
          "use",
          path: "SLURM_ARRAY_TASK_ID",
          cause: "\(id) is not one of the array, which begins at \(first) in steps of \(step)"
        )
      }
      let count = try number("SLURM_ARRAY_TASK_COUNT")
      found.append(TaskIdentity(index: (id - first) / step, count: count, source: "SLURM_ARRAY_TASK_ID"))
    }
    return found
  }

  private static func refusal(_ cause: String, _ remedy: String) -> Failure {
    Failure(.usage, "find out which task this is", cause: cause, remedy: remedy)
  }
}
