import Configuration
import Integrity
import Logging
import Schema
import Transfer

struct SchemaInfer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "infer",
    abstract: "Infer a schema from the documents of a database.",
    discussion: """
      Reads the collections and everything below them once, in constant memory, and writes the schema that all these \
      documents obey: types, required fields, closed values, formats, ranges of numbers, and references. Look it over before you use it.

      --profile shows what was found instead: the presence of each field, the shares of types and values.

        gymmigrate schema infer -e local -o shop.yaml
        gymmigrate schema infer orders 'orders/*/items' -e local --profile
      """
  )

  @Argument(help: CollectionArguments.help, completion: CompletionValues.collections)
  var collections: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("A file, or - for standard output.").withDefault("-"),
    as: TypedValue.localFile.named("path")
  )
  var output = "-"

  @Option(help: "Read at most this number of documents of each collection.", from: 1)
  var sample: Int?

  @Flag(help: "Show what was found instead of a schema.")
  var profile = false

  @Option(help: "How the profile is shown: table or html (default: as --output ends, else table).")
  var format: SchemaFormat?

  @OptionGroup(title: "How it reads") var reading: ReadingOptions
  @OptionGroup var common: SummaryOptions

  func validate() throws {
    try CollectionArguments.validate(collections)
    if format == .yaml { throw ValidationError("--format: a profile is shown as a table or as html.") }
    if try shownFormat() == .html, !profile {
      throw ValidationError("--format html, and a file that ends in .html, are for --profile.")
    }
    if common.isJSON, output == "-" {
      throw ValidationError("--json and the schema would both go to standard output: give -o FILE.")
    }
  }

  private func shownFormat() throws -> SchemaFormat {
    try SchemaFormat.given(format, for: output, else: profile ? .table : .yaml)
  }

  func run() async throws {
    let format = try shownFormat()
    try FileAccess.local.assertWritable(output)
    // An existing schema may have been edited.
    if !profile, !ImportSource.isStream(output) { try EnvInit.assertFree(output) }
    try await common.command("schema infer").performWithoutRun { session in
      let reads = try await session.deepReads(of: collections, reading)
      var scan = SchemaScan(in: session.counts, session.client, session.progress)
      scan.sample = sample
      let profiles = try await scan.profiles(of: reads)
      if !collections.isEmpty { await session.warnOfUnread(reads) }
      if profiles.isEmpty {
        throw Failure(
          .inputMissing,
          "infer the schema of",
          path: session.environment.name,
          cause: "there is no document",
          remedy: "Once there are some, give '\(Self.command(for: session.environment.name))'."
        )
      }
      session.progress.begin("references", total: nil)
      let references = try await scan.references(of: profiles)
      session.progress.end()
      if profile {
        let table = SchemaTable(of: profiles, references: references)
        if format == .table, output == "-" {
          try StandardOutput.write(table.text)
        } else {
          try SchemaShow.write(format == .html ? table.html : Array("\(table.text)".utf8), to: output)
        }
        return CommandResult(lists: output == "-" ? [] : [output])
      }
      let schema = DatabaseSchema(
        name: Self.name(of: output, session.environment),
        timeZone: session.schema.timeZone,
        collections: profiles.map { $0.schema(references: references[$0.pattern] ?? [:]) }
      )
      let documents = profiles.reduce(0) { $0 + $1.documents }
      let text = """
        # Inferred from \(NumberText.counted(documents, "document")) of \(session.environment.name). Look it over: a range, a list of values or a required
        # field is what the documents are today. docs/schema.md explains the keys.
        \(SchemaWriter.yaml(schema))
        """
      try SchemaShow.write(Array(text.utf8), to: output)
      if output != "-" {
        session.logger.notice(
          "Wrote \(output). Next: write 'schema: \(output)' in gymmigrate.yaml, in place of the 'schema:' that may be there."
        )
      }
      return CommandResult()
    }
  }

  /// The command that infers the schema of an environment.
  static func command(for environment: String) -> String {
    CommandLineText.quoted(["gymmigrate", "schema", "infer", "-e", environment, "-o", "schema.yaml"])
  }

  /// The name of the schema: that of its file, or else of the environment.
  private static func name(of output: String, _ environment: DatabaseEnvironment) -> String {
    let stem = output.split(separator: "/").last?.split(separator: ".").first.map(String.init)
    return output == "-" ? environment.name : stem ?? environment.name
  }
}

extension Session {
  /// Returns the reads of collections with everything below them; of all collections if none are named.
  ///
  /// Warns of names that the schema does not know.
  func deepReads(of names: [String], _ reading: ReadingOptions) async throws -> [CollectionRead] {
    let selection = CollectionSelection(names.isEmpty ? nil : names, isDeep: true)
    let roots = selection.wantsRoots ? try await client.collectionIDs().compactMap { CollectionPath($0) } : []
    let reads = try selection.namedScopes(roots: roots).map { scope in
      var read = scope.read
      reading.settings.apply(to: &read)
      return read
    }
    warnOfUnknownNames(in: reads)
    return reads
  }
}
