public import Models

/// How a command ended, for people, for `--json` and for `summary.json`.
///
/// The members of the JSON are a contract.
public struct RunSummary: Sendable {
  /// One collection's part.
  public struct Collection: Sendable {
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
  /// The moment that was read, where one was pinned.
  public var readTime: Timestamp?
  /// When it began, by this machine's clock.
  public var startedAt: Timestamp
  /// How long it took.
  public var durationSeconds = 0.0
  /// Its collections, in the order in which they were worked on.
  public var collections: [Collection] = []
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
      func count(_ accounts: Accounts, _ json: inout JSONWriter) {
        for (name, count) in accounts.members {
          json.key(name)
          json.integer(count)
        }
      }
      text("command", command)
      text("status", status.rawValue)
      number("exitCode", exitCode)
      text("runId", runID)
      if let environment {
        json.key("environment")
        json.object { environment.writeMembers(to: &$0) }
      }
      text("readTime", readTime?.description)
      text("startedAt", startedAt.description)
      json.key("durationSeconds")
      json.double((durationSeconds * 1000).rounded() / 1000)
      json.key("collections")
      json.array { list in
        for collection in collections {
          list.object {
            $0.key("name")
            $0.string(collection.name)
            count(collection.accounts, &$0)
            if let file = collection.file {
              $0.key("file")
              $0.string(file)
            }
          }
        }
      }
      json.key("totals")
      json.object { count(totals, &$0) }
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
