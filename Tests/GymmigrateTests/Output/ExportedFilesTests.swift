import Foundation
import TestSupport
import Testing

@Suite("The files of an export, also of a database without collections", .timeLimit(.minutes(60)))
struct ExportedFilesTests {
  @Test("Its export takes the place of an earlier file, or fails; it never passes in silence.")
  func export() async throws {
    try await withTool { tool in
      for (file, code) in [("e.jsonl", Int32(0)), ("e.jsonl.gz", 0), ("e.xlsx", 66)] {
        try tool.write("old", to: file)
        let result = try await tool.run("export", "--all", "-o", file).expect(code)
        #expect(result.errors.contains("warning: local has no collections"), "\(result.errors)")
        let left = try Data(contentsOf: URL(fileURLWithPath: tool.path(file)))
        #expect((left == Data("old".utf8)) == (code != 0), "\(file)")
      }
      #expect(try tool.text("e.jsonl").isEmpty)
      for words in [
        ["--format", "managed", "-o", "m"], ["--format", "csv", "-o", "c/"],
        ["--format", "jsonl", "-o", "-"],
      ] {
        let result = try await tool.bare(["export", "--all"] + words + tool.place).expect(0)
        #expect(result.output.isEmpty && result.errors.contains("has no collections"), "\(words)")
      }
      #expect(tool.exists("c/manifest.json"))
      #expect(tool.names(in: "m").contains { $0.hasSuffix(".overall_export_metadata") })
      try await tool.run("import", "m").expect(0)
    }
  }

  @Test("A collection that nothing knows does not take the place of a file that holds something.")
  func unknownCollection() async throws {
    try await withTool { tool in
      let list = "__name__,n\na1,1\na2,2\n"
      for file in ["lista.csv", "lista.jsonl", "lista.xlsx"] {
        try tool.write(list, to: file)
        let export = ["export", "alumno", "-o", file, "--schema", "none"] + tool.place
        try await tool.bare(export).expectFailure(
          66,
          file,
          "alumno has no documents",
          "remove the file first"
        )
        #expect(try tool.text(file) == list)
      }
      // A declared one may be empty, and so may a filter.
      try await tool.run("export", "products", "-o", "lista.csv").expect(0)
      try await tool.run("export", "alumno", "-o", "lista.jsonl", "--where", "n == 1").expect(0)
      #expect(try tool.text("lista.jsonl").isEmpty)
      for _ in 1...2 { try await tool.run("export", "alumno", "-o", "new.csv").expect(0) }
    }
  }

  @Test(
    "An export hides no part of another one in its folder, and what a manifest does not name is a problem."
  )
  func folders() async throws {
    try await withStores { tool in
      for file in ["products", "groups", "expenses"] {
        try await tool.bare(["import", Samples.file(file), "-e", "test", "-q"]).expect(0)
      }
      func export(_ words: String..., code: Int32 = 0) async throws {
        try await tool.bare(["export"] + words + ["-e", "test", "-o", "backup/", "-q"]).expect(code)
      }
      try await export("expenses", "groups", "--format", "jsonl")
      try await export("--all", "--format", "jsonl")
      for words in [
        ["products"], ["expenses", "--where", "amount > 1.0"], ["products", "groups", "--group"],
      ] {
        try await tool.bare(["export"] + words + ["-e", "test", "-o", "backup", "--format", "csv"])
          .expectFailure(73, "backup", "groups", "Name another folder")
      }
      #expect(
        tool.names(in: "backup") == ["expenses.jsonl", "groups.jsonl", "manifest.json", "products.jsonl"]
      )
      let counts = try await tool.bare(["count", "--all", "--from", "backup", "-q"]).output
      #expect(counts.contains("products\t24") && counts.contains("expenses\t60"), "\(counts)")
      try await export("*s", "--subcollections", "--format", "jsonl")
      try await export("--all", "--format", "jsonl")
      try tool.write("a note", to: "backup/README.txt")
      try await tool.bare(["export", "verify", "backup"]).expect(0)
      try tool.write(documentLine("users/1", 1), to: "backup/users.jsonl")
      let verified = try await tool.bare(["export", "verify", "backup", "-q"]).expect(1)
      #expect(verified.output == "backup/users.jsonl\tit is not in the manifest\n")
      try await tool.bare(["export", "verify", "backup", "--json"]).expect(1)
    }
  }

  @Test(
    "A list goes by the ending of its file or is refused, and an inferred schema is written over no file."
  )
  func endings() async throws {
    try await withStores { tool in
      try await tool.bare(["import", Samples.file("products"), "-e", "test", "-q"]).expect(0)
      let diff = ["diff", "products", "--from", Samples.file("products"), "--to", "stage", "-q", "-o"]
      for (file, head) in [
        ("d.txt", "+ products/"), ("d.csv", "mark,path\r\n"), ("d.json", "[\n{\"mark\""),
        ("list", "+ products/"),
      ] {
        try await tool.bare(diff + [file]).expect(1)
        #expect(try tool.text(file).hasPrefix(head), "\(file)")
      }
      for file in ["d.xlsx", "d.html"] { try await tool.bare(diff + [file]).expectFailure(64, file, ".csv") }
      let infer = ["schema", "infer", "-e", "test", "--schema", "none", "-q", "-o"]
      try await tool.bare(infer + ["p.html", "--profile"]).expect(0)
      let shown = try await tool.bare(["schema", "show", "-o", "s.html"])
      #expect(shown.exitCode == 0 && shown.errors.contains("See s.html."), "\(shown.errors)")
      for page in ["p.html", "s.html"] { #expect(try tool.text(page).hasPrefix("<!DOCTYPE html>")) }
      try await tool.bare(infer + ["p.csv", "--profile"]).expectFailure(64, "p.csv")
      try await tool.bare(infer + ["p.html"]).expectFailure(64, "--profile")
      try tool.write("# mine", to: "shop.yaml")
      try await tool.bare(infer + ["shop.yaml"]).expectFailure(73, "shop.yaml", "name another file")
      #expect(try tool.text("shop.yaml") == "# mine")
    }
  }

  @Test("The file of a collection is that of what is below it, unless that has its own.")
  func below() async throws {
    try await withTool { tool in
      try tool.write(
        [documentLine("a/1", 1), documentLine("a/1/b/1", 1)].joined(separator: "\n"),
        to: "in.jsonl"
      )
      try await tool.run("import", "in.jsonl", "-q").expect(0)
      for (output, files) in [
        ("x/", ["a": "x/a.jsonl", "a/*/b": "x/a.jsonl"]), ("x.jsonl", ["a": "x.jsonl", "a/*/b": "x.jsonl"]),
        ("c/", ["a": "c/a.csv", "a/*/b": "c/a~b.csv"]), ("x.xlsx", ["a": "x.xlsx", "a/*/b": "x.xlsx"]),
      ] {
        let format = output == "c/" ? "csv" : output == "x.xlsx" ? "xlsx" : "jsonl"
        let words = ["export", "a", "--subcollections", "-o", output, "--format", format, "--json"]
        let summary = try await tool.bare(words + tool.place).summary()
        for collection in summary.collections {
          #expect(collection.file == files[collection.name], "\(output)")
        }
        #expect(summary.collections.count == 2)
      }
    }
  }

  @Test("Other commands that are to read all of it say so, too.")
  func others() async throws {
    try await withStores { tool in
      for words in [
        ["count", "--all", "-e", "test"], ["copy", "--all", "--from", "stage", "--to", "test", "-y"],
      ] {
        let result = try await tool.bare(words).expect(0)
        #expect(result.errors.contains("has no collections"), "\(words): \(result.errors)")
      }
    }
  }
}
