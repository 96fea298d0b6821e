import Files
import FirestoreModels
import Foundation
import Testing

@testable import Tables
@testable import Transfer

private func read(
  _ path: String,
  maximumLineBytes: Int = JSONLinesReader.defaultMaximumLineBytes
) throws -> (documents: [RawDocument], failures: [String]) {
  var reader = try JSONLinesReader(path, maximumLineBytes: maximumLineBytes)
  var documents: [RawDocument] = []
  var failures: [String] = []
  while let line = try reader.next() {
    switch line.document {
    case .success(let document): documents.append(document)
    case .failure(let failure):
      #expect(failure.kind == .inputMalformed)
      #expect(failure.path == path)
      failures.append(failure.cause)
    }
  }
  return (documents, failures)
}

private func documentPath(_ text: String) throws -> DocumentPath { try #require(DocumentPath(text)) }

@Suite struct JSONLinesTests {
  @Test func aLineIsTheServicesOwnEncoding() throws {
    let folder = try ScratchFolder()
    let writer = try JSONLinesWriter(folder.file("out.jsonl"), digest: true)
    try writer.append(contentsOf: [
      RawDocument(
        path: try documentPath("users/u1"),
        fields: ["b": .integer(7), "a": .string("x\n\"y\"")],
        createTime: Timestamp(seconds: 1),
        updateTime: Timestamp(seconds: 2)
      ),
      RawDocument(path: try documentPath("groups/g1/members/m1"), fields: [:]),
    ])
    try writer.finish()
    let expected =
      #"{"fields":{"a":{"stringValue":"x\n\"y\""},"b":{"integerValue":"7"}},"name":"users/u1"}"# + "\n"
      + #"{"name":"groups/g1/members/m1"}"# + "\n"
    #expect(String(decoding: try contents(folder.file("out.jsonl")), as: UTF8.self) == expected)
    #expect(writer.receipt?.bytes == expected.utf8.count)
    #expect(writer.receipt?.sha256?.count == 64)
  }

  @Test(arguments: ["out.jsonl", "out.jsonl.gz"], [1, 2] as [UInt64])
  func nothingIsLostOnTheWayBack(name: String, seed: UInt64) throws {
    var trouble = FaultInjector(seed: seed)
    var documents: [RawDocument] = []
    for number in 0..<300 {
      documents.append(RawDocument(path: try documentPath("c/d\(number)"), fields: trouble.fields()))
    }
    // One line that is longer than the reader's piece.
    documents[100].fields["long"] = .string(String(repeating: "ñ", count: 1 << 20))
    let folder = try ScratchFolder()
    let writer = try JSONLinesWriter(folder.file(name))
    try writer.append(contentsOf: documents)
    try writer.finish()
    let back = try read(folder.file(name))
    #expect(back.failures == [])
    #expect(back.documents == documents, "seed \(seed)")
  }

  @Test func linesAreReadLiberallyAndMembersStrictly() throws {
    let folder = try ScratchFolder()
    let text =
      "\u{FEFF}{\"name\":\"users/u1\",\"createTime\":\"2026-01-01T00:00:00Z\"}\r\n" + "\r\n  \t\n"
      + "{\"name\":\"projects/p/databases/(default)/documents/users/u2\",\"fields\":{}}\n"
      + "{\"name\":\"users/u3\",\"field\":{}}\n" + "nonsense\n" + "{\"name\":\"users\"}\n"
      + "{\"name\":\"users/u4\",\"fields\":{\"a\":{\"stringValue\":\"x\",\"integerValue\":\"1\"}}}\n"
      + "[\n" + "{\"name\":\"users/u5\"}"
    let file = try folder.write(text.utf8, to: "in.jsonl")
    let (documents, failures) = try read(file)
    #expect(documents.map(\.path.string) == ["users/u1", "users/u2", "users/u5"])
    #expect(documents.allSatisfy { $0.createTime == nil && $0.updateTime == nil })
    #expect(failures.map { $0.prefix(8) } == ["line 5: ", "line 6: ", "line 7: ", "line 8: ", "line 9: "])
    #expect(failures.first == "line 5: a document has no member 'field'")
  }

  /// 5e-324 is the smallest double; from 2^53 on, only every second whole number is one, and a number with an exponent is
  /// rounded on purpose.
  ///
  /// The last lines look like such numbers, and hold none.
  @Test func aNumberThatNoDoubleHoldsIsRefused() throws {
    let folder = try ScratchFolder()
    let zeros = String(repeating: "0", count: 400)
    let rounded = ["9007199254740993.0", "-9007199254740993.5", "9223372036854775807.0"]
    let lost = ["1e-400", "-1E-324", "0.\(zeros)1", "12.5e-0400", "1e400", "0.\(zeros)7e-2"] + rounded
    let kept = [
      ("0e-400", 0), ("5e-324", .leastNonzeroMagnitude), ("0.\(zeros)", 0), ("1\(zeros)e-400", 1),
      ("2.5e-300", 2.5e-300), ("9007199254740992.0", 9_007_199_254_740_992),
      ("9007199254740993e0", 9_007_199_254_740_992), ("1152921504606847000.0", 1_152_921_504_606_846_976),
    ]
    func line(_ number: String) -> String {
      #"{"name":"a/b","fields":{"s":{"stringValue":"[1e-400] \" 1e-400"},"x":{"doubleValue":\#(number)}}}"#
    }
    let numbers = lost + kept.map(\.0)
    _ = try folder.write(Array(numbers.map { line($0) + "\n" }.joined().utf8), to: "in.jsonl")
    let found = try read(folder.file("in.jsonl"))
    #expect(found.failures.count == lost.count)
    #expect(found.documents.map { $0.fields["x"] } == kept.map { .double($0.1) })
  }

  @Test func aLineOverTheLimitIsOneBadLine() throws {
    let folder = try ScratchFolder()
    let long = "{\"name\":\"a/\(String(repeating: "x", count: 3 << 20))\"}"
    let file = try folder.write("{\"name\":\"a/b\"}\n\(long)\n{\"name\":\"a/c\"}\n".utf8, to: "in.jsonl")
    let (documents, failures) = try read(file, maximumLineBytes: 1000)
    #expect(documents.map(\.path.string) == ["a/b", "a/c"])
    #expect(failures == ["line 2: it is longer than 1000 bytes"])
    #expect(try read(file).documents.count == 3)
  }

  @Test func missingFilesAreMissing() throws {
    let folder = try ScratchFolder()
    for path in [folder.file("none.jsonl"), folder.path] {
      do {
        _ = try read(path)
        Issue.record("\(path) was read")
      } catch let failure as Failure {
        #expect(failure.kind == .inputMissing)
        #expect(failure.path == path)
      }
    }
    let empty = try folder.write([], to: "empty.jsonl")
    #expect(try read(empty).documents.isEmpty)
  }

  @Test func gzipOfSeveralMembersIsReadAndATruncatedOneRefused() throws {
    guard Judge.hasPython else { return }
    let folder = try ScratchFolder()
    _ = try Judge.run([
      "-c",
      """
      import gzip, sys
      line = lambda n: ('{"name":"a/%d"}\\n' % n).encode()
      members = [gzip.compress(line(n) * 50000) for n in range(3)]
      open(sys.argv[1] + '/whole.gz', 'wb').write(b''.join(members) + bytes(100))
      open(sys.argv[1] + '/cut.gz', 'wb').write((members[0] + members[1])[:-20])
      open(sys.argv[1] + '/none.gz', 'wb').close()
      open(sys.argv[1] + '/bad.gz', 'wb').write(members[0][:-6] + b'xxxxxx')
      """, folder.path,
    ])
    let (documents, failures) = try read(folder.file("whole.gz"))
    #expect(failures == [])
    #expect(documents.count == 150_000)
    #expect(documents.last?.path.string == "a/2")
    for (name, cause) in [("cut.gz", "ends early"), ("none.gz", "ends early"), ("bad.gz", "not valid gzip")] {
      let failure = #expect(throws: Failure.self) { try read(folder.file(name)) }
      #expect(failure?.kind == .inputMalformed)
      #expect(failure?.cause.contains(cause) == true)
    }
  }

  @Test func aManifestIsReadBack() throws {
    let folder = try ScratchFolder()
    #expect(try Manifest.read(from: folder.path) == nil)
    let manifest = Manifest(
      toolVersion: "1.0",
      environment: "prod",
      database: DatabaseName(project: "p", database: "prod"),
      readTime: Timestamp("2026-01-01T00:00:00Z"),
      files: [.init(file: "users.jsonl", collection: "users", documents: 2, bytes: 99, sha256: "ab")]
    )
    try manifest.write(to: folder.path)
    #expect(
      String(decoding: try contents(folder.file("manifest.json")), as: UTF8.self)
        == #"{"toolVersion":"1.0","environment":"prod","database":"projects/p/databases/prod","#
        + #""readTime":"2026-01-01T00:00:00Z","files":[{"file":"users.jsonl","collection":"users","#
        + #""documents":2,"bytes":99,"sha256":"ab"}]}"# + "\n"
    )
    #expect(try Manifest.read(from: folder.path) == manifest)
    for text in ["[]", "{", #"{"toolVersion":"1","environment":"e","database":"x","files":[]}"#] {
      _ = try folder.write(text.utf8, to: "manifest.json")
      let failure = #expect(throws: Failure.self) { try Manifest.read(from: folder.path) }
      #expect(failure?.kind == .inputMalformed)
    }
  }
}
