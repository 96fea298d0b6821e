package import Configuration
package import FirestoreREST
import TypedDocuments

/// What monitoring receives about a command: how it ended, and numbers, but no names or values of documents.
package struct RunReport: Sendable {
  /// The command without its arguments: `migrate apply`.
  package var command: String
  package var environment: DatabaseEnvironment?
  package var exitCode: Int32 = 0
  package var startedAt: Timestamp
  package var durationSeconds = 0.0
  /// The ID of its last run.
  package var runID: String?
  package var totals = DocumentCounts()
  package var traffic = Traffic()
  package var billed = Cost()
  package var perhapsBilled = Cost()

  package init(command: String, startedAt: Timestamp) {
    (self.command, self.startedAt) = (command, startedAt)
  }

  /// Adds what one of its runs sent and was billed.
  package mutating func add(_ counter: TrafficCounter) {
    let (more, billed) = (counter.current, counter.account.billed)
    traffic.requests = traffic.requests.addingClamped(more.requests)
    traffic.retries = traffic.retries.addingClamped(more.retries)
    traffic.bytesIn = traffic.bytesIn.addingClamped(more.bytesIn)
    traffic.bytesOut = traffic.bytesOut.addingClamped(more.bytesOut)
    self.billed = self.billed + billed.known
    perhapsBilled = perhapsBilled + billed.uncertain
  }

  private var status: RunSummary.Status {
    switch exitCode {
    case 0: .done
    case 1: .differences
    case 2: .incomplete
    case 129...: .interrupted
    default: .failed
    }
  }

  /// The body of a webhook request, with the names of the summary.
  package var json: [UInt8] {
    JSONWriter.object { json in
      json.member("command", command)
      json.member("status", status.rawValue)
      json.member("exitCode", exitCode)
      json.member("runId", runID)
      if let environment {
        json.member("environment") { environment.writeMembers(to: &$0) }
      }
      json.member("startedAt", startedAt)
      json.member("durationSeconds", durationSeconds)
      json.member("totals", record: totals)
      json.member("requests", traffic.requests)
      json.member("retries", traffic.retries)
      json.member("bytesIn", traffic.bytesIn)
      json.member("bytesOut", traffic.bytesOut)
      json.member("billed", record: billed)
      if perhapsBilled != Cost() { json.member("perhapsBilled", record: perhapsBilled) }
    }
  }
}
