/// `gymmigrate shard`: divides one command into tasks of a batch scheduler.
struct ShardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shard",
    abstract: "Divide a command among the tasks of a batch engine.",
    discussion: """
      For what one machine cannot do in time: a snapshot of more documents than fit in the hour of its read time. The engine (Slurm, \
      Cloud Run jobs, Kubernetes Indexed Jobs) starts, places and retries the tasks; the plan says which documents are whose.

        gymmigrate shard plan --shards 16 --to /mnt/share/export -- export --all \\
            -e prod
        gymmigrate shard work /mnt/share/export --task 0 --tasks 16
        gymmigrate shard status /mnt/share/export
        gymmigrate shard finish /mnt/share/export
      """,
    subcommands: [
      ShardPlanCommand.self, ShardWorkCommand.self, ShardStatusCommand.self, ShardFinishCommand.self,
    ]
  )
}
