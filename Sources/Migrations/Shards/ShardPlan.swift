package import FirestoreModels
package import FirestoreREST
import Runs

/// `plan.json`: what a sharded run does, written once, and the same for all of its tasks.
package struct ShardPlan: Sendable, Equatable {
  /// A database with the place where it was reached.
  package struct Place: Sendable, Equatable {
    package var environment: String
    package var database: DatabaseName
    package var endpoint: String

    package init(environment: String, database: DatabaseName, endpoint: String) {
      self.environment = environment
      self.database = database
      self.endpoint = endpoint
    }
  }

  /// A collection, a group or a pattern that is read.
  package struct Read: Sendable, Equatable {
    package var collection: CollectionPath
    package var reach: CollectionRead.Reach
    package var kind: CollectionPath?

    package init(_ read: CollectionRead) {
      (collection, reach, kind) = (read.collection, read.reach, read.kind)
    }

    init(collection: CollectionPath, reach: CollectionRead.Reach, kind: CollectionPath?) {
      (self.collection, self.reach, self.kind) = (collection, reach, kind)
    }

    /// Whether another read is of the same documents, filter and range aside.
    package func isSame(as read: CollectionRead) -> Bool { self == Read(read) }
  }

  /// A part of the work.
  package struct Range: Sendable, Equatable {
    /// The number, which is the order of the output.
    package var number: Int
    /// The index of the read; nil for a command that divides documents by a checksum of their names.
    package var read: Int?
    /// The names.
    package var names: NameRange

    package init(number: Int, read: Int?, names: NameRange = NameRange()) {
      self.number = number
      self.read = read
      self.names = names
    }
  }

  /// An input file.
  package struct Input: Sendable, Equatable {
    package var path: String
    package var bytes: Int

    package init(path: String, bytes: Int) {
      self.path = path
      self.bytes = bytes
    }
  }

  /// The name of the object.
  package static let fileName = "plan.json"
  /// The version of the form.
  static let version = 1
  /// The largest accepted size in bytes.
  package static let largest = 64 << 20
  /// The most tasks.
  package static let maximumTasks = 10_000
  /// The most ranges.
  package static let maximumRanges = 100_000

  /// The run ID of the whole.
  package var run: String
  /// The command line that is sharded, without the program.
  package var command: [String]
  /// The command's name, such as `migrate apply is-active`.
  package var name: String
  /// The version of gymmigrate, which all tasks must have.
  package var toolVersion: String
  /// The database; the target of a command that has two.
  package var target: Place
  /// The source of a command that has two databases.
  package var source: Place?
  /// The read time of all tasks; nil for the present of each page.
  package var readTime: Timestamp?
  /// The number of tasks.
  package var tasks: Int
  /// Whether the command writes to the database.
  package var writes: Bool
  /// The extension of the parts, without the dot; nil for a command without output of its own.
  package var partExtension: String?
  /// What is read.
  package var reads: [Read]
  /// The parts of the work, in order.
  package var ranges: [Range]
  /// The input files.
  package var inputs: [Input]
  /// The migrations, with the checksums of their files.
  package var migrations: [LedgerText]
  /// Who planned it, as `user@host`.
  package var holder: String
  /// When it was planned, by the clock of the machine.
  package var createdAt: Timestamp

  /// A migration as the ledger names it.
  package struct LedgerText: Sendable, Equatable {
    package var id: String
    package var checksum: String?

    package init(id: String, checksum: String?) {
      self.id = id
      self.checksum = checksum
    }
  }

  package init(
    run: String,
    command: [String],
    name: String,
    target: Place,
    source: Place?,
    readTime: Timestamp?,
    tasks: Int,
    writes: Bool,
    partExtension: String?,
    reads: [Read],
    ranges: [Range],
    inputs: [Input],
    migrations: [LedgerText],
    holder: String,
    createdAt: Timestamp = .now
  ) {
    self.run = run
    self.command = command
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
    self.holder = holder
    self.createdAt = createdAt
  }

  // MARK: Tasks

  /// Returns the ranges of a task: a block of neighbours.
  ///
  /// Blocks rather than every n-th range, because then the tasks work far apart from each other in the order of names, and the
  /// service can spread them over its servers.
  package func ranges(of task: Int) -> ArraySlice<Range> {
    ranges[(task * ranges.count / tasks)..<((task + 1) * ranges.count / tasks)]
  }

  /// Returns the task of a range.
  package func task(of range: Int) -> Int {
    (0..<tasks).first { ranges(of: $0).indices.contains(range) } ?? 0
  }

  /// Divides ranges over reads: in proportion to their estimated documents, at least one each.
  ///
  /// - Returns: The number of ranges of each read.
  package static func shares(of estimates: [Double], ranges: Int) -> [Int] {
    let total = estimates.reduce(0, +)
    return estimates.map { total > 0 ? max(1, Int(clamping: ($0 / total * Double(ranges)).rounded())) : 1 }
  }
}
