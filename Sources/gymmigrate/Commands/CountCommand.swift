import ArgumentParser
import Logging
import Models
import Transfer

/// `gymmigrate count`: how many documents collections hold.
struct CountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Count the documents of collections on the server.",
    discussion: """
      Prints a line a collection: its path and the number, parted by a tab. Nothing is downloaded; the service bills \
      one read for every 1,000 documents counted.

        gymmigrate count users members -e test
        gymmigrate count --all -e prod --json
        gymmigrate count members --where 'membershipStatus == active' -e prod
      """
  )

  @Argument(help: "Paths of collections, as users or groups/g1/members.")
  var collections: [String] = []

  @Flag(help: "Count every root collection.")
  var all = false

  @OptionGroup var query: QueryOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var talk: TalkOptions

  func validate() throws { try CollectionArguments.validate(collections, all: all) }

  func run() async throws {
    let paths = try CollectionArguments.paths(collections)
    let (all, query, isJSON) = (all, query, talk.json)
    try await CommandRun(name: "count", connection: connection, talk: talk).performWithoutRun { session in
      let paths = all ? try await CollectionArguments.roots(of: session.client) : paths
      for read in try query.reads(of: paths, in: session.client.database) {
        let (count, readTime) = try await session.client.count(read)
        session.book.open(read.collection)
        session.book.count(read.collection) { $0.read = count }
        session.logger.debug("counted", metadata: ["at": "\(readTime?.description ?? "unknown")"])
        if !isJSON { try StandardOutput.write("\(read.collection)\t\(count)\n") }
      }
      return Ending()
    }
  }
}
