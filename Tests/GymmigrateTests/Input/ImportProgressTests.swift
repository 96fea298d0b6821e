import Foundation
import TestSupport
import Testing

@Suite("The progress of an import, on a terminal", .timeLimit(.minutes(60)))
struct ImportProgressTests {
  /// The states of the progress line, without what clears it.
  private func states(_ result: RunResult) -> [String] {
    result.output.components(separatedBy: "\r\u{1B}[K").map {
      $0.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }
  }

  @Test(
    "The share of the files' bytes comes to 100 %, whatever they are kept in.",
    arguments: [["e.jsonl"], ["e.jsonl.gz"], ["e.csv"], ["e.xlsx"], ["e.jsonl", "users.csv"]]
  )
  func share(_ files: [String]) async throws {
    try await withMini(.withSamples(["exercises", "users"])) { tool, _ in
      for file in files {
        let collection = file.hasPrefix("users") ? "users" : "exercises"
        try await tool.run("export", collection, "-o", file).expect(0)
      }
      let more = files == ["e.csv"] ? ["--collection", "exercises"] : []
      let result = try await tool.onTerminal(
        ["import", "--validate", "off"] + files + more + ["--mode", "upsert"] + tool.place
      )
      #expect(result.exitCode == 0, "\(result.output)")
      let imports = states(result).filter { $0.hasPrefix("import: ") }
      let count = files.count == 1 ? 20 : 420
      #expect(imports.last?.hasPrefix("import: \(count) (100 %)") == true, "\(result.output)")
    }
  }

  @Test("Of standard input no share is known, whatever it is.", arguments: ["jsonl", "csv"])
  func standardInput(_ format: String) async throws {
    try await withMini(.withSamples(["exercises"])) { tool, _ in
      try await tool.run("export", "exercises", "-o", "e.\(format)").expect(0)
      let words =
        [
          "import", "-", "--validate", "off", "--format", format, "--mode", "upsert", "--collection",
          "exercises",
        ] + tool.place
      let command = words.map { "'\($0)'" }.joined(separator: " ")
      let result = try await Tool.onTerminal(
        ["/bin/sh", "-c", "cat e.\(format) | '\(tool.runner.executable)' \(command)"],
        in: tool.folder
      )
      #expect(result.exitCode == 0, "\(result.output)")
      let imports = states(result).filter { $0.hasPrefix("import: ") }
      #expect(!imports.isEmpty && imports.allSatisfy { !$0.contains("%") }, "\(result.output)")
    }
  }

  @Test("With a limit, and of a run that is resumed, it comes to 100 %, too.")
  func limitAndResume() async throws {
    let mini = MiniFirestore()
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, _ in
      try tool.write(Samples.text("users"), to: "in.jsonl")
      let limited = try await tool.onTerminal(["import", "in.jsonl", "--limit", "7"] + tool.place)
      #expect(states(limited).contains { $0.hasPrefix("import: 7 (100 %)") }, "\(limited.output)")
      let killed = try await kill.run(until: .commit(6, .after)) {
        try tool.startBare(
          ["import", "in.jsonl", "--batch-size", "10", "--in-flight", "1", "--mode", "upsert"] + tool.place
        )
      }
      try #require(killed.signal == SIGKILL, "\(killed.errors)")
      let resumed = try await tool.onTerminal(["runs", "resume", "last"])
      #expect(resumed.exitCode == 0, "\(resumed.output)")
      #expect(
        states(resumed).last { $0.hasPrefix("import: ") }?.contains("(100 %)") == true,
        "\(resumed.output)"
      )
    }
  }
}
