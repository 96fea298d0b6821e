import ArgumentParser
import Migrations
import Transfer

/// How documents are read.
struct ReadingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Documents a page, 1 to 300.", valueName: "n"))
  var pageSize = 300

  @Option(
    help: ArgumentHelp(
      "Requests at a time, 1 to 16, or auto for 8. With more than one, each collection is cut into ranges of names that are read side by side and come out in the same order: faster where the service is far away, for about a fifth more requests.",
      valueName: "n"
    )
  )
  var parallel = Parallelism(requests: 1)

  func validate() throws {
    if !(1...300).contains(pageSize) { throw ValidationError("--page-size is a number from 1 to 300.") }
  }

  /// Sets the same for a read.
  func apply(to read: inout CollectionRead) {
    read.pageSize = pageSize
    read.parallel = parallel.requests
  }
}

extension MigrationRunner {
  /// Has it read so.
  mutating func read(as options: ReadingOptions) {
    pageSize = options.pageSize
    parallel = options.parallel.requests
  }
}

/// How many requests there are at a time; of more than 16 the pages that wait for their turn would not fit in 64 MiB.
struct Parallelism: ExpressibleByArgument, CustomStringConvertible {
  var requests: Int

  init(requests: Int) {
    self.requests = requests
  }

  init?(argument: String) {
    if argument == "auto" {
      requests = 8
    } else if let number = Int(argument), (1...16).contains(number) {
      requests = number
    } else {
      return nil
    }
  }

  var description: String { String(requests) }
}
