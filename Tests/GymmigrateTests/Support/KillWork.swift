import Foundation
import TestSupport
import Testing

/// A command that is killed and resumed, and the database that it works on.
struct KillWork: Sendable, CustomTestStringConvertible {
  let name: String
  /// The command line, without the place.
  var arguments: [String]
  /// Files that it reads, in their order.
  var files: [(name: String, text: String)] = []
  /// A command that is run before it, undisturbed, and that it undoes.
  var undoes: [String]?
  /// What is there before, as JSON Lines.
  var before = ""
  /// How long each commit takes.
  var delay = Duration.milliseconds(60)

  var testDescription: String { name }

  func database() throws -> MiniFirestore {
    var options = MiniFirestore.Options()
    // Times of the service are told by their year.
    let start = Date()
    options.clock = { 4_102_444_800_000_000 + Int64(Date().timeIntervalSince(start) * 1_000_000) }
    let mini = MiniFirestore(options)
    try mini.load(jsonLines: before)
    return mini
  }

  func prepare(_ tool: Tool) throws {
    for file in files { try tool.write(file.text, to: file.name) }
  }

  /// Runs what is to be undone, if it is an undo.
  func begin(_ tool: Tool, _ mini: MiniFirestore, _ kill: KillSwitch) async throws {
    guard let undoes else { return }
    let result = try await kill.run(until: .never) {
      try tool.startBare(undoes + tool.place)
    }
    try #require(result.exitCode == 0 || result.exitCode == 2, "\(result.errors.suffix(1500))")
    mini.resetCounts()
  }

  /// How the ledger has to be at the end; nil for work that is not in it.
  private func ledger(_ status: String) -> [String]? {
    guard arguments.first == "migrate" else { return nil }
    return (undoes == nil ? [] : ["undone"]) + [status]
  }

  /// What is not true of the ledger or, after an undo, of the database; nil where all is.
  func contradiction(_ mini: MiniFirestore, status: String) throws -> String? {
    if undoes != nil, try mini.snapshot() != MiniFirestore.canonical(jsonLines: before) {
      return "it is not as before"
    }
    guard let expected = ledger(status) else { return nil }
    let own = mini.everything().filter { $0.name.hasPrefix("_gymmigrate") }
    if own.contains(where: { $0.name == "_gymmigrate/lock" }) { return "the lease is held" }
    let told = try own.filter { $0.name.hasPrefix("_gymmigrate_runs/") }.map {
      ($0.createTime, try $0.fields()["status"] as? [String: String])
    }
    .sorted { $0.0 < $1.0 }.map { $0.1?["stringValue"] ?? "" }
    return told == expected ? nil : "the ledger says \(told), not \(expected)"
  }

  // MARK: The works

  private static let small = ["--batch-size", "10", "--in-flight", "2"]

  static func sample() throws -> [KillWork] {
    let before = try Samples.text(["users", "user_emails", "members"])
    func apply(_ name: String, _ flags: String...) -> KillWork {
      KillWork(
        name: name,
        arguments: ["migrate", "apply", "--all", "--page-size", "40"] + flags + small,
        before: before,
        // The first migration is to outlast the first checkpoint.
        delay: .milliseconds(150)
      )
    }
    return [
      try importing(), try upserting(), apply("apply"),
      apply("apply and prune", "--prune", "--max-delete", "100000"),
      apply("apply proposals", "--accept-proposals"),
      KillWork(
        name: "undo",
        arguments: ["migrate", "undo", "last"] + small,
        undoes: ["migrate", "apply", "--all", "--prune", "--max-delete", "100000"],
        before: before,
        delay: .milliseconds(150)
      ),
      try importingSideBySide(),
      apply("apply side by side", "--parallel", "8"),
    ]
  }

  /// New documents, with lines that are none, documents that cannot be stored, one twice, and some that are there.
  static func importing() throws -> KillWork {
    let users = try Samples.text("users").split(separator: "\n").map(String.init)
    let entries = try Samples.text("user_emails")
    return KillWork(
      name: "import",
      arguments: [
        "import", "users.jsonl", "emails.jsonl", "--parse-errors", "skip-row", "--duplicates", "last",
      ] + small,
      files: [("users.jsonl", spoiled(users, every: 37)), ("emails.jsonl", entries)],
      before: there(users)
    )
  }

  /// New documents of several files at a time.
  static func importingSideBySide() throws -> KillWork {
    let names = ["users", "members", "user_emails", "classes"]
    return KillWork(
      name: "import side by side",
      arguments: ["import"] + names.map { "\($0).jsonl" } + ["--parallel", "3"] + small,
      files: try names.map { ("\($0).jsonl", try Samples.text($0)) }
    )
  }

  /// Documents over others, some of which are so already.
  static func upserting() throws -> KillWork {
    let users = try Samples.text("users").split(separator: "\n").map(String.init)
    let members = try Samples.text("members")
    return KillWork(
      name: "upsert",
      arguments: ["import", "users.jsonl", "members.jsonl", "--mode", "upsert"] + small,
      files: [("users.jsonl", users.joined(separator: "\n") + "\n"), ("members.jsonl", members)],
      before: there(users)
    )
  }

  private static func spoiled(_ lines: [String], every step: Int) -> String {
    var text = ""
    for (index, line) in lines.enumerated() {
      text += line + "\n"
      guard index % step == step - 1 else { continue }
      text += "{\"name\":\n"
      text += #"{"fields":{"__reserved__":{"nullValue":null}},"name":"users/bad\#(index)"}"# + "\n"
    }
    return text + lines[5] + "\n"
  }

  /// A tenth of the documents, each third of which is as it is to be.
  private static func there(_ lines: [String]) -> String {
    var text = ""
    for (index, line) in lines.enumerated() where index % 10 == 3 {
      let name = line.components(separatedBy: "\"name\":").last ?? ""
      text += index % 30 == 3 ? line : #"{"fields":{"x":{"integerValue":"1"}},"name":\#(name)"#
      text += "\n"
    }
    return text
  }
}

/// All that a run leaves, by which two runs are compared.
struct KillOutcome: Sendable, Equatable {
  var exitCode: Int32
  var database: [String]
  var collections: [String: Summary.Counts]
  var totals: Summary.Counts
  var rejects: [String]
  var reviews: [String]
  /// The lines of findings.csv and of findings.jsonl.
  var findings: [String]
  var findingObjects: [String]
  /// How often each document was written.
  var writes: [String: Int]

  init(_ result: RunResult, _ mini: MiniFirestore, _ tool: Tool) throws {
    let summary = try result.summary()
    exitCode = result.exitCode
    database = mini.snapshot().map { Self.withoutServerTimes($0.jsonLine) }
    collections = Dictionary(summary.collections.map { ($0.name, $0.counts) }) { $1 }
    totals = summary.totals
    func list(_ name: String) -> [String] {
      let text = (try? tool.text(".gymmigrate/runs/\(summary.runId)/\(name)")) ?? ""
      // A line of a spreadsheet ends in CR LF, which is one character.
      return Self.withoutServerTimes(text).split(whereSeparator: \.isNewline).map(String.init).sorted()
    }
    rejects = list("rejects.jsonl")
    reviews = list("review.csv")
    findings = list("findings.csv")
    findingObjects = list("findings.jsonl")
    writes = Dictionary(mini.writtenDocuments.map { ($0.name, $0.writes) }) { $0 + $1 }
  }

  /// How this one is not what was expected, a line each.
  func differences(from expected: KillOutcome) -> [String] {
    var found: [String] = []
    func compare(_ what: String, _ a: [String], _ b: [String]) {
      if a == b { return }
      for line in Set(a).subtracting(b).sorted().prefix(3) { found.append("\(what): not expected: \(line)") }
      for line in Set(b).subtracting(a).sorted().prefix(3) { found.append("\(what): missing: \(line)") }
      if Set(a) == Set(b) { found.append("\(what): a line more or less often: \(a.count) and \(b.count)") }
    }
    if exitCode != expected.exitCode { found.append("exit code \(exitCode), not \(expected.exitCode)") }
    for name in Set(collections.keys).union(expected.collections.keys).sorted() {
      guard collections[name] != expected.collections[name] else { continue }
      found.append(
        "\(name): \(String(describing: collections[name])), not \(String(describing: expected.collections[name]))"
      )
    }
    if totals != expected.totals { found.append("totals: \(totals), not \(expected.totals)") }
    if !totals.balance { found.append("the accounts do not balance: \(totals)") }
    compare("database", database, expected.database)
    compare("rejects.jsonl", rejects, expected.rejects)
    compare("review.csv", reviews, expected.reviews)
    compare("findings.csv", findings, expected.findings)
    compare("findings.jsonl", findingObjects, expected.findingObjects)
    let counted = writes.filter { expected.writes[$0.key] != $0.value }.map { "\($0.key) \($0.value)" }
    let missing = expected.writes.filter { writes[$0.key] == nil }.map { "\($0.key) 0" }
    compare("writes", (counted + missing).sorted(), [])
    return found
  }

  private static func withoutServerTimes(_ text: String) -> String {
    guard text.contains("2100-") else { return text }
    let parts = text.components(separatedBy: "2100-")
    return parts[0] + parts.dropFirst().map { "NOW" + $0.drop { $0 != "Z" } }.joined()
  }
}

/// What uninterrupted runs leave, each made once.
actor KillBaselines {
  static let shared = KillBaselines()

  /// An uninterrupted run, and how long it was.
  struct Baseline: Sendable {
    var outcome: KillOutcome
    var requests: Int
    var commits: Int
    var milliseconds: Int
  }

  private var tasks: [String: Task<Baseline, any Error>] = [:]

  func of(_ work: KillWork) async throws -> Baseline {
    let task = tasks[work.name] ?? Task { try await Self.make(work) }
    tasks[work.name] = task
    return try await task.value
  }

  private static func make(_ work: KillWork) async throws -> Baseline {
    let mini = try work.database()
    let kill = KillSwitch(mini.handler, delay: work.delay)
    let made = Later<Baseline>()
    try await withTool(against: kill.handler) { tool, _ in
      try work.prepare(tool)
      try await work.begin(tool, mini, kill)
      let start = ContinuousClock.now
      let result = try await kill.run(until: .never) {
        try tool.startBare(work.arguments + tool.place + ["--json"])
      }
      let time = (ContinuousClock.now - start).components
      made.set(
        Baseline(
          outcome: try KillOutcome(result, mini, tool),
          requests: kill.requests.count,
          commits: kill.requests.count { $0.kind == .commit },
          milliseconds: Int(time.seconds) * 1000 + Int(time.attoseconds / 1_000_000_000_000_000)
        )
      )
    }
    return try #require(made.get())
  }
}
