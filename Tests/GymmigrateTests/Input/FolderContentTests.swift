import Foundation
import TestSupport
import Testing

@Suite("What a folder holds is read whatever the case of its names, or named", .timeLimit(.minutes(60)))
struct FolderContentTests {
  private func gzip(_ tool: Tool, _ name: String) throws {
    let gzip = Process()
    gzip.executableURL = URL(fileURLWithPath: "/bin/sh")
    gzip.arguments = ["-c", "gzip -c \"$0\" > \"$0.GZ\" && rm \"$0\"", tool.path(name)]
    try gzip.run()
    gzip.waitUntilExit()
    #expect(gzip.terminationStatus == 0)
  }

  @Test("Tables and JSON Lines are read side by side, and all else is named.")
  func everything() async throws {
    try await withMini { tool, mini in
      try tool.createFolder("in/sub")
      try tool.write("{\"name\":\"h/x\",\"fields\":{\"n\":{\"integerValue\":\"8\"}}}\n", to: "h.jsonl")
      try await tool.run("import", "h.jsonl").expect(0)
      try await tool.run("export", "h", "-o", "in/h.XLSX").expect(0)
      for (name, text) in [
        ("d.CSV", "__name__,n\nx,1\n"), ("e.Tsv", "__name__\tn\nx\t2\n"), ("g.csv", "__name__,n\nx,3\n"),
        ("f.jsonl", "{\"name\":\"f/x\"}\n"), ("j.JSONL", "{\"name\":\"j/x\"}\n"),
        ("i.json", "{\"x\": {\"n\": 9}}"), ("k.pdf", "x"),
        ("old.xls", "\u{D0}"), ("notes.txt", "x"), ("Thumbs.DB", "x"),
      ] {
        try tool.write(text, to: "in/\(name)")
      }
      try gzip(tool, "in/g.csv")
      for options in [["-n"], []] {
        let result = try await tool.bare(["import", "in/", "--validate", "off"] + options + tool.place)
        result.expect(0)
        #expect(result.errors.contains("in: not read: k.pdf, notes.txt, old.xls, sub."), "\(result.errors)")
        #expect(result.errors.contains("in: skipped Thumbs.DB."))
      }
      let found = mini.snapshot().map(\.jsonLine)
      #expect(found.count == 7)
      for (id, number) in [("d", 1), ("e", 2), ("g", 3), ("h", 8), ("i", 9)] {
        #expect(found.contains(#"{"fields":{"n":{"integerValue":"\#(number)"}},"name":"\#(id)/x"}"#))
      }
    }
  }

  @Test("Of a folder per document, files are named that are not the documents'.")
  func documentTree() async throws {
    try await withTool { tool in
      for (name, text) in [
        ("things/u1/u1.json", #"{"n":{"value":"Ana","type":"string"}}"#), ("things/u2/u2 (1).json", "{}"),
        ("things/u1/marks/m/M.json", "{}"), ("things/notes.txt", "x"), ("things/u1/.DS_Store", "x"),
      ] {
        let folder = tool.path("bk/\(name.split(separator: "/").dropLast().joined(separator: "/"))")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try tool.write(text, to: "bk/\(name)")
      }
      let result = try await tool.run("import", "bk", "-n").expect(0)
      let unread = "bk: not read: things/notes.txt, things/u1/marks/m/M.json, things/u2/u2 (1).json."
      #expect(result.errors.contains(unread), "\(result.errors)")
      #expect(result.errors.contains("bk: skipped things/u1/.DS_Store."), "\(result.errors)")
    }
  }

  @Test("A folder without a file that is read says what it holds.")
  func nothing() async throws {
    try await withTool { tool in
      try tool.createFolder("in")
      try tool.write("x", to: "in/socios.ods")
      try await tool.run("import", "in").expectFailure(66, "but socios.ods")
    }
  }

  @Test("What was exported and a file beside it: the export is read, and the file is named.")
  func besideAnExport() async throws {
    try await withMini { tool, mini in
      try tool.write("{\"name\":\"a/x\"}\n", to: "a.jsonl")
      try await tool.run("import", "a.jsonl").expect(0)
      try await tool.run("export", "a", "-o", "out/", "--format", "jsonl").expect(0)
      try tool.write("__name__,n\ny,1\n", to: "out/b.csv")
      let result = try await tool.run("import", "out/", "--mode", "upsert").expect(0)
      #expect(result.errors.contains("out: not read: b.csv."))
      #expect(mini.snapshot().count == 1)
    }
  }
}
