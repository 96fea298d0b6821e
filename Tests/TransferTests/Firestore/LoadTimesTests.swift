import FirestoreModels
import FoundationEssentials
import GymModels
import RunSupport
import Schema
import TestSupport
import Testing

@testable import FirestoreREST
@testable import Runs
@testable import Transfer

/// Who sets the time of the last change of documents that are loaded, and what is recorded of times that are set back.
@Suite("Times of loaded documents", .timeLimit(.minutes(60)))
struct LoadTimesTests {
  /// What `b` of `users` is before, and a document of a collection without a time.
  private static let present = """
    {"name":"users/b","fields":{"n":{"integerValue":"1"},"updatedAt":{"timestampValue":"2020-01-01T00:00:00Z"}}}
    {"name":"classAttendance/b","fields":{"n":{"integerValue":"1"}}}
    """

  private static func user(_ n: Int, _ time: String?, _ id: String = "b") -> String {
    let time = time.map { #","updatedAt":{"timestampValue":"\#($0)"}"# } ?? ""
    return #"{"name":"users/\#(id)","fields":{"n":{"integerValue":"\#(n)"}\#(time)}}"#
  }

  private struct Ending {
    var mini: MiniFirestore
    var counts: DocumentCounts
    var journal: [String]

    func time(_ name: String) -> String? {
      let fields = try? mini.document(name)?.fields()
      return (fields?["updatedAt"] as? [String: Any])?["timestampValue"] as? String
    }

    /// What the record of the run names; nil where there is none.
    var setBack: [String]? {
      let record = mini.everything().first { $0.name.contains("_gymmigrate_times/") }
      let fields = try? record?.fields()
      let array = (fields?["collections"] as? [String: Any])?["arrayValue"] as? [String: Any]
      return (array?["values"] as? [[String: Any]])?.compactMap { $0["stringValue"] as? String }
    }
  }

  private func load(_ lines: String, _ mode: WriteMode, _ times: LoadTimes) async throws -> Ending {
    let mini = MiniFirestore()
    try mini.load(jsonLines: Self.present)
    return try await Fixture.with(mini.handler) { fixture in
      try await withTemporaryDirectory { folder in
        let run = try RunDirectory(in: folder.path, command: "import")
        let counts = RunCounts()
        let checkpoints = try await Checkpoints(run, client: fixture.client, counts: counts, clock: .system)
        let context = RunContext.silent(
          fixture.client,
          run,
          schema: GymSchema.schema,
          counts: counts,
          checkpoints: checkpoints
        )
        let loader = DocumentLoader(
          in: context,
          mode: mode,
          times: times,
          limits: BatchLimits(),
          pacer: WritePacer(ramp: false)
        )
        try await loader.load { intake in
          // Decoded and encoded ones are decided alike.
          try await intake.put(mixed(try documents(lines), for: fixture.client.database))
        }
        let text = try String(contentsOfFile: run.file("journal.jsonl"), encoding: .utf8)
        return Ending(
          mini: mini,
          counts: counts.totals,
          journal: text.split(separator: "\n").map(String.init)
        )
      }
    }
  }

  @Test(
    "A document that changes gets the time of the server, unless it brings a later one.",
    arguments: [WriteMode.merge, .upsert, .replace]
  )
  func changes(mode: WriteMode) async throws {
    for lines in ["", Self.user(1, nil, "first") + "\n"] {
      // With a line before it, the document is encoded.
      let before = mode == .replace ? "" : lines
      for brought in [nil, "2019-01-01T00:00:00Z", "2020-01-01T00:00:00Z"] {
        let ending = try await load(before + Self.user(2, brought), mode, .changed)
        let time = try #require(ending.time("users/b"))
        #expect(time > "2021", "\(mode) \(brought ?? "-")")
        #expect(ending.setBack == (before.isEmpty ? nil : ["users"]))
        #expect(ending.journal.contains { $0.contains(#""serverTimes":["updatedAt"]"#) })
      }
      let later = try await load(before + Self.user(2, "2020-01-02T00:00:00Z"), mode, .changed)
      #expect(later.time("users/b") == "2020-01-02T00:00:00Z")
      #expect(later.setBack == ["users"])
    }
  }

  @Test(
    "A time alone that is not later changes nothing; a later one does.",
    arguments: [WriteMode.merge, .upsert, .replace]
  )
  func timeAlone(mode: WriteMode) async throws {
    for brought in ["2019-01-01T00:00:00Z", "2020-01-01T00:00:00Z"] {
      let ending = try await load(Self.user(1, brought), mode, .changed)
      #expect(ending.counts.unchanged == 1 && ending.time("users/b") == "2020-01-01T00:00:00Z")
      #expect(ending.setBack == nil)
    }
    let ending = try await load(Self.user(1, "2020-01-02T00:00:00Z"), mode, .changed)
    #expect(ending.counts.written == 1 && ending.time("users/b") == "2020-01-02T00:00:00Z")
  }

  @Test("What is carried over keeps its time, and the collection is recorded.")
  func kept() async throws {
    let ending = try await load(Self.user(2, "2019-01-01T00:00:00Z"), .upsert, .kept)
    #expect(ending.time("users/b") == "2019-01-01T00:00:00Z")
    #expect(ending.setBack == ["users"])
    let unchanged = try await load(Self.user(1, "2020-01-01T00:00:00Z"), .upsert, .kept)
    #expect(unchanged.setBack == nil)
  }

  @Test("A creation keeps the time that it brings; one that is earlier than the run, or none, is recorded.")
  func creations() async throws {
    let old = try await load(Self.user(1, "2019-01-01T00:00:00Z", "new"), .create, .changed)
    #expect(old.time("users/new") == "2019-01-01T00:00:00Z" && old.setBack == ["users"])
    let none = try await load(Self.user(1, nil, "new"), .merge, .changed)
    #expect(none.time("users/new") == nil && none.setBack == ["users"])
    let future = try await load(Self.user(1, "2999-01-01T00:00:00Z", "new"), .create, .changed)
    #expect(future.setBack == nil)
    let server = try await load(Self.user(1, "2019-01-01T00:00:00Z", "new"), .create, .server)
    #expect(try #require(server.time("users/new")) > "2021" && server.setBack == nil)
  }

  @Test(
    "Collections that are declared without a time of last change, or not declared, are recorded for mirrors without the schema."
  )
  func collections() async throws {
    let line = #"{"name":"classAttendance/b","fields":{"n":{"integerValue":"2"}}}"#
    #expect(try await load(line, .upsert, .kept).setBack == ["classAttendance"])
    let below = #"{"name":"other/a/parts/b","fields":{"n":{"integerValue":"2"}}}"#
    #expect(try await load(below, .upsert, .changed).setBack == ["other/*/parts"])
  }

  @Test("The journal has the reason of each change.")
  func reasons() async throws {
    let lines = [Self.user(1, nil, "a"), Self.user(2, nil), Self.user(1, nil, "c")].joined(separator: "\n")
    let ending = try await load(lines, .merge, .changed)
    let reasons = ending.journal.filter { $0.contains(#""reasons""#) }.map { line in
      line.contains(#""reasons":["create"]"#)
        ? "create" : line.contains(#""reasons":["merge"]"#) ? "merge" : line
    }
    #expect(reasons.sorted() == ["create", "create", "merge"])
  }
}

/// Which records count for which marks.
@Suite struct SetBackCollectionsTests {
  @Test(
    "A record counts for marks that are not later, less five minutes, and for the collections that it names."
  )
  func marks() async throws {
    let mini = MiniFirestore()
    try mini.load(
      jsonLines: """
        {"name":"_gymmigrate_times/r1","fields":{"isOpen":{"booleanValue":true},"changedAt":{"timestampValue":"2026-01-01T12:00:00Z"},"collections":{"arrayValue":{"values":[{"stringValue":"users"},{"stringValue":"groups/*/members"}]}}}}
        {"name":"_gymmigrate_times/r2","fields":{"isOpen":{"booleanValue":false},"changedAt":{"timestampValue":"2026-01-01T13:00:00Z"},"collections":{"arrayValue":{"values":[{"stringValue":"*"}]}}}}
        """
    )
    let (users, payments) = (CollectionPath(nil, "users"), CollectionPath(nil, "payments"))
    let members = try #require(CollectionPath("groups/g1/members"))
    func time(_ text: String) throws -> Timestamp { try #require(Timestamp("2026-01-01T\(text)Z")) }
    try await Fixture.with(mini.handler) { fixture in
      func found(_ mark: String) async throws -> [String?] {
        let mark = try time(mark)
        let found = try await SetBackCollections(since: [mark], in: fixture.client)
        return [users, members, payments].map { found.run(in: $0, since: mark, by: nil) }
      }
      #expect(try await found("11:00:00") == ["r2", "r2", "r2"])
      #expect(try await found("13:00:00.0009") == ["r2", "r2", "r2"])
      #expect(try await found("13:00:00.001") == [nil, nil, nil])
      mini.remove("_gymmigrate_times/r2")
      #expect(try await found("12:05:00") == ["r1", "r1", nil])
      #expect(try await found("12:05:01") == [nil, nil, nil])
      // One query serves marks of several ages.
      let both = try await SetBackCollections(
        since: [try time("12:30:00"), try time("11:00:00")],
        in: fixture.client
      )
      #expect(both.run(in: users, since: try time("12:30:00"), by: nil) == nil)
      #expect(both.run(in: users, since: try time("11:00:00"), by: nil) == "r1")
      // Their times are in another field than the usual one.
      try mini.put(
        "_gymmigrate_times/r3",
        fields:
          #"{"changedAt":{"timestampValue":"2026-01-01T14:00:00Z"},"dated":{"arrayValue":{"values":[{"mapValue":{"fields":{"collection":{"stringValue":"payments"},"field":{"stringValue":"paid.at"}}}}]}}}"#
      )
      let two = try time("14:00:00")
      let dated = try await SetBackCollections(since: [two], in: fixture.client)
      let paid: FieldPath? = FieldPath(segments: ["paid", "at"])
      let updated: FieldPath? = FieldPath(field: "updatedAt")
      #expect(dated.run(in: payments, since: two, by: nil) == "r3")
      #expect(dated.run(in: payments, since: two, by: updated) == "r3")
      #expect(dated.run(in: payments, since: two, by: paid) == nil)
      #expect(dated.run(in: users, since: two, by: nil) == nil)
      let requests = mini.requestCount(.runQuery)
      _ = try await SetBackCollections(since: [], in: fixture.client)
      #expect(mini.requestCount(.runQuery) == requests)
    }
  }
}
