import FirestoreModels
import FirestoreREST
import Foundation
import TestSupport
import Testing
import TypedDocuments

@testable import Files
@testable import Runs

/// Journals as a full disk leaves them.
@Suite("Torn journals")
struct TornJournalTests {
  private let texts = ["plain", #"{"path":"users/x","result":"written"}"#, #"\"}{\\"#, "ñ\u{0}\n", "}}}", ""]

  /// The lines of a journal of creations with their results, as bytes and as parsed lines.
  private func journal(in folder: String) async throws -> (lines: [[UInt8]], told: [JournalReader.Line]) {
    let path = "\(folder)/journal.jsonl"
    let journal = try Journal(path, database: testDatabase, run: "r", serverTime: moment(100))
    for (number, text) in texts.enumerated() {
      let name = document("c/\(number)")
      let before = RawDocument(
        path: name,
        fields: ["t": .string("old \(text)")],
        createTime: moment(1),
        updateTime: moment(2)
      )
      try await journal.record([
        Change(path: name, before: number % 2 == 0 ? nil : before, after: ["t": .string(text), text: .null])
      ])
      if number % 3 > 0 { try journal.settle(name, .written(updateTime: moment(200 + number))) }
    }
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) + [0x0A] }
    lines.removeLast()
    return (lines, try read(path).lines)
  }

  private func document(_ name: String) -> DocumentPath { path(name) }

  private func read(_ path: String) throws(Failure) -> (lines: [JournalReader.Line], torn: Int?) {
    var reader = try JournalReader(path)
    var lines: [JournalReader.Line] = []
    while let line = try reader.next() { lines.append(line) }
    return (lines, reader.tornLine)
  }

  private func put(_ lines: some Sequence<[UInt8]>, _ folder: String) throws {
    let bytes = lines.flatMap { $0 }
    try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/journal.jsonl"))
  }

  @Test("A result that no run writes is damage, not a write that was not made.")
  func unknownResults() async throws {
    try await withTemporaryDirectory { folder in
      let folder = folder.path
      let (lines, _) = try await journal(in: folder)
      let written = try #require(
        lines.firstIndex { String(decoding: $0, as: UTF8.self).contains(#""result":"written","#) }
      )
      for (old, new) in [
        (#""written""#, #""wwritten""#), (#""written""#, #""""#), ("Z\"}", "\"}"),
        (#""updateTime":""#, #""updateTime":"x"#),
      ] {
        var damaged = lines
        damaged[written] = Array(
          String(decoding: lines[written], as: UTF8.self).replacing(old, with: new).utf8
        )
        try put(damaged, folder)
        #expect(throws: Failure.self, "\(new)") { try read("\(folder)/journal.jsonl") }
      }
    }
  }

  @Test(
    "A line torn at any byte is skipped if the next one follows directly, and is damage on a line of its own."
  )
  func anywhere() async throws {
    try await withTemporaryDirectory { folder in
      let folder = folder.path
      let (lines, told) = try await journal(in: folder)
      for index in 1..<lines.count {
        for cut in 1..<lines[index].count {
          for end in [[], [0x0A]] as [[UInt8]] {
            var torn = lines
            // The entire line: nothing is torn.
            torn[index] = Array(lines[index][..<cut]) + end
            if torn[index] == lines[index] { continue }
            try put(torn, folder)
            if !end.isEmpty {
              let found = await failure(of: { _ = try Resumption(of: "r", in: folder) })
              #expect(found?.kind == .inputMalformed, "line \(index + 1) at \(cut)")
              continue
            }
            let found = try read("\(folder)/journal.jsonl")
            let expected = Array(told[..<index] + told[(index + 1)...])
            try #require(found.lines == expected, "line \(index + 1) at \(cut), \(end)")
            #expect(found.torn == index + 1)
            let resumption = try Resumption(of: "r", in: folder)
            #expect(resumption.tornLine == index + 1)
            let isCut = index == lines.count - 1
            #expect(resumption.length == torn.joined().count - (isCut ? cut : 0))
          }
        }
      }
    }
  }

  @Test("A change behind a torn line is found by its offset.")
  func place() async throws {
    try await withTemporaryDirectory { folder in
      let folder = folder.path
      var (lines, told) = try await journal(in: folder)
      let index = try #require(
        told.indices.dropFirst(2).first {
          if case .change(let it, _) = told[$0] { it.before != nil } else { false }
        }
      )
      lines[index - 1] = Array(lines[index - 1].prefix(30))
      try put(lines, folder)
      let journal = try Journal("\(folder)/journal.jsonl", resuming: Resumption(of: "r", in: folder))
      guard case .change(let change, _) = told[index] else { return }
      let current = RawDocument(
        path: change.path,
        fields: try #require(change.after),
        createTime: moment(1),
        updateTime: moment(300)
      )
      let own = try #require(try journal.takeOwnUpdate(of: current))
      #expect(own.before == change.before)
    }
  }

  @Test("Two torn lines, a torn first line, and lines that are damaged otherwise are errors.")
  func damaged() async throws {
    try await withTemporaryDirectory { folder in
      let folder = folder.path
      let (lines, _) = try await journal(in: folder)
      func kind(_ change: (inout [[UInt8]]) -> Void) async throws -> Failure.Kind? {
        var changed = lines
        change(&changed)
        try put(changed, folder)
        return await failure(of: { _ = try Resumption(of: "r", in: folder) })?.kind
      }
      let cases: [(inout [[UInt8]]) -> Void] = [
        {
          $0[2].removeLast(9); $0[5].removeLast(9)
        },
        { $0[0].removeLast(9) },
        { $0[0].removeFirst(9) },
        { $0[3].removeFirst(9) },
        { $0[3] = Array("nothing\n".utf8) },
        { $0[3] = Array("{\"path\":}\n".utf8) },
        { $0[3] = Array("{\"path\":\"c/a\",\"result\":\"written\"}}\n".utf8) },
        { $0[3] = Array("{}{\"pat\":\"c/a\"}\n".utf8) },
        { $0[3] = [0, 0, 0, 0x0A] },
      ]
      for (number, change) in cases.enumerated() {
        #expect(try await kind(change) == .inputMalformed, "case \(number)")
      }
      #expect(try await kind { _ in } == nil)
    }
  }

  @Test("A list that is shorter than in the checkpoint is an error, and is not extended.")
  func lists() async throws {
    try await withTemporaryDirectory { folder in
      let folder = folder.path
      _ = try await journal(in: folder)
      var checkpoint = Checkpoint(at: Checkpoint.State())
      checkpoint.lists = ["rejects.jsonl": 10, "review.csv": 0]
      try JSONFile.write(checkpoint.json, to: "\(folder)/checkpoint.json")
      let list = URL(fileURLWithPath: "\(folder)/rejects.jsonl")
      for (text, isSound) in [("123456789", false), ("1234567890", true), ("1234567890 and more", true)] {
        try Data(text.utf8).write(to: list)
        let found = await failure(of: { _ = try Resumption(of: "r", in: folder) })
        #expect((found == nil) == isSound)
      }
      try FileManager.default.removeItem(at: list)
      #expect(await failure(of: { _ = try Resumption(of: "r", in: folder) })?.kind == .inputMalformed)
    }
  }

  @Test("A file accepts no lines after a failed one.")
  func latch() async throws {
    let file = try AppendOnlyFile("/dev/full")
    #expect(file.failure == nil)
    for _ in 0..<2 {
      let found = await failure(of: { try file.append([0x0A]) })
      #expect(found?.kind == .cannotWrite && found?.path == "/dev/full" && found == file.failure)
    }
  }

  @Test("An output file with a failed write is not completed.")
  func output() async throws {
    var file = try OutputFile("/dev/full")
    var failures = 0
    for _ in 0..<2 {
      do throws(Failure) {
        try file.write([UInt8](repeating: 0x20, count: 1 << 17))
      } catch {
        failures += 1
      }
    }
    #expect(failures == 2)
    do throws(Failure) {
      _ = try file.finish()
      Issue.record("it was completed")
    } catch {
      #expect(error.kind == .cannotWrite)
    }
  }
}
