import Configuration
import Logging
import Schema

/// Options that select documents of the named collections.
struct QueryOptions: ParsableArguments {
  @Option(
    where:
      "Only documents for which this holds, as 'role == admin and visits >= 3' (docs/filters.md). Several hold together."
  )
  var filters: [String] = []

  @Flag(help: "Every collection with this id, at the root and below any document.")
  var group = false

  @OptionGroup var emptiness: EmptinessOptions
  @OptionGroup var zone: ZoneOptions

  var settings: QuerySettings {
    var settings = QuerySettings()
    (settings.filters, settings.group) = (filters, group)
    (settings.failIfEmpty, settings.timeZone) = (emptiness.failIfEmpty, zone.timeZone)
    return settings
  }
}

extension QuerySettings {
  /// Returns the filter that documents must match; nil for none.
  func filter(in database: DatabaseName, _ schema: DatabaseSchema) throws -> StructuredQuery.Filter? {
    if filters.isEmpty { return nil }
    return try FilterArguments.parse(filters, in: try LiteralContext(database, schema, in: timeZone))
  }
}

/// The option for how a command treats a collection without documents.
struct EmptinessOptions: ParsableArguments {
  @Flag(
    help:
      "Exit with 66, before anything is begun, if a named collection has no documents."
  )
  var failIfEmpty = false
}

extension Session {
  /// Returns the time that a choice means; nil to read each page at its present time.
  ///
  /// - Throws: As ``FirestoreClient/readTime(_:of:_:)``.
  func moment(_ choice: ReadTimeChoice) async throws -> Timestamp? {
    // The read time of a sharded run was found valid when it was planned.
    if part != nil, let moment = choice.moment { return moment }
    return try await client.readTime(choice, of: environment, logger)
  }

  /// Returns the reads for a selection and its filters, in the order of the command line.
  ///
  /// Reports what a group covers, and which documents the service omits from an OR.
  ///
  /// - Parameter moment: The read time; nil for the present.
  /// - Throws: `.inputMissing` if a pattern matches nothing, or as `--fail-if-empty` requires.
  func reads(
    of selection: CollectionSelection,
    _ query: QuerySettings,
    at moment: Timestamp? = nil
  ) async throws -> [CollectionRead] {
    if let part {
      var read = part.read
      read.filter = try query.filter(in: client.database, schema)
      return [read]
    }
    let roots =
      selection.wantsRoots
      ? try await client.collectionIDs(readTime: moment).compactMap { CollectionPath($0) } : []
    var reads: [CollectionRead]
    if query.group, !selection.names.isEmpty {
      reads = selection.names.compactMap { CollectionPath($0) }.map { CollectionRead($0) }
    } else {
      reads = try selection.namedScopes(roots: roots).map(\.read)
    }
    let filter = try query.filter(in: client.database, schema)
    for index in reads.indices {
      reads[index].filter = filter
      reads[index].readTime = moment
      if query.group { reads[index].reach = .group }
    }
    try await prepare(reads, isAll: selection.names.isEmpty, failIfEmpty: query.failIfEmpty)
    return reads
  }

  /// Reports what is worth knowing about reads before they begin.
  ///
  /// - Parameter isAll: Whether they cover all existing collections rather than named ones.
  /// - Throws: `.inputMissing` as `--fail-if-empty` requires.
  func prepare(_ reads: [CollectionRead], isAll: Bool, failIfEmpty: Bool) async throws {
    logger.reportOmissions(by: reads.first?.filter.map { [$0] } ?? [])
    warnOfUnknownNames(in: reads)
    for read in reads where read.reach == .group {
      guard let kinds = await client.kinds(ofGroup: read.collection.id, at: read.readTime), !kinds.isEmpty
      else { continue }
      logger.notice("--group \(read.collection) reaches \(kinds.map(\.string).joined(separator: ", ")).")
    }
    if isAll, reads.isEmpty {
      if failIfEmpty { throw Failure.empty([]) }
      logger.warning("\(environment.name) has no collections (\(client.database)).")
    }
    guard failIfEmpty else { return }
    if isAll { return }
    let empty = try await client.empty(among: reads)
    if !empty.isEmpty { throw Failure.empty(empty.map(\.name)) }
  }

  /// Warns of collections that returned no documents because they are empty, not because of a filter.
  func warnOfEmpty(_ reads: [CollectionRead]) async {
    for read in reads {
      let isEmpty = read.filter == nil ? true : try? await client.quickly.isEmpty(read)
      if isEmpty != true { continue }
      // If the schema knows the name, its hint is printed as well.
      let notice = await client.emptyNotice(of: read, suggesting: schema.hint(of: read) == nil)
      logger.warning("\(notice)")
    }
  }
}

extension Logger {
  /// Reports the documents that filters omit although they may match them.
  func reportOmissions(by filters: [StructuredQuery.Filter]) {
    for text in filters.flatMap(\.omissions) { notice("\(text)") }
  }
}

extension StructuredQuery.Order {
  /// Parses `FIELD`, `FIELD asc` or `FIELD desc`, separated by commas.
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

extension StructuredQuery.Filter {
  /// Notices of the documents that the filter omits although they may match it.
  ///
  /// The service orders by the fields of inequalities and omits documents that lack one of them; and a missing field is neither
  /// null nor unequal to anything.
  var omissions: [String] {
    var notices: [String] = []
    let fields = DocumentFilter(self).requiredFields
    if !fields.isEmpty {
      notices.append(
        "Documents without \(fields.map(\.description).joined(separator: ", ")) are left out, also where another side of 'or' holds (docs/filters.md)."
      )
    }
    let absent = Set(fieldsTakenForAbsent.map(\.description)).sorted()
    if !absent.isEmpty {
      notices.append(
        "Documents without \(absent.joined(separator: ", ")) are not selected: what is missing is neither null nor unequal (docs/filters.md)."
      )
    }
    return notices
  }

  /// The fields of comparisons that people might expect to match documents without these fields.
  fileprivate var fieldsTakenForAbsent: [FieldPath] {
    switch self {
    case .and(let filters), .or(let filters): filters.flatMap(\.fieldsTakenForAbsent)
    case .field(.documentName, _, _): []
    case .unary(let field, .isNull), .field(let field, .notEqual, _), .field(let field, .notIn, _): [field]
    case .unary, .field: []
    }
  }
}
