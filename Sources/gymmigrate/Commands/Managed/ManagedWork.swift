import Configuration
import Logging

/// What the commands of the managed service share: the current operation, and the command that waits for it again.
final class ManagedWork {
  private let common: SummaryOptions
  private(set) var operation: ManagedOperation?
  /// The command that shows the operation; nil before one is started.
  private var next: String?

  var isJSON: Bool { common.isJSON }
  private var connection: [String] { common.connection.settings.words }

  init(_ common: SummaryOptions) { self.common = common }

  private var remainder: CommandRun.Remainder {
    if let next { return .command(next) }
    return operation == nil ? .run : .nothing
  }

  /// Returns a command that ends with the operation in its summary.
  func command(_ name: String, guards: ConfirmOptions? = nil) -> CommandRun {
    var command = common.command(ManagedCommand.prefix + name)
    command.confirmation = guards?.confirmation
    command.remainder = { self.remainder }
    command.sections = { self.operation.map { [OperationSection($0)] } ?? [] }
    return command
  }

  /// Refuses a mirror, which has no service behind it, and a cost limit, which the service cannot enforce.
  ///
  /// - Parameter isBilled: Whether the service reads or writes documents; other commands work whatever the environment's limits
  ///   are, so that an operation can be seen and cancelled.
  /// - Throws: `.usage`.
  static func assertDatabase(_ session: Session, isBilled: Bool = false) throws(Failure) {
    let isBounded = !session.client.caller.traffic.account.bound.isNone
    if isBounded, isBilled || session.environment.limits == nil {
      throw Failure(
        .usage,
        "bound the bill of",
        path: "the managed service",
        cause: "it reads and writes by itself, whatever that costs",
        remedy: "Leave out --max-reads, --max-writes, --max-cost and 'limits'."
      )
    }
    guard let file = session.environment.mirror else { return }
    throw Failure(
      .usage,
      "use the managed service of",
      path: file,
      cause: "a mirror is a file of this machine",
      remedy: "Name the environment itself."
    )
  }

  /// Returns the operation that an argument names.
  ///
  /// - Throws: `.usage` if it is not an operation of the database.
  func name(_ argument: String, in session: Session) throws(Failure) -> OperationName {
    try Self.assertDatabase(session)
    let database = session.client.database
    guard let parsed = OperationName(parsing: argument, in: database), parsed.isOf(database),
      let name = OperationName(parsing: parsed.id, in: database)
    else {
      let isOther = OperationName(parsing: argument, in: database) != nil
      throw Failure(
        .usage,
        "find the operation",
        path: argument,
        cause: isOther ? "it is not one of \(database)" : "it is not \(OperationName.form)",
        remedy: isOther ? "Name its environment with -e." : nil
      )
    }
    return name
  }

  /// Records an operation and, while it runs, the command that waits for it.
  func note(_ operation: ManagedOperation) {
    let words = ["gymmigrate", "managed", "status", Self.argument(operation.name), "--wait"] + connection
    self.operation = operation
    next = operation.isDone ? nil : CommandLineText.quoted(words)
  }

  /// An ID as an argument; an ID that looks like an option is replaced by the full name.
  private static func argument(_ name: OperationName) -> String {
    name.id.utf8.first == UInt8(ascii: "-") ? name.description : name.id
  }

  /// What a request covers: `users, members`, or `everything`.
  func what(_ request: ManagedRequest) -> String {
    request.collections.isEmpty ? "everything" : request.collections.joined(separator: ", ")
  }

  // MARK: Working

  /// Starts an export or import, prints its name, and waits for it if requested.
  func start(
    _ request: ManagedRequest,
    _ waiting: WaitOptions,
    in session: Session
  ) async throws -> CommandResult {
    switch try await session.client.start(request) {
    case .started(let operation): note(operation)
    case .found(let operation):
      session.logger.notice("The answer to the request was lost; the operation was found in the list.")
      note(operation)
    case .uncertain(let failure):
      next = CommandLineText.quoted(["gymmigrate", "managed", "list"] + connection)
      throw failure
    }
    if let operation, !isJSON { try StandardOutput.write("\(operation.name)\n") }
    return try await finish(waiting, in: session)
  }

  /// Waits for the operation if requested, and ends as it does.
  ///
  /// - Parameter print: Prints the operation, however it ended; not called with `--json`.
  func finish(
    _ waiting: WaitOptions,
    in session: Session,
    print: (ManagedOperation) throws -> Void = { _ in }
  ) async throws -> CommandResult {
    if waiting.wait { try await wait(waiting, in: session) }
    guard let operation else { return CommandResult() }
    if !isJSON { try print(operation) }
    if let failure = operation.failure { throw failure }
    if operation.isDone {
      if operation.kind == .exportDocuments, let output = operation.output {
        session.logger.notice(
          "The export is complete: 'gymmigrate managed import --from \(output)' imports it."
        )
      }
    } else {
      session.logger.notice(
        "The service is at work; to wait for its end: \(next ?? "-")"
      )
    }
    return CommandResult()
  }

  /// Waits for the operation, showing its progress.
  func wait(_ waiting: WaitOptions, in session: Session) async throws {
    guard let operation, !operation.isDone else { return }
    let progress = session.progress
    let piece = progress.begin(operation.kind.name, total: operation.documents?.estimated)
    defer { progress.end() }
    var shown = 0
    _ = try await session.client.wait(for: operation.name, limit: waiting.timeout?.inSeconds) { operation in
      note(operation)
      if let total = operation.documents?.estimated { progress.setTotal(total, of: piece) }
      let completed = max(shown, operation.documents?.completed ?? 0)
      progress.advance(
        by: completed - shown,
        note: [operation.bytes.map { ManagedText.bytes($0) }, operation.state.name].compactMap { $0 }
          .joined(separator: ", ")
      )
      shown = completed
    }
  }
}
