package import TypedDocuments

/// What a command does, as a value: its options, with nothing that a person answers, and no secret.
///
/// A command parses its options into a job. `run.json` and the plan of a sharded run hold it, so that it is resumed, undone or
/// divided without the words that it was typed in.
package protocol Job: JSONRecord {
  /// Identifies the kind in a record; a contract.
  static var kind: String { get }
  /// The name in lists of runs, such as `migrate apply is-active`.
  var name: String { get }
  /// Whether no job of the kind writes to a database; of another kind, one that does not is a dry run.
  static var onlyReads: Bool { get }
  /// Whether it writes to the database: it has a journal then.
  var writes: Bool { get }
  /// Whether a run of it that stopped can be resumed.
  var canResume: Bool { get }
  /// Whether what it wrote can be undone.
  var canUndo: Bool { get }
  /// Whether it deletes documents for good, as far as its options tell.
  var deletesForGood: Bool { get }
  /// Whether the schema decides on what it writes, so that a run of it goes on by the same one alone.
  var goesBySchema: Bool { get }
  /// Whether it is one of the runs of a command that makes others, too: that command again does all of it.
  var isStep: Bool { get }
}

extension Job {
  package static var onlyReads: Bool { false }
  package var canResume: Bool { writes }
  package var canUndo: Bool { writes }
  package var deletesForGood: Bool { false }
  package var goesBySchema: Bool { writes }
  package var isStep: Bool { false }
}

/// A job with where and how it is done, as records keep it.
package struct JobRecord: JSONRecord, Equatable {
  /// As ``Job/kind``.
  package let kind: String
  /// The job itself; its kind says how it is read.
  private let options: Value
  /// The database; the target of a job that has two.
  package let connection: ConnectionSettings
  /// The source of a job that has two databases.
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

  /// Reads the job.
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

  /// Whether another record is of the same work, however fast and however loudly.
  package func isSame(as other: JobRecord) -> Bool {
    kind.isIdentical(to: other.kind) && connection.unbounded == other.connection.unbounded
      && source?.unbounded == other.source?.unbounded && text.elementsEqual(other.text)
  }

  private var text: [UInt8] {
    var json = JSONWriter()
    json.record(options)
    return json.bytes
  }
}
