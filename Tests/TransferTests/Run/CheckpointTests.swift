import FirestoreModels
import Foundation
import TestSupport
import Testing
import TypedDocuments

@testable import Configuration
@testable import Files
@testable import FirestoreREST
@testable import Runs

@Suite("Checkpoints")
struct CheckpointTests {
  private func counts(_ n: Int) -> DocumentCounts {
    var counts = DocumentCounts()
    (counts.read, counts.created, counts.written, counts.unchanged) = (n, n + 1, n + 2, n + 3)
    (counts.skipped, counts.rejected, counts.conflicted) = (n + 4, n + 5, n + 6)
    (counts.review, counts.deleted) = (n + 7, n + 8)
    return counts
  }

  private func read(_ json: [UInt8]) throws -> Checkpoint {
    try JSONParser().parse(json) { root throws(WireError) in try Checkpoint(root) }
  }

  private struct Position: JSONRecord {
    var place: String
    var counts: [String: Int]
    var time: Timestamp
  }

  @Test(
    "A position that is no count of things done is refused",
    arguments: ["-1", "9223372036854775807", "-9223372036854775808", #""3""#, "1.5", "null"]
  )
  func positions(_ done: String) throws {
    let checkpoint = try read(Self.json(#"{"done":\#(done)}"#, of: "position"))
    #expect(throws: Failure.self) { try checkpoint.position(as: Checkpoint.Done.self) }
  }

  @Test("A checkpoint reads back as written")
  func roundTrip() throws {
    var checkpoint = Checkpoint(
      at: Checkpoint.State(
        stage: 2,
        at: Position(place: "1 users/ñ \"x\"", counts: ["change users": 3, "a b c": 0], time: moment(7))
      )
    )
    #expect(try read(checkpoint.json) == checkpoint)
    checkpoint.collections = [
      RunSummary.Collection(name: "users", counts: counts(10)),
      RunSummary.Collection(name: "groups/*/members", counts: counts(0), file: "x.csv"),
    ]
    checkpoint.lists = ["rejects.jsonl": 17, "review.csv": 0]
    checkpoint.journal = 1 << 40
    checkpoint.tail = [5..<9, 100..<100]
    checkpoint.beginning = Checkpoint.Beginning(checkpoint)
    #expect(try read(checkpoint.json) == checkpoint)
    #expect(try read(checkpoint.json).position(as: Position.self)?.time == moment(7))
    #expect(throws: Failure.self) { try checkpoint.position(as: Checkpoint.Done.self) }
    checkpoint.position = nil
    #expect(try read(checkpoint.json) == checkpoint)
  }

  @Test(
    "An invalid checkpoint is refused",
    arguments: [
      ("stage", nil), ("journal", nil), ("stage", #""x""#), ("lists", #"{"a":"b"}"#),
      ("tail", #"[{"from":3,"to":2}]"#), ("tail", #"[{"from":3}]"#), ("beginning", #"{"journal":3}"#),
      ("stage", "9223372036854775807"), ("journal", "9223372036854775807"),
      ("beginning", #"{"journal":-1,"lists":{},"collections":[]}"#),
      ("lists", #"{"review.csv":9223372036854775807}"#), ("lists", #"{"review.csv":-1}"#),
      ("collections", #"[{"name":"a","read":9223372036854775807}]"#),
    ] as [(String, String?)]
  )
  func malformed(_ member: String, _ value: String?) {
    #expect(throws: WireError.self) { try read(Self.json(value, of: member)) }
  }

  /// Returns a checkpoint with another value of a member, or without it.
  private static func json(_ value: String?, of member: String) -> [UInt8] {
    var members = ["collections": "[]", "journal": "1", "lists": "{}", "stage": "0", "tail": "[]"]
    members[member] = value
    return Array("{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}".utf8)
  }

  @Test("A checkpoint is due a second after the last one, and takes at most a twentieth of the time")
  func pace() {
    var pace = CheckpointPace(now: 100)
    #expect(!pace.isDue(at: 100))
    #expect(!pace.isDue(at: 100.99))
    #expect(pace.isDue(at: 101))
    // A fast one: the next is due a second after its end.
    pace.checkpointed(from: 101, to: 101.02)
    #expect(!pace.isDue(at: 102))
    #expect(pace.isDue(at: 102.03))
    // Half a second of waiting: ten seconds until the next.
    pace.checkpointed(from: 110, to: 110.5)
    #expect(!pace.isDue(at: 120.4))
    #expect(pace.isDue(at: 120.6))
  }

  @Test("A checkpoint is written when due, after everything is settled, and lists are truncated to it")
  func marking() async throws {
    let mini = MiniFirestore()
    try await withTemporaryDirectory { folder in
      try await Fixture.with(mini.handler) { fixture in
        let time = Locked(50.0)
        let clock = RunClock(now: { time.withLock { $0 } }, sleep: { _ in }, random: { 0.5 })
        let state = "\(folder.path)/state"
        let counts = RunCounts()
        let record: RunRecord
        do {
          let run = try RunDirectory(in: state, command: "import")
          record = RunRecord(
            id: run.id,
            command: "import",
            arguments: [],
            workingDirectory: "/",
            environment: DatabaseEnvironment(name: "x", database: testDatabase),
            startedAt: moment(0),
            writes: true
          )
          try run.write(record)
          let checkpoints = try await Checkpoints(run, client: fixture.client, counts: counts, clock: clock)
          let rejects = RejectList(run)
          try await checkpoints.begin(at: Checkpoint.State())
          let drained = Locked(0)
          func mark(_ position: Int) async throws {
            try await checkpoints.mark(at: Checkpoint.State(at: Checkpoint.Done(position))) {
              // What is counted and listed while it drains belongs to the checkpoint.
              drained.withLock { $0 += 1 }
              counts.update(collection("c")) { $0.read += 1 }
              try rejects.add(path("c/\(position)"), code: "X", message: "m", document: nil)
            }
          }
          try await mark(1)
          #expect(drained.withLock { $0 } == 0)
          time.withLock { $0 = 51.5 }
          try await mark(2)
          try await mark(3)
          #expect(drained.withLock { $0 } == 1)
          try rejects.add(path("c/beyond"), code: "X", message: "m", document: nil)
          counts.update(collection("c")) { $0.read += 1 }
          try await checkpoints.journal.record([
            Change(path: path("c/own"), before: nil, after: ["n": .integer(1)])
          ])
        }
        do {
          let run = try RunDirectory(resuming: record, in: state)
          #expect(run.isResumed)
          let again = RunCounts(resuming: run.restoredCounts)
          let checkpoints = try await Checkpoints(run, client: fixture.client, counts: again, clock: clock)
          #expect(checkpoints.resumed?.position == NestedRecord(Checkpoint.Done(2)))
          #expect(again[collection("c")].read == 1)
          #expect(checkpoints.journal.hasTail)
          #expect(!checkpoints.isPast(0))
          let text = try String(contentsOfFile: run.file("rejects.jsonl"), encoding: .utf8)
          #expect(text.components(separatedBy: "\n").count == 2)
          #expect(text.contains("c/2") && !text.contains("beyond"))
        }
        do {
          // Resumed to read everything again, and ended before it began.
          let run = try RunDirectory(resuming: record, in: state, fromStart: true)
          let none = RunCounts(resuming: run.restoredCounts)
          _ = try await Checkpoints(run, client: fixture.client, counts: none, clock: clock)
          #expect(!FileManager.default.fileExists(atPath: run.file("rejects.jsonl")))
        }
        let run = try RunDirectory(resuming: record, in: state)
        let last = RunCounts(resuming: run.restoredCounts)
        let checkpoints = try await Checkpoints(run, client: fixture.client, counts: last, clock: clock)
        #expect(try #require(checkpoints.resumed).position == nil)
        #expect(last[collection("c")].read == 0)
        #expect(checkpoints.journal.hasTail)
      }
    }
  }
}
