import Foundation
import TestSupport
import Testing

@Suite("What is damaged or missing on this machine", .timeLimit(.minutes(60)))
struct DamageTests {
  @Test("Too few files that may be open are an error of the start", arguments: ["-n", "-Hn"])
  func fewFiles(_ option: String) async throws {
    try await withTool { tool in
      let shell = try BinaryRunner(executable: "/bin/bash")
      func run(_ limit: String, _ arguments: [String]) async throws -> RunResult {
        try await shell.run(
          // What the tests have open is none of the program's.
          [
            "-c", "for i in {3..255}; do eval \"exec $i>&-\"; done; \(limit); exec \"$BINARY\" \"$@\"",
            "bash",
          ] + arguments,
          environment: ["BINARY": tool.runner.executable],
          directory: tool.folder
        )
      }
      let file = try tool.write(Samples.first(3, of: "exercises"), to: "few.jsonl")
      // Where the hard limit alone is lowered, the soft one comes first.
      let limit = option == "-n" ? "ulimit -n 16" : "ulimit -Sn 16; ulimit -Hn 100"
      for command in [["import", file], ["count", "users"], ["serve", "--port", "0"]] {
        let result = try await run(limit, command + (command[0] == "serve" ? [] : tool.place))
        result.expectFailure(78, "16 files", "ulimit -n 256")
      }
      // What may be raised is raised.
      try await run("ulimit -Sn 16", ["import", file] + tool.place).expect(0)
    }
  }

  @Test("A damaged data file of the embedded store is named at once")
  func damagedStore() async throws {
    try await withTool { tool in
      // Beyond the 4 MB after which SQLite moves its log into the file.
      let text = String(repeating: "x", count: 4000)
      let lines = (0..<2000).map { #"{"fields":{"a":{"stringValue":"\#(text)"}},"name":"users/u\#($0)"}"# }
      let file = try tool.write(lines.joined(separator: "\n"), to: "users.jsonl")
      try await tool.run("import", file).expect(0)
      let store = URL(fileURLWithPath: tool.path(".gymmigrate/local.sqlite"))
      let whole = try Data(contentsOf: store)
      // Everything behind the tables' descriptions, and half of it.
      for kept in [whole.count / 2, 4096] {
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
        try (whole.prefix(kept) + Data(repeating: 0x5A, count: whole.count - kept)).write(to: store)
        for command in [["export", "users", "-o", "users.csv"], ["import", "--mode", "replace", file]] {
          let result = try await tool.bare(command + tool.place)
          result.expectFailure(65, "local.sqlite", "damaged", "move")
          #expect(!result.errors.contains("retries") || result.errors.contains(" 0 retries"))
        }
      }
    }
  }

  @Test("Damaged documents of a mirror end a command at once, and no proxy is blamed for them")
  func damagedDocuments() async throws {
    try await withTool { tool in
      let text = String(repeating: "x", count: 4000)
      let lines = (0..<2000).map { #"{"fields":{"a":{"stringValue":"\#(text)"}},"name":"users/u\#($0)"}"# }
      try await tool.run("import", tool.write(lines.joined(separator: "\n"), to: "users.jsonl")).expect(0)
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "-q").expect(0)
      let mirror = URL(fileURLWithPath: tool.path("m.sqlite"))
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: mirror.path + suffix) }
      var bytes = try Data(contentsOf: mirror)
      // Those in the second half of the file: others may have been sent by then.
      var rest = bytes.count / 2..<bytes.count
      while let quote = bytes.range(of: Data(#"{"stringValue""#.utf8), in: rest) {
        bytes[quote.upperBound - 1] = UInt8(ascii: "!")
        rest = quote.upperBound..<bytes.count
      }
      try bytes.write(to: mirror)
      let from = "mirror:m.sqlite"
      for command in [
        ["export", "users", "-e", from, "-o", "u.csv"],
        ["export", "--all", "-e", from, "-o", "x", "--format", "jsonl"],
        ["diff", "users", "--from", from, "--to", "local"],
      ] {
        let result = try await tool.bare(command + ["--retry-for", "9s"])
        result.expectFailure(65, "m.sqlite", "cannot be read", "move the file")
        #expect(!result.errors.contains("proxy"), "\(result.errors)")
      }
    }
  }

  @Test("A damaged old run is skipped by every command that looks at runs")
  func damagedRun() async throws {
    try await withTool { tool in
      let file = try tool.write(Samples.text(["users"]), to: "users.jsonl")
      try await tool.run("import", file).expect(0)
      let old = try #require(tool.runs().last)
      try tool.write("{\"exitCode\":", to: "\(old)/summary.json")
      let id = old.split(separator: "/").last.map(String.init) ?? ""
      let applied = try await tool.run("migrate", "apply", "is-active").expect(2)
      #expect(applied.errors.contains("a run is skipped") && applied.errors.contains("\(old)/summary.json"))
      let list = try await tool.bare(["runs", "list"]).expect(0)
      #expect(list.errors.contains("Move the folder"))
      #expect(!list.output.contains(id) && list.output.contains("migrate apply is-active"))
      try await tool.bare(["runs", "show", "last"]).expect(0)
      try await tool.bare(["runs", "show", id]).expectFailure(65, "summary.json", "Move the folder")
      try await tool.run("migrate", "undo", "last").expect(0)
    }
  }

  @Test("A table that is no table is refused by its first record")
  func commas() async throws {
    try await withTool { tool in
      for text in [String(repeating: ",", count: 1 << 20), String(repeating: ",a", count: 1 << 20)] {
        let file = try tool.write("__name__" + text, to: "users.csv")
        try await tool.run("import", file).expectFailure(65, "line 1", "16384 cells", "delimiter")
      }
      let quotes = try tool.write(
        "__name__,a\nu1,\"" + String(repeating: "x", count: 17 << 20),
        to: "users.csv"
      )
      try await tool.run("import", quotes).expectFailure(65, "line 2", "12582912 bytes")
    }
  }
}
