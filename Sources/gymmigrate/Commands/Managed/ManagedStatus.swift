struct ManagedStatus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show how far an operation is, or wait for its end.",
    discussion: """
      Prints what the operation does, its state in the service's words, its progress and its end. The exit code is 0 \
      while it runs and when it succeeded, 130 if it was cancelled, and that of its error if it failed.

        gymmigrate managed status \\
            ASA1MTAwNDQxNAgadGx1YWZlZAcSeWxpYWQtc2Itc2Vib2otbmltZGEUChwS -e prod \\
            --wait
      """
  )

  @OptionGroup var argument: OperationArgument
  @OptionGroup var waiting: WaitOptions
  @OptionGroup var common: SummaryOptions

  func run() async throws {
    var common = common
    // It prints a state, so the duration of the request is of no interest.
    if !waiting.wait { common.logging.verbosity.quiet = true }
    let (work, waiting) = (ManagedWork(common), waiting)
    try await work.command("status").performWithoutRun { session in
      let name = try work.name(argument.operation, in: session)
      work.note(try await session.client.operation(name))
      return try await work.finish(waiting, in: session) { operation in
        try StandardOutput.write(ManagedText.lines(operation))
      }
    }
  }
}
