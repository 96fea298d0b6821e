import Logging

/// `gymmigrate count`: counts the documents of collections.
struct CountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Count the documents of collections on the server.",
    discussion: """
      Prints one line per collection: its path and the number, separated by a tab. Nothing is downloaded; the \
      service bills one read for every 1,000 documents counted. The documents of a pattern, as 'orders/*/items', are \
      counted by their names, a read each. --all leaves out subcollections: name these \
      by a pattern, or with --group.

        gymmigrate count --all -e test
        gymmigrate count 'log*' 'orders/*/items' -e prod
      """
  )

  @Argument(help: CollectionArguments.help, completion: CompletionValues.collections)
  var collections: [String] = []

  @Flag(help: "Count every root collection.")
  var all = false

  @OptionGroup(title: "Which documents") var query: QueryOptions
  @OptionGroup var moment: MomentOptions
  @OptionGroup var snapshot: SnapshotOptions
  @OptionGroup var common: SummaryOptions

  func validate() throws {
    try CollectionArguments.validate(collections, all: all, query)
    try snapshot.validate(common.connection, moment)
  }

  func run() async throws {
    let selection = CollectionSelection(all ? nil : collections, isDeep: false)
    var command = common.command("count")
    command.connection = snapshot.connection(common.connection)
    try await command.performWithoutRun { session in
      let moment = try await session.moment(self.moment.readTime ?? .none)
      let reads = try await session.reads(of: selection, query.settings, at: moment)
      var empty: [CollectionRead] = []
      for read in reads {
        session.counts.open(read.collection)
        let (count, readTime) = try await session.client.countOrRead(read, logger: session.logger)
        session.counts.update(read.collection) { $0.read = count }
        session.logger.debug("counted", metadata: ["at": "\(readTime?.description ?? "unknown")"])
        if !common.isJSON { try StandardOutput.write("\(read.collection)\t\(count)\n") }
        if count == 0 { empty.append(read) }
      }
      await session.warnOfEmpty(empty)
      return CommandResult(readTime: moment)
    }
  }
}
