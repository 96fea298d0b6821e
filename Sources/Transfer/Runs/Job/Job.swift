package import TypedDocuments

/// What a command does, as a value: its options, without answers to prompts and without secrets.
///
/// A command parses its options into a job. `run.json` and the plan of a sharded run contain it, so that it can be resumed,
/// undone or divided without the original command line.
package protocol Job: JSONRecord {
  /// Identifies the kind in records; part of a contract.
  static var kind: String { get }
  /// The name in lists of runs, such as `migrate apply is-active`.
  var name: String { get }
  /// Whether no job of this kind writes to a database; a job of another kind that does not write is a dry run.
  static var onlyReads: Bool { get }
  /// Whether it writes to the database, and thus has a journal.
  var writes: Bool { get }
  /// Whether a run of it can be resumed after it stopped.
  var canResume: Bool { get }
  /// Whether what it wrote can be undone.
  var canUndo: Bool { get }
  /// Whether the schema determines what it writes, so that a run can only continue with the same schema.
  var goesBySchema: Bool { get }
  /// Whether it writes what its input files contain, so that what it wrote from damaged files is damaged, too.
  var writesItsInput: Bool { get }
  /// Whether it is one of several runs of a command, so that repeating the command repeats all of them.
  var isStep: Bool { get }
  /// The words of its command line for its run directory, without what that must not show.
  func shown(_ words: [String]) -> [String]
}

extension Job {
  package static var onlyReads: Bool { false }
  package var canResume: Bool { writes }
  package var canUndo: Bool { writes }
  package var goesBySchema: Bool { writes }
  package var writesItsInput: Bool { false }
  package var isStep: Bool { false }
  package func shown(_ words: [String]) -> [String] { words }
}

/// A job with its connections and settings, as stored in records.
package struct JobRecord: JSONRecord, Equatable {
  /// See ``Job/kind``.
  package let kind: String
  /// The encoded job, whose type the kind determines.
  private let options: Value
  /// The database; the target of a job with two databases.
  package let connection: ConnectionSettings
  /// The source of a job with two databases.
  package let source: ConnectionSettings?
  package let write: WriteSettings
  package let output: OutputSettings

  package init<J: Job>(
    _ job: J,
    connection: ConnectionSettings,
    source: ConnectionSettings?,
    write: WriteSettings,
    output: OutputSettings
  ) {
    kind = J.kind
    options = job.recordValue
    self.connection = connection
    self.source = source
    self.write = write
    self.output = output
  }

  /// Decodes the job.
  ///
  /// - Throws: ``WireError`` if it is not of the type.
  package func job<J: Job>(_ type: J.Type) throws(WireError) -> J {
    guard kind.isIdentical(to: J.kind) else {
      throw WireError("it is of the kind '\(kind)', not '\(J.kind)'")
    }
    guard (1...500).contains(write.batchSize), (1...64).contains(write.inFlight) else {
      throw WireError("its writes per commit, or its commits in flight, are out of range")
    }
    return try J(recordValue: options)
  }

  /// Whether another record is of the same work, regardless of speed and output.
  package func isSame(as other: JobRecord) -> Bool {
    kind.isIdentical(to: other.kind) && connection.unbounded == other.connection.unbounded
      && source?.unbounded == other.source?.unbounded && text.elementsEqual(other.text)
  }

  private var text: [UInt8] { JSONWriter.bytes { $0.record(options) } }
}
