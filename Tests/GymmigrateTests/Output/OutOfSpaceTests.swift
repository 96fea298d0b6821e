import Foundation
import TestSupport
import Testing

@Suite("An output for which there is no room is told by its name", .timeLimit(.minutes(60)))
struct OutOfSpaceTests {
  @Test(
    "Whatever the format is, and nothing is left.",
    arguments: ["csv", "xlsx", "jsonl", "jsonl.gz"]
  )
  func named(_ format: String) async throws {
    let mini = MiniFirestore()
    // Chance does not compress.
    var random = SplitMix64(seed: 7)
    for index in 0..<400 {
      let text = (0..<40).map { _ in String(random.next(), radix: 36) }.joined()
      try mini.put("things/t\(index)", fields: #"{"text":{"stringValue":"\#(text)"}}"#)
    }
    try await withTool(against: mini.handler) { tool, _ in
      try tool.createFolder("out")
      // A limit of the size of files stands for a disk that is full: 16 blocks of 512 or 1024 bytes.
      let result = try await BinaryRunner(executable: "/bin/sh").run(
        [
          "-c", "ulimit -f 16; exec \"$0\" \"$@\"", tool.runner.executable, "export", "things",
          "-o", "out/things.\(format)",
        ]
          + tool.place,
        directory: tool.folder
      )
      result.expectFailure(73, "cannot write out/things.\(format): ")
      #expect(tool.names(in: "out").isEmpty)
    }
  }
}
