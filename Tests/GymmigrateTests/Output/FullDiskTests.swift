import Foundation
import TestSupport
import Testing

@Suite("A full disk", .enabled(if: Shim.isPossible, "it wants a C compiler"), .timeLimit(.minutes(60)))
struct FullDiskTests {
  private static func setting(_ name: String, _ usual: UInt64) -> UInt64 {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } ?? usual
  }

  @Test("Whatever file it is full for, and how long: the database, the accounts, resume and undo are true.")
  func matrix() async throws {
    let first = Self.setting("GYMMIGRATE_DISK_SEED", 1)
    let count = Self.setting("GYMMIGRATE_DISK_CASES", 28)
    var hits = 0
    await withTaskGroup(of: Bool.self) { group in
      var next = first
      func add() {
        guard next < first + count else { return }
        let seed = next
        next += 1
        group.addTask {
          do {
            let test = try await FullDiskCase(seed: seed)
            return try await Gate.shared.pass { try await test.run() }
          } catch {
            Issue.record("seed \(seed): \(error)")
            return false
          }
        }
      }
      for _ in 0..<3 { add() }
      for await isHit in group {
        if isHit { hits += 1 }
        add()
      }
    }
    print("full disk: \(count) runs from seed \(first), \(hits) of them found it full")
    #expect(count < 20 || hits > count / 4)
  }
}

extension FullDiskTests {
  /// An import of 300 documents, eight commits of ten in flight.
  private static func importing() throws -> KillWork {
    let lines = (0..<300).map { documentLine("things/t\($0)", $0, #","s":{"stringValue":"texts"}"#) }
    return KillWork(
      name: "full disk: things",
      arguments: ["import", "things.jsonl", "--batch-size", "10", "--in-flight", "8"],
      files: [("things.jsonl", lines.joined(separator: "\n") + "\n")],
      delay: .milliseconds(20)
    )
  }

  @Test(
    "Full for a moment while commits are in flight: the run ends, reports what was written, and is resumed or undone.",
    arguments: [false, true],
    FullDisk.Manner.allCases
  )
  func moment(_ undoes: Bool, _ manner: FullDisk.Manner) async throws {
    let work = try Self.importing()
    let size = try #require(try await FullDiskBaselines.shared.of(work).sizes["journal.jsonl"])
    let mini = MiniFirestore()
    try await withTool(against: KillSwitch(mini.handler, delay: work.delay).handler) { tool, _ in
      try work.prepare(tool)
      let command = work.arguments + tool.place + ["--json"]
      let disk = FullDisk(file: "journal.jsonl", bytes: size / 3, times: 1, manner: manner)
      let (result, isHit) = try await Gate.shared.pass { try await tool.run(command, on: disk) }
      #expect(isHit)
      result.expectFailure(73, "journal.jsonl", "No space left")
      let summary = try result.summary()
      #expect(summary.totals.written == mini.totalWrites)
      #expect(summary.totals.balance)
      #expect((1..<300).contains(mini.totalWrites))
      let run = try #require(tool.runs().last)
      // Every line is whole but the last one, of a file that could not be cut back.
      var lines = try tool.text("\(run)/journal.jsonl").components(separatedBy: "\n")
      if lines.removeLast() != "" { #expect(manner == .stuck) }
      for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
      #expect(summary.resumeCommand == "gymmigrate runs resume \(summary.runId)")
      if undoes {
        try await tool.run("migrate", "undo", "last").expect(0)
        #expect(mini.snapshot().isEmpty)
      } else {
        let resumed = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
        #expect(try resumed.summary().totals.written == 300)
        #expect(mini.snapshot().count == 300 && mini.totalWrites == 300)
      }
    }
  }

  @Test(
    "A journal with a torn line and whole ones behind it is read without that line, with a warning.",
    arguments: ["resume", "undo", "verify"]
  )
  func torn(_ what: String) async throws {
    let mini = MiniFirestore()
    let rule = FaultRule([.commit], .number(20), .error(.permissionDenied))
    let faults = mini.faults(rule)
    let work = try Self.importing()
    try await withTool(against: faults.handler) { tool, _ in
      try work.prepare(tool)
      try await Gate.shared.pass {
        try await tool.runner.run(work.arguments + tool.place, directory: tool.folder)
      }.expect(77)
      let run = try #require(tool.runs().last)
      let journal = "\(run)/journal.jsonl"
      var lines = try tool.text(journal).components(separatedBy: "\n")
      // An outcome that the disk took in part, and that of the next document right behind it.
      let index = try #require(lines.indices.first { $0 > 20 && lines[$0].contains("\"result\"") })
      let next = lines.remove(at: index + 1)
      lines[index] = lines[index].prefix(25) + next
      try tool.write(lines.joined(separator: "\n"), to: journal)
      // The summary has the length of the file that the disk took.
      let summary = try tool.text("\(run)/summary.json")
      try tool.write(summary.replacing(/"journalBytes":\d+,/, with: ""), to: "\(run)/summary.json")
      let commands = [
        "resume": ["runs", "resume", "last"], "undo": ["migrate", "undo", "last"] + tool.place,
        "verify": ["migrate", "verify", "--run", "last"] + tool.place,
      ]
      let result = try await tool.bare(try #require(commands[what])).expect(0)
      let warning = "warning: .gymmigrate"
      #expect(
        result.errorLines.contains {
          $0.hasPrefix(warning) && $0.contains("journal.jsonl: line \(index + 1) ")
        }
      )
      if what == "resume" { #expect(mini.totalWrites == 300 && mini.snapshot().count == 300) }
      if what == "undo" { #expect(mini.snapshot().isEmpty) }
    }
  }

  @Test("The log that cannot take a line ends the run, and what it did is told.")
  func log() async throws {
    try await withMini { tool, mini in
      try tool.write(documentLine("things/t1", 1) + "\n", to: "in.jsonl")
      let command = ["import", "in.jsonl"] + tool.place + ["--json"]
      let disk = FullDisk(file: "operation.log", bytes: 30)
      let (result, isHit) = try await tool.run(command, on: disk)
      #expect(isHit)
      result.expectFailure(73, "operation.log", "No space left")
      #expect(try result.summary().totals.written == mini.totalWrites)
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(mini.totalWrites == 1)
    }
  }

  @Test(
    "An export leaves whole files or none, and the same command writes them.",
    arguments: ["jsonl", "csv"],
    ["users.", "members.", "manifest.json", "gymmigrate-spool", "operation.log", "summary.json", "run.json"]
  )
  func export(_ format: String, _ file: String) async throws {
    try await withMini(.withSamples(["users", "members"])) { tool, _ in
      func command(_ folder: String) -> [String] {
        ["export", "users", "members", "-o", "\(folder)/", "--format", format] + tool.place
      }
      try await tool.bare(command("whole")).expect(0)
      let names = tool.names(in: "whole").filter { $0 != "manifest.json" }
      var random = SplitMix64(seed: UInt64(file.utf8.count * 31 + format.utf8.count))
      for (number, manner) in [FullDisk.Manner.write, .sync, .write].enumerated() {
        let folder = "out\(number)"
        let times = number == 0 ? -1 : 1
        let bytes = Int.random(in: 0..<200, using: &random)
        let disk = FullDisk(file: file, bytes: bytes, times: times, manner: manner)
        let (result, isHit) = try await Gate.shared.pass { try await tool.run(command(folder), on: disk) }
        let comment = Comment(rawValue: "\(disk): \(result.errors)")
        #expect([0, 73].contains(result.exitCode) && (isHit || result.exitCode == 0), comment)
        // What the log is told after the summary nobody waits for.
        if isHit, file != "operation.log" { #expect(result.exitCode == 73, comment) }
        for name in tool.names(in: folder) where name != "manifest.json" {
          #expect(names.contains(name), comment)
          #expect(try tool.text("\(folder)/\(name)") == tool.text("whole/\(name)"), comment)
        }
        if result.exitCode == 0 { continue }
        #expect(result.complaints.count == 1 && result.complaints[0].contains("No space left"), comment)
        try await tool.bare(command(folder)).expect(0)
        #expect(tool.names(in: folder) == tool.names(in: "whole"), comment)
      }
    }
  }

  @Test("A plan that cannot be kept is no plan.", arguments: ["plan.jsonl", "findings.csv", "plan-out"])
  func plan(_ file: String) async throws {
    try await withMini(.withSamples(["users", "members"])) { tool, _ in
      let command = ["migrate", "plan", "users-unify", "-o", "plan-out"] + tool.place
      for bytes in [0, 100, 3000] {
        let (result, isHit) = try await tool.run(command, on: FullDisk(file: file, bytes: bytes, times: 1))
        #expect(isHit)
        result.expectFailure(73, file, "No space left")
        #expect(!tool.exists("plan-out"))
      }
    }
  }
}
