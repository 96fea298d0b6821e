import ArgumentParser
import Models
import Transfer

/// Which documents of the named collections are meant.
struct QueryOptions: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only documents for which this holds, as 'role == admin and visits >= 3'. Several hold together.",
      valueName: "filter"
    )
  )
  var filters: [String] = []

  @Flag(help: "Every collection of the name, wherever it is.")
  var group = false

  func validate() throws {
    for filter in filters {
      do {
        _ = try FilterExpression.parse(filter, in: DatabaseName(project: "p"))
      } catch {
        throw ValidationError("--where: \(error).")
      }
    }
  }

  /// The reads of collections in a database.
  func reads(
    of collections: [CollectionPath],
    in database: DatabaseName
  ) throws -> [CollectionRead] {
    let parsed = try filters.map { try FilterExpression.parse($0, in: database) }
    return collections.map { collection in
      var read = CollectionRead(collection)
      if group { read.reach = .group }
      read.filter = parsed.count > 1 ? .and(parsed) : parsed.first
      return read
    }
  }
}

extension StructuredQuery.Order {
  /// Parses `FIELD`, `FIELD asc` or `FIELD desc`, several with commas in between.
  static func list(parsing text: String) throws -> [StructuredQuery.Order] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let words = part.split(separator: " ")
      guard let field = words.first, words.count <= 2 else {
        throw ValidationError("--order-by: '\(part)' is not FIELD, FIELD asc or FIELD desc.")
      }
      let direction: StructuredQuery.Direction
      switch words.dropFirst().first {
      case nil, "asc"?: direction = .ascending
      case "desc"?: direction = .descending
      default: throw ValidationError("--order-by: '\(part)' is not FIELD, FIELD asc or FIELD desc.")
      }
      return StructuredQuery.Order(try TypedValue.field(String(field), of: "--order-by"), direction)
    }
  }
}
