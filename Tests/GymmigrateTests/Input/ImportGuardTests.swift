import Foundation
import TestSupport
import Testing

@Suite("What an import does not take from files", .timeLimit(.minutes(60)))
struct ImportGuardTests {
  private func withImport(_ body: (Tool, MiniFirestore) async throws -> Void) async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, _ in try await body(tool, mini) }
  }

  @Test(
    "Documents of gymmigrate's own collections are rejected, the others imported.",
    arguments: ["create", "upsert"]
  )
  func reserved(_ mode: String) async throws {
    try await withImport { tool, mini in
      let names = [
        "_gymmigrate/lock", "things/t1", "_gymmigrate_runs/x", "_gymmigrate_runs/x/notes/n",
        "_gymmigrate2/a",
      ]
      try tool.write(names.map { documentLine($0, 1) + "\n" }.joined(), to: "in.jsonl")
      for dry in [["-n"], []] {
        let result = try await tool.bare(
          ["import", "in.jsonl", "--mode", mode, "--json"] + dry + tool.place
        )
        let summary = try result.summary()
        #expect(summary.totals.rejected == 4 && summary.totals.read == 5)
        let rejects = try tool.list("rejects.jsonl", of: summary.runId)
        #expect(rejects.compactMap { $0["path"] as? String } == names.filter { $0 != "things/t1" })
        #expect(rejects.allSatisfy { $0["code"] as? String == "RESERVED" })
        if dry.isEmpty { result.expect(2) }
      }
      #expect(mini.snapshot().map(\.name) == ["things/t1"])
      // Nothing holds up what comes next.
      try await tool.run("fix", "things", "--all-documents", "--set", "n=2").expect(0)
    }
  }

  @Test("Nor are such collections named by an option, a file or a sheet.")
  func named() async throws {
    try await withImport { tool, mini in
      try tool.write("__name__,n\nx,1\n", to: "_gymmigrate_runs.csv")
      try tool.write(documentLine("things/lock", 1) + "\n", to: "in.jsonl")
      try await tool.run("import", "_gymmigrate_runs.csv").expectFailure(65, "gymmigrate's own")
      for collection in ["_gymmigrate", "_gymmigrate_runs/x/notes"] {
        try await tool.run("import", "in.jsonl", "--collection", collection).expect(64)
      }
      #expect(mini.everything().isEmpty)
    }
  }

  private static let manifest = #"""
    {"toolVersion":"1","environment":"e","database":"projects/p/databases/d","readTime":null,"files":[
    {"file":"NAME","collection":"things","documents":1,"bytes":1,"sha256":"0"}]}
    """#

  @Test(
    "A manifest names files of its folder.",
    arguments: [
      "../outside.jsonl", "/etc/passwd", "sub/a.jsonl", "..", ".", "", "./in.jsonl",
      "..\\u0000.jsonl",
    ]
  )
  func manifestNames(_ name: String) async throws {
    try await withImport { tool, mini in
      try tool.createFolder("in/sub")
      for file in ["outside.jsonl", "in/in.jsonl", "in/sub/a.jsonl"] {
        try tool.write(documentLine("things/t1", 1) + "\n", to: file)
      }
      try tool.write(Self.manifest.replacing("NAME", with: name), to: "in/manifest.json")
      for command in [
        ["import", "in"] + tool.place, ["import", "in/in.jsonl"] + tool.place,
        ["export", "verify", "in"], ["diff", "things", "--from", "in", "--to", "in"],
      ] {
        let result = try await tool.bare(command)
        result.expectFailure(65, "manifest.json", "files.[0].file")
      }
      #expect(mini.everything().isEmpty)
    }
  }

  @Test(
    "A folder's symbolic link leads to a file of the folder, or is refused.",
    arguments: [true, false]
  )
  func links(_ hasManifest: Bool) async throws {
    try await withImport { tool, mini in
      try tool.createFolder("in/sub")
      try tool.write(documentLine("things/t1", 1) + "\n", to: "outside.jsonl")
      try tool.write(documentLine("things/t2", 1) + "\n", to: "in/sub/inside.data")
      if hasManifest {
        try tool.write(Self.manifest.replacing("NAME", with: "a.jsonl"), to: "in/manifest.json")
      }
      let link = tool.path("in/a.jsonl")
      for target in ["../outside.jsonl", tool.path("outside.jsonl")] {
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        for command in [
          ["import", "in"] + tool.place, ["diff", "things", "--from", "in", "--to", "in"],
        ] {
          try await tool.bare(command).expectFailure(65, "in/a.jsonl", "symbolic link")
        }
        if hasManifest {
          try await tool.bare(["export", "verify", "in"]).expectFailure(65, "symbolic link")
        }
        try FileManager.default.removeItem(atPath: link)
      }
      #expect(mini.everything().isEmpty)
      // Who names the link itself, or a link to the folder, means it.
      try FileManager.default.createSymbolicLink(
        atPath: link,
        withDestinationPath: "sub/inside.data"
      )
      try FileManager.default.createSymbolicLink(
        atPath: tool.path("latest"),
        withDestinationPath: "in"
      )
      try await tool.run("import", "latest").expect(0)
      try FileManager.default.createSymbolicLink(
        atPath: tool.path("named.jsonl"),
        withDestinationPath: "outside.jsonl"
      )
      try await tool.run("import", "named.jsonl").expect(0)
      #expect(mini.snapshot().map(\.name) == ["things/t1", "things/t2"])
    }
  }
}
