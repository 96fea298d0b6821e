package import Configuration
package import FirestoreModels
package import FirestoreREST

/// A part of a summary that one kind of command adds: an object under a name of its own.
package protocol SummarySection: Sendable {
  /// The member's name in the JSON, a contract as all of them.
  var name: StaticString { get }
  /// One line of it for people, nil where other lines have said it.
  var line: String? { get }
  /// Writes the members of the object.
  func writeMembers(to json: inout JSONWriter)
}

/// How a command ended, for people, for `--json` and for `summary.json`.
///
/// The members of the JSON are a contract.
package struct RunSummary: Sendable {
  /// One collection's part.
  package struct Collection: Sendable, Equatable {
    /// Its path.
    package var name: String
    /// What happened to its documents.
    package var counts: DocumentCounts
    /// The file that it went to or came from.
    package var file: String?

    /// Makes a part.
    package init(name: String, counts: DocumentCounts, file: String? = nil) {
      self.name = name
      self.counts = counts
      self.file = file
    }

    /// Reads a part.
    init(_ json: JSONCursor) throws(WireError) {
      guard let name = json["name"]?.string else { throw WireError("a collection has no name") }
      self.name = name
      counts = try DocumentCounts(json)
      file = json["file"]?.string
    }

    func writeMembers(to json: inout JSONWriter) {
      json.key("name")
      json.string(name)
      counts.writeMembers(to: &json)
      if let file {
        json.key("file")
        json.string(file)
      }
    }
  }

  /// One side of a command that has two.
  package enum Side: Sendable {
    case environment(DatabaseEnvironment)
    /// A file, or a folder of an export.
    case path(String)
  }

  /// What `migrate unlock` did.
  package enum Release: Sendable, Equatable {
    /// It took the lease away from its holder; nil where there was none.
    case lease(Holder?)
    /// It had a run stay as it is.
    case run(String)

    /// Who held a lease.
    package struct Holder: Sendable, Equatable {
      /// Who ran it, as `user@host`.
      package var holder: String
      /// The run.
      package var run: String

      /// Names one.
      package init(holder: String, run: String) {
        self.holder = holder
        self.run = run
      }
    }

    fileprivate func writeMember(to json: inout JSONWriter) {
      switch self {
      case .run(let run):
        json.key("cleared")
        json.string(run)
      case .lease(let holder):
        json.key("lease")
        guard let holder else { return json.null() }
        json.object {
          $0.key("holder")
          $0.string(holder.holder)
          $0.key("runId")
          $0.string(holder.run)
        }
      }
    }
  }

  /// How it ended.
  package enum Status: String, Sendable {
    /// Everything is done.
    case done
    /// Done, with differences or something to do found.
    case differences
    /// Done, with documents left for a person.
    case incomplete
    /// Ended by an error.
    case failed
    /// Stopped by a signal.
    case interrupted
  }

  /// The command, as `migrate apply users-unify`.
  package var command: String
  /// How it ended.
  package var status = Status.done
  /// The exit code that goes with it.
  package var exitCode: Int32 = 0
  /// The run's id.
  package var runID: String
  /// Where it worked.
  package var environment: DatabaseEnvironment?
  /// Where it read from, of a command that has two sides.
  package var source: Side?
  /// The file or folder given instead of the environment, of a comparison.
  package var targetPath: String?
  /// What one kind of command adds, each part under a name of its own.
  package var sections: [any SummarySection] = []
  /// What was released, of `migrate unlock`.
  package var release: Release?
  /// The moment that was read, where one was pinned.
  package var readTime: Timestamp?
  /// When it began, by this machine's clock.
  package var startedAt: Timestamp
  /// How long it took.
  package var durationSeconds = 0.0
  /// Its collections, in the order in which they were worked on.
  package var collections: [Collection] = []
  /// What the service bills at most, of a plan and of a copy.
  package var cost: CostEstimate?
  /// What went over the wire.
  package var traffic = Traffic()
  /// The command that resumes this one.
  package var resumeCommand: String?
  /// The error that ended it.
  package var error: String?

  /// Begins a summary.
  package init(command: String, runID: String, environment: DatabaseEnvironment?, startedAt: Timestamp) {
    self.command = command
    self.runID = runID
    self.environment = environment
    self.startedAt = startedAt
  }

  /// The sum over the collections.
  package var totals: DocumentCounts { collections.reduce(DocumentCounts()) { $0 + $1.counts } }

  /// The JSON of the summary, one line.
  package var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      func text(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        json.key(name)
        json.string(value)
      }
      func number(_ name: StaticString, _ value: some BinaryInteger) {
        json.key(name)
        json.integer(value)
      }
      text("command", command)
      text("status", status.rawValue)
      number("exitCode", exitCode)
      text("runId", runID)
      func side(_ name: StaticString, _ side: Side?) {
        guard let side else { return }
        json.key(name)
        json.object {
          switch side {
          case .environment(let environment): environment.writeMembers(to: &$0)
          case .path(let path):
            $0.key("path")
            $0.string(path)
          }
        }
      }
      side("environment", environment.map { .environment($0) } ?? targetPath.map { .path($0) })
      side("source", source)
      text("readTime", readTime?.description)
      text("startedAt", startedAt.description)
      json.key("durationSeconds")
      json.double((durationSeconds * 1000).rounded() / 1000)
      json.key("collections")
      json.array { list in
        for collection in collections {
          list.object { collection.writeMembers(to: &$0) }
        }
      }
      json.key("totals")
      json.object { totals.writeMembers(to: &$0) }
      if let cost {
        json.key("cost")
        json.object { cost.writeMembers(to: &$0) }
      }
      for section in sections {
        json.key(section.name)
        json.object { section.writeMembers(to: &$0) }
      }
      release?.writeMember(to: &json)
      number("requests", traffic.requests)
      number("retries", traffic.retries)
      number("bytesIn", traffic.bytesIn)
      number("bytesOut", traffic.bytesOut)
      text("resumeCommand", resumeCommand)
      text("error", error)
    }
    return json.bytes
  }
}
