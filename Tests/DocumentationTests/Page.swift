import Foundation

/// One page of the documentation.
struct Page: Sendable {
  /// Its path below the repository.
  let path: String
  /// Its lines.
  let lines: [String]

  /// Reads a page.
  init(_ path: String) throws {
    self.path = path
    let text = try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    lines = text.components(separatedBy: "\n")
  }

  /// The folder of the repository.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The page that a script makes of the program's help.
  static let reference = "docs/cli.md"

  /// Every page that people read: those at the root, and all in docs/.
  static let all: [String] = {
    let names =
      FileManager.default.enumerator(atPath: root.appendingPathComponent("docs").path)?.allObjects ?? []
    let docs = names.compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }
    let atRoot = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].filter {
      FileManager.default.fileExists(atPath: root.appendingPathComponent($0).path)
    }
    return atRoot + docs.sorted()
  }()

  /// The pages that teach by commands.
  static let teaching = all.filter { $0 == "README.md" || ($0.hasPrefix("docs/") && $0 != reference) }

  /// Pages about the library, which have no command to show.
  static let library: Set = ["docs/typed-documents.md"]

  // MARK: Blocks

  /// A fenced block of code.
  struct Block: Sendable {
    /// The words behind the opening fence: `sh`, or `json corrected.jsonl`.
    var info: [String]
    /// The number of its first line, from 1.
    var number: Int
    /// What is in it.
    var lines: [String]
  }

  /// The fenced blocks, in their order.
  var blocks: [Block] {
    var blocks: [Block] = []
    var open: Block?
    for (index, line) in lines.enumerated() {
      if line.hasPrefix("```") {
        if let block = open {
          blocks.append(block)
          open = nil
        } else {
          let info = line.dropFirst(3).split(separator: " ").map(String.init)
          open = Block(info: info, number: index + 2, lines: [])
        }
      } else {
        open?.lines.append(line)
      }
    }
    return blocks
  }

  /// The lines outside of fenced blocks, with their numbers from 1.
  var prose: [(number: Int, text: String)] {
    var isInside = false
    return lines.enumerated().compactMap { index, line in
      if line.hasPrefix("```") {
        isInside.toggle()
        return nil
      }
      return isInside ? nil : (index + 1, line)
    }
  }

  // MARK: Links

  /// The targets of links, without those into the web.
  var relativeLinks: [(number: Int, target: String)] {
    prose.flatMap { number, text in
      text.matches(of: /\]\(([^)\s]+)\)/).map { (number, String($0.output.1)) }
    }.filter { !$0.target.contains("://") && !$0.target.hasPrefix("mailto:") }
  }

  /// The anchors of its headings, as GitHub makes them.
  var anchors: Set<String> {
    Set(
      prose.filter { $0.text.hasPrefix("#") }.map { _, text in
        String(
          text.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
            .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
            .map { $0 == " " ? "-" : $0 }
        )
      }
    )
  }
}
