import Files
import Foundation
import Platform

/// A program that decides on documents: how it is started, and what it is.
package struct ProgramCall: Sendable, Equatable {
  /// How documents are written for it.
  package enum Style: String, Codable, Sendable, CaseIterable {
    /// As in JSON Lines, every value with its type.
    case rest
    /// As other programs know JSON; types are those of the schema.
    case plain
  }

  /// The program, looked up in `PATH` if it has no slash, and its arguments, as they are written.
  package let words: [String]
  /// The same, with the files that they name by their paths from here.
  private let command: [String]
  package let database: DatabaseName
  package let style: Style
  /// The files that are part of it: the program, if it is given as a path, and every argument that names one.
  package let files: [String]
  /// The SHA-256 of its words and its files.
  package let checksum: String

  /// - Parameter folder: From where its files are named.
  /// - Throws: `.usage` for words that are none; what keeps a file from being read.
  package init(
    _ words: [String],
    in folder: String,
    database: DatabaseName,
    style: Style = .rest
  ) throws(Failure) {
    if let cause = Self.problem(of: words) {
      throw Failure(.usage, "run the program", path: words.first, cause: cause)
    }
    self.words = words
    self.style = style
    self.database = database
    let paths = words.enumerated().map { index, word in
      index == 0 && !word.utf8.contains(UInt8(ascii: "/")) ? nil : Self.file(word, in: folder)
    }
    files = paths.compactMap { $0 }
    command = zip(words, paths).map { $1 ?? $0 }
    var parts = words + [style.rawValue]
    for file in files { parts.append(try SHA256Digest.hexadecimal(ofFileAt: file, decompresses: false)) }
    checksum = try SHA256Digest.checksum(of: Array(parts.joined(separator: "\0").utf8))
  }

  /// Why words are no program, nil where they are.
  package static func problem(of words: [String]) -> String? {
    if words.first?.isEmpty ?? true { return "a program is a list of words, as [python3, fix.py]" }
    if words.contains(where: { $0.utf8.contains(0) }) { return "a word has a character of code 0" }
    return nil
  }

  /// The path of the file that a word names; nil where it names none.
  private static func file(_ word: String, in folder: String) -> String? {
    let path = word.utf8.first == UInt8(ascii: "/") || folder == "." ? word : "\(folder)/\(word)"
    return SystemCall.status(path).status?.isRegularFile == true ? path : nil
  }

  /// For people and reasons: its first file, or the program.
  package var name: String { FilePaths.name(of: files.first ?? words[0]) }

  /// Starts it.
  func start(log: String?, _ settings: ProgramSettings) throws(Failure) -> LineProgram {
    _ = SystemCall.ignoringBrokenPipes
    let limits = LineProgram.Limits(timeout: Double(settings.timeout))
    do throws(LineProgram.Problem) {
      return try LineProgram(command, environment: Self.environment, log: log, limits: limits)
    } catch {
      guard case .cannotStart(let code) = error else { throw Failure(.internal, "run", cause: "\(error)") }
      throw Failure(
        .inputMissing,
        "run the program",
        path: words[0],
        cause: SystemCall.text(code),
        remedy: "Install it, or correct the words of 'run'."
      )
    }
  }

  // MARK: What it is told of the environment

  private static let variables: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH",
    "NODE_PATH", "RUBYLIB", "PERL5LIB",
  ]

  /// The variables that say where programs are and how text is written, and no other: any may hold a credential.
  static var environment: [String: String] {
    var passed = ProcessInfo.processInfo.environment.filter {
      variables.contains($0.key) || $0.key.hasPrefix("LC_")
    }
    // Python would keep its answers until there are many, and wait for questions meanwhile.
    passed["PYTHONUNBUFFERED"] = "1"
    return passed
  }
}

/// What a program may take, and whether it is believed.
package struct ProgramSettings: Codable, Sendable, Equatable {
  /// The seconds that an answer may take.
  package var timeout = 10
  /// How many processes of it are asked side by side.
  package var processes = 1
  /// Whether the first documents are not asked twice.
  package var allowsNondeterminism = false

  package init() {}

  /// The most processes.
  package static let maximumProcesses = 64
  /// The documents that are asked twice.
  static let checked = 1000
}
