import Schema
import Synchronization
import Transfer

/// `gymmigrate mask`: what masking needs.
struct MaskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mask",
    abstract: "Make the key of masked copies; check what rules do not cover; prove a copy.",
    subcommands: [MaskCheckCommand.self, MaskKeyCommand.self, MaskProveCommand.self]
  )
}

/// `gymmigrate mask check`.
struct MaskCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Report what no rule of masking covers.",
    discussion: """
      Reads the collections and everything below them. Prints a line for what a masked run would be refused for: what it \
      is, in how many documents, and what to add to the schema, separated by tabs. Exits with 1 when there is any.

        gymmigrate mask check users -e local
      """
  )

  @Argument(help: CollectionArguments.help)
  var collections: [String] = []

  @OptionGroup(title: "How it reads") var reading: ReadingOptions
  @OptionGroup var common: SummaryOptions

  func validate() throws { try CollectionArguments.validate(collections) }

  func run() async throws {
    let rows = Mutex<[[String]]>([])
    var command = common.command("mask check")
    command.printing = { summary in
      if common.isJSON { return try StandardOutput.write(json: summary.json + [UInt8(ascii: "\n")]) }
      for row in rows.withLock({ $0 }) { try StandardOutput.write("\(TerminalText(cells: row))\n") }
    }
    try await command.performWithoutRun { session in
      try session.schema.assertDeclared(to: "check the rules of masking")
      var check = try MaskCheck(by: session.schema)
      let reads = try await session.deepReads(of: collections, reading)
      let pages = session.client.pages(ofEach: reads)
      for (index, read) in reads.enumerated() {
        session.counts.open(read.collection)
        while let page = try await pages.next(of: index) {
          for document in page { check.take(document) }
          session.counts.update(read.collection) { $0.read += page.count }
        }
      }
      rows.withLock { $0 = check.rows }
      return CommandResult(status: check.isEmpty ? .done : .differences)
    }
  }
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

  @Argument(help: "The file to write.", transform: TypedValue.localFile) var file: String
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    try EnvInit.assertFree(file)
    try EnvInit.write(MaskKey.random() + "\n", to: file)
    if json { return try StandardOutput.writeObject { $0.member("file", file) } }
    Terminal.standardError.line(
      "Wrote \(file). Keep it out of version control and away from the masked data."
    )
  }
}
