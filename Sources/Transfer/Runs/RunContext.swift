package import Configuration
package import FirestoreREST
package import Logging

/// What the work of one run needs beside its own options: a database, the run's folder, and where it counts and reports.
///
/// The command line makes one for each run, and hands it to whatever does the work:
///
///     let context = RunContext(
///       environment: environment, client: client, folder: folder, counts: counts, progress: progress, logger: logger
///     )
///     try await Export(options, in: context).run()
package struct RunContext: Sendable {
  /// The environment that is worked on; the target of a command that has two.
  package var environment: DatabaseEnvironment
  /// A client for its database.
  package var client: FirestoreClient
  /// The run's folder, for its lists and spools.
  package let folder: RunDirectory
  /// What happened to the documents, collection by collection.
  package var counts: RunCounts
  /// What makes a writing run resumable; nil for one that only reads, and for a dry run.
  package var checkpoints: Checkpoints?
  /// `rejects.jsonl` of the run.
  package let rejects: RejectList
  /// The progress line.
  package var progress: Progress
  package var logger: Logger

  package init(
    environment: DatabaseEnvironment,
    client: FirestoreClient,
    folder: RunDirectory,
    counts: RunCounts,
    checkpoints: Checkpoints? = nil,
    progress: Progress,
    logger: Logger
  ) {
    self.environment = environment
    self.client = client
    self.folder = folder
    rejects = RejectList(folder)
    self.counts = counts
    self.checkpoints = checkpoints
    self.progress = progress
    self.logger = logger
  }

  /// Where each change is recorded before it is sent, of a run that writes.
  package var journal: Journal? { checkpoints?.journal }
}
