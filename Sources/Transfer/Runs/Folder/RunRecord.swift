package import Configuration
import Files
import Platform
package import TypedDocuments

/// `run.json`: what a run does, written before it starts, so that it can be resumed.
package struct RunRecord: JSONRecord, Equatable {
  /// An input file, with what identifies its contents.
  package struct Input: Codable, Sendable, Equatable {
    /// The size in bytes.
    package var bytes: Int
    /// The generation of an object in a bucket.
    var generation: String?
    /// The modification time by this machine's clock.
    var modified: Timestamp?
    /// When the file or its attributes last changed, which programs cannot set; nil in records of versions that did not
    /// record it.
    var changed: Timestamp?
    /// The path as on the command line.
    package var path: String
    /// The SHA-256 of the contents of a file, if recorded.
    var sha256: String?

    /// What decides whether the contents are unchanged, regardless of times, if recorded.
    var digest: String? { generation ?? sha256 }

    package init(_ path: String, digest: String?) {
      let status = SystemCall.status(path).status
      bytes = status.map { Int($0.st_size) } ?? 0
      (modified, changed) = (status?.modified, status?.changed)
      self.path = path
      if FileAccess.isRemote(path) { generation = digest } else { sha256 = digest }
    }
  }

  /// The identity of a database: environment name, database and endpoint.
  package struct Target: Codable, Sendable, Equatable {
    /// The database.
    @Text package var database: DatabaseName
    /// The endpoint; `embedded` for the embedded store.
    package var endpoint: String
    /// The environment's name.
    package var environment: String

    package init(_ environment: DatabaseEnvironment) {
      database = environment.database
      (endpoint, self.environment) = (environment.server, environment.name)
    }
  }

  /// The run ID.
  package var id: String
  /// The command, such as `migrate apply prices`.
  package var command: String
  /// The command line without the program, for display.
  package var arguments: [String]
  /// The encoded job, as written by this or another version.
  private var writtenJob: Value?
  /// The working directory of the command.
  package var workingDirectory: String
  /// The version of gymmigrate.
  package var version: String
  /// The name of the environment.
  package var environment: String
  /// The database.
  @Text package var database: DatabaseName
  /// The endpoint; `embedded` for the embedded store.
  package var endpoint: String
  /// The start time by this machine's clock.
  package var startedAt: Timestamp
  /// Whether it writes to the database, and thus has a journal and can be resumed.
  package var writes: Bool
  /// The input files.
  package var inputs: [Input]
  /// The source, for a command that reads one database and writes another.
  package var source: Target?
  /// The SHA-256 of the schema, for a run that depends on it; nil for other runs, and in records of versions that did not
  /// record it.
  private var schema: String?
  /// The number of tasks of a sharded run, each of which has its own run directory; nil for other runs.
  package var shards: Int?
  /// The inode number of the run directory, which differs in a copy.
  var folder: String?

  private enum CodingKeys: String, CodingKey {
    case arguments, command, database, endpoint, environment, folder, inputs
    case writtenJob = "job"
    case id = "runId"
    case schema, shards, source, startedAt, version, workingDirectory, writes
  }

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - digests: The digests that identify inputs, by path: the SHA-256 of files, the generation of objects in buckets.
  ///   - schema: The SHA-256 of the schema, for a run that depends on it.
  package init(
    id: String,
    command: String,
    arguments: [String],
    workingDirectory: String,
    environment: DatabaseEnvironment,
    startedAt: Timestamp,
    writes: Bool,
    inputs: [String] = [],
    digests: [UTF8Key: String] = [:],
    schema: String? = nil,
    source: DatabaseEnvironment? = nil,
    job: JobRecord? = nil
  ) {
    self.id = id
    self.command = command
    self.arguments = arguments
    self.workingDirectory = workingDirectory
    version = gymmigrateVersion
    self.environment = environment.name
    database = environment.database
    endpoint = environment.server
    self.startedAt = startedAt
    self.writes = writes
    self.inputs = inputs.map { Input($0, digest: digests[UTF8Key($0)]) }
    self.schema = schema
    self.source = source.map { Target($0) }
    writtenJob = job?.recordValue
  }

  /// The job; nil for a command that only reads, and if another version recorded only the command line or a job of another
  /// form.
  package var job: JobRecord? { writtenJob.flatMap { try? JobRecord(recordValue: $0) } }

  /// Returns the size of an input file in bytes; 0 if it does not exist.
  package static func size(of path: String) -> Int { Input(path, digest: nil).bytes }

  /// Checks that the input files and the schema have not changed since the run began.
  ///
  /// - Parameters:
  ///   - paths: The files that would be read now.
  ///   - digests: The SHA-256 of files that have been read already, by path.
  ///   - schema: The SHA-256 of the schema that would be used now; nil if the run does not depend on one.
  ///   - run: The run to name in an error, of which this one may be a part; nil for this one.
  ///   - remedy: What to do if the command cannot start over; nil if it can.
  /// - Throws: `.inputMalformed` with the first file that differs; `.inputMissing` for standard input.
  package func assertInputsUnchanged(
    _ paths: [String],
    digests: [UTF8Key: String] = [:],
    schema: String? = nil,
    of run: String? = nil,
    remedy: String? = nil
  ) throws(Failure) {
    func changed(_ cause: String) -> Failure {
      Failure(
        .inputMalformed,
        "resume",
        path: run ?? id,
        cause: cause,
        remedy: remedy ?? "Start a new run: documents already written are detected and skipped."
      )
    }
    if let then = self.schema, let schema, !schema.isIdentical(to: then) {
      throw changed("the schema has changed since the run began")
    }
    for input in inputs {
      if let digest = input.digest, let now = digests[UTF8Key(input.path)] {
        if !now.isIdentical(to: digest) { throw changed("\(input.path) has changed since the run began") }
        continue
      }
      if input.path == "-" {
        throw Failure(
          .inputMissing,
          "resume",
          path: id,
          cause: "it read standard input, which cannot be read again",
          remedy:
            "Run the same command with the same input: documents already written are detected and skipped."
        )
      }
      var now = Input(input.path, digest: input.digest)
      if input.changed == nil { now.changed = nil }
      if now != input {
        throw changed("\(input.path) has changed since the run began")
      }
    }
    if !paths.elementsEqual(inputs, by: { $0.isIdentical(to: $1.path) }) {
      throw changed("it would read other files now")
    }
  }

  /// Checks that the environment, and the source if any, still resolve to the databases with which the run began.
  ///
  /// - Throws: `.configuration`.
  package func assertSameEnvironments(
    _ environment: DatabaseEnvironment,
    source: DatabaseEnvironment? = nil
  ) throws(Failure) {
    try assertSame(environment, database, endpoint)
    if let source, let then = self.source { try assertSame(source, then.database, then.endpoint) }
  }

  private func assertSame(
    _ now: DatabaseEnvironment,
    _ database: DatabaseName,
    _ endpoint: String
  ) throws(Failure) {
    guard now.database == database, now.server.isIdentical(to: endpoint) else {
      throw Failure(
        .configuration,
        "resume",
        path: id,
        cause:
          "\(now.name) is \(now.database) at \(now.server) now, and was \(database) at \(endpoint)",
        remedy: "Restore the configuration, or start a new run."
      )
    }
  }
}
