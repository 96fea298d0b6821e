import Foundation

/// One step of a page: a file that it shows, or a command with what it says of its end.
enum Step: Sendable, Equatable {
  /// A block of a language and a file's name (```` ```json corrected.jsonl ````).
  case file(name: String, text: String)
  case command(DocumentedCommand)
}

/// A command in a block of `sh`, to be run.
struct DocumentedCommand: Sendable, Equatable {
  /// The number of its line in the page.
  var number: Int
  /// What is handed to the shell.
  var text: String
  /// The exit code that is promised: 0, or what a comment at the end says (`# exit 2`).
  var exitCode: Int32
  /// Lines of output that are shown below a `$` command; `…` stands for anything.
  var output: [String]

  /// A line of a block that is no command of a known form.
  struct Unknown: Error, CustomStringConvertible {
    var number: Int
    var text: String
    var description: String { "line \(number): a command of an unknown form: \(text)" }
  }

  /// What may stand first in a command beside gymmigrate: tools that every system has, to look at files.
  static let tools: Set<String> = ["cat", "cp", "cut", "grep", "head", "ls", "sort", "tail", "wc"]

  /// The commands of a block.
  ///
  /// - Throws: ``Unknown``.
  static func all(in block: Page.Block) throws -> [DocumentedCommand] {
    let isSession = block.lines.contains { $0.hasPrefix("$ ") }
    var commands: [DocumentedCommand] = []
    var pending: (number: Int, text: String)?
    for (index, line) in block.lines.enumerated() {
      let number = block.number + index
      var text = line
      if let (_, before) = pending {
        text = before + " " + line.trimmingCharacters(in: .whitespaces)
      } else if isSession {
        guard line.hasPrefix("$ ") else {
          if commands.isEmpty { throw Unknown(number: number, text: line) }
          if !line.isEmpty { commands[commands.count - 1].output.append(line) }
          continue
        }
        text = String(line.dropFirst(2))
      }
      let start = pending?.number ?? number
      pending = nil
      if text.hasSuffix("\\") {
        pending = (start, text.dropLast().trimmingCharacters(in: .whitespaces))
        continue
      }
      if text.trimmingCharacters(in: .whitespaces).isEmpty || text.hasPrefix("#") { continue }
      commands.append(try DocumentedCommand(text, number: start))
    }
    if let pending { throw Unknown(number: pending.number, text: pending.text) }
    return commands
  }

  /// Reads one command.
  ///
  /// - Throws: ``Unknown``.
  init(_ line: String, number: Int) throws {
    var text = line
    var exitCode: Int32 = 0
    if let comment = line.firstRange(of: " #") {
      text = String(line[..<comment.lowerBound])
      if let promise = line[comment.lowerBound...].wholeMatch(of: /\ #\ exit\ (\d+)\s*/) {
        exitCode = Int32(promise.output.1) ?? 0
      }
    }
    text = text.trimmingCharacters(in: .whitespaces)
    for part in text.split(separator: "|") {
      let words = part.split(separator: " ").drop { $0.wholeMatch(of: /[A-Z_]+=\S*/) != nil }
      guard let first = words.first, first == "gymmigrate" || Self.tools.contains(String(first)) else {
        throw Unknown(number: number, text: line)
      }
    }
    self.number = number
    self.text = text
    self.exitCode = exitCode
    output = []
  }

  /// Whether it runs gymmigrate, and not only looks at what it left.
  var isOurs: Bool { text.contains(/(^|[\s|])gymmigrate\s/) }

  /// The environments that it names.
  var environments: [String] {
    text.matches(of: /(?:\s-e\s+|\s--env[\s=]\s*|\s--from\s+|\s--to\s+)([A-Za-z]+)/).map {
      String($0.output.1)
    }
  }

  /// The first line of the shown output that was not printed, nil where all were.
  func missingLine(in printed: String) -> String? {
    let lines = printed.components(separatedBy: "\n")
    return output.first { shown in !lines.contains { Self.matches($0, shown) } }
  }

  private static func matches(_ line: String, _ shown: String) -> Bool {
    let parts = shown.components(separatedBy: "…")
    if parts.count == 1 { return line == shown }
    guard line.hasPrefix(parts[0]), line.hasSuffix(parts[parts.count - 1]) else { return false }
    var rest = line.dropFirst(parts[0].count)
    for part in parts.dropFirst() where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}

extension Page {
  /// What a reader does on the page, in order: blocks of `sh`, and files that have a name.
  ///
  /// - Throws: ``DocumentedCommand/Unknown``.
  func steps() throws -> [Step] {
    try blocks.flatMap { block -> [Step] in
      if block.info.first == "sh" { return try DocumentedCommand.all(in: block).map { .command($0) } }
      if block.info.count == 2 {
        return [.file(name: block.info[1], text: block.lines.joined(separator: "\n") + "\n")]
      }
      return []
    }
  }
}
