import FirestoreModels
import Runs
import Tables
import Transfer

extension ImportCommand: ShardedCommand {
  var runName: String { "import" }
  var shardTarget: ConnectionOptions { connection }
  var shardWrite: WriteOptions? { write }

  func assertDivisible() throws {
    if dryRun { throw refusal(of: "--dry-run", "one process reads and checks it as well") }
    if limit != nil { throw refusal(of: "--limit", "no task knows how many documents the others have") }
    if let stream = files.first(where: ImportSource.isStream) {
      throw refusal(of: stream, "every task reads the files, and this can be read once only")
    }
    try write.assertDivisible()
  }

  /// Checks all files once, before anything is planned; the tasks do not check them again.
  func division(in session: Session) async throws -> ShardDivision {
    var options = try options()
    let run = try RunDirectory(in: connection.stateDir, command: "import")
    options.table.newIDSeed = run.id
    try Import(options, in: session.context(run)).check()
    return ShardDivision(inputs: options.sources.map(\.path))
  }
}
