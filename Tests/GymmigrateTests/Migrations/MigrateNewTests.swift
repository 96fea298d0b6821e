import Foundation
import TestSupport
import Testing

@Suite struct MigrateNewTests {
  @Test("A file like a fix with a program names that from its folder, and what looks like a file is one.")
  func newProgram() async throws {
    try await withStores { tool in
      try tool.write("import sys\nfor line in sys.stdin: print('{\"same\":true}')\n", to: "p.py")
      let like = ["--like", "fix", "orders", "--all-documents", "--run", "python3 p.py"]
      let made = try await tool.bare(["migrate", "new", "prog"] + like).expect(0)
      let file = String(made.output.dropLast())
      let text = try String(contentsOfFile: tool.path(file), encoding: .utf8)
      #expect(text.contains(#"command: ["python3", "../p.py"]"#), "\(text)")
      try tool.write(text.replacing("../p.py", with: "p.py"), to: file)
      let lint = try await tool.bare(["migrate", "lint"]).expect(1)
      #expect(lint.output.contains("'p.py' names no file"), "\(lint.output)")
      // Beside the file there is another program of that name.
      try tool.write("", to: "migrations/q.py")
      let other = ["--like", "fix", "orders", "--all-documents", "--run", "python3 q.py"]
      try await tool.bare(["migrate", "new", "other"] + other).expectFailure(64, "another file")
    }
  }

  @Test(
    "A fix that a file cannot repeat makes none, and no folder.",
    arguments: [["class*", "--set", "a=1"], ["members", "--set", "phone=7291234567"]]
  )
  func newRefused(_ fix: [String]) async throws {
    try await withStores { tool in
      let like = ["--like", "fix"] + fix + ["--all-documents"]
      try await tool.bare(["migrate", "new", "x"] + like).expectFailure(64, "--like")
      #expect(!FileManager.default.fileExists(atPath: tool.path("migrations")))
    }
  }
}
