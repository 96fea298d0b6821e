import Files
import Foundation
import Platform

/// A program that decides on documents: its command line and its files.
package struct ProgramCall: Sendable, Equatable {
  /// How documents are written for the program.
  package enum Style: String, Codable, Sendable, CaseIterable {
    /// As in JSON Lines, with every value's type.
    case rest
    /// As plain JSON; the schema determines the types.
    case plain
  }

  /// The program, looked up in `PATH` if it has no slash, and its arguments, as written.
  package let words: [String]
  /// The same words, with file names as paths from the working directory.
  private let command: [String]
  package let database: DatabaseName
  package let style: Style
  /// The files that belong to it: the program, if given as a path, and every argument that names a file.
  package let files: [String]
  /// The SHA-256 of its words and files.
  package let checksum: String

  /// - Parameter folder: The folder that file names are relative to.
  /// - Throws: `.usage` if the words are not a command; the failure of a file that cannot be read.
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
    let paths = words.indices.map { Self.file(words, $0, in: folder) }
    files = paths.compactMap { $0 }
    command = zip(words, paths).map { $1 ?? $0 }
    var parts = words + [style.rawValue]
    for file in files { parts.append(try SHA256Digest.hexadecimal(ofFileAt: file, decompresses: false)) }
    checksum = try SHA256Digest.checksum(of: Array(parts.joined(separator: "\0").utf8))
  }

  /// Returns why words are not a command; nil if they are.
  package static func problem(of words: [String]) -> String? {
    if words.first?.isEmpty ?? true { return "a program is a list of words, as [python3, fix.py]" }
    if words.contains(where: { $0.utf8.contains(0) }) { return "a word has a character of code 0" }
    return nil
  }

  /// Returns the path of the file that a word names; nil if it names none.
  private static func file(_ words: [String], _ index: Int, in folder: String) -> String? {
    let word = words[index]
    if index == 0, !word.utf8.contains(UInt8(ascii: "/")) { return nil }
    let path = word.utf8.first == UInt8(ascii: "/") || folder == "." ? word : "\(folder)/\(word)"
    return SystemCall.status(path).status?.isRegularFile == true ? path : nil
  }

  /// Returns the call, whose files are named from the working directory, with the same files named from another folder.
  ///
  /// - Throws: `.usage` if a word would name another file there.
  package func named(from folder: String) throws(Failure) -> ProgramCall {
    let slash = UInt8(ascii: "/")
    let (here, there) = (FilePaths.resolved("."), FilePaths.resolved(folder))
    let (steps, others) = (here.utf8.split(separator: slash), there.utf8.split(separator: slash))
    let shared = zip(steps, others).prefix { $0.elementsEqual($1) }.count
    let down = steps[shared...].map { String(Substring($0)) }
    let way = Array(repeating: "..", count: others.count - shared) + down
    let moved = words.indices.map { index in
      let word = words[index]
      let isNamed = word.utf8.first != slash && Self.file(words, index, in: ".") != nil
      if !isNamed || way.isEmpty { return word }
      return (way + [word.hasPrefix("./") ? String(word.dropFirst(2)) : word]).joined(separator: "/")
    }
    let call = try ProgramCall(moved, in: folder, database: database, style: style)
    if call.files.map(FilePaths.resolved) != files.map(FilePaths.resolved) {
      let cause = "a word of it would name another file from \(folder)"
      throw Failure(.usage, "run the program", path: words.first, cause: cause)
    }
    return call
  }

  /// Hints about words that look like the file of a program and name none, so that the checksum is of less than is meant.
  var missingFiles: [String] {
    let endings = [".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".jq", ".awk", ".sh"]
    let missing = words.filter { word in
      endings.contains { word.hasSuffix($0) } && !word.contains { $0.isWhitespace }
        && !files.contains { FilePaths.name(of: $0).isIdentical(to: FilePaths.name(of: word)) }
    }
    return missing.map {
      "'\($0)' names no file from the folder of the YAML file, or with --run from here: another program in its place would not be noticed (docs/fix.md)."
    }
  }

  /// The name for people and reasons: that of its first file, or of the program.
  package var name: String { FilePaths.name(of: files.first ?? words[0]) }

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

  // MARK: Environment variables

  private static let variables: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH",
    "NODE_PATH", "RUBYLIB", "PERL5LIB",
  ]

  /// Only variables that say where programs are and how text is encoded, because any other may hold a credential.
  static var environment: [String: String] {
    var passed = ProcessInfo.processInfo.environment.filter {
      variables.contains($0.key) || $0.key.hasPrefix("LC_")
    }
    // Otherwise Python would buffer its answers while this process waits for them.
    passed["PYTHONUNBUFFERED"] = "1"
    return passed
  }
}

/// The limits of a program, and whether its answers are checked.
package struct ProgramSettings: Codable, Sendable, Equatable {
  /// The maximum time for an answer, in seconds.
  package var timeout = 10
  /// The number of processes to run concurrently.
  package var processes = 1
  /// Whether to skip asking twice about the first documents.
  package var allowsNondeterminism = false

  package init() {}

  /// The maximum number of processes.
  package static let maximumProcesses = 64
  /// The number of documents about which the program is asked twice.
  static let checked = 1000
}
