import Foundation
import TestSupport
import Testing

@Suite("Values that are refused", .timeLimit(.minutes(60)))
struct ValueErrorTests {
  /// Names of values that any text is good for, or that are looked up when the command runs.
  private static let free: Set<String> = [
    "a,b.c", "documents", "env", "env,env", "env[@time]", "env[@time]|path", "env|path", "field",
    "field=field",
    "field=type",
    "field=value", "fields", "file", "filter", "fix …", "folder", "heading", "id", "name",
    "name[=collection]", "path",
    "paths", "place", "reason", "run", "signs", "text", "url", "where", "words", "zone",
  ]

  @Test("Every option that takes no free text names the value that it refuses, and says what it expects.")
  func everyTypedOption() async throws {
    try await withTool { tool in
      let options = try await CommandLineTree.read(tool).options.filter { !Self.free.contains($0.valueName) }
      #expect(options.count > 50, "\(options.count)")
      for option in options {
        let result = try await tool.bare(option.command + ["--\(option.name)", "no!such"])
        let what = (option.command + ["--\(option.name)"]).joined(separator: " ")
        result.expectFailure(64, "'no!such'", "--\(option.name)")
        let complaint = result.complaints.first ?? ""
        #expect(!complaint.contains("following:."), "\(complaint)")
        let isExplained = complaint.contains(": give ") || complaint.contains("Please provide one of")
        #expect(isExplained, "\(what): \(complaint)")
      }
    }
  }

  private struct Refusal: CustomTestStringConvertible {
    var arguments: [String]
    var texts: [String]
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ line: String, _ texts: String...) {
      arguments = line.split(separator: " ").map(String.init)
      self.texts = texts
    }
  }

  private static let refusals = [
    Refusal("export users -o u.csv --read-time yesterday", "'yesterday'", "now, none, or a time as 2026-"),
    Refusal(
      "check --read-time 2026-02-30T00:00:00Z",
      "'2026-02-30T00:00:00Z'",
      "now, none, or a time as 2026-"
    ),
    Refusal(
      "import u.jsonl --max-errors lots",
      "'lots'",
      "a whole number from 0, or a share from 0% to 100%"
    ),
    Refusal("import u.jsonl --max-errors 101%", "'101%'", "share from 0% to 100%"),
    Refusal("import u.jsonl --max-errors -1", "'-1'", "a whole number from 0"),
    Refusal("import u.jsonl --batch-size 501", "'501'", "--batch-size", "from 1 to 500"),
    Refusal("import u.jsonl --in-flight 0", "'0'", "from 1 to 64"),
    Refusal("import u.jsonl --max-writes-per-second nan", "'nan'", "a number above 0"),
    Refusal("import u.jsonl --max-writes-per-second 0", "'0'", "a number above 0"),
    Refusal("import u.jsonl --source projects/p", "'projects/p'", "projects/P/databases/D"),
    Refusal("import u.jsonl --limit -3", "'-3'", "--limit", "a whole number from 0"),
    Refusal("import u.jsonl --limit 1.5", "'1.5'", "a whole number from 0"),
    Refusal("import u.jsonl --collection a/b", "--collection", "'a/b'", "odd number of segments"),
    Refusal("export users -o u.jsonl --gzip", "--gzip is about the files of a folder", "u.jsonl.gz"),
    Refusal("export users -o - --format jsonl --gzip", "pipe the output through gzip"),
    Refusal("export users -o u.csv --gzip", "--gzip is about folders of JSON Lines"),
    Refusal("find ana --limit 0", "'0'", "a whole number from 1"),
    Refusal("find --collection a/b ana", "'a/b'", "odd number of segments"),
    Refusal("export users -o u.csv --page-size 301", "'301'", "from 1 to 300"),
    Refusal("export users -o u.csv --parallel 17", "'17'", "from 1 to 16, or auto"),
    Refusal("export users -o u.csv --order-by a,b,c,d.", "--order-by", "'d.'", "a field name is missing"),
    Refusal("export users -o u.csv --order-by a_up", "--order-by", "'a up'", "FIELD desc"),
    Refusal("export users -o u.csv --fields a-b", "--fields", "'a-b'", "back-quotes"),
    Refusal(
      "export users -o users",
      "--output",
      "'users'",
      "--format csv, xlsx, jsonl, json, ndjson, bigquery, sqlite"
    ),
    Refusal("export users -o u.csv --dated", "--output", "'u.csv'", "is no folder"),
    Refusal("export users -o out/ --dated --keep 0", "'0'", "a whole number from 1"),
    Refusal("export users -o out/ --dated --since monday", "'monday'", "last, or a time as 2026-"),
    Refusal("diff users --from a --to b --from-source p", "--from-source", "'p'", "projects/P/databases/D"),
    Refusal("diff users --from - --to b", "--from", "'-'", "an environment, a file or a folder"),
    Refusal(
      "diff users --from a --to b --ignore-fields a.",
      "--ignore-fields",
      "'a.'",
      "a field name is missing"
    ),
    Refusal("check --project ..", "--project", "'..'", "an id of at most 255 bytes"),
    Refusal("check --database \(String(repeating: "x", count: 300))", "--database", "at most 255 bytes"),
    Refusal("check --rule none", "--rule", "'none'", "--list-rules"),
    Refusal("check -o findings.txt", "--output", "'findings.txt'", ".csv, .json or .jsonl"),
    Refusal("check --examples -1", "'-1'", "a whole number from 0"),
    Refusal("migrate plan --all --examples -1", "'-1'", "a whole number from 0"),
    Refusal("migrate plan --all --html -", "--html", "'-'", "the name of a file"),
    Refusal("fix users --all-documents --convert a=text", "--convert", "'text'", "string, integer"),
    Refusal("fix users --all-documents --set a", "--set", "'a'", "FIELD=VALUE"),
    Refusal("delete users --id a/b", "--id", "'a/b'", "slash"),
    Refusal(
      "count users --retry-for soon",
      "'soon'",
      "--retry-for",
      "a duration above 0, as 90, 90s, 5m, 1h"
    ),
    Refusal("count users --retry-for 0s", "'0s'", "a duration above 0"),
    Refusal("count users --retry-for -5", "'-5'", "a duration above 0"),
    Refusal("serve --port 65536", "'65536'", "from 0 to 65535"),
  ]

  @Test(
    "The message of a refused value names it and what is expected; an underscore is a space.",
    arguments: refusals
  )
  private func message(_ refusal: Refusal) async throws {
    try await withTool { tool in
      let arguments = refusal.arguments.map {
        $0.hasPrefix("a_") ? $0.replacingOccurrences(of: "_", with: " ") : $0
      }
      let place = refusal.arguments[0] == "serve" || refusal.arguments[0] == "diff" ? [] : ["-e", "local"]
      let result = try await tool.bare(arguments + place)
      result.expectFailure(64)
      for text in refusal.texts {
        #expect(result.complaints.first?.contains(text) ?? false, "\(text): \(result.errors)")
      }
      #expect(tool.names(in: ".").isEmpty, "nothing is left behind")
    }
  }
}
