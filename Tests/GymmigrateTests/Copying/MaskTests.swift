import Foundation
import TestSupport
import Testing

@Suite("Masking", .timeLimit(.minutes(60)))
struct MaskTests {
  /// What nobody but the source may hold, in whatever place it stands.
  private static let canaries = [
    "Zcanary", "zcanary", "ZCANARY", "cafe\u{301}canary", "5550001234", "UIDcanary", "MIDcanary", "GIDcanary",
    "Y2FuYXJ5Qnl0ZXM",
  ]

  private static func text(_ name: String, _ value: String) -> String {
    #""\#(name)":{"stringValue":"\#(value)"}"#
  }

  private static func line(_ name: String, _ fields: [String]) -> String {
    #"{"fields":{\#(fields.joined(separator: ","))},"name":"\#(name)"}"#
  }

  private static let times =
    #""createdAt":{"timestampValue":"2024-01-01T00:00:00Z"},"updatedAt":{"timestampValue":"2024-01-02T00:00:00Z"}"#

  /// Three people, and all that refers to them.
  private static let people: [String] = (0..<3).flatMap { number -> [String] in
    let (user, member) = ("UIDcanary\(number)", "MIDcanary\(number)")
    let email = "zcanary\(number)@example.com"
    let name = "projects/p/databases/prod/documents/users/\(user)"
    return [
      line(
        "users/\(user)",
        [
          text("id", user), text("fullName", "Zcanary\(number) cafe\u{301}canary de ZCANARY\(number)"),
          text("email", email.uppercased()), text("phone", "+52 (55) 5000-1234"), text("role", "Zcanary"),
          text("photoURL", "https://img.example.com/\(user)/Zcanary.jpg"), text("linkedMemberId", member),
          #""isActive":{"stringValue":"Zcanary"}"#, text("telefono", "5550001234 Zcanary"),
          #""otros":{"mapValue":{"fields":{"zcanary@x":{"stringValue":"Zcanary"}}}}"#, times,
          #""fechaNacimiento":{"referenceValue":"\#(name)"}"#,
        ]
      ),
      line(
        "members/\(member)",
        [
          text("id", member), text("firstName", "Zcanary"), text("linkedUserId", user),
          #""diseases":{"bytesValue":"Y2FuYXJ5Qnl0ZXM="}"#, text("registeredBy", "admin:\(user)"),
          #""birthDate":{"timestampValue":"1990-07-15T00:00:00Z"}"#,
          #""notes":{"nullValue":null}"#.replacingOccurrences(of: "notes", with: "otherNotes"),
          #""familyGroupId":{"arrayValue":{"values":[{"stringValue":"\#(user)"},{"referenceValue":"\#(name)"}]}}"#,
        ]
      ),
      line("user_emails/\(email)", [text("email", email), text("primaryUserId", user)]),
      line("classBookings/GIDcanary\(number)", [text("userId", user), text("classId", "c")]),
      line("groups/GIDcanary", [text("name", "Zcanary"), text("createdBy", "UIDcanary0")]),
      line("groups/GIDcanary/members/\(user)", [text("displayName", "Zcanary")]),
    ]
  }

  private static let collections = ["users", "members", "user_emails", "classBookings", "classes", "groups"]

  private func expectNoCanary(_ text: String, _ place: String, _ location: SourceLocation = #_sourceLocation)
  {
    for canary in Self.canaries where Data(text.utf8).range(of: Data(canary.utf8)) != nil {
      Issue.record("\(canary) in \(place)", sourceLocation: location)
    }
  }

  private func people(in tool: Tool) async throws {
    try await tool.load(Array(Set(Self.people)) + [documentLine("payments/unrelated", 1)], into: "prod")
    try? FileManager.default.removeItem(atPath: tool.path(".gymmigrate"))
    for key in ["a", "b"] { try await tool.bare(["mask", "key", "new", key]).expect(0) }
  }

  private func copy(to target: String, _ key: String, _ more: [String] = []) -> [String] {
    ["copy"] + Self.collections
      + ["--from", "prod", "--to", target, "--mask", "--mask-key-file", key, "--yes"] + more
  }

  /// The members of a document of a dump, by the dump's own JSON.
  private func documents(_ lines: Set<String>) throws -> [String: [String: Any]] {
    var found: [String: [String: Any]] = [:]
    for line in lines {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      found[try #require(object["name"] as? String)] = object["fields"] as? [String: Any] ?? [:]
    }
    return found
  }

  private func string(_ fields: [String: Any]?, _ name: String) -> String? {
    (fields?[name] as? [String: Any])?["stringValue"] as? String
  }

  private struct Findings: Decodable {
    struct Finding: Decodable {
      var rule: String
      var field: String?
    }

    var findings: [Finding]
  }

  /// How often `check` finds something, by rule and field.
  private func findings(in environment: String, _ tool: Tool) async throws -> [String: Int] {
    let result = try await tool.bare(["check", "-e", environment, "--json"])
    let found = try JSONDecoder().decode(Findings.self, from: Data(result.standardOutput)).findings
    return Dictionary(found.map { ("\($0.rule) \($0.field ?? "")", 1) }, uniquingKeysWith: +)
  }

  @Test("The gym's schema has a rule for all of it, and a masked copy has the findings of its source.")
  func findings() async throws {
    try await withStores { tool in
      try await tool.bare(["mask", "key", "new", "a"]).expect(0)
      // The products of the sample have fields that nobody declared.
      let files = try Samples.all().filter { $0 != "products" }.map(Samples.file)
      try await tool.bare(["import"] + files + ["-e", "prod", "--confirm", "prod"]).expect(0)
      let place = ["--from", "prod", "--to", "test", "--mask", "--mask-key-file", "a", "--yes"]
      try await tool.bare(["copy", "--all"] + place).expect(0)
      let source = try await findings(in: "prod", tool)
      let target = try await findings(in: "test", tool)
      #expect(source == target)
      #expect(source["format email"] == 6 && source["document-id "] == 2)
    }
  }

  @Test("No canary leaves, wherever it stands, and what refers to people still does.")
  func canaries() async throws {
    try await withStores { tool in
      try await people(in: tool)
      let result = try await tool.bare(copy(to: "test", "a")).expect(0)
      let dump = try await tool.dump("test")
      #expect(dump.count == 16)
      expectNoCanary(dump.joined(separator: "\n"), "the target")
      expectNoCanary(result.output + result.errors, "the output")
      let key = try tool.text("a").trimmingCharacters(in: .newlines)
      let folder = tool.path(".gymmigrate")
      for file in FileManager.default.subpaths(atPath: folder) ?? [] {
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(file)") else { continue }
        let text = String(decoding: data, as: UTF8.self)
        expectNoCanary(text, file)
        #expect(!text.contains(key), "\(file)")
      }
      try expectWhole(documents(dump))
    }
  }

  /// Every reference of ``people`` is whole.
  private func expectWhole(_ all: [String: [String: Any]]) throws {
    let users = all.filter { $0.key.hasPrefix("users/") }
    #expect(users.count == 3)
    for (path, user) in users {
      let id = String(path.dropFirst("users/".count))
      #expect(string(user, "id") == id)
      let member = all["members/\(string(user, "linkedMemberId") ?? "")"]
      #expect(string(member, "linkedUserId") == id && string(member, "registeredBy") == "admin:\(id)")
      let values = (member?["familyGroupId"] as? [String: Any])?["arrayValue"] as? [String: Any]
      let reference = (values?["values"] as? [[String: String]])?.last?["referenceValue"]
      #expect(reference == "projects/p/databases/test/documents/users/\(id)")
      let email = try #require(string(user, "email"))
      #expect(email.hasSuffix("@example.test"))
      #expect(string(all["user_emails/\(email)"], "primaryUserId") == id)
      #expect(string(user, "phone")?.wholeMatch(of: /\+52 \([2-9]\d\) \d[01]\d\d-\d{4}/) != nil)
      #expect(string(user, "fullName")?.contains(" de ") == true)
      #expect(all.contains { $0.key.hasPrefix("classBookings/") && string($0.value, "userId") == id })
      #expect(all.contains { $0.key.hasPrefix("groups/") && $0.key.hasSuffix("/members/\(id)") })
    }
    #expect(
      all["groups/\(all.keys.first { $0.hasPrefix("groups/") }?.split(separator: "/")[1] ?? "")"] != nil
    )
  }

  @Test("One key makes the same of the same, another key shares nothing that only a key decides.")
  func keys() async throws {
    try await withStores { tool in
      try await people(in: tool)
      try await tool.bare(copy(to: "test", "a")).expect(0)
      try await tool.bare(copy(to: "stage", "a")).expect(0)
      let first = try await tool.dump("test")
      let again = try await tool.dump("stage").map {
        $0.replacing("/databases/stage/", with: "/databases/test/")
      }
      #expect(Set(again) == first)
      let repeated = try await tool.bare(copy(to: "test", "a", ["--mode", "upsert", "--json"])).expect(0)
      #expect(try repeated.summary().totals.unchanged == first.count)

      try await tool.bare(copy(to: "stage", "b", ["--mode", "upsert"])).expect(0)
      let other = try documents(try await tool.dump("stage"))
      let before = try documents(first)
      let masked = Set(before.values.compactMap { string($0, "email") })
      #expect(masked.count == 3)
      #expect(other.keys.filter { $0.hasPrefix("user_emails/") }.count == 6)
    }
  }

  @Test("The keys of a map become what the ids are that they name.")
  func keysOfMaps() async throws {
    try await withStores { tool in
      let friends = #""friends":{"mapValue":{"fields":{"UIDcanary1":{"stringValue":"Zcanary"}}}}"#
      try await tool.load(
        [Self.line("people/UIDcanary0", [friends]), Self.line("people/UIDcanary1", [])],
        into: "prod"
      )
      try await tool.bare(["mask", "key", "new", "a"]).expect(0)
      try tool.write(
        """
        schema: small
        collections:
          people:
            mask: pseudonym
            fields: { friends: { type: map, keys: { mask: pseudonym }, mask: text } }
        """,
        to: "small.yaml"
      )
      let words = ["copy", "people", "--from", "prod", "--to", "test", "--schema", "small.yaml", "--yes"]
      try await tool.bare(words + ["--mask", "--mask-key-file", "a"]).expect(0)
      let dump = try await tool.dump("test")
      expectNoCanary(dump.joined(separator: "\n"), "the target")
      let people = try documents(dump)
      let one = try #require(people.values.compactMap { $0["friends"] as? [String: Any] }.first)
      let keys = try #require((one["mapValue"] as? [String: Any])?["fields"] as? [String: Any]).keys
      #expect(keys.count == 1 && keys.allSatisfy { people["people/\($0)"]?.isEmpty == true })
    }
  }

  @Test("An export is masked in every format.")
  func exports() async throws {
    try await withStores { tool in
      try await people(in: tool)
      let mask = ["-e", "prod", "--mask", "--mask-key-file", "a", "-q"]
      for file in ["users.csv", "users.jsonl", "users.ndjson", "users.json"] {
        try await tool.bare(["export", "users", "-o", file] + mask).expect(0)
        let text = try tool.text(file)
        #expect(text.contains("@example.test"))
        expectNoCanary(text, file)
      }
      try await tool.bare(["export", "users", "-o", "users.xlsx"] + mask).expect(0)
      try await tool.bare(["import", "users.xlsx", "-e", "stage", "-q", "--validate", "off"]).expect(0)
      expectNoCanary(try await tool.dump("stage").joined(separator: "\n"), "the workbook")
      #expect(try await tool.dump("stage").count == 3)
    }
  }

  @Test(
    "A read that the service refuses names nobody, whatever its answer names, nor do the retries.",
    arguments: [(400, "INVALID_ARGUMENT"), (503, "UNAVAILABLE")]
  )
  func refusedRead(_ code: Int, _ status: String) async throws {
    let source = MiniFirestore.environment("prod")
    let target = MiniFirestore.environment("test")
    try source.load(jsonLines: Self.line("users/UIDcanary0", [Self.text("fullName", "Zcanary")]))
    let name = "projects/p/databases/prod/documents/users/UIDcanary0"
    let handler: RequestHandler = { request in
      guard request.target.contains("/users?") || request.text.contains("users") else {
        return source.handler(request)
      }
      let error = #"{"code":\#(code),"message":"\#(name) is Zcanary","status":"\#(status)"}"#
      return .json(#"{"error":\#(error)}"#, status: code)
    }
    try await withTwoServers(handler, target.handler) { tool in
      try await tool.bare(["mask", "key", "new", "a"]).expect(0)
      let mask = ["--mask", "--mask-key-file", "a"]
      for command in [
        ["copy", "users", "--from", "prod", "--to", "test", "--yes"] + mask,
        ["copy", "--subset", "users", "--from", "prod", "--to", "test", "--yes"] + mask,
        ["export", "users", "-e", "prod", "-o", "users.jsonl"] + mask,
        ["mirror", "pull", "-e", "prod", "-o", "users.sqlite"] + mask,
        ["mask", "check", "users", "-e", "prod"],
        ["mask", "prove", "users", "--from", "prod", "--to", "test"],
      ] {
        let result = try await tool.bare(command + ["--retry-for", "2s"])
        #expect(result.exitCode != 0 && !result.errors.isEmpty, "\(command)")
        #expect(result.errors.contains("may name people, and is not shown"), "\(result.errors)")
        expectNoCanary(result.output + result.errors, command[0])
      }
      let folder = tool.path(".gymmigrate")
      for file in FileManager.default.subpaths(atPath: folder) ?? [] {
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(file)") else { continue }
        expectNoCanary(String(decoding: data, as: UTF8.self), file)
      }
    }
  }

  @Test("What no rule covers ends the run, and nothing of it arrives.")
  func denied() async throws {
    try await withStores { tool in
      try await people(in: tool)
      try await tool.load([Self.line("users/x", [Self.text("nickname", "Zcanary")])], into: "prod")
      let unknown = try await tool.bare(copy(to: "test", "a"))
      unknown.expectFailure(78, "nickname of users", "{ nickname: { type: string, mask: pseudonym } }")
      expectNoCanary(unknown.output + unknown.errors, "the output")
      // What came before it may have arrived.
      let arrived = try await tool.dump("test").joined(separator: "\n")
      #expect(!arrived.contains("nickname"))
      expectNoCanary(arrived, "the target")
      let export = try await tool.bare([
        "export", "users", "-o", "x.jsonl", "-e", "prod", "--mask", "--mask-key-file", "a",
      ])
      export.expectFailure(78, "nickname of users")
      #expect(!tool.exists("x.jsonl"))

      try tool.write(
        """
        schema: small
        collections:
          users: { fields: { name: string, age: integer, active: boolean, boss: { type: string, reference: bosses } } }
          bosses: { fields: { name: { type: string, mask: name } } }
        """,
        to: "small.yaml"
      )
      let rules = try await tool.bare(copy(to: "test", "a", ["--schema", "small.yaml"]))
      rules.expectFailure(78, "the IDs of users", "name of users", "age of users", "the IDs of bosses")
      #expect(!rules.errors.contains("active of users"))
    }
  }

  @Test("Bad keys and options that would name people are refused.")
  func refused() async throws {
    try await withStores { tool in
      try await people(in: tool)
      try await tool.bare(["mask", "key", "new", "a"]).expect(73)
      try tool.write("short", to: "short")
      #expect(chmod(tool.path("short"), 0o600) == 0)
      try tool.write(String(repeating: "x", count: 40), to: "open")
      #expect(chmod(tool.path("open"), 0o644) == 0)
      let refused: [([String], Int32)] = [
        (copy(to: "test", "short"), 78), (copy(to: "test", "open"), 78), (copy(to: "test", "missing"), 78),
        (copy(to: "test", "a", ["--where", "role == admin"]), 64),
        (copy(to: "test", "a", ["--keep-personal-data"]), 64),
        (copy(to: "test", "a", ["--delete-extraneous", "--max-delete", "1"]), 64),
        (copy(to: "test", "a", ["groups/g/members"]), 64),
        (["copy", "users", "--from", "prod", "--to", "test", "--mask"], 64),
        (copy(to: "test", "a", ["--schema", "none"]), 78),
      ]
      for (arguments, code) in refused {
        let result = try await tool.bare(arguments)
        #expect(result.exitCode == code, "\(arguments)\n\(result.errors)")
      }
      #expect(try await tool.dump("test").isEmpty)
    }
  }
}
