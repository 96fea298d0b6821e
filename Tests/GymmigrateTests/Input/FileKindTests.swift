import Foundation
import TestSupport
import Testing

/// Follows what `import -n` says about each small file of `Tests/Resources/file-kinds/`, whose `cases.jsonl` has what it must yield.
@Suite(
  "Files as people have them come in as they are, or by what the refusal names",
  .timeLimit(.minutes(60))
)
struct FileKindTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String { file }
    var file: String
    /// Options of the first run.
    var given: [String] = []
    /// What the runs say.
    var says: [String] = []
    /// Options that the runs name, each of which is then given; nil for a file that no option helps.
    var options: [[String]]?
    var document = ""
    /// The members of the document, as JSON with its keys in order.
    var yields = Data()
  }

  private static let folder = Samples.repository.appendingPathComponent("Tests/Resources/file-kinds")

  static let cases: [Case] = {
    let text = (try? String(contentsOf: folder.appendingPathComponent("cases.jsonl"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      guard let row = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let file = row["file"] as? String
      else { return nil }
      return Case(
        file: file,
        given: row["given"] as? [String] ?? [],
        says: row["says"] as? [String] ?? [],
        options: row["options"] as? [[String]],
        document: row["document"] as? String ?? "",
        yields: sorted(row["yields"] ?? [String: Any]())
      )
    }
  }()

  private static func sorted(_ object: Any) -> Data {
    (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])) ?? Data()
  }

  @Test("Every file of the folder has a line in the table.")
  func whole() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(files) == Set(Self.cases.map(\.file) + ["cases.jsonl"]))
    #expect(files.count > 40)
  }

  @Test(arguments: cases)
  func comesIn(_ example: Case) async throws {
    try await withTool { tool in
      try FileManager.default.copyItem(
        at: Self.folder.appendingPathComponent(example.file),
        to: URL(fileURLWithPath: tool.path(example.file))
      )
      let (options, said) = try await Self.follow(example, tool)
      for words in example.says { #expect(said.contains(words), "\(said)") }
      guard let wanted = example.options else { return #expect(options == nil, "It came in.") }
      let found = try #require(options, "\(said)")
      #expect(Set(found.dropFirst(example.given.count)) == Set(wanted.flatMap { $0 }))
      let isBelow = example.document.contains("/")
      let place = isBelow ? [] : ["--collection", "things"]
      let document = isBelow ? example.document : "things/\(example.document)"
      try await tool.bare(["import", example.file, "-e", "local", "-q"] + place + found).expect(0)
      let line = try await tool.bare(["get", document, "-e", "local"])
      let got = try JSONSerialization.jsonObject(with: Data(line.standardOutput)) as? [String: Any]
      let fields = Self.sorted(got?["fields"] ?? [String: Any]())
      #expect(fields == example.yields, "\(String(decoding: fields, as: UTF8.self))")
    }
  }

  /// The options with which a file comes in, after at most four runs, and what was said; no options if it does not.
  private static func follow(_ example: Case, _ tool: Tool) async throws -> (options: [String]?, said: String)
  {
    var (options, said) = (example.given, "")
    var left = example.options ?? []
    for _ in 0..<4 {
      let command = ["import", example.file, "--collection", "things", "-n", "-e", "local"]
      let result = try await tool.bare(command + options)
      said += result.output + result.errors
      if result.exitCode == 0 { return (options, said) }
      result.expect(65)
      let named = left.filter { result.errors.contains($0[0]) }
      if named.isEmpty { break }
      left.removeAll { named.contains($0) }
      options += named.flatMap { $0 }
    }
    return (nil, said)
  }
}
