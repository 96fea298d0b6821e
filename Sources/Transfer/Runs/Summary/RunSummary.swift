package import Configuration
package import FirestoreREST
import TypedDocuments

/// A section that one kind of command adds to the summary: an object under its own name.
package protocol SummarySection: Encodable, Sendable {
  /// The name of the JSON member; part of a contract, like all of them.
  var name: StaticString { get }
  /// The section as one line for display; nil if other lines show it.
  var line: String? { get }
}

/// The result of a command, for display, for `--json` and for `summary.json`.
///
/// The members of the JSON are part of a contract.
package struct RunSummary: Sendable {
  /// The counts of one collection.
  package struct Collection: Codable, Sendable, Equatable {
    /// The collection path.
    package var name: String
    /// The document counts.
    package var counts: DocumentCounts
    /// The file that was written or read.
    package var file: String?

    package init(name: String, counts: DocumentCounts, file: String? = nil) {
      self.name = name
      self.counts = counts
      self.file = file
    }

    private enum CodingKeys: String, CodingKey { case name, file }

    package init(from decoder: any Decoder) throws {
      let json = try decoder.container(keyedBy: CodingKeys.self)
      name = try json.decode(String.self, forKey: .name)
      counts = try DocumentCounts(from: decoder)
      file = try json.decodeIfPresent(String.self, forKey: .file)
    }

    package func encode(to encoder: any Encoder) throws {
      var json = encoder.container(keyedBy: CodingKeys.self)
      try json.encode(name, forKey: .name)
      try counts.encode(to: encoder)
      try json.encodeIfPresent(file, forKey: .file)
    }
  }

  /// A source or a target.
  package enum Side: Sendable {
    case environment(DatabaseEnvironment)
    /// A file or an export folder.
    case path(String)
  }

  /// The result of `migrate unlock`.
  package enum Release: Sendable {
    /// The lease was taken from its holder, as `user@host`, with the ID of its run; nil if there was none.
    case lease((holder: String, run: String)?)
    /// An interrupted run was cleared, so that its changes stay.
    case run(String)

    fileprivate func writeMember(to json: inout JSONWriter) {
      switch self {
      case .run(let run):
        json.member("cleared", run)
      case .lease(let holder):
        json.key("lease")
        guard let holder else { return json.null() }
        json.object {
          $0.member("holder", holder.holder)
          $0.member("runId", holder.run)
        }
      }
    }
  }

  /// The status at the end of a command.
  package enum Status: String, Codable, Sendable {
    /// Complete.
    case done
    /// Complete; there are differences or pending work.
    case differences
    /// Complete, with documents that a person has to deal with.
    case incomplete
    /// Ended by an error.
    case failed
    /// Stopped by a signal.
    case interrupted
  }

  /// The command, such as `migrate apply prices`.
  package var command: String
  /// The status.
  package var status = Status.done
  /// The exit code.
  package var exitCode: Int32 = 0
  /// The run ID.
  package var runID: String
  /// Whether there is a run, rather than a command that leaves nothing behind.
  package var hasRun: Bool { runID != Self.noRun }
  /// The run ID of a command that leaves nothing behind.
  package static let noRun = "-"
  /// The environment; the target of a command with a source and a target.
  package var environment: DatabaseEnvironment?
  /// The source, for a command with a source and a target.
  package var source: Side?
  /// The file or folder that takes the place of the environment in a comparison.
  package var targetPath: String?
  /// The sections of the command.
  package var sections: [any SummarySection] = []
  /// What `migrate unlock` released.
  package var release: Release?
  /// The read time, if pinned.
  package var readTime: Timestamp?
  /// The start time by this machine's clock.
  package var startedAt: Timestamp
  /// The duration in seconds.
  package var durationSeconds = 0.0
  /// Whether the lines for display include the counts, which do not apply if documents do not pass through this process.
  package var showsCounts = true
  /// The counts by collection, in the order in which they were processed.
  package var collections: [Collection] = []
  /// The cost estimate of a plan or a copy.
  package var cost: CostEstimate?
  /// The number of requests, retries and bytes.
  package var traffic = Traffic()
  /// The number of bytes of the run's journal that are on disk, by which a truncated one is recognized; nil for a run without
  /// one.
  package var journalBytes: Int?
  /// What the service bills according to its responses, including to earlier processes of the run; nil if unknown.
  package var billed: Cost?
  /// What requests without a complete response may have been billed in addition.
  package var perhapsBilled = Cost()
  /// The same in units of the Enterprise edition; nil unless the configuration says that the database is of that edition.
  package var units: EnterpriseUnits?
  /// Whether the run can be resumed, if it ended early; nil for any other run.
  package var canResume: Bool?
  /// The command that resumes the run.
  package var resumeCommand: String?
  /// The error that ended it.
  package var error: String?

  package init(command: String, runID: String, environment: DatabaseEnvironment?, startedAt: Timestamp) {
    self.command = command
    self.runID = runID
    self.environment = environment
    self.startedAt = startedAt
  }

  /// The document counts over all collections.
  package var totals: DocumentCounts { collections.reduce(DocumentCounts()) { $0 + $1.counts } }

  /// The JSON of the summary, one line.
  package var json: [UInt8] {
    JSONWriter.object { json in
      json.member("command", command)
      json.member("status", status.rawValue)
      json.member("exitCode", exitCode)
      json.member("runId", runID)
      func side(_ name: StaticString, _ side: Side?) {
        guard let side else { return }
        json.member(name) {
          switch side {
          case .environment(let environment): environment.writeMembers(to: &$0)
          case .path(let path):
            $0.member("path", path)
          }
        }
      }
      side("environment", environment.map { .environment($0) } ?? targetPath.map { .path($0) })
      side("source", source)
      json.member("readTime", readTime)
      json.member("startedAt", startedAt)
      json.member("durationSeconds", (durationSeconds * 1000).rounded() / 1000)
      json.member("collections", record: collections)
      json.member("totals", record: totals)
      json.member("cost", record: cost)
      for section in sections { json.member(section.name, record: section) }
      release?.writeMember(to: &json)
      json.member("requests", traffic.requests)
      json.member("retries", traffic.retries)
      json.member("bytesIn", traffic.bytesIn)
      json.member("bytesOut", traffic.bytesOut)
      json.member("journalBytes", record: journalBytes)
      json.member("billed", record: billed)
      if perhapsBilled != Cost() { json.member("perhapsBilled", record: perhapsBilled) }
      json.member("units", record: units)
      json.member("canResume", record: canResume)
      json.member("resumeCommand", resumeCommand)
      json.member("error", error)
    }
  }
}
