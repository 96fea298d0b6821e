import Logging

struct ManagedCancel: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Have Firestore cancel an operation.",
    discussion: """
      Asks the service to cancel the operation, and prints its state. The service cancels in its own time; --wait waits \
      for that. A cancelled export cannot be imported, and its files stay in the bucket. A cancelled import leaves what \
      it has written. An operation that has ended stays as it is.

        gymmigrate managed cancel \\
            ASA1MTAwNDQxNAgadGx1YWZlZAcSeWxpYWQtc2Itc2Vib2otbmltZGEUChwS -e prod \\
            --wait
      """
  )

  @OptionGroup var argument: OperationArgument
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var common: SummaryOptions

  func run() async throws {
    let (work, waiting) = (ManagedWork(common), waiting)
    try await work.command("cancel").performWithoutRun { session in
      let client = session.client
      let name = try work.name(argument.operation, in: session)
      let before = try await client.operation(name)
      work.note(before)
      if before.isDone {
        session.logger.notice("It had ended before: there is nothing to cancel.")
      } else {
        try await client.cancel(name)
        work.note(try await client.operation(name))
        if waiting.wait { try await work.wait(waiting, in: session) }
      }
      if let operation = work.operation, !work.isJSON {
        try StandardOutput.write(ManagedText.lines(operation))
      }
      // Being cancelled is the expected ending.
      if case .failed? = work.operation?.ending, let failure = work.operation?.failure { throw failure }
      return CommandResult()
    }
  }
}
