import FirestoreModels
import Foundation
import Runs
import TestSupport
import Testing

@testable import MigrationEngine

@Suite("findings.csv and findings.jsonl") struct FindingListsTests {
  private func written(_ findings: [Finding]) async throws -> (csv: String, jsonl: String) {
    try await withTemporaryDirectory { folder in
      let run = try RunDirectory(in: folder.path, command: "migrate")
      let lists = FindingLists(run)
      for finding in findings { try lists.add([finding], of: "m", document: nil) }
      func text(_ name: String) throws -> String {
        let data = try Data(contentsOf: URL(fileURLWithPath: run.file(name)))
        return String(decoding: data, as: UTF8.self)
      }
      return (try text("findings.csv"), try text("findings.jsonl"))
    }
  }

  @Test("Every kind is a line; a value is text or REST JSON, and there only where something is found.")
  func format() async throws {
    let path = try #require(DocumentPath("users/u"))
    let (csv, jsonl) = try await written([
      Finding(.note, path: path, code: "a", field: "role", found: .string("=1,\"x\"\ny"), message: "A."),
      Finding(.review, path: path, code: "b", field: "role", found: .null, message: "B."),
      Finding(.reject, path: path, code: "c", field: "`a.b`", found: .map(["x": .integer(7)]), message: "C."),
      Finding(.reject, path: path, code: "d", message: "D."),
      Finding(.note, path: path, code: "e", field: "name", found: .string(""), message: "E."),
    ])
    #expect(
      csv == "\u{FEFF}" + """
        "document","migration","code","field","value","message"\r
        "users/u","m","a","role","'=1,""x""\ny","A."\r
        "users/u","m","b","role","{""nullValue"":null}","B."\r
        "users/u","m","c","`a.b`","{""mapValue"":{""fields"":{""x"":{""integerValue"":""7""}}}}","C."\r
        "users/u","m","d","","","D."\r
        "users/u","m","e","name","","E."\r\n
        """
    )
    #expect(
      jsonl == #"""
        {"code":"a","document":"users/u","field":"role","message":"A.","migration":"m","value":{"stringValue":"=1,\"x\"\ny"}}
        {"code":"b","document":"users/u","field":"role","message":"B.","migration":"m","value":{"nullValue":null}}
        {"code":"c","document":"users/u","field":"`a.b`","message":"C.","migration":"m","value":{"mapValue":{"fields":{"x":{"integerValue":"7"}}}}}
        {"code":"d","document":"users/u","message":"D.","migration":"m"}
        {"code":"e","document":"users/u","field":"name","message":"E.","migration":"m","value":{"stringValue":""}}

        """#
    )
  }

  @Test("A rejected document that is not there is none that can be imported; one without fields is.")
  func absent() async throws {
    try await withTemporaryDirectory { folder in
      let run = try RunDirectory(in: folder.path, command: "migrate")
      let lists = FindingLists(run)
      for (id, time) in [("absent", nil), ("empty", Timestamp(microseconds: 1))] as [(String, Timestamp?)] {
        let path = try #require(DocumentPath("users/\(id)"))
        let finding = Finding(.reject, path: path, code: "c", message: "M.")
        let document = RawDocument(path: path, fields: FieldMap(), updateTime: time)
        try lists.add([finding], of: "m", document: document)
      }
      let text = try String(contentsOfFile: run.file("rejects.jsonl"), encoding: .utf8)
      #expect(text.split(separator: "\n").map { $0.contains("\"document\"") } == [false, true])
    }
  }

  @Test("The findings of the writes of one document are kept with the write that they belong to.")
  func pending() throws {
    let path = try #require(DocumentPath("users/u"))
    func finding(_ kind: Finding.Kind, _ code: String, _ field: String? = nil) -> Finding {
      Finding(kind, path: path, code: code, field: field, message: "M.")
    }
    let pending = PendingFindings()
    let change = Change(path: path, before: nil, after: FieldMap())
    pending.add(
      Outcome(.change(change), findings: [finding(.note, "a", "x")], migration: "first"),
      with: change
    )
    pending.add(Outcome(.change(change), migration: "second"), with: change)
    let same = pending.add([finding(.note, "a", "x")], to: path)
    #expect(same.isEmpty)
    let more = pending.add([finding(.note, "a", "y"), finding(.review, "b")], to: path)
    #expect(more.map(\.code) == ["a", "b"])
    let first = pending.take(path)
    #expect(first.migration == "first" && first.findings.map(\.code) == ["a", "a", "b"])
    #expect(pending[path].migration == "second" && pending[path].findings.isEmpty)
    #expect(pending.take(path).migration == "second")
    #expect(pending.take(path).migration == nil)
  }
}
