import Files
import Platform
import Schema
import Tables

/// A running program: the processes of a run, which are asked page by page.
///
/// It only returns outcomes: all its answers about a page are received and checked before any of them counts.
actor ProgramSession {
  private let migration: DeclarativeMigration
  private let call: ProgramCall
  /// The processes, which share each page.
  private let programs: [LineProgram]
  /// The time zone of days in plain documents.
  private let zone: LocalTimeZone
  /// The processes that must still be ended.
  private var running: Set<Int32>
  /// The number of documents about which the program was asked twice.
  private var checked = 0

  nonisolated private var settings: ProgramSettings { migration.programs }

  init(_ call: ProgramCall, for migration: DeclarativeMigration) throws(Failure) {
    self.migration = migration
    self.call = call
    zone = try LocalTimeZone(named: migration.schema.timeZone ?? "UTC")
    programs = try Self.start(call, for: migration)
    running = Set(programs.map(\.child))
  }

  private static func start(
    _ call: ProgramCall,
    for migration: DeclarativeMigration
  ) throws(Failure) -> [LineProgram] {
    var programs: [LineProgram] = []
    do throws(Failure) {
      for _ in 0..<migration.programs.processes {
        programs.append(try call.start(log: migration.surroundings.log, migration.programs))
      }
    } catch {
      for program in programs { program.stop() }
      throw error
    }
    return programs
  }

  /// Returns the outcomes of documents, in order; if it throws, none of them counts.
  func outcomes(for documents: [RawDocument]) async throws -> [Outcome] {
    let asked = documents.indices.filter { migration.scope.contains(documents[$0]) }
    let answers = try await ask(programs, asked.map { documents[$0] })
    try await check(answers, of: asked.map { documents[$0] })
    var outcomes = documents.map { _ in Outcome(.unchanged) }
    var made: [Int: FieldMap] = [:]
    for (index, answer) in zip(asked, answers) {
      outcomes[index] = try outcome(of: answer, for: documents[index])
      if case .fields(let fields, _) = answer {
        made[index] = migration.keepingTime(fields, of: documents[index])
      }
    }
    try await withholdWhatIsNotAtRest(&outcomes, documents, made)
    if let lister = migration.subcollections { try await SubcollectionGuard.withhold(&outcomes, lister) }
    return outcomes
  }

  /// Ends the session after the last document.
  func finish() async throws {
    for program in programs { try await finish(program, about: nil) }
  }

  private func finish(_ program: LineProgram, about document: RawDocument?) async throws {
    running.remove(program.child)
    let (problem, _) = await onThread(program) { program, isCancelled, _ throws(LineProgram.Problem) in
      try program.finish(isCancelled: isCancelled)
    }
    if let problem { throw failure(problem, status: nil, about: document) }
  }

  /// Ends the session at once; has no effect if it has already ended.
  func stop() {
    for program in programs { end(program) }
  }

  // MARK: Answers

  private func outcome(of answer: ProgramAnswer, for document: RawDocument) throws(Failure) -> Outcome {
    switch answer {
    case .same: return Outcome(.unchanged)
    case .fields(let fields, let notes):
      let fields = migration.keepingTime(fields, of: document)
      var outcome = migration.outcome(making: fields, of: document, because: [reason])
      if call.style == .plain, case .change = outcome.action {
        outcome.findings += migration.lostTypes(fields, of: document) + notes
      }
      return outcome
    case .unclear(let field, let reason): return migration.unclear(field, reason, of: document)
    case .left(let kind, let why):
      let code = DeclarativeMigration.Code.program.rawValue
      return Outcome(.skip, findings: [Finding(kind, path: document.path, code: code, message: why)])
    case .delete:
      if !migration.surroundings.mayDelete {
        throw refusal(document, "the program wants it deleted", "Allow deletions with --max-delete.")
      }
      return migration.outcome(making: nil, of: document, because: [reason])
    }
  }

  private var reason: String { "run \(call.name)" }

  /// Asks again about the first documents, and about those to be deleted by an answer that names no document.
  ///
  /// A separate process is asked nothing else, so that a superfluous answer is detected, whenever it comes.
  private func check(_ answers: [ProgramAnswer], of documents: [RawDocument]) async throws {
    let first = settings.allowsNondeterminism ? 0 : max(ProgramSettings.checked - checked, 0)
    checked += min(first, documents.count)
    let doubtful = documents.indices.filter { $0 < first || answers[$0] == .delete(isNamed: false) }
    if doubtful.isEmpty { return }
    let second = try call.start(log: migration.surroundings.log, settings)
    running.insert(second.child)
    let others = try await ask([second], doubtful.map { documents[$0] })
    try await finish(second, about: documents[doubtful[0]])
    for (index, other) in zip(doubtful, others) where answers[index] != other {
      throw refusal(
        documents[index],
        "asked twice, the program answers differently",
        "Let it depend on the document alone, or give --allow-nondeterministic."
      )
    }
  }

  /// Leaves documents alone that the program would change again, because resuming a run relies on its results being final.
  private func withholdWhatIsNotAtRest(
    _ outcomes: inout [Outcome],
    _ documents: [RawDocument],
    _ answered: [Int: FieldMap]
  ) async throws {
    var made: [(index: Int, document: RawDocument)] = []
    for (index, outcome) in outcomes.enumerated() {
      guard case .change(let change) = outcome.action, let fields = answered[index] else { continue }
      let document = RawDocument(path: change.path, fields: fields)
      if migration.scope.contains(document) { made.append((index, document)) }
    }
    let answers = try await ask(programs, made.map(\.document))
    for ((index, document), answer) in zip(made, answers) {
      switch answer {
      case .same, .left(.note, _), .left(.review, _): continue
      case .fields(let fields, _):
        if migration.keepingTime(fields, of: document) == document.fields { continue }
      case .unclear(let field, let reason):
        outcomes[index] = migration.notAtRest(documents[index], field: field, because: reason)
        continue
      case .left(.reject, _), .delete: break
      }
      outcomes[index] = migration.notAtRest(documents[index], field: nil)
    }
  }

  // MARK: Asking

  /// Asks the processes concurrently, each about a range of consecutive documents.
  private func ask(_ programs: [LineProgram], _ documents: [RawDocument]) async throws -> [ProgramAnswer] {
    let shares = documents.chunks(of: max((documents.count - 1) / programs.count + 1, 1))
    let taken = Locked(0)
    let answers = try await Array(zip(programs, shares)).concurrentMap { program, share in
      try await self.ask(program, Array(share), taken)
    }
    return answers.flatMap { $0 }
  }

  /// - Parameter taken: The total size of the answers of all processes, in bytes.
  /// - Throws: ``Failure`` that names the document without a valid answer; the program has been ended by then.
  nonisolated private func ask(
    _ program: LineProgram,
    _ documents: [RawDocument],
    _ taken: Locked<Int>
  ) async throws -> [ProgramAnswer] {
    let isPlain = call.style == .plain
    let (problem, lines) = await onThread(program) {
      program,
      isCancelled,
      lines throws(LineProgram.Problem) in
      try program.ask(
        documents.count,
        isCancelled: isCancelled,
        line: { isPlain ? PlainDocument.question(documents[$0]) : ProgramAnswer.question(documents[$0]) },
        taken: { count in
          taken.withLock { total in
            total += count
            return total
          }
        },
        answers: &lines
      )
    }
    do {
      let answers = try read(lines, about: documents)
      guard let problem else { return answers }
      let status = await end(program, grace: problem == .ended(status: nil) ? 1 : 0)
      throw failure(problem, status: status, about: documents[min(lines.count, documents.count - 1)])
    } catch {
      await end(program)
      throw error
    }
  }

  nonisolated private func read(
    _ lines: [[UInt8]],
    about documents: [RawDocument]
  ) throws(Failure) -> [ProgramAnswer] {
    var answers: [ProgramAnswer] = []
    for (line, document) in zip(lines, documents) {
      do throws(WireError) {
        let (isPlain, database, schema) = (call.style == .plain, call.database, migration.schema)
        answers.append(
          try ProgramAnswer(
            line,
            about: document,
            in: database,
            plain: isPlain ? PlainDocument(document, in: database, schema, zone) : nil
          )
        )
      } catch {
        throw failure("it answers what is no answer: \(error)", about: document)
      }
    }
    return answers
  }

  /// Ends a program that is still running.
  @discardableResult
  private func end(_ program: LineProgram, grace: Double = 0) -> Int32? {
    guard running.remove(program.child) != nil else { return nil }
    return program.stop(grace: grace)
  }

  /// Runs a blocking call on a separate thread; the program notices when the task is cancelled.
  nonisolated private func onThread(
    _ program: LineProgram,
    _ body: @escaping @Sendable (LineProgram, () -> Bool, inout [[UInt8]]) throws(LineProgram.Problem) -> Void
  ) async -> (LineProgram.Problem?, [[UInt8]]) {
    await BackgroundThread.run { isCancelled in
      var lines: [[UInt8]] = []
      do throws(LineProgram.Problem) {
        try body(program, isCancelled, &lines)
        return (nil, lines)
      } catch {
        return (error, lines)
      }
    }
  }

  // MARK: Failures

  nonisolated private func failure(
    _ problem: LineProgram.Problem,
    status: Int32?,
    about document: RawDocument?
  ) -> any Error {
    switch problem {
    case .cancelled: return CancellationError()
    case .timedOut:
      let cause =
        "it did not answer within \(settings.timeout) s (--program-timeout); each answer is to be flushed"
      return failure(document == nil ? "it did not end within \(settings.timeout) s" : cause, about: document)
    case .unasked: return failure("it answers more than it is asked", about: document)
    case .tooMuch: return failure("its answer is too long", about: document)
    case .cannotStart(let code): return failure(SystemCall.text(code), about: document)
    case .ended(let known):
      let how = (known ?? status).map { "it ended with status \($0)" } ?? "it ended, or closed its output"
      return failure(how, about: document)
    }
  }

  nonisolated private func failure(_ cause: String, about document: RawDocument?) -> Failure {
    Failure(
      .inputMalformed,
      "run \(call.name)" + (document == nil ? "" : " on the document"),
      path: document?.path.string,
      cause: cause,
      remedy: remedy
    )
  }

  /// Where to look for the cause.
  nonisolated private var remedy: String {
    let log = migration.surroundings.log
    let hasSpoken = log.map { (SystemCall.status($0).status?.st_size ?? 0) > 0 } ?? false
    let output = hasSpoken ? log.map { "What it wrote to standard error is in \($0)" } : nil
    let run = log.map { FilePaths.name(of: FilePaths.folder(of: $0)) } ?? "RUN"
    return
      "\(output ?? "It wrote nothing to standard error"). Correct it, undo what the run has written ('gymmigrate migrate undo \(run)'), and give the same command again; of a plan there is nothing to undo."
  }

  private func refusal(_ document: RawDocument, _ cause: String, _ remedy: String) -> Failure {
    var failure = Failure(
      .notPermitted,
      "run \(call.name) on the document",
      path: document.path.string,
      cause: cause,
      remedy: remedy
    )
    failure.isRefusal = true
    return failure
  }
}
