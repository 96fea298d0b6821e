import Platform

/// Maps how a command ended to its exit code.
///
/// Success and its variants have small numbers; errors have those of sysexits.h.
enum ExitCodes {
  static let done: Int32 = 0
  static let differences: Int32 = 1
  static let incomplete: Int32 = 2
  /// The reader of standard output has gone; the code is what shells report for SIGPIPE.
  static let brokenPipe = 128 + SIGPIPE

  static func code(of kind: Failure.Kind) -> Int32 {
    switch kind {
    case .usage: 64
    case .inputMalformed: 65
    case .inputMissing: 66
    case .unavailable: 69
    case .internal, .rejected: 70
    case .cannotWrite: 73
    case .tryLater: 75
    case .notPermitted: 77
    case .configuration: 78
    case .interrupted: Interruption.exitCode
    }
  }

  static func code(of status: RunSummary.Status) -> Int32 {
    switch status {
    case .done: done
    case .differences: differences
    case .incomplete: incomplete
    case .failed: 70
    case .interrupted: Interruption.exitCode
    }
  }

  /// The list shown by `--help`.
  static let help = """
    EXIT CODES:
      0    done
      1    differences found (diff, check, export verify, plan --exit-code)
      2    done, but documents were rejected, conflicted or need review, or could
           not be compared
      64   the command line is wrong
      65   input is malformed
      66   input is missing
      69   the service did not answer, after all retries
      70   a defect of gymmigrate, or counts that do not add up
      73   output cannot be written
      75   try again later: locked, a quota is spent, or an operation outlasts
           --timeout
      77   not permitted
      78   the configuration or the credentials are wrong
      130  interrupted (143 by TERM, 129 by HUP); the last line is the command that
           resumes; 130 also when an operation of the service was cancelled
    """
}
