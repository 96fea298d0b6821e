package import Configuration
import Files
package import FirestoreModels
import Platform

/// `run.json`: what a run does, written before it begins, so that it can be resumed.
package struct RunRecord: Sendable, Equatable {
  /// An input file, and what identifies its contents.
  package struct Input: Sendable, Equatable {
    /// The path as on the command line.
    package var path: String
    /// The size in bytes.
    package var bytes: Int
    /// The modification time by this machine's clock.
    package var modified: Timestamp?
    /// The SHA-256 of the contents, if recorded; it alone then decides whether the file is unchanged.
    package var sha256: String?
  }

  /// The database identity: environment name, database and endpoint.
  package struct Target: Sendable, Equatable {
    /// The environment's name.
    package var environment: String
    /// The database.
    package var database: DatabaseName
    /// The endpoint; `embedded` for the embedded store.
    package var endpoint: String

    init(environment: String, database: DatabaseName, endpoint: String) {
      self.environment = environment
      self.database = database
      self.endpoint = endpoint
    }

    init(_ environment: DatabaseEnvironment) {
      self.init(
        environment: environment.name,
        database: environment.database,
        endpoint: environment.isEmbedded ? "embedded" : environment.effectiveEndpoint
      )
    }
  }

  /// The run ID.
  package var id: String
  /// The command, such as `migrate apply users-unify`.
  package var command: String
  /// The command line without the program.
  package var arguments: [String]
  /// The working directory of the command.
  package var workingDirectory: String
  /// The version of gymmigrate.
  package var version: String
  /// The name of the environment.
  package var environment: String
  /// The database.
  package var database: DatabaseName
  /// The endpoint; `embedded` for the embedded store.
  package var endpoint: String
  /// The start time by this machine's clock.
  package var startedAt: Timestamp
  /// Whether it writes to the database, so that it has a journal and can be resumed.
  package var writes: Bool
  /// The input files.
  package var inputs: [Input]
  /// The source, for a command that reads one database and writes another.
  package var source: Target?
  /// The number of tasks of a sharded run, whose ranges have run directories of their own; nil for any other run.
  package var shards: Int?
  /// The inode number of the run directory; a copy has another one.
  var folder: String?

  /// Makes a record.
  ///
  /// - Parameter digests: The SHA-256 of those inputs that are identified by it, by path; the generation of objects in buckets.
  package init(
    id: String,
    command: String,
    arguments: [String],
    workingDirectory: String,
    environment: DatabaseEnvironment,
    startedAt: Timestamp,
    writes: Bool,
    inputs: [String] = [],
    digests: [String: String] = [:],
    source: DatabaseEnvironment? = nil
  ) {
    self.id = id
    self.command = command
    self.arguments = arguments
    self.workingDirectory = workingDirectory
    version = gymmigrateVersion
    self.environment = environment.name
    database = environment.database
    endpoint = environment.isEmbedded ? "embedded" : environment.effectiveEndpoint
    self.startedAt = startedAt
    self.writes = writes
    self.inputs = inputs.map { Self.input($0, sha256: digests[$0]) }
    self.source = source.map { Target($0) }
  }

  /// Returns the size of an input file in bytes; 0 if it does not exist.
  package static func size(of path: String) -> Int { input(path, sha256: nil).bytes }

  private static func input(_ path: String, sha256: String?) -> Input {
    let status = SystemCall.status(path).status
    let modified = status.flatMap { status in
      Timestamp(seconds: Int64(status.st_mtim.tv_sec), nanoseconds: Int32(status.st_mtim.tv_nsec))
    }
    return Input(
      path: path,
      bytes: status.map { Int($0.st_size) } ?? 0,
      modified: modified,
      sha256: sha256
    )
  }

  /// Checks that the input files are the same as when the run began, and unchanged.
  ///
  /// - Parameters:
  ///   - paths: The files that would be read now.
  ///   - digests: The SHA-256 of files that have been read already, by path.
  /// - Throws: `.inputMalformed` naming the first file that differs; `.inputMissing` for standard input.
  package func assertInputsUnchanged(_ paths: [String], digests: [String: String] = [:]) throws(Failure) {
    func changed(_ cause: String) -> Failure {
      Failure(
        .inputMalformed,
        "resume",
        path: id,
        cause: cause,
        remedy: "Start a new run: documents already written are detected and skipped."
      )
    }
    for input in inputs {
      if let sha256 = input.sha256, let now = digests[input.path] {
        if !now.isIdentical(to: sha256) { throw changed("\(input.path) has changed since the run began") }
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
      if Self.input(input.path, sha256: input.sha256) != input {
        throw changed("\(input.path) has changed since the run began")
      }
    }
    if !paths.elementsEqual(inputs, by: { $0.isIdentical(to: $1.path) }) {
      throw changed("it would read other files now")
    }
  }

  /// Checks that the environment, and the source if any, still resolve to the same databases as when the run began.
  ///
  /// - Throws: `.configuration`.
  package func assertSameEnvironments(
    _ environment: DatabaseEnvironment,
    source: DatabaseEnvironment? = nil
  ) throws(Failure) {
    try assertSame(
      Target(environment),
      Target(environment: environment.name, database: database, endpoint: endpoint)
    )
    if let source, let then = self.source { try assertSame(Target(source), then) }
  }

  private func assertSame(_ now: Target, _ then: Target) throws(Failure) {
    guard now.database == then.database, now.endpoint.isIdentical(to: then.endpoint) else {
      throw Failure(
        .configuration,
        "resume",
        path: id,
        cause:
          "\(now.environment) is \(now.database) at \(now.endpoint) now, and was \(then.database) at \(then.endpoint)",
        remedy: "Restore the configuration, or start a new run."
      )
    }
  }

  /// The JSON of the record, one line.
  package var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("arguments")
      json.array { list in for argument in arguments { list.string(argument) } }
      json.member("command", command)
      json.member("database", database.description)
      json.member("endpoint", endpoint)
      json.member("environment", environment)
      json.member("folder", folder)
      json.key("inputs")
      json.array { list in
        for input in inputs {
          list.object {
            $0.member("bytes", input.bytes)
            $0.member("modified", input.modified)
            $0.member("path", input.path)
            if FileAccess.isRemote(input.path) {
              $0.member("generation", input.sha256)
            } else {
              $0.member("sha256", input.sha256)
            }
          }
        }
      }
      json.member("runId", id)
      json.member("shards", shards)
      if let source {
        json.key("source")
        json.object {
          $0.member("database", source.database.description)
          $0.member("endpoint", source.endpoint)
          $0.member("environment", source.environment)
        }
      }
      json.member("startedAt", startedAt)
      json.member("version", version)
      json.member("workingDirectory", workingDirectory)
      json.member("writes", writes)
    }
    return json.bytes
  }

  /// Reads a record.
  package init(_ json: JSONCursor) throws(WireError) {
    func text(_ name: StaticString) throws(WireError) -> String {
      guard let text = json[name]?.string else { throw WireError("it has no \(name)") }
      return text
    }
    id = try text("runId")
    command = try text("command")
    arguments = json["arguments"].map { $0.elements.compactMap(\.string) } ?? []
    workingDirectory = try text("workingDirectory")
    version = try text("version")
    environment = try text("environment")
    guard let database = DatabaseName(parsing: try text("database")) else {
      throw WireError("database is no database")
    }
    self.database = database
    endpoint = try text("endpoint")
    guard let startedAt = Timestamp(try text("startedAt")) else { throw WireError("startedAt is no time") }
    self.startedAt = startedAt
    writes = json["writes"]?.boolean ?? false
    folder = json["folder"]?.string
    shards = json["shards"].flatMap { WireDecoder.count($0) }
    if let source = json["source"] {
      guard let database = source["database"]?.string.flatMap({ DatabaseName(parsing: $0) }) else {
        throw WireError("the database of source is no database")
      }
      self.source = Target(
        environment: source["environment"]?.string ?? "",
        database: database,
        endpoint: source["endpoint"]?.string ?? ""
      )
    }
    self.inputs = []
    guard let inputs = json["inputs"] else { return }
    for element in inputs.elements {
      self.inputs.append(
        Input(
          path: element["path"]?.string ?? "",
          bytes: element["bytes"].flatMap { WireDecoder.count($0) } ?? 0,
          modified: element["modified"]?.string.flatMap { Timestamp($0) },
          sha256: element["sha256"]?.string ?? element["generation"]?.string
        )
      )
    }
  }
}
