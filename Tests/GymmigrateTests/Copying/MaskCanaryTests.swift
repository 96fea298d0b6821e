import FirestoreModels
import Foundation
import TestSupport
import Testing

/// People whose values all hold one sign, in every place where a value can stand.
private enum Canaries {
  static let people = 500
  /// How often the sign stands in what belongs to one person.
  static let ofEach = 21

  /// The sign as it may stand in bytes, small letters apart from Base64.
  private static let signs = ["zqcanary", "zqcaná", "zqcana\u{301}"]
  private static let inBase64: [String] = (0..<3).map { before in
    let bytes = [UInt8](repeating: 0x7A, count: before) + Array("zqcanary".utf8)
    let text = Base64.standard(bytes).replacing("=", with: "")
    // The first and the last sign hold bits of what is around it, too.
    return String(text.dropFirst(before == 0 ? 0 : before + 1).dropLast(1))
  }

  private static func text(_ name: String, _ value: String) -> String {
    #""\#(name)":{"stringValue":"\#(value)"}"#
  }

  private static func line(_ name: String, _ fields: [String]) -> String {
    #"{"fields":{\#(fields.joined(separator: ","))},"name":"\#(name)"}"#
  }

  static let lines: [String] = (0..<people).flatMap { number -> [String] in
    let sign = "zqcanary\(number)"
    let (user, member, email) = ("UID\(sign)x", "MID\(sign)x", "\(sign)@example.com")
    let name = "projects/p/databases/prod/documents/users/\(user)"
    let bytes = Base64.standard(Array(sign.utf8))
    return [
      line(
        "users/\(user)",
        [
          text("id", user), text("fullName", "\(sign.uppercased()) zqcana\u{301}ry"),
          text("nombre", "ZqCanáry"),
          text("email", email.uppercased()), text("phone", "+52 (55) 501\(number % 10)-\(1000 + number)"),
          text("photoURL", "https://img.example.com/o/users%2F\(user)%2Fa.jpg"),
          text("linkedMemberId", member), text("role", sign), text("telefono", "x \(sign)"),
          #""isActive":{"stringValue":"\#(bytes)"}"#, #""lesiones":{"bytesValue":"\#(bytes)"}"#,
          #""otros":{"mapValue":{"fields":{"\#(sign)":{"mapValue":{"fields":{"k":{"stringValue":"\#(sign)"}}}}}}}"#,
          #""fechaNacimiento":{"referenceValue":"\#(name)"}"#,
        ]
      ),
      line(
        "members/\(member)",
        [
          text("firstName", "zqca"), text("paternalLastName", "nary\(number)"), text("linkedUserId", user),
          text("registeredBy", "admin:\(user)"), text("otherNotes", "carta de \(bytes) a \(sign)"),
          #""familyGroupId":{"arrayValue":{"values":[{"stringValue":"\#(user)"},{"referenceValue":"\#(name)"}]}}"#,
        ]
      ),
      line("user_emails/\(email)", [text("email", email), text("primaryUserId", user)]),
      line("groups/GID\(sign)/members/\(user)", [text("displayName", sign)]),
    ]
  }

  /// What of them stands in bytes.
  static func found(in data: Data) -> [String] {
    let small = Data(data.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
    return signs.filter { small.range(of: Data($0.utf8)) != nil }
      + inBase64.filter { data.range(of: Data($0.utf8)) != nil }
  }
}

@Suite("Masked copies of ten thousand canaries", .timeLimit(.minutes(60)))
struct MaskCanaryTests {
  private static let collections = ["users", "members", "user_emails", "groups"]

  private func copy(_ more: [String] = []) -> [String] {
    ["copy"] + Self.collections
      + ["--from", "prod", "--to", "test", "--mask", "--mask-key-file", "a", "--mode", "upsert", "--yes"]
      + more
  }

  private func expectNone(in folder: String, _ location: SourceLocation = #_sourceLocation) {
    for file in FileManager.default.subpaths(atPath: folder) ?? [] {
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(file)") else { continue }
      #expect(Canaries.found(in: data).isEmpty, "\(file)", sourceLocation: location)
    }
  }

  @Test(
    "None arrives, in whatever place it stood; the proof says so, and finds those of a copy without a mask."
  )
  func canaries() async throws {
    #expect(Canaries.people * Canaries.ofEach >= 10_000)
    try await withStores { tool in
      try await tool.load(Canaries.lines, into: "prod")
      try? FileManager.default.removeItem(atPath: tool.path(".gymmigrate"))
      try await tool.bare(["mask", "key", "new", "a"]).expect(0)
      #expect(!Canaries.found(in: Data(try tool.text("load.jsonl").utf8)).isEmpty)
      let result = try await tool.bare(copy()).expect(0)
      #expect(Canaries.found(in: Data((result.output + result.errors).utf8)).isEmpty)
      let dump = try await tool.dump("test")
      #expect(dump.count == Canaries.lines.count)
      #expect(Canaries.found(in: Data(dump.joined(separator: "\n").utf8)).isEmpty)
      expectNone(in: tool.path(".gymmigrate"))

      let proof = ["mask", "prove", "--from", "prod", "--to"]
      let none = try await tool.bare(proof + ["test", "--also", ".gymmigrate"]).expect(0)
      #expect(none.output.contains("users: email\t0 of 500"))
      let open = copy().filter { !["--mask", "--mask-key-file", "a", "--to", "test"].contains($0) }
      try await tool.bare(open + ["--to", "stage", "--keep-personal-data", "-q"]).expect(0)
      let some = try await tool.bare(proof + ["stage", "--also", "load.jsonl", "--json"]).expect(1)
      for field in try fields(some) where field.values > 0 {
        #expect(field.found == field.values, "\(field)")
      }
      for result in [none, some] {
        #expect(Canaries.found(in: Data((result.output + result.errors).utf8)).isEmpty)
      }
      try await tool.bare(proof + ["test", "--max-reads", "100"]).expect(75)
      try await tool.bare(proof + ["prod"]).expect(64)
      try await tool.bare(proof + ["test", "--also", "none"]).expect(66)
    }
  }

  @Test("Shards make what one process makes, and their plan and folders name nobody.")
  func shards() async throws {
    var random = SplitMix64(seed: 7)
    let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
    let lines = (0..<600).map { number in
      let id = String((0..<12).map { _ in letters.randomElement(using: &random) ?? "a" })
      return
        #"{"fields":{"id":{"stringValue":"\#(id)zqcanary"},"fullName":{"stringValue":"Zqcanary \#(number)"}},"name":"users/\#(id)zqcanary"}"#
    }
    try await withStores { tool in
      try await tool.load(lines, into: "prod")
      try? FileManager.default.removeItem(atPath: tool.path(".gymmigrate"))
      try await tool.bare(["mask", "key", "new", "a"]).expect(0)
      let mask = ["--mask", "--mask-key-file", "a"]
      let whole = ["copy", "users", "--from", "prod", "--yes"] + mask
      try await tool.bare(whole + ["--to", "test"]).expect(0)
      let export = ["export", "users", "-e", "prod"] + mask
      try await tool.bare(export + ["-o", "one.jsonl"]).expect(0)
      let jobs = [("s", whole + ["--to", "stage"]), ("x", export + ["--format", "jsonl"])]
      for (folder, job) in jobs {
        try await tool.bare(["shard", "plan", "--shards", "2", "--to", folder, "--"] + job).expect(0)
        let ranges = try tool.text("\(folder)/plan.json").components(separatedBy: "\"end\":\"users/")
        #expect(
          ranges.count > 2
            && ranges.dropFirst().allSatisfy {
              $0.firstIndex(of: "\"") == $0.index($0.startIndex, offsetBy: 2)
            }
        )
        for task in ["0", "1"] {
          try await tool.bare(["shard", "work", folder, "--task", task, "--tasks", "2"]).expect(0)
        }
        let finished = try await tool.bare(["shard", "finish", folder]).expect(0)
        #expect(Canaries.found(in: Data((finished.output + finished.errors).utf8)).isEmpty)
        expectNone(in: tool.path(folder))
      }
      #expect(try await tool.dump("stage") == tool.dump("test"))
      let parts = tool.names(in: "x/parts").filter { $0.hasSuffix(".jsonl") }.sorted()
      #expect(try parts.map { try tool.text("x/parts/\($0)") }.joined() == tool.text("one.jsonl"))
    }
  }

  private struct Field: Decodable {
    var field: String
    var values, found: Int
  }

  private func fields(_ result: RunResult) throws -> [Field] {
    struct Summary: Decodable {
      struct Proof: Decodable { var fields: [Field] }
      var proof: Proof
    }
    return try JSONDecoder().decode(Summary.self, from: Data(result.standardOutput)).proof.fields
  }

  @Test(
    "KILL at a commit and 'runs resume': as an uninterrupted copy, and no canary in the run.",
    arguments: [2, 9, 38]
  )
  func killed(_ commit: Int) async throws {
    let source = MiniFirestore.environment("prod")
    let target = MiniFirestore.environment("test")
    try source.load(jsonLines: Canaries.lines.prefix(400).joined(separator: "\n"))
    let kill = KillSwitch(target.handler, delay: .zero)
    try await withTwoServers(source.handler, kill.handler) { tool in
      try await tool.bare(["mask", "key", "new", "a"]).expect(0)
      for timing in KillSwitch.Point.Timing.allCases {
        for document in target.snapshot() { target.remove(document.name) }
        let result = try await kill.run(until: .commit(commit, timing)) {
          try tool.startBare(copy(["--batch-size", "10", "--in-flight", "2"]))
        }
        #expect(result.signal == SIGKILL)
        let resumed = try await kill.run(until: .never) {
          try tool.startBare(["runs", "resume", "last"])
        }
        resumed.expect(0)
        let again = try await kill.run(until: .never) {
          try tool.startBare(copy(["--json"]))
        }
        again.expect(0)
        #expect(try again.summary().totals.unchanged == 400)
        let text = target.snapshot().map(\.jsonLine).joined(separator: "\n")
        #expect(target.snapshot().filter { !$0.name.contains("_gymmigrate") }.count == 400)
        #expect(Canaries.found(in: Data(text.utf8)).isEmpty)
        expectNone(in: tool.path(".gymmigrate"))
      }
    }
  }
}
