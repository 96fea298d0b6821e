import FirestoreModels
import Foundation
import Logging
import TestSupport
import Testing

@testable import Files
@testable import FirestoreREST
@testable import Runs
@testable import Transfer

@Suite("Snapshots")
struct SnapshotTests {
  @Test("Each line that is read advances the progress by one, whether or not it is a document.")
  func progress() throws {
    let folder = try ScratchFolder()
    let documents = (0..<3000).map { #"{"fields":{},"name":"a/\#($0)"}"# }
    let lines = ["no document", "nor this"] + documents + ["[]"]
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: folder.file("a.jsonl")))
    let log = try AppendOnlyFile(folder.file("log"))
    let progress = Runs.Progress(
      terminal: nil,
      logger: Logger(label: "test") { _ in LineLogHandler(log) },
      clock: RunClock(now: { 0 }, sleep: { _ in }, random: { 0.5 }),
      traffic: TrafficCounter(),
      interval: 0
    )
    progress.begin("snapshot", total: nil)
    let snapshot = try Snapshot([folder.file("a.jsonl")], source: nil, progress: progress)
    #expect((snapshot.count, snapshot.defectCount) == (3000, 3))
    let shown = try String(contentsOfFile: folder.file("log"), encoding: .utf8).split(separator: "\n")
    #expect(shown.map { $0.split(separator: " ").last } == ["1,024", "2,048", "3,003"])
  }

  @Test(
    "A document that occurs twice is refused with both lines.",
    arguments: [
      (["a/1", "a/2", "a/2"], 3, 2), (["a/2", "b/1", "a/1", "a/2", "a/1"], 4, 1),
      (["a/1", "a/1/s/x", "a/1/s/x"], 3, 2),
    ]
  )
  func twice(_ names: [String], _ later: Int, _ earlier: Int) throws {
    let folder = try ScratchFolder()
    let file = folder.file("a.jsonl")
    let lines = names.map { #"{"fields":{},"name":"\#($0)"}"# }
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))
    let log = try AppendOnlyFile(folder.file("log"))
    let progress = Runs.Progress(
      terminal: nil,
      logger: Logger(label: "test") { _ in LineLogHandler(log) },
      clock: RunClock(now: { 0 }, sleep: { _ in }, random: { 0.5 }),
      traffic: TrafficCounter()
    )
    let failure = #expect(throws: Failure.self) { try Snapshot([file], source: nil, progress: progress) }
    #expect(failure?.kind == .inputMalformed)
    #expect(failure?.cause == "line \(later) has the same document as line \(earlier) of \(file)")
  }
}
