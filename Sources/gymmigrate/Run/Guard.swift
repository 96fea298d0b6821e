import Configuration
import MigrationEngine
import Platform

/// The guards before the first write.
enum Guard {
  /// Refuses a command that would read and write the same database.
  ///
  /// - Throws: `.usage`.
  static func assertTwoDatabases(
    _ source: DatabaseEnvironment,
    _ target: DatabaseEnvironment,
    of command: String
  ) throws(Failure) {
    guard source.isSameDatabase(as: target) else { return }
    throw Failure(
      .usage,
      command,
      path: "\(source.name) to \(target.name)",
      cause: "both are \(source.database) at one place",
      remedy: "Name another environment for one of them."
    )
  }

  /// Refuses to take unmasked documents from an environment that only permits masked ones to leave.
  ///
  /// - Throws: `.notPermitted`.
  static func assertMayLeave(_ environment: DatabaseEnvironment, isMasked: Bool) throws(Failure) {
    if isMasked || !environment.leavesMasked { return }
    throw Failure(
      .notPermitted,
      "read",
      path: environment.name,
      cause: "its documents leave it masked only ('leaves: masked'), and this would take them as they are",
      remedy:
        "Give --mask and --mask-key-file to copy, export, 'mirror pull' or 'migrate test' (docs/masking.md)."
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

  /// Asks on a terminal whether to continue; continues if nobody can answer.
  ///
  /// - Throws: `.notPermitted` if the answer is no.
  static func ask(_ question: String, with options: Confirmation) throws(Failure) {
    if options.yes || !canAsk { return }
    guard try answer(question) else {
      throw Failure(.notPermitted, "continue", cause: "the answer was no; nothing was written")
    }
  }

  /// Whether a person can be asked.
  static var canAsk: Bool { isatty(0) == 1 && Terminal.standardError.isInteractive }

  /// Asks a person; returns whether the answer is yes.
  static func answer(_ question: String) throws(Failure) -> Bool {
    Terminal.standardError.line("\(question) [y/N]")
    return try ["y", "yes"].contains(TypedLine.read()?.lowercased() ?? "")
  }

  /// Requires the name of a protected environment, by `--confirm` or typed by a person.
  ///
  /// - Throws: `.notPermitted`.
  static func confirm(_ environment: DatabaseEnvironment, with options: Confirmation) throws(Failure) {
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
    guard !options.yes, canAsk else {
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

/// The guard before documents are deleted for good: a limit, by `--max-delete` or typed by a person.
struct DeletionBound: Sendable {
  /// `--max-delete`.
  let maximum: Int?
  let options: Confirmation
  /// What is left of the limit of several migrations; nil if each has its own.
  var left: Int?

  /// Refuses, before anything is sent, if there is no limit and nobody to ask.
  ///
  /// - Throws: `.notPermitted`.
  func assertMayAsk() throws(Failure) {
    if maximum == nil, options.yes || !Guard.canAsk {
      throw Self.refusal("no maximum was given")
    }
  }

  /// Refuses, before anything is sent, a command without a limit that asks nobody for one.
  ///
  /// - Throws: `.notPermitted`.
  static func assertGiven(_ maximum: Int?) throws(Failure) {
    if maximum == nil { throw refusal("no maximum was given") }
  }

  /// Returns the maximum number of deletions; if there is no limit, a person is asked for the number of documents.
  ///
  /// Deletions are counted first, so that a limit that does not suffice also refuses the first deletion.
  ///
  /// - Parameters:
  ///   - source: The source without its guard, which hides what it reads.
  ///   - guarded: The source as it is applied.
  ///   - stage: The part of the run; one that was interrupted keeps its limit.
  /// - Returns: The limit; nil for none, if nothing is deleted.
  /// - Throws: `.notPermitted`, or the failure to count the documents.
  func limit(
    of source: ChangeSource,
    as guarded: ChangeSource,
    stage: Int = 0,
    by runner: MigrationRunner,
    in session: Session
  ) async throws -> Int? {
    guard source.mayDelete else { return maximum }
    // Somebody who is asked again types what is left, and the runner counts what the whole run deletes.
    let typed = { (count: Int) in maximum == nil ? count + session.deletedBefore : count }
    switch source {
    case .list(let list):
      if let maximum, list.deletions <= maximum { return maximum }
      // Not all listed documents are deleted: some have subcollections, or were changed since.
      guard case .list(let applied) = guarded else { return maximum }
      return typed(try allow(try await runner.deletions(of: applied), by: list.id, in: session.environment))
    case .migration(let migration):
      var applied = migration
      if case .migration(let guarded) = guarded { applied = guarded }
      guard let maximum else {
        // A program may then delete nothing.
        guard source.deletesForGood else { return nil }
        return typed(try await ask(about: migration, as: applied, by: runner, in: session))
      }
      if session.checkpoints?.hasBegun(stage) ?? false { return maximum }
      let known = try? await most(of: migration, in: session)
      if let known, known <= maximum { return maximum }
      // A migration whose decisions depend on all documents reads them all before it deletes any, so counting costs no more.
      guard case .perDocument = migration.strategy else {
        let count = try await runner.deletions(of: applied, upTo: .max)
        return try allow(count, by: migration.id, in: session.environment)
      }
      let count = try await runner.deletions(of: applied, upTo: maximum)
      if count > maximum { throw Failure.tooManyDeletions(maximum, by: migration.id, upTo: known) }
      return maximum
    }
  }

  /// Returns the maximum number of deletions of several migrations together.
  ///
  /// Before the first one writes, the deletions of all are counted, each on what those before it will leave.
  ///
  /// - Parameter sources: The migrations that are still to be applied.
  /// - Returns: As ``limit(of:as:stage:by:in:)``.
  /// - Throws: As that; also why a migration refuses to delete.
  func limit(
    of sources: [ChangeSource],
    by runner: MigrationRunner,
    in session: Session
  ) async throws -> Int? {
    let asksNobody = maximum == nil && !sources.contains(where: \.deletesForGood)
    guard let last = sources.lastIndex(where: \.mayDelete), !asksNobody else { return maximum }
    if let maximum, session.checkpoints?.resumed != nil { return maximum }
    let migrations = sources[...last].compactMap { source in
      if case .migration(let migration) = source.guarded(by: session.client) { migration } else { nil }
    }
    let count = try await runner.deletions(of: migrations, programsMayDelete: maximum != nil)
    let names = sources.filter(\.mayDelete).map(\.id).joined(separator: ", ")
    return try allow(count, by: names, in: session.environment) + session.deletedBefore
  }

  /// Refuses to delete more documents than the limit allows; asks a person for the number if there is no limit.
  ///
  /// - Parameters:
  ///   - name: What deletes the documents, for errors.
  /// - Returns: The maximum number of deletions.
  /// - Throws: `.notPermitted`.
  func allow(
    _ count: Int,
    by name: String,
    in environment: DatabaseEnvironment
  ) throws(Failure) -> Int {
    guard let maximum else {
      return try count == 0 ? 0 : ask(NumberText.counted(count, "document"), count, environment)
    }
    if count > maximum { throw .tooManyDeletions(maximum, by: name, of: count) }
    return maximum
  }

  /// Refuses, before anything is sent, a plan that deletes more than is allowed, or that has no limit and nobody to ask.
  ///
  /// - Parameter file: The plan's file.
  /// - Throws: `.notPermitted`.
  func assertAllows(_ planned: PlannedChanges, from file: String) throws(Failure) {
    guard planned.deletions > 0 else { return }
    try assertMayAsk()
    guard let maximum, planned.deletions > maximum else { return }
    throw Failure(
      .notPermitted,
      "apply the plan",
      path: file,
      cause:
        "it deletes \(NumberText.counted(planned.deletions, "document")), and --max-delete allows \(maximum)",
      remedy: "Look at the plan, then allow more with --max-delete. Nothing was written."
    )
  }

  /// Asks for the number of documents; documents that match only after the count are not deleted.
  private func ask(
    about migration: any Migration,
    as applied: any Migration,
    by runner: MigrationRunner,
    in session: Session
  ) async throws -> Int {
    guard case .perDocument = migration.strategy else {
      let count = try await runner.deletions(of: applied, upTo: .max)
      return try allow(count, by: migration.id, in: session.environment)
    }
    let count = try await most(of: migration, in: session)
    let names = migration.reads.map(\.string).joined(separator: ", ")
    return try ask("Up to \(NumberText.counted(count, "document")) of \(names)", count, session.environment)
  }

  /// Returns the maximum number of documents that a migration can delete: those that it examines one by one, or those that it may
  /// write.
  private func most(of migration: any Migration, in session: Session) async throws -> Int {
    var reads = migration.writes.map { CollectionRead($0) }
    if case .perDocument(let rule) = migration.strategy { reads = rule.sources }
    var count = 0
    for read in reads {
      count += try await session.client.countOrRead(read, logger: session.logger).count
    }
    session.progress.end()
    return count
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
