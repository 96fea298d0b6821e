import Files
import Platform

/// A program that prints the token of the other identity provider (https://google.aip.dev/auth/4117,
/// "executable-sourced credentials").
///
/// It runs only if `GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES` is exactly `1`; otherwise a credential file from elsewhere
/// could run anything.
struct TokenProgram: Sendable, Equatable {
  static let permission = "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"
  /// The time limits that are accepted, in milliseconds.
  private static let timeouts: ClosedRange<Int64> = 5_000...120_000
  private static let defaultTimeout: Int64 = 30_000

  /// The program and its arguments.
  let words: [String]
  /// All of its environment variables.
  let environment: ProgramEnvironment
  /// The time limit, in seconds.
  let timeout: Double
  /// The file in which the program keeps its last response.
  let outputFile: String?

  /// Environment variables, which may contain secrets and are never printed.
  struct ProgramEnvironment: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let variables: [String: String]

    var description: String { "…" }
    var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
  }

  /// Reads the member `executable` of a credential source.
  init(
    _ source: CredentialFile,
    of file: CredentialFile,
    environment: [String: String]
  ) throws(Failure) {
    guard let executable = try source.object("executable") else {
      throw source.malformed("it has no 'executable'")
    }
    guard environment[Self.permission]?.isIdentical(to: "1") ?? false else {
      throw executable.malformed(
        "it runs a program, which is not allowed",
        remedy: "If you trust the file, set \(Self.permission) to 1."
      )
    }
    let command = try executable.require("command")[0]
    guard let words = CommandWords.split(command), words.first.map({ !$0.isEmpty }) ?? false,
      !command.utf8.contains(0)
    else { throw executable.malformed("its 'command' is not a program with its arguments") }
    self.words = words
    let milliseconds = try executable.integer("timeout_millis") ?? Self.defaultTimeout
    guard Self.timeouts.contains(milliseconds) else {
      throw executable.malformed("its 'timeout_millis' is not within 5000 and 120000")
    }
    timeout = Double(milliseconds) / 1000
    outputFile = executable["output_file"]
    var variables = environment
    variables["GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE"] = file["audience"]
    variables["GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE"] = file["subject_token_type"]
    // The program must not ask the user anything.
    variables["GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE"] = "0"
    variables["GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL"] = file["service_account_impersonation_url"]
      .flatMap { ImpersonatedAccount.account(in: $0) }
    variables["GOOGLE_EXTERNAL_ACCOUNT_OUTPUT_FILE"] = outputFile
    self.environment = ProgramEnvironment(variables: variables)
  }

  /// Runs the program on a separate thread, and kills it if the task is cancelled.
  @Sendable static func run(
    _ program: TokenProgram
  ) async -> Result<ChildProcess.Output, ChildProcess.Problem> {
    await BackgroundThread.run { isCancelled in
      Result { () throws(ChildProcess.Problem) in
        try ChildProcess.run(
          program.words,
          environment: program.environment.variables,
          timeout: program.timeout,
          maximumBytes: TokenEndpoint.maximumBytes,
          isCancelled: isCancelled
        )
      }
    }
  }
}

/// The words of a command that is not run by a shell.
package enum CommandWords {
  /// Splits at white space; quotes and backslashes work as in a shell, and nothing else is special.
  ///
  /// - Returns: Nil if a quote is not closed, or if a backslash is at the end.
  package static func split(_ command: String) -> [String]? {
    var words: [String] = []
    var word: [UInt8]?
    var quote: UInt8?
    var bytes = command.utf8.makeIterator()
    while let byte = bytes.next() {
      switch byte {
      case _ where byte == quote: quote = nil
      case UInt8(ascii: "\\") where quote != UInt8(ascii: "'"):
        guard let next = bytes.next() else { return nil }
        // Between double quotes, only these two lose their backslash.
        if quote != nil, next != UInt8(ascii: "\""), next != UInt8(ascii: "\\") { word?.append(byte) }
        word = (word ?? []) + [next]
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        if quote == nil {
          quote = byte
          word = word ?? []
        } else {
          word?.append(byte)
        }
      case 0x20, 0x09...0x0D:
        if quote != nil {
          word?.append(byte)
        } else if let finished = word {
          words.append(String(decoding: finished, as: UTF8.self))
          word = nil
        }
      default: word = (word ?? []) + [byte]
      }
    }
    if quote != nil { return nil }
    if let word { words.append(String(decoding: word, as: UTF8.self)) }
    return words
  }
}
