import FirestoreModels
import Foundation
import Logging
import Platform
import TestSupport
import Testing

@testable import Files
@testable import Runs

@Suite("What is printed for people") struct TerminalTextTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var text: String
    var shown: String
    var testDescription: String { shown }
  }

  static let cases = [
    Case(text: "users/u1 José 😀 👩‍👩‍👧", shown: "users/u1 José 😀 👩‍👩‍👧"),
    Case(text: "\u{1B}]0;title\u{7}", shown: #"\u{1B}]0;title\u{7}"#),
    Case(text: "a\u{1B}[2Jb", shown: #"a\u{1B}[2Jb"#), Case(text: "a\r\nb\tc", shown: #"a\u{D}\u{A}b\u{9}c"#),
    Case(text: "\u{0}\u{1F}\u{7F}", shown: #"\u{0}\u{1F}\u{7F}"#),
    Case(text: "\u{80}\u{9B}31m\u{9F}\u{A0}", shown: #"\u{80}\u{9B}31m\u{9F}"# + "\u{A0}"),
    Case(text: "\u{61C}\u{200E}\u{200F}", shown: #"\u{61C}\u{200E}\u{200F}"#),
    Case(
      text: "\u{2028}\u{2029}\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}",
      shown: #"\u{2028}\u{2029}\u{202A}\u{202B}\u{202C}\u{202D}\u{202E}"#
    ),
    Case(
      text: "\u{2066}\u{2067}\u{2068}\u{2069}\u{206A}",
      shown: #"\u{2066}\u{2067}\u{2068}\u{2069}"# + "\u{206A}"
    ),
  ]

  @Test("What steers a terminal is shown as an escape; other text is as it was.", arguments: cases)
  func escapes(_ given: Case) {
    #expect(TerminalText(given.text).description == given.shown)
    #expect(("<\(given.text)>\t\n" as TerminalText).description == "<\(given.shown)>\t\n")
  }

  @Test("Texts that are clean stay so, in one another and joined.")
  func composition() {
    let line: TerminalText = "\("a\n")\t\(1)\n"
    #expect(line.description == "a\\u{A}\t1\n")
    #expect(("\(line)\(line)" as TerminalText).description == line.description + line.description)
    #expect([line, line].joined(separator: "\n").description == line.description + "\n" + line.description)
    #expect(TerminalText(lines: "a\tb\nc\u{1B}\n").description == "a\\u{9}b\nc\\u{1B}\n")
  }

  @Test("JSON with escapes means what it meant, and steers nothing.", arguments: cases)
  func json(_ given: Case) throws {
    var json = JSONWriter()
    json.object {
      $0.key(given.text)
      $0.string(given.text)
    }
    let escaped = TerminalText.escaped(json: json.bytes)
    #expect(!String(decoding: escaped, as: UTF8.self).unicodeScalars.contains(where: TerminalText.steers))
    let object = try JSONSerialization.jsonObject(with: Data(escaped)) as? [String: String]
    #expect(object == [given.text: given.text])
  }

  /// What `body` writes to a terminal.
  private func written(_ body: (Terminal) -> Void) throws -> String {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    body(Terminal(descriptor: ends[1]))
    close(ends[1])
    let text = try FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readToEnd()
    return String(decoding: text ?? Data(), as: UTF8.self)
  }

  @Test("As JSON, a line is an object, and its label is the level.")
  func jsonLines() throws {
    let text = try written { terminal in
      terminal.setFormat(.json)
      terminal.line("warning: a\nb")
      terminal.line("error")
      terminal.lines("error: c")
    }
    let objects = try text.split(separator: "\n").map { line in
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String] ?? [:]
    }
    #expect(objects.map { $0["level"] } == ["warning", "notice", "error"])
    #expect(objects.map { $0["message"] } == ["a\nb", "error", "c"])
  }

  @Test("A line stays one line; a log line, too, also in the file of a run.", arguments: cases)
  func oneLine(_ given: Case) async throws {
    #expect(try written { $0.line(given.text) } == given.shown + "\n")
    func log(_ handler: some LogHandler) {
      var handler = handler
      handler.logLevel = .trace
      Logger(label: "test") { _ in handler }.notice("\(given.text)", metadata: ["key": "\(given.text)"])
    }
    #expect(
      try written { log(LineLogHandler(format: .text, level: .info, terminal: $0)) }
        == "\(given.shown) key=\(given.shown)\n"
    )
    let json = try written { log(LineLogHandler(format: .json, level: .info, terminal: $0)) }
    #expect(!json.dropLast().unicodeScalars.contains(where: TerminalText.steers))
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
    #expect(object?["message"] == given.text && object?["key"] == given.text)
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("operation.log").path
      log(LineLogHandler(try AppendOnlyFile(path)))
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.hasSuffix(" notice \(given.shown) key=\(given.shown)\n"))
    }
  }
}
