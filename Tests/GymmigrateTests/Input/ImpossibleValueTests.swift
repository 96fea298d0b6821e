import Foundation
import TestSupport
import Testing

@Suite("Impossible values", .timeLimit(.minutes(60)))
struct ImpossibleValueTests {
  /// What nothing is called, and what text is not made for.
  private static let values = [
    "", " ", "a/b", "-1", "99999999999999999999999", "a\u{1}\u{1B}[31m\nb",
    String(repeating: "x", count: 70_000),
    "..", "/", "-", "{", "*", "a..b", "__x__", "nan", "\u{301}", "gs://b", "projects/p",
  ]
  /// Commands that run until they are stopped.
  private static let endless: Set<String> = ["serve"]
  /// Commands whose answer is 1 where they find something.
  private static let answering: Set<String> = ["check", "diff", "drift", "show", "status", "verify"]
  /// How commands end by the contract; 70 is an error of the program itself.
  private static let codes: Set<Int32> = [0, 2, 64, 65, 66, 69, 73, 75, 77, 78]

  private struct Slot {
    var command: CommandLineTree.Command
    /// The words with a value in the place.
    var words: (String) -> [String]
    var name: String
  }

  private static func slots(_ tree: CommandLineTree) -> [Slot] {
    tree.commands.filter { !endless.contains($0.words.joined(separator: " ")) }.flatMap { command in
      let place = command.names.contains("env") ? ["-e", "local"] : []
      let yes = command.names.contains("yes") ? ["-y"] : []
      let needed = command.arguments.filter { !$0.isOptional }.map { $0.name == "n" ? "3" : "users" }
      let options = tree.options.filter { $0.command == command.words }.map { option in
        let flags = (option.name == "env" ? [] : place) + yes
        return Slot(
          command: command,
          words: { command.words + flags + ["--\(option.name)=\($0)"] + needed },
          name: "--\(option.name)"
        )
      }
      let arguments = command.arguments.indices.map { index in
        Slot(
          command: command,
          words: { value in
            let before = command.arguments[..<index].map { $0.name == "n" ? "3" : "users" }
            let after = command.arguments[(index + 1)...].filter { !$0.isOptional }.map { _ in "users" }
            return command.words + place + yes + ["--"] + before + [value] + after
          },
          name: "<\(command.arguments[index].name)>"
        )
      }
      return options + arguments
    }
  }

  @Test(
    "Every command takes or refuses them in every option and argument, and none fails by itself, crashes or hangs.",
    arguments: Settings.seeds(1)
  )
  func everywhere(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    try await withTool { tool in
      let slots = Self.slots(try await CommandLineTree.read(tool))
      #expect(slots.count > 900, "\(slots.count)")
      // A sample of a third at a time.
      let drawn = slots.indices.filter { $0 % 3 == Int(seed % 3) }.map {
        ($0, Self.values.randomElement(using: &random) ?? "")
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, value) in drawn {
          let (words, name) = (slots[index].words(value), slots[index].name)
          let answers = slots[index].command.words.last.map { Self.answering.contains($0) } ?? false
          group.addTask {
            let result = try await tool.bare(words, timeout: .seconds(300))
            let isGood = Self.codes.contains(result.exitCode) || answers && result.exitCode == 1
            let what = "\(words.prefix(3).joined(separator: " ")) \(name) '\(value.prefix(30))'"
            #expect(
              isGood && !result.timedOut,
              "seed \(seed): \(what): \(result.exitCode): \(result.errors.suffix(300))"
            )
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test(
    "An empty value, as a variable that is not set leaves it, is a mistake on the command line everywhere."
  )
  func emptyWords() async throws {
    // What is compared with an empty word, and what is a text of its own.
    let takers = ["--confirm", "--null", "--null-text"]
    try await withTool { tool in
      let slots = Self.slots(try await CommandLineTree.read(tool)).filter { !takers.contains($0.name) }
      #expect(slots.count > 900, "\(slots.count)")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for slot in slots {
          let words = slot.words("").flatMap { $0 == "\(slot.name)=" ? [slot.name, ""] : [$0] }
          group.addTask {
            let result = try await tool.bare(words, timeout: .seconds(300))
            #expect(result.exitCode == 64, "\(words): \(result.exitCode): \(result.errors.suffix(300))")
          }
        }
        try await group.waitForAll()
      }
    }
  }
}
