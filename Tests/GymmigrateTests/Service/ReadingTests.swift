import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Reading and limits", .timeLimit(.minutes(60)))
struct ReadingTests {
  private func withPayments(_ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      try await tool.run("import", Samples.file("payments"), Samples.file("groups"), "-q").expect(0)
      try await body(tool)
    }
  }

  /// The payments of the samples that a closure takes, by ids.
  private func payments(_ takes: (_ fields: [String: [String: Any]]) -> Bool) throws -> Set<String> {
    var ids: Set<String> = []
    let text = try String(contentsOfFile: Samples.file("payments"), encoding: .utf8)
    for line in text.split(separator: "\n") {
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let fields = json?["fields"] as? [String: [String: Any]] ?? [:]
      if takes(fields), let name = json?["name"] as? String { ids.insert(name) }
    }
    return ids
  }

  private func names(_ lines: String) throws -> [String] {
    try lines.split(separator: "\n").map { line in
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return try #require(json?["name"] as? String)
    }
  }

  @Test("--where takes what the filter says, and count agrees.")
  func filters() async throws {
    try await withPayments { tool in
      let filter = "status in [completed, pending] and amount > 100.0"
      let wanted = try payments { fields in
        let status = fields["status"]?["stringValue"] as? String ?? ""
        let amount = fields["amount"]?["doubleValue"] as? Double ?? 0
        return ["completed", "pending"].contains(status) && amount > 100
      }
      #expect(!wanted.isEmpty)
      let result = try await tool.run("export", "payments", "--where", filter, "-o", "-", "--format", "jsonl")
      result.expect(0)
      let found = try names(result.output)
      #expect(Set(found) == wanted && found.count == wanted.count)
      let count = try await tool.run("count", "payments", "--where", filter)
      #expect(count.output == "payments\t\(wanted.count)\n")
    }
  }

  @Test(
    "--limit asks for no more documents than it takes, and counts nothing.",
    arguments: [
      (["export", "payments"], 7), (["export", "payments"], 450), (["export", "payments", "users"], 310),
      (["export", "payments", "--page-size", "5", "--parallel", "8"], 12),
      (["export", "payments", "--where", "status == completed"], 40),
      (["export", "payments", "--order-by", "amount"], 40),
    ]
  )
  func limits(command: [String], limit: Int) async throws {
    let mini = try MiniFirestore.withSamples(["users", "payments"])
    let given = Given()
    try await withTool(against: given.counting(mini)) { tool, server in
      let limited = ["-o", "x.jsonl", "--limit", "\(limit)", "--read-time", "none"]
      try await tool.bare(command + limited + tool.place).expect(0)
      let expected = limit * (command.contains("users") ? 2 : 1)
      #expect(given.count == expected)
      #expect(server.requests(.aggregation).isEmpty)
      #expect(try names(tool.text("x.jsonl")).count == expected)
    }
  }

  @Test(
    "No more documents are read than a maximum, be it of a pattern, a copy or an inference, with what is below.",
    arguments: [
      ["export", "exercises/*/parts", "-o", "x.jsonl", "--read-time", "none", "--limit", "400"],
      ["copy", "products", "--read-time", "none", "--limit", "400", "--to", "test"],
      ["copy", "exercises/*/parts", "--read-time", "none", "--limit", "400", "--to", "test"],
      ["schema", "infer", "products", "-o", "x.yaml", "--sample", "400"],
      ["schema", "infer", "exercises/*/parts", "-o", "x.yaml", "--sample", "400"],
    ]
  )
  func maximum(command: [String]) async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    let lines = (1000..<1450).flatMap { number in
      ["products/\(number)", "products/\(number)/prices/p", "exercises/\(number)/parts/q"]
        .map { documentLine($0, number) }
    }
    try source.load(jsonLines: lines.joined(separator: "\n"))
    let given = Given()
    try await withTwoServers(given.counting(source), target.handler) { tool in
      let place = command[0] == "copy" ? ["--keep-personal-data", "--from", "prod"] : ["-e", "prod"]
      let result = try await tool.bare(command + place + ["--json"]).expect(0)
      let json = try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [String: Any]
      #expect((json?["totals"] as? [String: Int])?["read"] == 400)
      #expect(given.count == 400)
    }
  }

  @Test(
    "An inference looks up two texts in a collection that has none of them, and eight in the one that has."
  )
  func lookups() async throws {
    let mini = MiniFirestore()
    let lines = (10..<30).flatMap { number -> [String] in
      ["a", "b", "c", "d"].map { documentLine("\($0)/\($0)-document-\(number)", number) }
        + [documentLine("z/z\(number)", number, #","owner":{"stringValue":"c-document-\#(number)"}"#)]
    }
    try mini.load(jsonLines: lines.joined(separator: "\n"))
    try await withTool(against: mini.handler) { tool, server in
      try await tool.run("schema", "infer", "-o", "s.yaml").expect(0)
      #expect(try tool.text("s.yaml").contains("owner: { type: string, required: true, reference: c }"))
      let names = server.requests(.batchGet).flatMap(\.documentNames)
      let counts = Dictionary(grouping: names) { String($0.prefix(1)) }.mapValues(\.count)
      // The ids of z are too short.
      #expect(counts == ["a": 2, "b": 2, "c": 8, "d": 2], "\(names)")
    }
  }

  /// How many documents a service has given, each of which is a read on the bill.
  private final class Given: Sendable {
    private let total = Mutex(0)

    var count: Int { total.withLock { $0 } }

    /// The handler of a service, whose documents it counts.
    func counting(_ mini: MiniFirestore) -> RequestHandler {
      { request in
        let reaction = mini.handler(request)
        if [.list, .runQuery].contains(request.kind), case .response(let response) = reaction {
          let text = String(decoding: response.body, as: UTF8.self)
          self.total.withLock { $0 += text.components(separatedBy: "\"updateTime\"").count - 1 }
        }
        return reaction
      }
    }
  }

  @Test("--parallel gives the same, by queries for ranges, and the variable stands for it.")
  func parallel() async throws {
    try await withMini(.withSamples(["users", "members", "payments"])) { tool, mini in
      /// Reads by three commands into files of a name; returns how many queries that took.
      func read(_ name: String, _ options: [String], with tool: Tool) async throws -> Int {
        let before = mini.requestCount(.runQuery)
        let all = ["--page-size", "5"] + options + tool.place
        let export = ["export", "users", "members", "payments", "-o", "\(name).jsonl", "--read-time", "none"]
        try await tool.bare(export + all).expect(0)
        let plan = ["migrate", "plan", "users-unify", "is-active", "-o", "\(name).plan"]
        try await tool.bare(plan + all).expect(0)
        let check = ["check", "-o", "\(name).csv", "--read-time", "none"]
        try await tool.bare(check + all).expect(1)
        return mini.requestCount(.runQuery) - before
      }
      let alone = try await read("a", [], with: tool)
      let ranges = try await read("b", ["--parallel", "4"], with: tool)
      #expect(ranges > alone + 50)
      var tool = tool
      tool.environment["GYMMIGRATE_PARALLEL"] = "auto"
      let auto = try await read("c", [], with: tool)
      #expect(auto > alone + 50)
      for file in ["jsonl", "plan", "csv"] {
        let wanted = try tool.text("a.\(file)")
        #expect(!wanted.isEmpty)
        #expect(try tool.text("b.\(file)") == wanted && tool.text("c.\(file)") == wanted, "\(file)")
      }
      // What a limit leaves is not read ahead.
      let before = mini.requestCount(.runQuery)
      try await tool.bare(["export", "payments", "--limit", "20", "-o", "d.jsonl"] + tool.place).expect(0)
      #expect(mini.requestCount(.runQuery) == before)
    }
  }

  @Test("--order-by orders, --limit ends, --fields cuts.")
  func order() async throws {
    try await withPayments { tool in
      let result = try await tool.run(
        "export",
        "payments",
        "--order-by",
        "amount desc",
        "--limit",
        "5",
        "--fields",
        "amount",
        "-o",
        "-",
        "--format",
        "jsonl"
      ).expect(0)
      let amounts = try result.output.split(separator: "\n").map { line in
        let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let fields = try #require(json?["fields"] as? [String: [String: Any]])
        #expect(Array(fields.keys) == ["amount"])
        return try #require(fields["amount"]?["doubleValue"] as? Double)
      }
      var all: [Double] = []
      _ = try payments { fields in
        if let amount = fields["amount"]?["doubleValue"] as? Double { all.append(amount) }
        return false
      }
      #expect(amounts == Array(all.sorted(by: >).prefix(5)))
    }
  }

  @Test("A whole database, subcollections and all, comes back byte for byte.")
  func wholeDatabase() async throws {
    try await withPayments { tool in
      try await tool.run(
        "export",
        "--all",
        "--subcollections",
        "-o",
        "one/",
        "--format",
        "jsonl",
        "--gzip",
        "-q"
      ).expect(0)
      try await tool.bare(["import", "one/", "-e", "local", "--state-dir", "other", "-q"]).expect(0)
      let again = [
        "export", "--all", "--subcollections", "-o", "two/", "--format", "jsonl", "-e", "local",
        "--state-dir", "other",
        "-q",
      ]
      try await tool.bare(again).expect(0)
      try await tool.run("export", "--all", "--subcollections", "-o", "three/", "--format", "jsonl", "-q")
        .expect(0)
      for name in ["payments", "groups"] {
        #expect(try tool.text("two/\(name).jsonl") == tool.text("three/\(name).jsonl"))
      }
      #expect(try tool.text("two/groups.jsonl").contains("/members/"))
      // A table has one kind of row.
      try await tool.run("export", "groups", "--subcollections", "-o", "csv/", "--format", "csv", "-q")
        .expect(0)
      #expect(try tool.text("csv/groups~members.csv").hasPrefix("__name__,"))
    }
  }

  @Test("A filter that is none, and flags that exclude each other, are usage.")
  func usage() async throws {
    try await withTool { tool in
      for arguments in [
        ["export", "users", "--where", "role = ", "-o", "x.csv"],
        ["export", "users", "--order-by", "a sideways", "-o", "x.csv"],
        ["export", "users", "--subcollections", "--where", "a = 1", "-o", "x.jsonl"],
        ["export", "--all", "-o", "x.csv"],
        ["count", "users", "--where", "(a == 1"],
        ["migrate", "apply", "--all", "--max-errors", "many"],
        ["migrate", "apply", "--all", "--max-delete", "-1"],
      ] {
        let result = try await tool.bare(arguments + ["-e", "local"])
        #expect(result.exitCode == 64, "\(arguments): \(result.errors)")
        #expect(result.errors.hasPrefix("error: "))
      }
    }
  }

  @Test("--max-errors and --max-delete stop a run, and say so.")
  func limits() async throws {
    try await withTool { tool in
      try await tool.run("import", Samples.file("users"), Samples.file("user_emails"), "-q").expect(0)
      // In chunks so small that some are written before the third error.
      let errors = try await tool.run(
        "migrate",
        "apply",
        "users-unify",
        "--max-errors",
        "2",
        "--batch-size",
        "10",
        "--in-flight",
        "1"
      )
      #expect(errors.exitCode == 65)
      #expect(errors.errors.contains("error: cannot continue: 3 of "))
      // It stopped before it was done, so nothing else begins until somebody has decided.
      let blocked = try await tool.run("migrate", "apply", "is-active")
      blocked.expectFailure(75, "stopped before it was done")
      let run = String(tool.runs().dropLast().last?.split(separator: "/").last ?? "")
      try await tool.run("migrate", "unlock", run).expect(0)
      let deletes = try await tool.run("migrate", "apply", "user-emails", "--prune", "--max-delete", "2")
      deletes.expectFailure(77, "--max-delete allows no more")
      // Nothing was written: there are more to delete than that.
      #expect(try await tool.run("count", "user_emails").output.hasSuffix("\t205\n"))
    }
  }

  @Test("What is for review is among what is counted as read, also if the run ends before it is written.")
  func reviewsOfWhatIsNotWritten() async throws {
    try await withTool { tool in
      let users = (100..<200).map { number in
        let field =
          number % 10 == 9
          ? #""activo":{"stringValue":"si"}"# : #""fullName":{"stringValue":"Ana de la Cruz"}"#
        return #"{"name":"users/u\#(number)","fields":{\#(field)}}"# + "\n"
      }
      try tool.write(users.joined(), to: "users.jsonl")
      try await tool.run("import", "users.jsonl", "-q").expect(0)
      let result = try await tool.run("migrate", "apply", "users-unify", "--max-errors", "3", "--json")
      result.expectFailure(65, "cannot continue: 4 of the ")
      let json = try #require(JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
      let counts = try #require(json["totals"] as? [String: Int])
      #expect(counts["review", default: 0] <= counts["written", default: 0], "\(result.output)")
    }
  }

  @Test(
    "A share of errors is judged at the thousandth document, also if only earlier ones were rejected.",
    arguments: [
      ["fix", "things", "--all-documents", "--trim", "t"], ["import", "all.jsonl", "--mode", "create"],
    ],
    [[], ["-n"]]
  )
  func share(_ command: [String], _ trial: [String]) async throws {
    func line(_ number: Int, _ value: String) -> String {
      #"{"name":"things/t\#(number)","fields":{"t":\#(value)}}"#
    }
    let text = #"{"stringValue":" x "}"#
    try await withStores { tool in
      // The first 200 cannot be trimmed, and differ from those of the file.
      let bad = (1000..<1200).map { line($0, #"{"integerValue":"1"}"#) }
      try await tool.load(bad + (1200..<3500).map { line($0, text) }, into: "test")
      try tool.write((1000..<3500).map { line($0, text) + "\n" }.joined(), to: "all.jsonl")
      let result = try await tool.bare(command + trial + ["--max-errors", "5%", "-e", "test", "-y"])
      result.expectFailure(65, "cannot continue: ")
    }
  }
}
