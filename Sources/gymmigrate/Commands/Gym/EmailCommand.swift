import GymServices
import Logging
import MigrationEngine

/// `gymmigrate email`: the index from an email address to an account.
struct EmailCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "email",
    abstract: "Look addresses up, register them, show accounts of one person.",
    discussion: "'gymmigrate migrate apply user-emails' rebuilds the whole index.",
    subcommands: [EmailResolve.self, EmailRegister.self, EmailAccounts.self]
  )

  /// - Throws: `ValidationError` for what cannot be an address.
  static func validate(_ address: String) throws {
    do throws(Failure) {
      _ = try EmailService.path(of: address)
    } catch {
      throw ValidationError("'\(address)': \(error.cause).")
    }
  }
}

struct EmailResolve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Print the id of the user whose address it is.",
    discussion:
      """
      Two reads: the entry and its user. Warns where that is inactive, is gone or has another address. The address is \
      lower-cased and trimmed, as the apps do it. Exits with 66 where nobody is registered.
      """
  )

  @Argument(help: "The address.")
  var address: String

  @Flag(help: "Print JSON instead of lines.") var json = false
  @OptionGroup var common: PrintingOptions

  func validate() throws { try EmailCommand.validate(address) }

  func run() async throws {
    try await common.perform("email resolve", counting: false) { session in
      try session.schema.assertGym("email")
      let path = try EmailService.path(of: address)
      let id = try await user(in: session.client, path)
      for doubt in try await EmailService.doubts(about: id, with: address, in: session.client) {
        let remedy = doubt == .inactive ? "" : " \(EmailService.remedy)"
        session.logger.warning(
          "users/\(id), whom the index names for the address, \(doubt.rawValue).\(remedy)"
        )
      }
      if json {
        try StandardOutput.writeObject {
          $0.member("email", path.id)
          $0.member("primaryUserId", id)
        }
      } else {
        try StandardOutput.write("\(id)\n")
      }
      return CommandResult()
    }
  }

  private func user(in client: FirestoreClient, _ path: DocumentPath) async throws -> String {
    func missing(_ cause: String, _ remedy: String) -> Failure {
      Failure(.inputMissing, "resolve", path: path.string, cause: cause, remedy: remedy)
    }
    switch try await EmailService.resolve(address, in: client) {
    case .user(let id): return id
    case .namesNobody:
      throw missing("its primaryUserId is missing, blank or not a text", EmailService.remedy)
    case .nobody:
      throw missing(
        "nobody is registered under it",
        "'gymmigrate find' looks people up by a part of their name, email or phone."
      )
    }
  }
}

struct EmailRegister: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "register",
    abstract: "Register an address for a user.",
    discussion: """
      In one transaction, as the apps do it: the entry is made under the normalised address, with the time of the \
      server, if the user exists and has that address. An entry that is there stays: exits with 0 where it is the \
      user's, with 2 where it is another's.

        gymmigrate email register lia.cardenas@example.com \\
            08IiQGmf0KBE9bwAj65r3ctInVea -e stage
      """
  )

  @Argument(help: "The address.")
  var address: String

  @Argument(help: "The id of the user.")
  var uid: String

  @OptionGroup var trial: DryRunOption

  @OptionGroup var common: WritingOptions

  func validate() throws {
    try EmailCommand.validate(address)
    try TypedValue.assertIDs([uid])
  }

  func jobRun() -> JobRun {
    common.jobRun(EmailJob(address, of: uid, isDryRun: trial.dryRun))
  }
}

extension EmailJob: PerformableJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    try await CommandRun(run).perform { session, folder in
      try session.schema.assertGym("email")
      let context = session.context(folder)
      let path = try EmailService.path(of: address)
      let plan = isDryRun ? try TransactionPlan(name, over: session.client) : nil
      var ending = CommandResult(lists: context.lists)
      switch try await EmailService.register(address, for: user, in: context, planning: plan) {
      case .registered: break
      case .unchanged:
        context.counts.update(path.collection) {
          $0.read += 1
          $0.unchanged += 1
        }
      case .refused(let refusal):
        let fields: FieldMap = ["primaryUserId": .string(user), "email": .string(path.id)]
        let document = RawDocument(path: path, fields: fields)
        try context.reject(path, code: refusal.rawValue, message: refusal.message, document: document)
        context.logger.warning("\(refusal.rawValue): \(refusal.message)")
        ending.status = .incomplete
      }
      if let plan, !run.output.json { try StandardOutput.write(MigrationText.plan(plan.report)) }
      return ending
    }
  }
}
