import Files
package import MigrationEngine

/// `plan.json`: the definition of a sharded run, written once and used by all of its tasks.
package struct ShardPlan: JSONRecord, Equatable {
  /// A collection, a group or a pattern to read.
  package struct Read: Codable, Sendable, Equatable {
    @Text package var collection: CollectionPath
    @Text package var kind: CollectionPath?
    package var reach: CollectionRead.Reach

    package init(_ read: CollectionRead) {
      collection = read.collection
      kind = read.kind
      reach = read.reach
    }
  }

  /// A part of the work.
  package struct Range: Codable, Sendable, Equatable {
    @Text private var end: DocumentPath?
    /// The number, which determines the order of the output.
    package var number: Int
    /// The index of the read; nil for a command that divides documents by a hash of their names.
    package var read: Int?
    @Text private var start: DocumentPath?

    package init(number: Int, read: Int?, names: NameRange = NameRange()) {
      self.number = number
      self.read = read
      start = names.start
      end = names.end
    }

    /// The document names in the range.
    package var names: NameRange { NameRange(start: start, end: end) }
  }

  /// An input file.
  package struct Input: Codable, Sendable, Equatable {
    package var bytes: Int
    /// The generation of an object in a bucket.
    package var generation: String?
    package var path: String
    /// The SHA-256 of a small file.
    package var sha256: String?

    package init(path: String, bytes: Int, digest: String? = nil) {
      self.path = path
      self.bytes = bytes
      if FileAccess.isRemote(path) { generation = digest } else { sha256 = digest }
    }
  }

  /// The name of the object.
  package static let fileName = "plan.json"
  /// The version of the format.
  private static let version = 2
  /// The largest accepted size in bytes.
  package static let largest = 64 << 20
  /// The maximum number of tasks.
  package static let maximumTasks = 10_000
  /// The maximum number of ranges.
  package static let maximumRanges = 100_000

  /// The ID of the entire run.
  package var run: String
  /// The sharded command line without the program, for people.
  package var command: [String]
  /// The job that is sharded.
  package var job: JobRecord
  /// The command's name, such as `migrate apply is-active`.
  package var name: String
  /// The version of gymmigrate, which all tasks must have.
  package var toolVersion: String
  /// The database; for a command with two databases, the target.
  package var target: RunRecord.Target
  /// The source of a command with two databases.
  package var source: RunRecord.Target?
  /// The read time of all tasks; nil to read each page at its present time.
  package var readTime: Timestamp?
  /// The number of tasks.
  package var tasks: Int
  /// Whether the command writes to the database.
  package var writes: Bool
  /// Whether the environment that is written to was protected where it was planned, so that somebody confirmed it; nil for
  /// no, and in plans of versions that did not record it.
  package var confirmed: Bool?
  /// The extension of the parts, without the dot; nil for a command without output.
  package var partExtension: String?
  /// The reads.
  package var reads: [Read]
  /// The parts of the work, in order.
  package var ranges: [Range]
  /// The input files.
  package var inputs: [Input]
  /// The migrations, with the checksums of their files.
  package var migrations: [LedgerEntry.Applied]
  /// The SHA-256 of the schema; nil in plans of versions that did not record it.
  package var schema: String?
  /// The storage buckets of the source, if any, and of the target, empty for none; nil in plans of versions that did not
  /// record them.
  package var buckets: [String]?
  /// The user who planned the run, as `user@host`.
  package var holder: String
  /// When the run was planned, by the clock of that machine.
  package var createdAt: Timestamp
  /// The database edition as named by the service, which determines prices; nil if not known.
  package var edition: String?
  private var version = Self.version

  private enum CodingKeys: String, CodingKey {
    case buckets, command, confirmed, createdAt, edition, holder, inputs, job, migrations, name
    case partExtension = "part"
    case ranges, readTime, reads
    case run = "runId"
    case schema, source, target, tasks, toolVersion, version, writes
  }

  package init(
    run: String,
    command: [String],
    job: JobRecord,
    name: String,
    target: RunRecord.Target,
    source: RunRecord.Target?,
    readTime: Timestamp?,
    tasks: Int,
    writes: Bool,
    partExtension: String?,
    reads: [Read],
    ranges: [Range],
    inputs: [Input],
    migrations: [LedgerEntry.Applied],
    schema: String? = nil,
    buckets: [String]? = nil,
    holder: String,
    edition: String? = nil,
    createdAt: Timestamp = .now
  ) {
    self.run = run
    self.command = command
    self.job = job
    self.name = name
    toolVersion = gymmigrateVersion
    self.target = target
    self.source = source
    self.readTime = readTime
    self.tasks = tasks
    self.writes = writes
    self.partExtension = partExtension
    self.reads = reads
    self.ranges = ranges
    self.inputs = inputs
    self.migrations = migrations
    (self.schema, self.buckets) = (schema, buckets)
    self.holder = holder
    self.edition = edition
    self.createdAt = createdAt
  }

  /// Checks that the plan has this version and is consistent.
  package func validate() throws(WireError) {
    guard version == Self.version else { throw WireError("its version is \(version), not \(Self.version)") }
    guard (1...Self.maximumTasks).contains(tasks) else {
      throw WireError("tasks is not 1 to \(Self.maximumTasks)")
    }
    if let partExtension,
      !["jsonl", "jsonl.gz", "csv"].contains(where: { $0.isIdentical(to: partExtension) })
    {
      throw WireError("part is none of jsonl, jsonl.gz and csv")
    }
    guard (1...Self.maximumRanges).contains(ranges.count) else {
      throw WireError("it has no ranges, or too many")
    }
    for (number, range) in ranges.enumerated() where range.number != number {
      throw WireError("range \(number) is missing")
    }
    try assertComplete()
  }

  /// Checks that the ranges of each read follow each other from its first name to its last; or that there is one for each task,
  /// if documents are divided by a hash of their names.
  private func assertComplete() throws(WireError) {
    if reads.isEmpty {
      guard ranges.count == tasks, ranges.allSatisfy({ $0.read == nil && $0.names == NameRange() }) else {
        throw WireError("it has no range for each task")
      }
      return
    }
    var (read, end): (Int, DocumentPath?) = (0, nil)
    for range in ranges {
      let names = range.names
      let isOrdered = names.start.flatMap { start in names.end.map { start < $0 } } ?? true
      guard range.read == read, names.start == end, isOrdered else {
        throw WireError("range \(range.number) does not begin where the one before it ends")
      }
      end = names.end
      if end == nil { read += 1 }
    }
    if read != reads.count { throw WireError("its last ranges are missing") }
  }

  // MARK: Tasks

  /// Returns the ranges of a task: a block of consecutive ranges.
  ///
  /// With blocks rather than every n-th range, the tasks work far apart in the order of names, so that the service can spread
  /// them over its servers.
  package func ranges(of task: Int) -> ArraySlice<Range> {
    ranges[(task * ranges.count / tasks)..<((task + 1) * ranges.count / tasks)]
  }

  /// Returns the task of a range.
  package func task(of range: Int) -> Int {
    (0..<tasks).first { ranges(of: $0).indices.contains(range) } ?? 0
  }

  /// Divides ranges among reads in proportion to their estimated numbers of documents, with at least one range each.
  ///
  /// - Returns: The number of ranges of each read.
  package static func shares(of estimates: [Double], ranges: Int) -> [Int] {
    let total = estimates.reduce(0, +)
    return estimates.map { total > 0 ? max(1, Int(clamping: ($0 / total * Double(ranges)).rounded())) : 1 }
  }
}
