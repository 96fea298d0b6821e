import Files
import FirestoreModels
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import GymMigrations
@testable import Integrity

@Suite struct FindingOutputTests {
  private func findings() throws -> [IntegrityFinding] {
    [
      IntegrityFinding(
        .foreignKeyDangling,
        try #require(DocumentPath("payments/y1")),
        field: "memberId",
        value: .string("=1+1,\"x\"\ny"),
        "A sentence."
      ),
      IntegrityFinding(.groupMissing, try #require(DocumentPath("groups/g\u{1B}9")), "Another."),
      IntegrityFinding(
        .wrongType,
        try #require(DocumentPath("users/u1")),
        field: "role",
        value: .integer(7),
        "A third."
      ),
    ]
  }

  private let encoded = [
    #"{"rule":"foreign-key-dangling","path":"payments/y1","field":"memberId","value":{"stringValue":"=1+1,\"x\"\ny"},"message":"A sentence."}"#,
    #"{"rule":"group-missing","path":"groups/g\u001b9","message":"Another."}"#,
    #"{"rule":"wrong-type","path":"users/u1","field":"role","value":{"integerValue":"7"},"message":"A third."}"#,
  ]

  private func written(_ name: String, _ findings: [IntegrityFinding]) async throws -> String {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent(name).path
      let file = try FindingFile(path, try #require(FindingFile.Format(fileName: name)))
      for finding in findings { try file.append(finding) }
      #expect(!FileManager.default.fileExists(atPath: path), "half a file is there")
      try file.finish()
      return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }
  }

  @Test func linesOfJSON() async throws {
    #expect(try await written("f.jsonl", findings()) == encoded.map { $0 + "\n" }.joined())
    #expect(try await written("f.jsonl", []) == "")
  }

  @Test func arrayOfJSON() async throws {
    #expect(try await written("f.json", findings()) == "[\n" + encoded.joined(separator: ",\n") + "\n]\n")
    let none = try await written("f.json", [])
    #expect(try JSONSerialization.jsonObject(with: Data(none.utf8)) as? [String] == [])
  }

  @Test("CSV is for spreadsheets: a byte order mark, every cell quoted, no formula.")
  func spreadsheet() async throws {
    #expect(
      try await written("f.csv", findings())
        == "\u{FEFF}" + """
          "rule","path","field","value","message"\r
          "foreign-key-dangling","payments/y1","memberId","'=1+1,""x""\ny","A sentence."\r
          "group-missing","groups/g\u{1B}9","","","Another."\r
          "wrong-type","users/u1","role","{""integerValue"":""7""}","A third."\r\n
          """
    )
  }

  @Test(arguments: [("f.csv", "csv"), ("f.jsonl.gz", "jsonl"), ("a.b.json", "json")])
  func formats(_ name: String, _ format: String) {
    #expect(FindingFile.Format(fileName: name)?.rawValue == format)
  }

  @Test(arguments: ["f", "f.txt", "csv", "-", "f.xlsx", "f.csv.zip"])
  func otherNames(_ name: String) {
    #expect(FindingFile.Format(fileName: name) == nil)
  }

  @Test(
    "The stream is one object, whatever it holds, and is written as the findings come.",
    arguments: [0, 1, 2000]
  )
  func stream(_ count: Int) throws {
    let out = Mutex<[[UInt8]]>([])
    var stream = FindingStream { bytes in out.withLock { $0.append(bytes) } }
    var report = IntegrityReport(rules: [.groupMissing, .wrongType])
    let path = try #require(DocumentPath("groups/g1"))
    for _ in 0..<count {
      let finding = IntegrityFinding(
        .groupMissing,
        path,
        String(repeating: "x", count: 80) + "."
      )
      report.add(finding)
      try stream.append(finding)
    }
    try stream.end(report, summary: Array("{\"command\":\"check\",\"exitCode\":1}\n".utf8))
    let chunks = out.withLock { $0 }
    #expect(chunks.allSatisfy { $0.count < 40 << 10 })
    #expect(count < 2000 || chunks.count > 3)
    let data = Data(chunks.joined())
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect((object["findings"] as? [[String: Any]])?.count == count)
    #expect(object["rules"] as? [String: Int] == ["group-missing": count, "wrong-type": 0])
    #expect(object["command"] as? String == "check")
    #expect(object["exitCode"] as? Int == 1)
    #expect(data.last == UInt8(ascii: "\n"))
  }

  @Test("The table has a line a rule, a few documents, and nothing that steers a terminal.")
  func table() throws {
    var report = IntegrityReport(rules: [.idMissing, .wrongType, .groupMissing], examples: 2)
    for finding in try findings().dropFirst() { report.add(finding) }
    for number in 1...3 {
      report.add(IntegrityFinding(.wrongType, try #require(DocumentPath("users/u\(number)")), "A sentence."))
    }
    #expect(
      report.table == """
        FINDINGS  RULE           DOCUMENTS
               0  id-missing
               4  wrong-type     users/u1, users/u2, …
               1  group-missing  groups/g\\u{1B}9

        """
    )
    #expect(report.count == 5)
  }

  @Test("Several findings of the documents that are shown are no more documents.")
  func allShown() throws {
    var report = IntegrityReport(rules: [.wrongType], examples: 2)
    for user in ["u1", "u1", "u2", "u2"] {
      report.add(IntegrityFinding(.wrongType, try #require(DocumentPath("users/\(user)")), "A sentence."))
    }
    #expect(report.table.description.hasSuffix("4  wrong-type  users/u1, users/u2\n"), "\(report.table)")
  }
}
