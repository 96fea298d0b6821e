import Foundation
import TestSupport
import Testing

@Suite(
  "Memory",
  .serialized,
  .timeLimit(.minutes(60)),
  .disabled(if: Sanitizer.isOn, "It would measure the sanitizer's own memory.")
)
struct MemoryTests {
  /// A collection of `total` documents that are made as they are asked for, about 1 kB each.
  private static func collection(of total: Int) -> RequestHandler {
    let filler = String(repeating: "lorem ipsum, dolor \\\"sit\\\" amet ", count: 16)
    return { request in
      switch request.kind {
      case .aggregation:
        return .json(
          #"[{"result":{"aggregateFields":{"n":{"integerValue":"\#(total)"}}},"readTime":"2026-01-02T03:04:05.000001Z"}]"#
        )
      case .list:
        func number(_ name: String) -> Int? {
          request.query.first { $0.name == name }.flatMap { Int($0.value) }
        }
        let start = number("pageToken") ?? 0
        let end = min(total, start + (number("pageSize") ?? 20))
        var body = #"{"documents":["#
        for index in start..<end {
          if index > start { body += "," }
          let digits = String(1_000_000_000 + index)
          body += """
            {"name":"projects/test-project/databases/(default)/documents/members/\(digits)","fields":{\
            "id":{"stringValue":"\(digits)"},"firstName":{"stringValue":"Ana"},"isActive":{"booleanValue":true},\
            "n":{"integerValue":"\(index)"},"otherNotes":{"stringValue":"\(filler)"},\
            "membershipPlanSnapshot":{"mapValue":{"fields":{"planPrice":{"doubleValue":499.5},"planName":{"stringValue":"Mensual"}}}},\
            "createdAt":{"timestampValue":"2025-01-02T03:04:05.678Z"}},\
            "createTime":"2025-01-02T03:04:05.678Z","updateTime":"2025-01-02T03:04:05.678Z"}
            """
        }
        body += end < total ? #"],"nextPageToken":"\#(end)"}"# : "]}"
        return .json(body)
      default: return .html(404)
      }
    }
  }

  /// Exports so many documents and returns the peak of the program's resident memory in KiB.
  private func peak(_ total: Int, _ format: String) async throws -> Int {
    var peak = 0
    try await withTool(against: Self.collection(of: total)) { tool, _ in
      // wait4's figure for the child, in KiB on Linux and in bytes on a Mac.
      let script = """
        import resource, subprocess, sys
        code = subprocess.run(sys.argv[1:]).returncode
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(peak // 1024 if sys.platform == "darwin" else peak)
        sys.exit(code)
        """
      let result = try await Gate.shared.pass {
        try await Judge.python(
          ["-c", script, tool.runner.executable, "export", "members", "-o", "members.\(format)", "-q"]
            + tool.place,
          in: tool.folder
        )
      }
      result.expect(0)
      peak = try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)))
      if format != "xlsx" {
        let lines = try await Judge.script(
          "import sys; print(sum(1 for _ in open(sys.argv[1], 'rb')))",
          tool.path("members.\(format)")
        )
        #expect(lines == "\(total + (format == "csv" ? 1 : 0))\n")
      }
    }
    return peak
  }

  /// Compares a snapshot of so many documents with itself and returns the peak of resident memory in KiB.
  private func peakOfDiff(_ total: Int, isSorted: Bool) async throws -> Int {
    var peak = 0
    try await withTool { tool in
      let script = """
        import resource, subprocess, sys
        total, step = int(sys.argv[1]), int(sys.argv[2])
        text = "lorem ipsum " * 40
        with open("snapshot.jsonl", "w") as file:
            for at in range(total):
                # A step that has no divisor in common with the total visits every number once.
                number = at * step % total
                file.write('{"name":"members/%09d","fields":{"n":{"integerValue":"%d"},"t":{"stringValue":"%s"}}}\\n'
                           % (number, number, text))
        command = [sys.argv[3], "diff", "--all", "--from", "snapshot.jsonl", "--to", "snapshot.jsonl", "-q"]
        code = subprocess.run(command).returncode
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(peak // 1024 if sys.platform == "darwin" else peak)
        sys.exit(code)
        """
      let result = try await Gate.shared.pass {
        try await Judge.python(
          ["-c", script, "\(total)", isSorted ? "1" : "7919", tool.runner.executable],
          in: tool.folder
        )
      }
      result.expect(0)
      peak = try #require(Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
    return peak
  }

  @Test("A comparison's memory does not grow with the snapshots, sorted or not.", arguments: [true, false])
  func diff(_ isSorted: Bool) async throws {
    let large = ProcessInfo.processInfo.environment["GYMMIGRATE_TEST_DOCUMENTS"].flatMap { Int($0) } ?? 40_000
    let small = try await peakOfDiff(large / 2, isSorted: isSorted)
    let grown = try await peakOfDiff(large, isSorted: isSorted)
    print("peak of a diff: \(small) KiB for \(large / 2) documents, \(grown) KiB for \(large)")
    #expect(grown <= 64 << 10)
    #expect(Double(grown) <= Double(small) * 1.1)
  }

  @Test("An export's memory does not grow with the collection.", arguments: ["csv", "jsonl", "xlsx"])
  func export(_ format: String) async throws {
    let large = ProcessInfo.processInfo.environment["GYMMIGRATE_TEST_DOCUMENTS"].flatMap { Int($0) } ?? 40_000
    let small = try await peak(large / 4, format)
    let grown = try await peak(large, format)
    print(
      "peak of an export to \(format): \(small) KiB for \(large / 4) documents, \(grown) KiB for \(large)"
    )
    #expect(grown <= 64 << 10)
    #expect(Double(grown) <= Double(small) * 1.1)
  }
}
