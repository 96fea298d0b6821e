package import Configuration
package import FirestoreREST
package import Logging
package import Schema

/// What an operation of one run needs besides its own options: a database, a run directory, counts and output.
///
/// The command line makes one context for each run and passes it to the operation:
///
///     let context = RunContext(
///       environment: environment, client: client, schema: schema, folder: folder, counts: counts, progress: progress, logger: logger
///     )
///     try await Export(options, in: context).run()
package struct RunContext: Sendable {
  /// The environment that the run works on; the target of a command with a source and a target.
  package var environment: DatabaseEnvironment
  /// A client of the environment's database.
  package var client: FirestoreClient
  /// What the collections of the database are.
  package let schema: DatabaseSchema
  /// The run directory, for lists and temporary files.
  package let folder: RunDirectory
  /// The document counts by collection.
  package var counts: RunCounts
  /// What makes a writing run resumable; nil for a run that only reads and for a dry run.
  package var checkpoints: Checkpoints?
  /// The run's `rejects.jsonl`.
  package let rejects: RejectList
  /// The progress display.
  package var progress: Progress
  package var logger: Logger

  package init(
    environment: DatabaseEnvironment,
    client: FirestoreClient,
    schema: DatabaseSchema,
    folder: RunDirectory,
    counts: RunCounts,
    checkpoints: Checkpoints? = nil,
    progress: Progress,
    logger: Logger
  ) {
    self.environment = environment
    self.client = client
    self.schema = schema
    self.folder = folder
    rejects = RejectList(folder)
    self.counts = counts
    self.checkpoints = checkpoints
    self.progress = progress
    self.logger = logger
  }

  /// The journal of a run that writes: each change is recorded there before it is sent.
  package var journal: Journal? { checkpoints?.journal }
}
