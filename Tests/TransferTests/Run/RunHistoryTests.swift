import FirestoreModels
import Foundation
import TestSupport
import Testing
import TypedDocuments

@testable import Configuration
@testable import Files
@testable import Runs
@testable import Transfer

@Suite("Run history")
struct RunHistoryTests {
  private let target = DatabaseEnvironment(
    name: "stage",
    database: testDatabase,
    endpoint: "http://127.0.0.1:1"
  )

  private func record(_ id: String, at time: Int = 0, writes: Bool = true, inputs: [String] = []) -> RunRecord
  {
    RunRecord(
      id: id,
      command: "import",
      arguments: ["import", "a b", "é"],
      workingDirectory: "/somewhere",
      environment: target,
      startedAt: moment(time),
      writes: writes,
      inputs: inputs,
      job: JobRecord(
        ImportJob(files: inputs),
        connection: ConnectionSettings(),
        source: nil,
        write: WriteSettings(),
        output: OutputSettings()
      )
    )
  }

  /// Writes the files that a run's process would have left.
  private func leave(
    _ id: String,
    at time: Int = 0,
    in state: String,
    status: String? = nil,
    writes: Bool = true
  )
    throws
  {
    let folder = "\(state)/runs/\(id)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(record(id, at: time, writes: writes).json).write(to: URL(fileURLWithPath: "\(folder)/run.json"))
    try Data().write(to: URL(fileURLWithPath: "\(folder)/operation.log"))
    guard let status else { return }
    let text =
      #"{"status":"\#(status)","exitCode":2,"collections":[{"name":"users","read":3,"written":2,"rejected":1}]}"#
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/summary.json"))
  }

  @Test("A record reads back as written")
  func roundTrip() async throws {
    try await withTemporaryDirectory { folder in
      let file = "\(folder.path)/in.jsonl"
      try Data("x".utf8).write(to: URL(fileURLWithPath: file))
      for record in [record("r", inputs: [file, "-"]), record("s", writes: false)] {
        let read = try JSONParser().parse(record.json) { root throws(WireError) in try RunRecord(root) }
        #expect(read == record)
      }
      #expect(record("r", inputs: [file]).inputs[0].bytes == 1)
    }
  }

  @Test("Input files that differ from those at the start of a run are refused")
  func inputs() async throws {
    try await withTemporaryDirectory { folder in
      let names = ["a", "b"].map { "\(folder.path)/\($0)" }
      for name in names { try Data("12".utf8).write(to: URL(fileURLWithPath: name)) }
      let run = record("r", inputs: names)
      try run.assertInputsUnchanged(names)
      func kind(_ paths: [String]) async -> Failure.Kind? {
        await failure(of: { try run.assertInputsUnchanged(paths) })?.kind
      }
      #expect(await kind(names + ["\(folder.path)/c"]) == .inputMalformed)
      #expect(await kind(names.reversed()) == .inputMalformed)
      #expect(
        await failure(of: { try record("r", inputs: ["-"]).assertInputsUnchanged(["-"]) })?.kind
          == .inputMissing
      )
      // As long as before, and written a little later.
      try Data("21".utf8).write(to: URL(fileURLWithPath: names[1]))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: 60)],
        ofItemAtPath: names[1]
      )
      #expect(await kind(names) == .inputMalformed)
      // As long as before, and with its time of modification.
      try Data("12".utf8).write(to: URL(fileURLWithPath: names[1]))
      let next = record("r", inputs: names)
      let time = try FileManager.default.attributesOfItem(atPath: names[1])[.modificationDate]
      try Data("34".utf8).write(to: URL(fileURLWithPath: names[1]))
      try FileManager.default.setAttributes([.modificationDate: try #require(time)], ofItemAtPath: names[1])
      #expect(await failure(of: { try next.assertInputsUnchanged(names) })?.kind == .inputMalformed)
      try FileManager.default.removeItem(atPath: names[1])
      #expect(await kind(names) == .inputMalformed)
    }
  }

  @Test("A configuration that resolves to another database is refused")
  func places() async throws {
    let run = record("r")
    try run.assertSameEnvironments(target)
    var other = target
    other.endpoint = "http://127.0.0.1:2"
    #expect(await failure(of: { try run.assertSameEnvironments(other) })?.kind == .configuration)
    other = target
    other.database = DatabaseName(project: "test-project", database: "other")
    #expect(await failure(of: { try run.assertSameEnvironments(other) })?.kind == .configuration)
  }

  @Test("A run is found by its ID, by a prefix of it, or as the last one")
  func names() async throws {
    try await withTemporaryDirectory { folder in
      let state = folder.path
      let history = RunHistory(in: state)
      #expect(history.entries().isEmpty)
      #expect(await failure(of: { try history.entry(named: "last") })?.kind == .inputMissing)
      #expect(try history.last()?.record.id == nil)
      try leave("b-1", at: 5, in: state, status: "done")
      try leave("a-12", at: 9, in: state)
      try leave("a-1", at: 7, in: state, status: "interrupted")
      try FileManager.default.createDirectory(
        atPath: "\(state)/runs/no-run",
        withIntermediateDirectories: true
      )
      #expect(history.entries().map(\.record.id) == ["b-1", "a-1", "a-12"])
      #expect(try history.entry(named: "last").record.id == "a-12")
      #expect(try history.last(where: { $0.record.id != "a-12" })?.record.id == "a-1")
      #expect(try history.last(where: { _ in false })?.record.id == nil)
      #expect(try history.entry(named: "b").record.id == "b-1")
      #expect(try history.entry(named: "a-1").record.id == "a-1")
      #expect(await failure(of: { try history.entry(named: "a") })?.kind == .usage)
      #expect(await failure(of: { try history.entry(named: "c") })?.kind == .inputMissing)
    }
  }

  @Test(
    "A damaged run is skipped with a warning, and is an error if it is selected",
    arguments: [
      ("run.json", "{"), ("run.json", #"{"runId":"b-2"}"#), ("summary.json", "nothing"),
      ("verdict.json", "[]"),
      ("summary.json", #"{"collections":[{"name":"a","read":9223372036854775807}]}"#),
      ("summary.json", #"{"exitCode":0,"collections":[{"read":1}]}"#),
    ]
  )
  func damaged(_ name: String, _ text: String) async throws {
    try await withTemporaryDirectory { folder in
      let state = folder.path
      let warnings = Locked<[String]>([])
      let history = RunHistory(in: state) { line in warnings.withLock { $0.append(line) } }
      try leave("a-1", at: 5, in: state, status: "done")
      try leave("b-2", at: 6, in: state, status: "done")
      try leave("c-3", at: 7, in: state, status: "interrupted")
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(state)/runs/b-2/\(name)"))
      #expect(history.entries().map(\.record.id) == ["a-1", "c-3"])
      let warning = try #require(warnings.withLock { $0.first })
      #expect(warning.contains("\(state)/runs/b-2/\(name)"))
      #expect(warning.hasSuffix("Move the folder \(state)/runs/b-2 away."))
      #expect(try history.entry(named: "last").record.id == "c-3")
      #expect(try history.entry(named: "a").record.id == "a-1")
      for named in ["b-2", "b"] {
        let found = await failure(of: { try history.entry(named: named) })
        #expect(found?.kind == .inputMalformed && found?.remedy?.contains("b-2") == true)
      }
      // It may be the last one, and the one before it is not.
      try FileManager.default.removeItem(atPath: "\(state)/runs/c-3")
      #expect(await failure(of: { try history.entry(named: "last") })?.kind == .inputMalformed)
      // Of two runs of the same second, the one whose record was written after the other began is the last.
      try FileManager.default.removeItem(atPath: "\(state)/runs/b-2")
      for run in ["20261121T020000Z-import-aaaa", "20261121T020000Z-fix-bbbb"] {
        try leave(run, at: 8, in: state, status: "done")
      }
      #expect(try history.entry(named: "last").record.id == "20261121T020000Z-import-aaaa")
      try Data(text.utf8)
        .write(to: URL(fileURLWithPath: "\(state)/runs/20261121T020000Z-fix-bbbb/\(name)"))
      #expect(await failure(of: { try history.entry(named: "last") })?.kind == .inputMalformed)
    }
  }

  @Test(
    "A pipe in the place of a file of a run is damage, and nothing waits for what it says",
    arguments: [
      "run.json", "summary.json", "verdict.json", "operation.log", "checkpoint.json", "journal.jsonl",
    ]
  )
  func pipes(_ name: String) async throws {
    try await withTemporaryDirectory { folder in
      let state = folder.path
      try leave("a-1", at: 5, in: state, status: "done")
      let file = "\(state)/runs/a-1/\(name)"
      try? FileManager.default.removeItem(atPath: file)
      try #require(mkfifo(file, 0o600) == 0)
      let isOfEntry = ["run.json", "summary.json", "verdict.json"].contains(name)
      #expect(RunHistory(in: state, warn: { _ in }).entries().isEmpty == isOfEntry)
      if ["checkpoint.json", "journal.jsonl"].contains(name) {
        #expect(
          await failure(of: { try Resumption(of: "a-1", in: "\(state)/runs/a-1") })?.kind == .inputMalformed
        )
      }
      if name == "journal.jsonl" { #expect(JournalReader.hasWrite(file)) }
    }
  }

  @Test("The status of a run is that of its summary, running if locked, killed otherwise")
  func status() async throws {
    try await withTemporaryDirectory { folder in
      let state = folder.path
      let history = RunHistory(in: state)
      for status in ["done", "incomplete", "differences"] {
        try leave(status, in: state, status: status)
        let entry = try history.entry(named: status)
        #expect(entry.status == status)
        #expect(!entry.isResumable)
        #expect(entry.ending?.totals.written == 2)
        #expect(entry.ending?.exitCode == 2)
      }
      for status in ["failed", "interrupted"] {
        try leave(status, in: state, status: status)
        #expect(try history.entry(named: status).isResumable)
      }
      try leave("x", in: state)
      #expect(try history.entry(named: "x").status == "killed")
      #expect(try history.entry(named: "x").isResumable)
      try leave("y", in: state, writes: false)
      #expect(try !history.entry(named: "y").isResumable)

      // As a resume locks it: the lock belongs to the open file, so this process's lock works too.
      try leave("z", in: state, status: "interrupted")
      do {
        let run = try RunDirectory(resuming: record("z"), in: state)
        #expect(try history.entry(named: "z").status == "running")
        #expect(try !history.entry(named: "z").isResumable)
        #expect(await failure(of: { try RunDirectory(resuming: record("z"), in: state) })?.kind == .tryLater)
        withExtendedLifetime(run) {}
      }
      // It ended the second time without a summary. A process started by another test holds the lock briefly.
      for _ in 0..<500 where try history.entry(named: "z").isRunning {
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(try history.entry(named: "z").status == "killed")
    }
  }

  @Test(
    "A journal that is shorter than its summary, its checkpoint or another record says is refused; one without is not."
  )
  func wholeJournals() async throws {
    try await withTemporaryDirectory { folder in
      let run = "\(folder.path)/runs/r"
      let history = RunHistory(in: folder.path)
      try leave("r", in: folder.path, status: "done")
      func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(run)/\(name)"))
      }
      func isWhole(atLeast bytes: Int = 0) -> Bool {
        (try? history.assertWholeJournal(record("r"), atLeast: bytes)) != nil
      }
      // A summary of a version that did not record the length, and a run that has no journal.
      #expect(isWhole())
      try write("{}\n{}\n", to: "journal.jsonl")
      #expect(isWhole() && isWhole(atLeast: 6) && !isWhole(atLeast: 7))
      try write(#"{"collections":[],"journal":6,"lists":{},"stage":0,"tail":[]}"#, to: "checkpoint.json")
      #expect(isWhole())
      try write("{}\n", to: "journal.jsonl")
      #expect(!isWhole())
      // A damaged checkpoint says nothing.
      try write(#"{"stage":0,"jour"#, to: "checkpoint.json")
      #expect(isWhole())
      let summary = #"{"status":"done","exitCode":0,"collections":[],"journalBytes":"#
      for (bytes, expected) in [(2, true), (3, true), (4, false)] {
        try write("\(summary)\(bytes)}", to: "summary.json")
        #expect(isWhole() == expected, "\(bytes)")
      }
      try FileManager.default.removeItem(atPath: "\(run)/journal.jsonl")
      #expect(!isWhole())
      #expect(throws: Failure.self) { try Resumption(of: "r", in: run) }
    }
  }
}
