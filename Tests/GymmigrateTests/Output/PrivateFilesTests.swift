import Foundation
import TestSupport
import Testing

@Suite("Files that are made are their owner's alone", .timeLimit(.minutes(60)))
struct PrivateFilesTests {
  private func mode(_ tool: Tool, _ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: tool.path(name))
    return try #require(attributes[.posixPermissions] as? Int) & 0o777
  }

  /// Every file and folder below a folder that somebody else may look into.
  private func open(_ tool: Tool, except known: [String]) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: tool.folder.path).filter { name in
      if known.contains(name) { return false }
      // A symbolic link has no rights of its own.
      let type = try FileManager.default.attributesOfItem(atPath: tool.path(name))[.type]
      if type as? FileAttributeType == .typeSymbolicLink { return false }
      return try mode(tool, name) & 0o077 != 0
    }
  }

  @Test("Whatever command makes them, and whatever the mask of the user is.")
  func all() async throws {
    try await withTool { tool in
      try tool.write(
        documentLine("users/u1", 1) + "\n" + documentLine("users/u2", 2) + "\n",
        to: "in.jsonl"
      )
      let commands: [([String], Int32)] = [
        (["import", "in.jsonl", "-e", "local"], 0),
        (["export", "users", "-e", "local", "-o", "users.csv"], 0),
        (["export", "users", "-e", "local", "-o", "users.xlsx"], 0),
        (["export", "users", "-e", "local", "-o", "users.jsonl.gz"], 0),
        (["export", "--all", "-e", "local", "-o", "folder/", "--format", "jsonl"], 0),
        (["export", "--all", "-e", "local", "-o", "nights", "--dated", "--format", "csv"], 0),
        (
          [
            "migrate", "plan", "users-unify", "-e", "local", "-o", "plan.jsonl", "--html",
            "plan.html",
          ], 0
        ),
        (["fix", "users", "--all-documents", "--set", "n=3", "-e", "local"], 0),
        (["diff", "users", "--from", "in.jsonl", "--to", "local", "-o", "diff.jsonl"], 1),
        (["check", "-e", "local", "-o", "check.csv"], 1),
        (["env", "init", "mine.yaml"], 0),
      ]
      for (command, _) in commands {
        let result = try await BinaryRunner(executable: "/bin/sh").run(
          ["-c", "umask 000; exec \"$0\" \"$@\"", tool.runner.executable] + command,
          directory: tool.folder
        )
        #expect([0, 1, 2].contains(result.exitCode), "\(command): \(result.errors)")
      }
      #expect(
        tool.exists(".gymmigrate/local.sqlite") && tool.exists("plan.html")
          && tool.exists("users.xlsx")
      )
      #expect(try open(tool, except: ["in.jsonl"]) == [])
      #expect(try mode(tool, "folder") == 0o700 && mode(tool, "users.csv") == 0o600)
    }
  }

  @Test("A file that is replaced keeps the rights that it has.")
  func replaced() async throws {
    try await withTool { tool in
      try tool.write(documentLine("users/u1", 1) + "\n", to: "in.jsonl")
      try await tool.run("import", "in.jsonl").expect(0)
      for (name, rights) in [
        ("a.csv", 0o640), ("b.csv", 0o600), ("c.xlsx", 0o644), ("d.xlsx", 0o400 | 0o200),
      ] {
        try tool.write("", to: name)
        try FileManager.default.setAttributes(
          [.posixPermissions: rights],
          ofItemAtPath: tool.path(name)
        )
        try await tool.run("export", "users", "-o", name).expect(0)
        #expect(try mode(tool, name) == rights, "\(name)")
      }
    }
  }
}
