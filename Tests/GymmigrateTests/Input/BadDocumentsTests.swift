import Foundation
import TestSupport
import Testing

@Suite("Bad documents among many", .serialized, .timeLimit(.minutes(30)))
struct BadDocumentsTests {
  /// Why a document is bad, and what its reason must say; from the service's documented limits.
  private static let kinds: [(id: String, text: String, bad: @Sendable (Int) -> String)] = [
    ("reserved", "reserved", { #""__r\#($0)__":{"nullValue":null}"# }),
    ("empty", "empty name", { _ in #""":{"booleanValue":true}"# }),
    ("long", "1500", { _ in "\"\(String(repeating: "k", count: 1501))\":{\"booleanValue\":true}" }),
    (
      "nested", "array directly inside an array",
      { _ in #""a":{"arrayValue":{"values":[{"arrayValue":{"values":[{"integerValue":"1"}]}}]}}"# }
    ),
    (
      "deep", "at most 20 levels",
      { _ in
        #""m":"# + String(repeating: #"{"mapValue":{"fields":{"m":"#, count: 21) + #"{"nullValue":null}"#
          + String(repeating: "}}}", count: 21)
      }
    ),
  ]

  /// As many documents as `GYMMIGRATE_BAD_DOCUMENTS` says, of which 10.9 % are bad.
  private static var total: Int {
    ProcessInfo.processInfo.environment["GYMMIGRATE_BAD_DOCUMENTS"].flatMap { Int($0) } ?? 10_000
  }

  @Test("Exactly the bad documents are rejected, each with its reason, and exactly the others are written.")
  func rejects() async throws {
    let total = Self.total
    let bad = total * 109 / 1000
    let large = 4
    var reasons: [String: String] = [:]
    var good = ""
    var all = ""
    good.reserveCapacity(total * 120)
    all.reserveCapacity(total * 200 + large << 21)
    var random = SplitMix64(seed: 109)
    // Which lines are bad is drawn, so that they come alone and in rows.
    var isBad = (0..<total).map { $0 < bad }
    isBad.shuffle(using: &random)
    var number = 0
    for index in 0..<total {
      let id = "d\(1_000_000 + index)"
      let fields = #""n":{"integerValue":"\#(index)"},"t":{"stringValue":"lorem ipsum \#(index % 97)"}"#
      guard isBad[index] else {
        let line = "{\"fields\":{\(fields)},\"name\":\"c/\(id)\"}\n"
        good += line
        all += line
        continue
      }
      if number < large {
        // One byte more than a value may have.
        all += #"{"fields":{"s":{"stringValue":""# + String(repeating: "x", count: 1_048_488)
        all += "\"}},\"name\":\"c/\(id)\"}\n"
        reasons["c/\(id)"] = "bytes"
      } else {
        let kind = Self.kinds[number % Self.kinds.count]
        all += "{\"fields\":{\(kind.bad(number)),\(fields)},\"name\":\"c/\(id)\"}\n"
        reasons["c/\(id)"] = kind.text
      }
      number += 1
    }
    try await withMini { tool, mini in
      let file = try tool.write(all, to: "in.jsonl")
      // wait4's figure for the child, in KiB on Linux and in bytes on a Mac.
      let script = """
        import resource, subprocess, sys
        code = subprocess.run(sys.argv[1:], stdout=open("summary.json", "wb")).returncode
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(peak // 1024 if sys.platform == "darwin" else peak)
        sys.exit(code)
        """
      let result = try await Gate.shared.pass {
        try await Judge.python(
          ["-c", script, tool.runner.executable, "import", file, "--json", "--batch-size", "500"]
            + tool.place,
          in: tool.folder
        )
      }
      result.expect(2)
      let peak = try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)))
      print("peak of an import of \(total) documents, \(bad) of them bad: \(peak) KiB")
      // The largest of them is 1 MiB, a few times over while it is read and listed; and there are eight commits of 500 writes
      // in flight, which take about 5 KiB each.
      if !Sanitizer.isOn { #expect(peak <= 128 << 10) }

      let summary = try JSONDecoder().decode(Summary.self, from: Data(tool.text("summary.json").utf8))
      #expect(summary.status == "incomplete")
      #expect(summary.totals.read == total)
      #expect(summary.totals.rejected == bad)
      #expect(summary.totals.written == total - bad)
      #expect(summary.totals.balance && summary.totals.conflicted == 0)

      #expect(mini.snapshot() == (try MiniFirestore.canonical(jsonLines: good)))
      #expect(mini.totalChanges == total - bad)
      let run = try #require(tool.runs().last)
      var listed: Set<String> = []
      for line in try tool.text("\(run)/rejects.jsonl").split(separator: "\n") {
        let json = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let path = try #require(json["path"] as? String)
        #expect(listed.insert(path).inserted, "\(path) is listed twice")
        let reason = try #require(reasons[path], "\(path) is not bad")
        #expect(json["code"] as? String == "INVALID_ARGUMENT")
        #expect((json["message"] as? String)?.contains(reason) == true, "\(path): \(line.suffix(300))")
        #expect((json["document"] as? [String: Any])?["name"] as? String == path)
      }
      #expect(listed == Set(reasons.keys))
    }
  }
}
