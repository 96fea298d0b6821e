import Integrity

struct SchemaDriftCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drift",
    abstract: "Report how data differs from its schema.",
    discussion: """
      Reads the collections and everything below them once and compares them with the schema: fields and collections \
      that it does not declare, declared ones that are nowhere, and documents that break it by themselves, counted by \
      field and kind. Only 'gymmigrate check', which lists each document, compares documents with others: references \
      and unique fields. Prints one line per difference: collection, field, kind, documents, what is expected, and one \
      document, separated by tabs. Exits with 1 when there are differences.

        gymmigrate schema drift -e local --schema shop.yaml
      """
  )

  @Argument(help: CollectionArguments.help, completion: CompletionValues.collections)
  var collections: [String] = []

  @OptionGroup(title: "How it reads") var reading: ReadingOptions
  @OptionGroup var common: SummaryOptions

  func validate() throws { try CollectionArguments.validate(collections) }

  func run() async throws {
    var differences: [SchemaDrift.Difference] = []
    var command = common.command("schema drift")
    command.printing = { summary in
      if common.isJSON {
        return try StandardOutput.write(
          line: summary.json(after: "differences", differences) { $0.write(to: &$1) }
        )
      }
      for difference in differences { try StandardOutput.write(cells: Self.cells(difference)) }
    }
    try await command.performWithoutRun { session in
      let schema = session.schema
      try schema.assertDeclared(to: "compare with the schema")
      let reads = try await session.deepReads(of: collections, reading)
      var drift = SchemaDrift(from: schema)
      let scan = SchemaScan(in: session.counts, session.client, session.progress)
      let profiles = try await scan.profiles(of: reads) { drift.add($0) }
      if !collections.isEmpty { await session.warnOfUnread(reads) }
      differences = drift.differences(from: profiles) { pattern in
        collections.isEmpty || collections.contains { CollectionSelection.name($0, means: pattern) }
      }
      return CommandResult(status: differences.isEmpty ? .done : .differences)
    }
  }

  private static func cells(_ difference: SchemaDrift.Difference) -> [String] {
    [
      difference.collection.string, difference.field?.description ?? "", difference.kind,
      "\(difference.count) of \(difference.documents)", difference.expected, difference.example?.string ?? "",
    ]
  }
}
