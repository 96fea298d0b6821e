import ArgumentParser
import FirestoreModels
import FirestoreREST
import MigrationEngine
import Runs
import Shards

/// A command that can be divided among tasks.
protocol ShardedCommand: AsyncParsableCommand {
  /// The command's name in runs, such as `migrate apply is-active`.
  var runName: String { get }
  /// The database; the target of a command that has two.
  var shardTarget: ConnectionOptions { get }
  /// The source of a command that has two databases.
  var shardSource: ConnectionOptions? { get }
  /// How it writes, and the guards; nil for a command that only reads.
  var shardWrite: WriteOptions? { get }
  /// The extension of the parts, without the dot; nil for a command without output of its own.
  var shardPart: String? { get }

  /// Refuses options with which it cannot be divided.
  ///
  /// - Throws: `.usage` saying why.
  func assertDivisible() throws

  /// Returns its migrations, with the checksums of their files.
  func shardMigrations() throws -> [LedgerEntry.Applied]

  /// Returns what is divided.
  func division(in session: Session) async throws -> ShardDivision
}

extension ShardedCommand {
  var shardSource: ConnectionOptions? { nil }
  var shardWrite: WriteOptions? { nil }
  var shardPart: String? { nil }
  func shardMigrations() throws -> [LedgerEntry.Applied] { [] }

  /// The failure to divide the command with an option.
  func refusal(of option: String, _ cause: String, _ remedy: String? = nil) -> Failure {
    Failure(.usage, "divide the \(runName) with", path: option, cause: cause, remedy: remedy)
  }
}

/// What a command divides among tasks.
struct ShardDivision {
  /// What is read, each in the order of names; empty for a command that divides documents by a checksum of their names.
  var reads: [CollectionRead] = []
  /// The choice of the read time; nil for a command that reads the present.
  var readTime: ReadTimeChoice?
  /// The input files.
  var inputs: [String] = []

  /// Refuses reads that cannot be cut at names.
  ///
  /// - Throws: `.usage`.
  static func assertOrderedByName(_ reads: [CollectionRead]) throws(Failure) {
    guard let read = reads.first(where: { !$0.isOrderedByName }) else { return }
    throw Failure(
      .usage,
      "divide the documents of",
      path: read.collection.string,
      cause: "a filter with an inequality is read in the order of its field, not of the names",
      remedy: "Filter for equality, or leave the filter out."
    )
  }
}

/// The words of a command that is divided, parsed.
struct DividedCommand {
  /// The words as they are run, without an output.
  let words: [String]
  let command: any ShardedCommand

  /// Options that say where the output goes; the plan does that.
  private static let outputs: [String: Set<String>] = [
    "export": ["output"], "plan": ["output", "html"], "apply": ["html"], "check": ["output"],
  ]

  /// Parses a command line as typed behind `--`, with what the variables of settings add.
  ///
  /// - Throws: `.usage` for a command that cannot be divided; the parser's errors.
  init(typed words: [String], variables: [String: String]) throws {
    try self.init(CompletedArguments(words, variables: variables).words)
  }

  /// Parses the words of a plan.
  init(_ words: [String]) throws {
    let tree = try CommandTree.whole()
    let (found, count) = tree.command(of: words)
    if found.name == "export", words.dropFirst().first == "verify" { throw Self.refusal("export verify") }
    let given = found.given(in: words.dropFirst(count))
    if let output = Self.outputs[found.name]?.intersection(given).sorted().first {
      throw Failure(
        .usage,
        "divide the command",
        path: CommandLineText.quoted(Array(words.prefix(count))),
        cause: "--\(output) says where its output goes, and that is the place of --to",
        remedy: "Leave it out; --format names the format of an export."
      )
    }
    self.words = words
    let parsed = try Gymmigrate.parseAsRoot(Self.completed(words, part: "parts/00000.jsonl"))
    guard let command = parsed as? any ShardedCommand else {
      throw Self.refusal(CommandLineText.quoted(Array(words.prefix(max(1, count)))))
    }
    try command.assertDivisible()
    self.command = command
  }

  private static func refusal(_ name: String) -> Failure {
    Failure(
      .usage,
      "divide the command",
      path: name,
      cause: "it does not work document by document, or is quick enough by itself",
      remedy: "export, import, copy, check, and migrate plan and apply can be divided (docs/shards.md)."
    )
  }

  /// The command line for one part.
  func words(writing part: String?) -> [String] { Self.completed(words, part: part ?? "-") }

  private static func completed(_ words: [String], part: String) -> [String] {
    guard words.first == "export" else { return words }
    let format = words.contains { $0 == "--format" || $0.hasPrefix("--format=") } ? [] : ["--format=jsonl"]
    return ["export", "--output=\(part)"] + format + words.dropFirst()
  }
}
