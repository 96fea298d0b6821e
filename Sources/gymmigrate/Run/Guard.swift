import Configuration
import Files
import FirestoreModels
import FirestoreREST
import MigrationEngine
import Platform
import Runs

/// The guards before the first write.
enum Guard {
  /// Refuses a command that would read and write the same database.
  ///
  /// - Throws: `.usage`.
  static func assertTwoDatabases(_ source: DatabaseEnvironment, _ target: DatabaseEnvironment) throws(Failure)
  {
    guard source.isSameDatabase(as: target) else { return }
    throw Failure(
      .usage,
      "copy",
      path: "\(source.name) to \(target.name)",
      cause: "both are \(source.database) at one place",
      remedy: "Name another environment with --to."
    )
  }

  /// Refuses to write to a mirror.
  ///
  /// - Throws: `.notPermitted`.
  static func assertNoMirror(_ environment: DatabaseEnvironment) throws(Failure) {
    guard let file = environment.mirror else { return }
    throw Failure(
      .notPermitted,
      "write to",
      path: file,
      cause: "a mirror is only read",
      remedy:
        "Edit its tables with an SQL tool and give 'gymmigrate mirror push', or name the environment itself."
    )
  }

  /// Asks on a terminal whether to continue; continues where nobody can answer.
  ///
  /// - Throws: `.notPermitted` where the answer is no.
  static func ask(_ question: String, with options: ConfirmOptions) throws(Failure) {
    guard !options.yes, isatty(0) == 1, Terminal.standardError.isInteractive else { return }
    Terminal.standardError.line("\(question) [y/N]")
    let answer = try TypedLine.read()?.lowercased() ?? ""
    guard ["y", "yes"].contains(answer) else {
      throw Failure(.notPermitted, "continue", cause: "the answer was no; nothing was written")
    }
  }

  /// Requires the name of a protected environment: by `--confirm`, else typed by a person.
  ///
  /// - Throws: `.notPermitted`.
  static func confirm(_ environment: DatabaseEnvironment, with options: ConfirmOptions) throws(Failure) {
    guard environment.isProtected else { return }
    let confirmation = CommandLineText.quoted(["--confirm", environment.name])
    let isByName = environment.isProtectedByName
    func refusal(_ cause: String) -> Failure {
      let cause = environment.protectedBy.map { "\(cause) (\($0) protects it)" } ?? cause
      return Failure(
        .notPermitted,
        "write to",
        path: environment.name,
        cause: isByName
          ? "\(cause) (it is called '\(environment.database.database)', and no environment of the configuration names it)"
          : cause,
        remedy: isByName
          ? "Give \(confirmation) if this is what you want, or name it in gymmigrate.yaml."
          : "Give \(confirmation) if this is what you want."
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
    guard let typed = try TypedLine.read(), typed.isIdentical(to: environment.name) else {
      throw refusal("its name was not typed")
    }
  }
}

/// The guard before documents are deleted for good: a bound, by `--max-delete` or typed by a person.
struct DeletionBound: Sendable {
  /// `--max-delete`.
  let maximum: Int?
  let options: ConfirmOptions

  /// Refuses where there is no bound and nobody to ask, before anything is sent.
  ///
  /// - Throws: `.notPermitted`.
  func assertMayAsk() throws(Failure) {
    if maximum == nil, options.yes || isatty(0) != 1 || !Terminal.standardError.isInteractive {
      throw Self.refusal("no maximum was given")
    }
  }

  /// The migration with its guard, and its bound set; a person is asked for it where there is none and `asks`.
  ///
  /// - Throws: `.notPermitted`, or what keeps the documents from being counted.
  func guarded(
    _ source: ChangeSource,
    runner: inout MigrationRunner,
    in session: Session,
    asks: Bool
  ) async throws -> ChangeSource {
    if asks, maximum == nil, source.deletesForGood {
      runner.maximumDeletes =
        switch source {
        case .migration(let migration): try await ask(about: migration, in: session)
        case .list(let list): try ask("\(list.deletions) documents", list.deletions, session.environment)
        }
    }
    return source.guarded(by: session.client)
  }

  /// Refuses a plan that deletes more than may be, or that has no bound and nobody to ask, before anything is sent.
  ///
  /// - Parameter file: Where the plan is.
  /// - Throws: `.notPermitted`.
  func assertAllows(_ planned: PlannedChanges, from file: String) throws(Failure) {
    guard planned.deletions > 0 else { return }
    try assertMayAsk()
    guard let maximum, planned.deletions > maximum else { return }
    throw Failure(
      .notPermitted,
      "apply the plan",
      path: file,
      cause: "it deletes \(planned.deletions) documents, and --max-delete allows \(maximum)",
      remedy: "Look at the plan, then allow more with --max-delete. Nothing was written."
    )
  }

  /// Asks for the number of documents; what comes to be meant after they were counted is not deleted.
  func ask(about migration: any Migration, in session: Session) async throws -> Int {
    guard case .perDocument(let rule) = migration.strategy else { throw Self.refusal("it cannot be counted") }
    var count = 0
    for read in rule.sources {
      count += try await session.client.countOrRead(read, logger: session.logger).count
    }
    session.progress.end()
    let names = migration.reads.map(\.string).joined(separator: ", ")
    return try ask("Up to \(count) documents of \(names)", count, session.environment)
  }

  private func ask(_ what: String, _ count: Int, _ environment: DatabaseEnvironment) throws(Failure) -> Int {
    Terminal.standardError.line(
      "\(what) will be deleted for good from \(environment.name). Type the number to delete them:"
    )
    guard let typed = try TypedLine.read(), typed.isIdentical(to: String(count)) else {
      throw Self.refusal("their number was not typed")
    }
    return count
  }

  private static func refusal(_ cause: String) -> Failure {
    Failure(
      .notPermitted,
      "delete documents for good",
      cause: cause,
      remedy: "Look at the plan (-n), then give --max-delete with the number."
    )
  }
}
