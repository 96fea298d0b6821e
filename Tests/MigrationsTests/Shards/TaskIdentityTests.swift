import FirestoreModels
import Testing

@testable import Shards

@Suite("Which task a process is")
struct TaskIdentityTests {
  private func index(
    task: Int? = nil,
    tasks: Int? = nil,
    _ variables: [String: String] = [:],
    planned: Int = 4
  ) throws(Failure) -> Int {
    try TaskIdentity(task: task, tasks: tasks, variables: variables, planned: planned).index
  }

  @Test("The options and the variables of the three engines")
  func engines() throws {
    #expect(try index(task: 2, tasks: 4) == 2)
    #expect(try index(task: 3) == 3)
    #expect(try index(["CLOUD_RUN_TASK_INDEX": "1", "CLOUD_RUN_TASK_COUNT": "4"]) == 1)
    // Kubernetes gives no count, so the plan's holds.
    #expect(try index(["JOB_COMPLETION_INDEX": "3"]) == 3)
    #expect(try index(tasks: 4, ["JOB_COMPLETION_INDEX": "3"]) == 3)
    #expect(
      try index(["SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_COUNT": "4"]) == 2
    )
    #expect(try index(["SLURM_ARRAY_TASK_ID": "0"]) == 0)
    #expect(
      try index([
        "SLURM_ARRAY_TASK_ID": "11", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_STEP": "3",
        "SLURM_ARRAY_TASK_COUNT": "4",
      ]) == 2
    )
    // An empty variable is one that is not set.
    #expect(try index(task: 1, ["SLURM_ARRAY_TASK_ID": "", "CLOUD_RUN_TASK_INDEX": ""]) == 1)
    // Two that agree are one.
    #expect(try index(task: 1, tasks: 4, ["SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "4"]) == 1)
  }

  @Test(
    "What is refused, as a wrong command line",
    arguments: [
      (nil, nil, [:]), (4, 4, [:]), (0, 5, [:]),
      (nil, nil, ["CLOUD_RUN_TASK_INDEX": "1", "CLOUD_RUN_TASK_COUNT": "3"]),
      (nil, 3, ["JOB_COMPLETION_INDEX": "1"]), (nil, nil, ["JOB_COMPLETION_INDEX": "4"]),
      (nil, nil, ["JOB_COMPLETION_INDEX": "one"]), (nil, nil, ["JOB_COMPLETION_INDEX": "-1"]),
      (1, nil, ["JOB_COMPLETION_INDEX": "2"]),
      (1, 4, ["CLOUD_RUN_TASK_INDEX": "1", "CLOUD_RUN_TASK_COUNT": "5"]),
      (nil, nil, ["CLOUD_RUN_TASK_INDEX": "0", "JOB_COMPLETION_INDEX": "1"]),
      (nil, nil, ["SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "4"]),
      (nil, nil, ["SLURM_ARRAY_TASK_ID": "4", "SLURM_ARRAY_TASK_MIN": "3", "SLURM_ARRAY_TASK_STEP": "2"]),
      // Two tasks of the array that are started again are an array of two.
      (nil, nil, ["SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "2"]),
    ] as [(Int?, Int?, [String: String])]
  )
  func refused(task: Int?, tasks: Int?, variables: [String: String]) {
    #expect { try index(task: task, tasks: tasks, variables) } throws: { error in
      (error as? Failure)?.kind == .usage
    }
  }
}
