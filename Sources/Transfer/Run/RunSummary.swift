public import Models

/// How a command ended, for people, for `--json` and for `summary.json`.
///
/// The members of the JSON are a contract.
public struct RunSummary: Sendable {
  /// One collection's part.
  public struct Collection: Sendable, Equatable {
    /// Its path.
    public var name: String
    /// What happened to its documents.
    public var accounts: Accounts
    /// The file that it went to or came from.
    public var file: String?

    /// Makes a part.
    public init(name: String, accounts: Accounts, file: String? = nil) {
      self.name = name
      self.accounts = accounts
      self.file = file
    }

    /// Reads a part.
    init(_ json: JSONCursor) throws(WireError) {
      guard let name = json["name"]?.string else { throw WireError("a collection has no name") }
      self.name = name
      accounts = try Accounts(json)
      file = json["file"]?.string
    }

    func writeMembers(to json: inout JSONWriter) {
      json.key("name")
      json.string(name)
      accounts.writeMembers(to: &json)
      if let file {
        json.key("file")
        json.string(file)
      }
    }
  }

  /// One side of a command that has two.
  public enum Side: Sendable {
    case environment(Environment)
    /// A file, or a folder of an export.
    case path(String)
  }

  /// What `migrate unlock` did.
  public enum Release: Sendable, Equatable {
    /// It took the lease away from its holder; nil where there was none.
    case lease(Holder?)
    /// It had a run stay as it is.
    case run(String)

    /// Who held a lease.
    public struct Holder: Sendable, Equatable {
      /// Who ran it, as `user@host`.
      public var holder: String
      /// The run.
      public var run: String

      /// Names one.
      public init(holder: String, run: String) {
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
  public enum Status: String, Sendable {
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
  public var command: String
  /// How it ended.
  public var status = Status.done
  /// The exit code that goes with it.
  public var exitCode: Int32 = 0
  /// The run's id.
  public var runID: String
  /// Where it worked.
  public var environment: Environment?
  /// Where it read from, of a command that has two sides.
  public var source: Side?
  /// The file or folder that stands where the environment would, of a comparison.
  public var targetPath: String?
  /// What a comparison found.
  public var differences: DiffCounts?
  /// What was released, of `migrate unlock`.
  public var release: Release?
  /// The moment that was read, where one was pinned.
  public var readTime: Timestamp?
  /// When it began, by this machine's clock.
  public var startedAt: Timestamp
  /// How long it took.
  public var durationSeconds = 0.0
  /// Its collections, in the order in which they were worked on.
  public var collections: [Collection] = []
  /// What the service bills at the most, of a plan and of a copy.
  public var cost: CostEstimate?
  /// What went over the wire.
  public var traffic = Traffic()
  /// The command that goes on where this one stopped.
  public var resumeCommand: String?
  /// The error that ended it.
  public var error: String?

  /// Begins a summary.
  public init(command: String, runID: String, environment: Environment?, startedAt: Timestamp) {
    self.command = command
    self.runID = runID
    self.environment = environment
    self.startedAt = startedAt
  }

  /// The sum over the collections.
  public var totals: Accounts { collections.reduce(Accounts()) { $0 + $1.accounts } }

  /// The JSON of the summary, one line.
  public var json: [UInt8] {
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
      if let differences {
        json.key("differences")
        json.object { differences.writeMembers(to: &$0) }
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
