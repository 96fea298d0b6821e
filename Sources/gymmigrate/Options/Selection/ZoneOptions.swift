import Schema
import Tables

/// By which clocks days begin.
struct ZoneOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The zone of days in filters, and of times in workbooks (default: the schema's, else UTC).",
      valueName: "zone"
    )
  )
  var timeZone: String?
}

extension LiteralContext {
  /// What literals are read against.
  ///
  /// - Parameter zone: The zone in which days begin; nil for the schema's.
  /// - Throws: `.configuration` for a zone that this system does not know.
  init(_ database: DatabaseName, _ schema: DatabaseSchema, in zone: String?) throws(Failure) {
    let zone = try schema.zone(named: zone)
    self.init(database: database) { zone.startOfDay(year: $0, month: $1, day: $2) }
  }
}

/// Filters as they are typed.
enum FilterArguments {
  /// What several filters come to together, nil for none.
  ///
  /// - Throws: `ValidationError` that says which text is wrong, and what is expected.
  static func parse(
    _ texts: [String],
    in context: LiteralContext,
    of option: String = "--where"
  ) throws -> StructuredQuery.Filter? {
    var filters: [StructuredQuery.Filter] = []
    for text in texts {
      do {
        filters.append(try FilterExpression.parse(text, in: context))
      } catch {
        throw ValidationError("\(option): \(error).")
      }
    }
    let all = filters.count > 1 ? .and(filters) : filters.first
    if let violation = all?.violation { throw ValidationError("\(option): together, \(violation).") }
    return all
  }

  /// Refuses a filter before anything is sent: one that cannot be read, and one that compares `__name__` with a document
  /// of another collection than one that is read.
  ///
  /// - Parameter names: The collections that are named, patterns among them; nil for all there are.
  static func validate(
    _ texts: [String],
    for names: [String]?,
    isGroup: Bool = false,
    of option: String = "--where"
  ) throws {
    // Which database and zone makes no difference to what is well-formed.
    let filter = try parse(texts, in: LiteralContext(database: DatabaseName(project: "p")), of: option)
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
