import Transfer

/// `gymmigrate mask`: what masking needs.
struct MaskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mask",
    abstract: "Make the key of masked copies and exports.",
    subcommands: [MaskKeyCommand.self]
  )
}

/// `gymmigrate mask key`.
struct MaskKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Make the key of masked copies and exports.",
    subcommands: [MaskKeyNew.self]
  )
}

/// `gymmigrate mask key new`: a file with a new key.
struct MaskKeyNew: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Write a new random key to a file that only you may read.",
    discussion: """
      The same key masks a value in the same way in every copy. Whoever has it can try out who is behind a value. An \
      existing file is never overwritten (73).

        gymmigrate mask key new mask.key
      """
  )

  @Argument(help: "The file to write.") var file: String

  func run() async throws {
    try EnvInit.assertFree(file)
    try EnvInit.write(MaskKey.random() + "\n", to: file)
    Terminal.standardError.line("Wrote \(file). Keep it out of version control and away from the masked data.")
  }
}
