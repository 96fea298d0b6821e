import Configuration
import FirestoreModels
import FirestoreREST
import MigrationEngine
import Testing
import TypedDocuments

@testable import Runs
@testable import Shards
@testable import Transfer

@Suite("The plan of a sharded run")
struct ShardPlanTests {
  private func plan(tasks: Int, ranges: Int) -> ShardPlan {
    let place = DatabaseEnvironment(
      name: "test",
      database: DatabaseName(project: "p", database: "test"),
      endpoint: "http://localhost:1"
    )
    let users = CollectionPath(nil, "users")
    var read = CollectionRead(users)
    read.reach = .subcollections
    return ShardPlan(
      run: "20261124T000000Z-export-abcd",
      command: ["export", "users", "--where", "a == \"b\\n\""],
      job: JobRecord(
        ExportJob(["users"], all: false),
        connection: ConnectionSettings(),
        source: nil,
        write: WriteSettings(),
        output: OutputSettings()
      ),
      name: "export",
      target: RunRecord.Target(place),
      source: nil,
      readTime: Timestamp("2026-11-24T00:00:00.123456Z"),
      tasks: tasks,
      writes: false,
      partExtension: "jsonl",
      reads: [ShardPlan.Read(read)],
      ranges: (0..<ranges).map { number in
        ShardPlan.Range(
          number: number,
          read: 0,
          names: NameRange(
            start: number == 0 ? nil : DocumentPath(users, "u\(number)"),
            end: number == ranges - 1 ? nil : DocumentPath(users, "u\(number + 1)")
          )
        )
      },
      inputs: [ShardPlan.Input(path: "a.yaml", bytes: 12)],
      migrations: [
        LedgerEntry.Applied(id: "m", checksum: nil), LedgerEntry.Applied(id: "n", checksum: "00"),
      ],
      holder: "me@here",
      createdAt: Timestamp("2026-11-24T00:00:01Z") ?? .now
    )
  }

  @Test(
    "Each range belongs to one task, and neighbours to the same one",
    arguments: [(1, 1), (4, 16), (7, 3), (16, 61)]
  )
  func shares(tasks: Int, ranges: Int) {
    let plan = plan(tasks: tasks, ranges: ranges)
    let all = (0..<tasks).flatMap { plan.ranges(of: $0).map(\.number) }
    #expect(all == Array(0..<ranges))
    for range in 0..<ranges { #expect(plan.ranges(of: plan.task(of: range)).contains { $0.number == range }) }
    let sizes = (0..<tasks).map { plan.ranges(of: $0).count }
    #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
  }

  @Test("Ranges are divided over reads by their size, each at least one")
  func division() {
    #expect(ShardPlan.shares(of: [900, 100, 0], ranges: 64) == [58, 6, 1])
    #expect(ShardPlan.shares(of: [0, 0], ranges: 64) == [1, 1])
    #expect(ShardPlan.shares(of: [], ranges: 64) == [])
  }

  @Test("A plan is the same after it was written and read")
  func roundTrip() throws {
    let plan = plan(tasks: 4, ranges: 9)
    let read = try JSONParser().parse(plan.json) { json throws(WireError) in try ShardPlan(json) }
    #expect(read == plan)
  }

  @Test(
    "A plan that does not fit together is refused",
    arguments: [
      (#""version":2"#, #""version":1"#), (#""tasks":4"#, #""tasks":0"#), (#""number":3"#, #""number":4"#),
      (#""read":0"#, #""read":1"#), (#""start":"users/u1""#, #""start":"users""#),
      (#""reach":"subcollections""#, #""reach":"all""#), (#""part":"jsonl""#, #""part":"../x""#),
      (#""database":"projects/p/databases/test""#, #""database":"p""#),
      // The last range is lost, or the first or the last name; there is a gap, an overlap, or an empty range.
      (#",{"number":8,"read":0,"start":"users/u8"}"#, ""),
      (#""number":0,"read":0"#, #""number":0,"read":0,"start":"users/a""#),
      (#"{"number":8,"#, #"{"end":"users/u9","number":8,"#),
      (#""start":"users/u3""#, #""start":"users/u33""#), (#""start":"users/u3""#, #""start":"users/u2""#),
      (#""users/u4""#, #""users/u3""#),
    ]
  )
  func damaged(text: String, replacement: String) {
    let json = String(decoding: plan(tasks: 4, ranges: 9).json, as: UTF8.self)
    let damaged = Array(json.replacing(text, with: replacement).utf8)
    #expect(damaged != Array(json.utf8))
    #expect(throws: WireError.self) {
      _ = try JSONParser().parse(damaged) { json throws(WireError) in try ShardPlan(json) }
    }
  }

  @Test("So is a plan without a range for each task, where documents are divided by their names.")
  func divided() throws {
    var plan = plan(tasks: 4, ranges: 4)
    plan.reads = []
    for count in [3, 5, 4] {
      plan.ranges = (0..<count).map { ShardPlan.Range(number: $0, read: nil) }
      let json = plan.json
      func read() throws -> ShardPlan {
        try JSONParser().parse(json) { json throws(WireError) in try ShardPlan(json) }
      }
      if count == 4 { #expect(try read() == plan) } else { #expect(throws: WireError.self) { try read() } }
    }
  }

  @Test(
    "A result is the same after it was written and read, and agrees with another worker's of the same work"
  )
  func results() throws {
    var counts = DocumentCounts()
    (counts.read, counts.written) = (3, 3)
    var result = ShardResult(
      range: 3,
      run: "r",
      holder: "a@b",
      status: .incomplete,
      collections: [RunSummary.Collection(name: "users", counts: counts)],
      part: ShardResult.Part(
        file: "parts/00003.csv",
        documents: 3,
        bytes: 10,
        sha256: "00",
        columns: ["a", "b.c"]
      ),
      lists: ["rejects.jsonl"],
      durationSeconds: 1.5,
      billed: Cost(reads: 4, writes: 3)
    )
    result.part?.pending = ShardResult.Part.Content(bytes: 11, sha256: "01")
    let read = try JSONParser().parse(result.json) { json throws(WireError) in try ShardResult(json) }
    #expect(read == result)
    var other = result
    (other.holder, other.durationSeconds, other.traffic.requests) = ("c@d", 9, 7)
    other.billed = Cost(reads: 5, writes: 3)
    #expect(other.agrees(with: result))
    other.part?.sha256 = "02"
    #expect(!other.agrees(with: result))
  }
}
