import Configuration
import MigrationEngine
import Shards

// Checks that a process works for the plan as it was made.
extension ShardPlan {
  /// Checks that this program and its configuration match those of the plan.
  ///
  /// - Throws: `.configuration`.
  func assertSame(at place: ShardPlace) throws {
    func assertSame(_ now: DatabaseEnvironment, _ planned: RunRecord.Target) throws(Failure) {
      var found = RunRecord.Target(now)
      found.environment = planned.environment
      if found == planned { return }
      throw refusal(
        at: place,
        "\(now.name) is \(found.database) at \(found.endpoint) here, and \(planned.database) at \(planned.endpoint) in the plan",
        "Use the configuration of the plan."
      )
    }
    guard toolVersion.isIdentical(to: gymmigrateVersion) else {
      throw refusal(
        at: place,
        "version \(toolVersion) planned it, and this is \(gymmigrateVersion)",
        "Use one version for all tasks."
      )
    }
    let run = try jobRun(at: place)
    try assertSame(EnvironmentResolver(run.connection).environment(), target)
    if let source = run.source, let planned = self.source {
      try assertSame(EnvironmentResolver(source).environment(), planned)
    }
    if let buckets, try run.buckets() != buckets {
      throw refusal(
        at: place,
        "the storageBucket of its environments is not that of the plan",
        "Use the configuration of the plan."
      )
    }
  }

  /// Checks that the schema is that of the plan: it decides what is written, checked and masked.
  ///
  /// - Throws: `.inputMalformed`.
  func assertSameSchema(at place: ShardPlace) throws {
    guard let schema, try EnvironmentResolver(job.connection).schemaDigest() != schema else { return }
    var failure = refusal(
      at: place,
      "the schema has changed since the tasks were planned",
      "Put the schema of the plan back, or plan again in another place."
    )
    failure.kind = .inputMalformed
    throw failure
  }

  /// Checks that the migrations and the input files are those of the plan.
  ///
  /// - Throws: `.configuration`, `.inputMalformed`; `.inputMissing`.
  func assertSameFiles(at place: ShardPlace) throws {
    let run = try jobRun(at: place)
    let migrations = try (run.job as? any DivisibleJob)?.applied(in: run) ?? []
    if migrations != self.migrations {
      throw refusal(at: place, "the migrations' files are not those of the plan", Self.restoring)
    }
    for input in inputs where !FileAccess.isRemote(input.path) {
      let remedy = "Run the task where the files of the plan are."
      guard FileCheck.exists(input.path) else {
        throw Failure(
          .inputMissing,
          "work on",
          path: input.path,
          cause: "there is no such file",
          remedy: remedy
        )
      }
      let bytes = RunRecord.size(of: input.path)
      if bytes == input.bytes { continue }
      throw Self.change(
        of: input.path,
        "it has \(bytes) bytes, and had \(input.bytes) when the tasks were planned",
        remedy
      )
    }
    let planned = inputs.filter { $0.sha256 != nil }
    let digests = try SHA256Digest.hexadecimal(of: planned.map(\.path))
    for input in planned where digests[UTF8Key(input.path)] != input.sha256 {
      throw Self.change(of: input.path)
    }
  }

  /// Checks that a range reads the files of the plan, and objects in buckets in the generation of the plan.
  ///
  /// - Throws: `.inputMalformed`.
  func assertReads(_ files: [String], _ generations: [UTF8Key: String]) throws(Failure) {
    let (now, planned) = (Set(files.map { UTF8Key($0) }), Set(inputs.map { UTF8Key($0.path) }))
    if let other = now.symmetricDifference(planned).min() {
      throw Self.change(of: other.string, "the files that are read are not those of the plan")
    }
    for input in inputs {
      if let generation = input.generation, generation != generations[UTF8Key(input.path)] {
        throw Self.change(of: input.path)
      }
    }
  }

  private static let restoring = "Put the files of the plan back."

  private static func change(
    of file: String,
    _ cause: String = "it has changed since the tasks were planned",
    _ remedy: String = Self.restoring
  ) -> Failure {
    Failure(.inputMalformed, "work on", path: file, cause: cause, remedy: remedy)
  }

  private func refusal(at place: ShardPlace, _ cause: String, _ remedy: String) -> Failure {
    Failure(.configuration, "work for the plan of", path: place.text, cause: cause, remedy: remedy)
  }

  /// Refuses to write to an environment that is protected here and was not where the run was planned.
  ///
  /// Nobody answers for a task, so whoever plans confirms for all of them.
  ///
  /// - Throws: `.notPermitted`.
  func assertConfirmed(_ job: JobRun) throws(Failure) {
    let environment = try EnvironmentResolver(job.connection).environment()
    guard writes, environment.isProtected, confirmed != true else { return }
    let confirmation = CommandLineText.quoted(["--confirm", environment.name])
    let by = environment.protectedBy.map { " (\($0) protects it)" } ?? ""
    throw Failure(
      .notPermitted,
      "write to",
      path: environment.name,
      cause: "it is protected here\(by), and nobody confirmed it when the tasks were planned",
      remedy: "Plan again where it is protected, with \(confirmation) behind --, if this is what you want."
    )
  }

  /// Returns the job with where and how to perform it.
  ///
  /// - Throws: `.inputMalformed` if it is not a valid job.
  func jobRun(at place: ShardPlace) throws(Failure) -> JobRun {
    do throws(WireError) {
      return try JobRun(job)
    } catch {
      throw Failure(.inputMalformed, "work for the plan of", path: place.text, cause: error.description)
    }
  }
}

extension JobRun {
  /// Returns the storage buckets of the connections, empty for none, which decide about the addresses of files.
  func buckets() throws(Failure) -> [String] {
    try sides.map { side throws(Failure) in try EnvironmentResolver(side).environment().storageBucket ?? "" }
  }
}
