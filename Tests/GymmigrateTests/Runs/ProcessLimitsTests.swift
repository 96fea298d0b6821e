import Foundation
import TestSupport
import Testing

@Suite("Limits of the process", .timeLimit(.minutes(60)))
struct ProcessLimitsTests {
  private func run(_ tool: Tool, after setup: String, _ arguments: [String]) async throws -> RunResult {
    try await BinaryRunner(executable: "/bin/sh").run(
      ["-c", "\(setup); exec \"$0\" \"$@\"", tool.runner.executable] + arguments,
      directory: tool.folder
    )
  }

  @Test("Too little address space is said before anything is begun.")
  func addressSpace() async throws {
    try await withTool { tool in
      let file = try tool.write(documentLine("users/u1", 1) + "\n", to: "in.jsonl")
      for megabytes in [600, 1023] {
        let setup = "ulimit -v \(megabytes * 1024)"
        let result = try await run(tool, after: setup, ["import", file, "-e", "local"])
        result.expectFailure(78, "\(megabytes) MiB of address space", "ulimit -v 1048576")
        #expect(!tool.exists(".gymmigrate"))
      }
      try await run(tool, after: "ulimit -v 1048576", ["import", file, "-e", "local"]).expect(0)
    }
  }

  @Test("So are too few threads, for a user who has some.", .enabled(if: getuid() == 0))
  func threads() async throws {
    try await withTool { tool in
      // The limit counts the processes of a user, and does not hold for root.
      let result = try await BinaryRunner(executable: "/usr/bin/setpriv").run(
        [
          "--reuid", "64321", "--regid", "64321", "--clear-groups", "/bin/bash", "-c",
          "ulimit -u 8; exec \"$0\" \"$@\"", tool.runner.executable, "count", "users", "-e", "local",
        ],
        directory: URL(fileURLWithPath: "/")
      )
      result.expectFailure(78, "32 threads", "ulimit -u")
    }
  }

  @Test("A mask that takes the owner's own rights does not reach files that are made.")
  func mask() async throws {
    try await withTool { tool in
      let file = try tool.write(documentLine("users/u1", 1) + "\n", to: "in.jsonl")
      try await run(tool, after: "umask 777", ["import", file, "-e", "local"]).expect(0)
      try await run(tool, after: "umask 777", ["export", "users", "-e", "local", "-o", "out.csv"]).expect(0)
      for name in ["out.csv", ".gymmigrate/local.sqlite"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: tool.path(name))
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
      }
    }
  }

  @Test("Addresses are refused where only files can be used, and all but gs:// everywhere.")
  func addresses() async throws {
    try await withTool { tool in
      try tool.write(documentLine("users/u1", 1) + "\n", to: "in.jsonl")
      let local: [[String]] = [
        ["mirror", "pull", "-e", "local", "-o", "gs://b/m.sqlite"],
        ["export", "--all", "-e", "local", "--format", "sqlite", "-o", "gs://b/m.sqlite"],
        ["count", "users", "-e", "local", "--state-dir", "gs://b/state"],
        ["migrate", "plan", "users-unify", "-e", "local", "--html", "gs://b/plan.html"],
        ["count", "users", "--mirror", "gs://b/m.sqlite"], ["mirror", "status", "gs://b/m.sqlite"],
        ["count", "users", "-e", "local", "--config", "gs://b/c.yaml"],
        ["count", "users", "-e", "local", "--schema", "gs://b/s.yaml"],
        ["count", "users", "--project", "p", "--credentials", "gs://b/key.json"],
        ["count", "users", "--project", "p", "--access-token-file", "gs://b/token"],
        ["report", "month", "2026-01", "-e", "local", "-o", "gs://b/r.html"],
        ["groups", "add", "-e", "local", "--from", "gs://b/g.csv"],
        ["schema", "infer", "users", "-e", "local", "-o", "gs://b/s.yaml"],
        ["serve", "--data", "gs://b/d.sqlite"], ["runs", "list", "--state-dir", "gs://b/state"],
        ["migrate", "apply", "users-unify", "-e", "local", "--review", "gs://b/r.csv"],
      ]
      for command in local { try await tool.bare(command).expectFailure(64, "file of this machine") }
      for scheme in ["s3", "gcs", "https", "file", "az"] {
        let name = "\(scheme)://storage.googleapis.com/b/x.jsonl"
        for command in [
          ["import", name, "-e", "local"], ["export", "users", "-e", "local", "-o", name],
          ["diff", "users", "--from", name, "--to", "local"], ["check", "-e", "local", "-o", name],
          ["migrate", "plan", "users-unify", "-e", "local", "-o", name],
          ["migrate", "apply", "--plan", name],
          ["export", "verify", name],
        ] {
          try await tool.bare(command).expectFailure(64, "\(scheme):// is not supported", "gs://")
        }
      }
      #expect(tool.names(in: "").sorted() == ["in.jsonl"])
    }
  }
}
