import Models
import Transfer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What stands before the first write.
enum Guard {
  /// A protected environment wants its name: by `--confirm`, else typed by a person.
  ///
  /// - Throws: `.notPermitted`.
  static func confirm(_ environment: Environment, with options: WriteOptions) throws(Failure) {
    guard environment.isProtected else { return }
    func refusal(_ cause: String) -> Failure {
      Failure(
        .notPermitted,
        "write to",
        path: environment.name,
        cause: cause,
        remedy: "Give --confirm \(environment.name) if this is what you want."
      )
    }
    if let confirmed = options.confirm {
      guard confirmed.isIdentical(to: environment.name) else {
        throw refusal("it is protected, and --confirm names '\(confirmed)'")
      }
      return
    }
    guard !options.yes, isatty(0) == 1, Terminal.standardError.isInteractive else {
      throw refusal("it is protected")
    }
    Terminal.standardError.line(
      "\(environment.name) is protected (project \(environment.database.project), database \(environment.database.database)). Type its name to write to it:"
    )
    guard let typed = readLine(), typed.isIdentical(to: environment.name) else {
      throw refusal("its name was not typed")
    }
  }
}
