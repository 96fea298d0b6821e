import Foundation
import Synchronization
import TestSupport
import Testing

/// What `migrate status --json` prints.
struct LedgerStatus: Decodable {
  struct Lease: Decodable {
    var runId, holder: String
    var isExpired: Bool
  }

  struct Run: Decodable {
    struct Applied: Decodable { var id: String }

    var runId, command, status, holder: String
    var isHalfWay: Bool
    var undoes, undoneBy: String?
    var migrations: [Applied]
  }

  var lease: Lease?
  var runs: [Run]
}

extension Tool {
  /// The ledger of the place.
  func ledger(_ location: SourceLocation = #_sourceLocation) async throws -> LedgerStatus {
    let result = try await run("migrate", "status", "--json")
    result.expect(0, location)
    return try JSONDecoder().decode(LedgerStatus.self, from: Data(result.standardOutput))
  }

  /// The id of the last run that a folder is there for.
  func lastRun() throws -> String {
    try #require(runs().last?.components(separatedBy: "/").last)
  }

  /// The lines of a list of a run, as JSON.
  func list(_ name: String, of run: String) throws -> [[String: Any]] {
    guard exists(".gymmigrate/runs/\(run)/\(name)") else { return [] }
    return try text(".gymmigrate/runs/\(run)/\(name)").split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
  }

  /// Runs a command that is killed at a commit, which is applied before that; those of the lease and the ledger count.
  func runKilled(at commit: Int, by kill: KillSwitch, _ arguments: String...) async throws {
    try await Gate.shared.pass {
      let result = try await kill.run(until: .commit(commit, .after)) {
        try runner.start(arguments + place, directory: folder)
      }
      try #require(result.signal == SIGKILL, "\(result.errors)")
    }
  }
}

/// A server's clock that stands still unless a test moves it on.
final class MovableClock: Sendable {
  private let start = Int64(Date().timeIntervalSince1970) * 1_000_000
  private let seconds = Mutex<Int64>(0)

  /// Moves it on.
  func advance(seconds more: Int64) { seconds.withLock { $0 += more } }

  /// Microseconds since 1970.
  var now: Int64 { start + seconds.withLock { $0 } * 1_000_000 }
}

extension MiniFirestore {
  /// The documents by name, as lines of JSON: all of them, made again.
  func lines() -> [String: String] {
    Dictionary(snapshot().map { ($0.name, $0.jsonLine) }) { $1 }
  }
}
