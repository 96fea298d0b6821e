import Transfer

/// `gymmigrate mask`: checks masks and creates their keys.
struct MaskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mask",
    abstract: "Make the key of masked copies, check the rules, prove a copy.",
    subcommands: [MaskCheckCommand.self, MaskKeyCommand.self, MaskProveCommand.self]
  )
}

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

  @Argument(help: CollectionArguments.help, completion: CompletionValues.collections)
  var collections: [String] = []

  @OptionGroup(title: "How it reads") var reading: ReadingOptions
  @OptionGroup var common: SummaryOptions

  func validate() throws { try CollectionArguments.validate(collections) }

  func run() async throws {
    var findings: [MaskCheck.Finding] = []
    var command = common.command("mask check")
    command.connection.hidesNames = true
    command.printing = { summary in
      if common.isJSON {
        return try StandardOutput.write(line: summary.json(after: "findings", findings) { $0.write(to: &$1) })
      }
      for finding in findings {
        try StandardOutput.write(cells: [finding.what, finding.count, finding.remedy])
      }
    }
    try await command.performWithoutRun { session in
      try session.schema.assertDeclared(to: "check the rules of masking")
      var check = MaskCheck(by: session.schema)
      let reads = try await session.deepReads(of: collections, reading)
      try await session.forEachPage(of: reads) { page throws(Failure) in
        for document in page { try check.take(document) }
      }
      if !collections.isEmpty { await session.warnOfUnread(reads) }
      findings = check.findings
      return CommandResult(status: check.isEmpty ? .done : .differences)
    }
  }
}

extension MaskCheck.Finding {
  fileprivate func write(to json: inout JSONWriter) {
    json.object {
      $0.member("what", what)
      $0.member("documents", documents)
      $0.member("referring", referring)
      $0.member("add", remedy)
    }
  }
}

struct MaskKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Make the key of masked copies and exports.",
    subcommands: [MaskKeyNew.self]
  )
}

/// `gymmigrate mask key new`: writes a new key to a file.
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

  @Argument(help: "The file to write.", transform: TypedValue.localFile.read) var file: String
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    try EnvInit.assertFree(file)
    try OutputFile.write(Array("\(MaskKey.random())\n".utf8), to: file)
    if json { return try StandardOutput.writeObject { $0.member("file", file) } }
    Terminal.standardError.line(
      "Wrote \(file). Keep it out of version control and away from the masked data."
    )
  }
}
