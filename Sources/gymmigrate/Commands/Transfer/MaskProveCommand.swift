import Configuration
import Logging
import Mirror
import Schema
import Transfer

struct MaskProveCommand: AsyncParsableCommand, PlacedCommand {
  static let configuration = CommandConfiguration(
    commandName: "prove",
    abstract: "Look in a masked copy for the values that rules mask.",
    discussion: """
      Reads both environments. Prints a line for each masked field: how many of its values stand anywhere in --to, and what \
      could not be looked for (docs/masking.md). Exits with 1 when there is any, with 66 when there is nothing to look for, --to \
      is empty, or --from is itself masked. No value is printed.

        gymmigrate mask prove --from prod --to test --also .gymmigrate
      """
  )

  @Argument(help: CollectionArguments.help, completion: CompletionValues.collections)
  var collections: [String] = []

  @Option(help: "The environment that was masked.", as: TypedValue.environment)
  var from: String

  @Option(help: "The masked copy, which is read whole.", as: TypedValue.environment)
  var to: String

  @Option(help: "A file or folder to look into as well. Repeatable.", as: TypedValue.localFile.named("path"))
  var also: [String] = []

  @OptionGroup(title: "How it reads") var reading: ReadingOptions
  @OptionGroup var source: FromOptions
  @OptionGroup var common: SummaryOptions

  func validate() throws {
    if common.connection.environment != nil {
      throw ValidationError("A proof has two environments: name them with --from and --to, not with -e.")
    }
    try CollectionArguments.validate(collections)
  }

  func run() async throws {
    var found: [ProvenField] = []
    var command = common.command("mask prove")
    command.connection.environment = to
    command.source = source.connection(to: from, beside: command.connection)
    command.connection.hidesNames = true
    command.source?.hidesNames = true
    try assertNear(to: EnvironmentResolver(command.connection).schema())
    command.printing = { summary in
      if common.isJSON { return try StandardOutput.write(line: summary.json) }
      for field in found { try StandardOutput.write(cells: field.row) }
    }
    try await command.performWithoutRun { session in
      let report = try await report(in: session)
      found = report.fields
      return CommandResult(status: report.isProven ? .done : .differences, sections: [report])
    }
  }

  /// Refuses a collection whose name is close to one in the schema, because no rule masks it.
  private func assertNear(to schema: DatabaseSchema) throws {
    for path in collections.compactMap({ CollectionPath($0) }) {
      if let hint = schema.hint(of: path) { throw ValidationError(hint) }
    }
  }

  private func report(in session: Session) async throws -> MaskProofReport {
    guard let source = session.source else { throw Failure(.internal, "prove", cause: "there is no source") }
    try session.schema.assertDeclared(to: "prove a mask")
    var proof = MaskProof(by: session.schema)
    let people = session.reading(source)
    let reads = try await people.deepReads(of: collections, reading)
    try await people.forEachPage(of: reads) { page throws(Failure) in
      for document in page { try proof.take(document) }
    }
    // Before the copy is read, whose documents are counted as well.
    if !collections.isEmpty { await people.warnOfUnread(reads) }
    try assertProvable(proof, of: source.environment.name)
    var isEmpty = true
    try await session.forEachPage(of: wholeReads(in: session)) { page throws(Failure) in
      for document in page {
        if !document.path.isReserved { isEmpty = false }
        try proof.search(document)
      }
    }
    for path in also { try proof.search(files: path, values: DatabaseValues.forEach(in:_:)) }
    let report = try proof.report()
    for file in report.unread { session.logger.warning("Not all of a file was searched. \(file).") }
    if isEmpty, report.isProven {
      throw Self.failure(
        session.environment.name,
        "it has no documents, so that nothing can be found in it",
        "Copy into it first, or name the copy with --to."
      )
    }
    return report
  }

  /// Refuses a proof that would be meaningless: a source without values, or one whose values are already masked.
  private func assertProvable(_ proof: borrowing MaskProof, of environment: String) throws(Failure) {
    let sides = "--from is what was masked, --to is the copy."
    if proof.isEmpty {
      throw Self.failure(
        environment,
        "it has no value that a rule masks and that could be looked for",
        "Check the collections, and the sides: \(sides)"
      )
    }
    if proof.isOfCopy {
      throw Self.failure(
        environment,
        "most of its email addresses and URLs are masked, as those of a copy",
        "Swap --from and --to: \(sides)"
      )
    }
  }

  private static func failure(_ environment: String, _ cause: String, _ remedy: String) -> Failure {
    Failure(.inputMissing, "prove the mask of", path: environment, cause: cause, remedy: remedy)
  }

  /// Returns the reads of the entire copy, including gymmigrate's own documents.
  private func wholeReads(in session: Session) async throws -> [CollectionRead] {
    try await session.client.collectionIDs().compactMap { CollectionPath($0) }.map { root in
      var read = CollectionScope(root, isDeep: true).read
      reading.settings.apply(to: &read)
      return read
    }
  }
}

extension Session {
  /// Calls `body` with each page of some reads, and counts the documents.
  func forEachPage(
    of reads: [CollectionRead],
    _ body: ([RawDocument]) throws(Failure) -> Void
  ) async throws {
    let pages = client.pages(ofEach: reads)
    for (index, read) in reads.enumerated() {
      counts.open(read.collection)
      while let page = try await pages.next(of: index) {
        try body(page)
        for document in page { counts.update(read.countedName(of: document.path)) { $0.read += 1 } }
      }
    }
  }
}
