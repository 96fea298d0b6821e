import Schema
import Tables

/// The option for the time zone in which days begin.
struct ZoneOptions: ParsableArguments {
  @Option(
    help: "The zone of days in filters, and of times in workbooks (default: the schema's, else UTC).",
    as: TypedValue.text("zone")
  )
  var timeZone: String?
}

extension LiteralContext {
  /// Creates the context in which literals are parsed.
  ///
  /// - Parameters:
  ///   - database: Nil if it is not known yet.
  ///   - zone: The time zone in which days begin; nil for the schema's.
  /// - Throws: `.configuration` for a time zone that this system does not know.
  init(_ database: DatabaseName?, _ schema: DatabaseSchema, in zone: String?) throws(Failure) {
    let zone = try schema.zone(named: zone)
    self.init(database: database) { zone.startOfDay(year: $0, month: $1, day: $2) }
  }
}

/// Filters as typed.
enum FilterArguments {
  /// Parses several filters that must all hold; nil for none.
  ///
  /// - Throws: `ValidationError` that says which text is invalid, and what is expected.
  static func parse(
    _ texts: [String],
    in context: LiteralContext,
    of option: String = "--where"
  ) throws -> StructuredQuery.Filter? {
    let filters = try texts.map { text in
      try TypedValue.naming(option) { try FilterExpression.parse(text, in: context) }
    }
    let all = filters.count > 1 ? .and(filters) : filters.first
    if let violation = all?.violation { throw ValidationError("\(option): together, \(violation).") }
    return all
  }

  /// Refuses invalid filters before anything is sent, and those that compare `__name__` with a document in a collection that is
  /// not read.
  ///
  /// - Parameter names: The named collections, including patterns; nil for all.
  static func validate(
    _ texts: [String],
    for names: [String]?,
    isGroup: Bool = false,
    of option: String = "--where"
  ) throws {
    // Database and time zone do not affect whether a filter is valid.
    let filter = try parse(texts, in: LiteralContext(database: nil), of: option)
    for path in filter?.names ?? [] {
      guard let names else {
        throw ValidationError(
          "\(option): __name__ is compared with \(path): name the collection \(path.collection)."
        )
      }
      for name in names {
        let isMeant =
          isGroup
          ? path.collection.id.utf8.elementsEqual(name.utf8)
          : CollectionSelection.name(name, means: path.collection)
        if isMeant { continue }
        throw ValidationError(
          "\(option): __name__ is compared with \(path), which is no document of \(name)."
        )
      }
    }
  }
}
