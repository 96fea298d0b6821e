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
      logger: Logger(label: "test") { _ in FileLogHandler(log) },
      clock: RunClock(now: { 0 }, sleep: { _ in }, random: { 0.5 }),
      traffic: TrafficCounter(),
      interval: 0
    )
    progress.begin("snapshot", total: nil)
    let snapshot = try Snapshot(folder.file("a.jsonl"), source: nil, progress: progress)
    #expect((snapshot.count, snapshot.defectCount) == (3000, 3))
    let shown = try String(contentsOfFile: folder.file("log"), encoding: .utf8).split(separator: "\n")
    #expect(shown.map { $0.split(separator: " ").last } == ["1,024", "2,048", "3,003"])
  }
}
