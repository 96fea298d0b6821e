import Foundation
import TestSupport
import Testing

@Suite("Copying a part", .timeLimit(.minutes(60)))
struct SubsetCopyTests {
  private static let schema = """
    schema: small
    collections:
      gyms: { mask: pseudonym, fields: { owner: { type: string, reference: users } } }
      users: { mask: pseudonym, fields: { gymId: { type: string, reference: gyms }, role: { type: string, mask: keep } } }
      users/*/payments: { mask: pseudonym, fields: { gymId: { type: string, reference: gyms } } }
    """

  private static func line(_ name: String, _ fields: [String: String] = [:]) -> String {
    let members = fields.map { #""\#($0.key)":{"stringValue":"\#($0.value)"}"# }.sorted()
    return #"{"fields":{\#(members.joined(separator: ","))},"name":"\#(name)"}"#
  }

  /// Two gyms with their people and payments, and a gym that nobody refers to.
  private static let documents: [String] = {
    var lines = [line("gyms/g1", ["owner": "u1"]), line("gyms/g2", ["owner": "u9"]), line("gyms/g3")]
    for number in 1...40 {
      let gym = number % 2 == 1 ? "g1" : "g2"
      lines.append(line("users/u\(number)", ["gymId": gym, "role": number <= 4 ? "trainer" : "member"]))
      lines.append(line("users/u\(number)/payments/p1", ["gymId": gym]))
    }
    return lines
  }()

  private static func copy(_ more: String...) -> [String] {
    ["copy", "--from", "prod", "--to", "test", "--schema", "small.yaml", "--keep-personal-data", "-y"] + more
  }

  private func withDocuments(_ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      try tool.write(Self.schema, to: "small.yaml")
      try await tool.load(Self.documents, into: "prod")
      try? FileManager.default.removeItem(atPath: tool.path(".gymmigrate"))
      try await body(tool)
    }
  }

  /// The names of a dump.
  private func names(_ lines: Set<String>) -> Set<String> {
    Set(
      lines.compactMap {
        $0.split(separator: "\"name\":\"").last?.split(separator: "\"").first.map(String.init)
      }
    )
  }

  private static let trainers = "users where role == trainer limit 3"
  private static let trainersPart: Set = [
    "gyms/g1", "gyms/g2", "users/u1", "users/u1/payments/p1", "users/u2", "users/u2/payments/p1", "users/u3",
    "users/u3/payments/p1", "users/u9", "users/u9/payments/p1",
  ]

  @Test(
    "The part and no other document is copied, in a target that has others; -n says the same and writes nothing."
  )
  func part() async throws {
    try await withDocuments { tool in
      try await tool.load([documentLine("users/other", 1)], into: "test")
      let command = Self.copy("--subset", Self.trainers, "--json")
      let dry = try await tool.bare(command + ["-n"]).expect(0)
      for text in [
        "'\(Self.trainers)': 3 documents", "out users.gymId -> gyms: 2 documents",
        "out gyms.owner -> users: 1 document",
        "along subcollections: 4 documents", "users: 4 documents", "users/*/payments: 4 documents",
        "would create 10",
      ] { #expect(dry.errors.contains(text), "\(text): \(dry.errors)") }
      #expect(try await names(tool.dump("test")) == ["users/other"])

      let result = try await tool.bare(command).expect(0)
      #expect(try await names(tool.dump("test")) == Self.trainersPart.union(["users/other"]))
      #expect(try result.summary().totals.written == 10)
      let summary = try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [String: Any]
      let part = try #require(summary?["part"] as? [String: Any])
      #expect(part["documents"] as? Int == 10 && part["dangling"] as? Int == 0)
      #expect((part["references"] as? [Any])?.count == 4 && (part["hubs"] as? [Any])?.isEmpty == true)
      for run in tool.runs() { #expect(!tool.names(in: run).contains("part.jsonl"), "\(run)") }
      try await tool.bare(["runs", "undo", "last", "-e", "test", "-y"]).expect(0)
      #expect(try await names(tool.dump("test")) == ["users/other"])
    }
  }

  @Test("What refers to the roots comes along by queries; a hub is named and not followed.")
  func inwards() async throws {
    try await withDocuments { tool in
      let command = Self.copy("--subset", "gyms limit 1", "--follow", "in", "--no-subcollections")
      let all = try await tool.bare(command + ["-n"]).expect(0)
      #expect(all.errors.contains("in users.gymId -> gyms: 20 documents"), "\(all.errors)")
      // What a payment is below of was brought by it.
      #expect(all.errors.contains("in users/*/payments.gymId -> gyms: 20 documents"))
      let hub = try await tool.bare(command + ["--max-fan-in", "19"]).expect(0)
      #expect(
        hub.errors.contains(
          "gyms/g1 is not followed inwards: 20 documents refer to it by users.gymId -> gyms."
        )
      )
      #expect(try await names(tool.dump("test")) == ["gyms/g1"])
    }
  }

  @Test(
    "A part that is too large ends in 75 before anything is written, names what brought most, and is read no further."
  )
  func tooLarge() async throws {
    try await withDocuments { tool in
      let more = (0..<2000).map { Self.line("users/v\($0)", ["gymId": "g3"]) }
      try await tool.load(more, into: "prod")
      let command = Self.copy(
        "--subset",
        "gyms",
        "--follow",
        "in",
        "--max-documents",
        "100",
        "--max-fan-in",
        "5000"
      )
      let result = try await tool.bare(command + ["--json"])
      result.expectFailure(
        75,
        "it has more than 100 documents",
        "most are of users.gymId -> gyms: ",
        "nothing was written",
        "--max-documents"
      )
      #expect(try await tool.dump("test").isEmpty)
      let summary = try #require(
        try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [String: Any]
      )
      let reads = try #require((summary["billed"] as? [String: Int])?["reads"])
      #expect(reads < 300, "\(reads)")
      try await tool.bare(
        Self.copy("--subset", "users limit 41", "--max-documents", "40", "--follow", "none")
      )
      .expectFailure(75)
      try await tool.bare(Self.copy("--subset", "gyms", "--max-documents", "3", "--follow", "none")).expect(0)
    }
  }

  @Test("A misspelt collection or field of any part is named with the one that was meant.")
  func misspelt() async throws {
    try await withDocuments { tool in
      try await tool.load([Self.line("notes/n1")], into: "prod")
      for (part, said) in [
        ("gyms where ownr == u1", "no field 'ownr' in gyms. Did you mean 'owner'?"),
        ("usrs limit 1", "The schema declares no collection 'usrs'. Did you mean 'users'?"),
        ("nots limit 1", "nots has no documents. Did you mean 'notes'?"),
      ] {
        let words = Self.copy("--subset", "users where role == trainer", "--subset", part, "-n")
        let result = try await tool.bare(words)
        #expect(result.errors.contains(said), "\(part): \(result.errors)")
        #expect(!result.errors.contains("'role'"), "\(part): \(result.errors)")
      }
    }
  }

  @Test("What does not go together, or cannot be read, is refused in one line, and nothing is done.")
  func refusals() async throws {
    try await withDocuments { tool in
      let users = ["--subset", "users"]
      let wrong: [[String]] = [
        ["users"] + users, ["--all"] + users, ["--catalogues"] + users,
        users + ["--where", "role == trainer"],
        users + ["--limit", "3"], users + ["--delete-extraneous", "--max-delete", "1"], ["--sample", "1%"],
        ["--all", "--sample", "1%"], ["users", "--sample", "0%"], ["users", "--sample", "1"],
        ["users", "--sample", "1%", "--limit", "2"], ["users", "--follow", "in"],
        ["users", "--max-documents", "5"],
        ["users", "--max-fan-in", "5"], users + ["--follow", "inwards"], users + ["--max-documents", "0"],
        users + ["--max-documents", "500001"], users + ["--max-fan-in", "-1"], ["--subset", ""],
        ["--subset", "users where"], ["--subset", "users limit -1"], ["--subset", "users/u1"],
        ["--subset", "users where role = = 1"], ["--subset", "users where __name__ == gyms/g1"],
      ]
      for words in wrong {
        let result = try await tool.bare(Self.copy() + words).expect(64)
        #expect(result.complaints.count == 1, "\(words): \(result.errors)")
      }
      for (part, meant) in [
        ("users wher role == trainer", "where"), ("users lmit 3", "limit"),
        ("users where role == trainer limt 3", "limit"),
      ] {
        try await tool.bare(Self.copy("--subset", part)).expectFailure(64, "Did you mean '\(meant)'?")
      }
      try await tool.bare(
        ["shard", "plan", "--to", "plan", "--shards", "2", "--"] + Self.copy() + users
      ).expectFailure(64)
      // People's data stay where they are, also where a part leads to them.
      let held = [
        "copy", "--from", "prod", "--to", "test", "--schema", "small.yaml", "-y", "--subset", "gyms",
      ]
      try await tool.bare(held).expectFailure(77)
      #expect(try await tool.dump("test").isEmpty)
    }
  }

  @Test("A sample has the same documents each time, and is closed.")
  func sample() async throws {
    try await withDocuments { tool in
      try await tool.bare(Self.copy("users", "--sample", "12.5%")).expect(0)
      let part = try await names(tool.dump("test"))
      // Those of 40 whose checksums Python's hashlib finds below an eighth, and what they refer to.
      #expect(
        part.filter { $0.wholeMatch(of: /users\/u\d+/) != nil }.isSuperset(of: [
          "users/u13", "users/u28", "users/u30", "users/u33", "users/u37", "users/u40",
        ])
      )
      let again = try await tool.bare(Self.copy("users", "--sample", "12.5%", "--json")).expect(0)
      #expect(try again.summary().totals.unchanged == part.count)
      #expect(part.contains("gyms/g1") && !part.contains("gyms/g3"))
    }
  }

  @Test("With an inequality, the first documents are those by its field, also of a sample.")
  func order() async throws {
    try await withStores { tool in
      try await tool.load((10..<30).map { documentLine("things/t\($0)", 30 - $0) }, into: "stage")
      let copy = [
        "copy", "--subset", "things where n >= 1 limit 4", "--from", "stage", "--to", "test", "--schema",
        "none",
      ]
      // Those of the 20 whose checksums Python's hashlib finds below a half; t29 has the least number.
      let half: Set = ["things/t23", "things/t21", "things/t17", "things/t13"]
      try await tool.bare(copy + ["--sample", "50%"]).expect(0)
      #expect(try await names(tool.dump("test")) == half)
      let all = half.union(["things/t29", "things/t28", "things/t27", "things/t26"])
      for sample in [["--sample", "100%"], []] {
        try await tool.bare(copy + sample).expect(0)
        #expect(try await names(tool.dump("test")) == all, "\(sample)")
      }
    }
  }

  @Test(
    "A masked part is closed, too, and no file of the run has a name of the source, not even of one that is killed."
  )
  func masked() async throws {
    try await withDocuments { tool in
      try await tool.bare(["mask", "key", "new", "key"]).expect(0)
      var command = ["copy", "--from", "prod", "--to", "test", "--schema", "small.yaml", "-y", "--json"]
      command += ["--subset", "users where role in [trainer, \"Zoe Gil\"] limit 3", "--follow", "out,in"]
      command += ["--max-fan-in", "2", "--mask", "--mask-key-file", "key"]
      let result = try await tool.bare(command).expect(0)
      let dump = try await tool.dump("test")
      #expect(dump.count == Self.trainersPart.count)
      let owners = dump.filter { $0.contains("\"owner\"") }
      #expect(owners.count == 2)
      let users = names(dump).filter { $0.wholeMatch(of: /users\/[^\/]+/) != nil }
      for line in owners {
        let owner = try #require(line.firstMatch(of: /"owner":\{"stringValue":"([^"]+)"/)).1
        #expect(users.contains("users/\(owner)"))
      }
      let folder = tool.path(".gymmigrate")
      for file in FileManager.default.subpaths(atPath: folder) ?? [] {
        let text = String(
          decoding: FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data(),
          as: UTF8.self
        )
        #expect(text.firstMatch(of: /users\/u\d|gyms\/g\d|Zoe/) == nil, "\(file)")
      }
      let output = result.output + result.errors
      #expect(output.contains("users where … limit 3"))
      #expect(output.firstMatch(of: /users\/u\d|gyms\/g\d|Zoe/) == nil, "\(output)")
    }
  }

  /// Kills a copy of a part at its fourth commit, and returns what the target has after it was resumed, which has to report
  /// the part as an uninterrupted copy does.
  private func resumed(
    _ more: [String] = []
  ) async throws -> (names: Set<String>, writes: [Int], files: [String]) {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    try source.load(jsonLines: Self.documents.joined(separator: "\n"))
    let running = Later<RunningBinary>()
    let faults = target.faults(
      FaultRule([.commit], .number(4), .end(running, applied: true)),
      maximumConsecutive: .max
    )
    var names: Set<String> = []
    var files: [String] = []
    try await withTwoServers(source.handler, faults.handler) { tool in
      try tool.write(Self.schema, to: "small.yaml")
      try await tool.bare(["mask", "key", "new", "key"]).expect(0)
      let words = Self.copy(
        "--subset",
        Self.trainers,
        "--batch-size",
        "2",
        "--in-flight",
        "1",
        "--page-size",
        "2"
      )
      #expect(
        try await tool.bare(words.filter { more.isEmpty || $0 != "--keep-personal-data" } + more, as: running)
          .signal == SIGKILL
      )
      faults.setOn(false)
      files = tool.names(in: tool.runs()[0])
      // Another moment, in which the part is another one.
      try source.load(jsonLines: Self.line("users/u0", ["gymId": "g3", "role": "trainer"]))
      let resumed = try await tool.bare(["runs", "resume", "last", "-y"]).expect(0)
      #expect(resumed.errors.contains("Part: 10 documents, dangling: 0"), "\(resumed.errors)")
      let file = try tool.text("\(tool.runs()[0])/summary.json")
      let summary = try JSONSerialization.jsonObject(with: Data(file.utf8)) as? [String: Any]
      let part = try #require(summary?["part"] as? [String: Any], "\(file)")
      #expect((part["references"] as? [Any])?.count == 4 && (part["hubs"] as? [Any])?.isEmpty == true)
      let cost = try #require(summary?["cost"] as? [String: Any], "\(file)")
      #expect(cost["writes"] as? Int == 10 && cost["atLeast"] == nil, "\(file)")
      #expect(!tool.names(in: tool.runs()[0]).contains("part.jsonl"))
      names = Set(target.snapshot().map { $0.name })
    }
    return (names, target.writtenDocuments.map(\.writes), files)
  }

  @Test(
    "A run that is killed and resumed copies the same documents, each once, and keeps their names until then."
  )
  func killed() async throws {
    let (names, writes, files) = try await resumed()
    #expect(names.filter { !$0.contains("_gymmigrate") } == Self.trainersPart)
    #expect(writes.allSatisfy { $0 == 1 } && files.contains("part.jsonl"))
  }

  @Test("So does a masked one, which keeps no name.")
  func killedMasked() async throws {
    let (names, writes, files) = try await resumed(["--mask", "--mask-key-file", "key"])
    #expect(names.filter { !$0.contains("_gymmigrate") }.count == Self.trainersPart.count)
    #expect(writes.allSatisfy { $0 == 1 } && !files.contains("part.jsonl"))
  }
}
