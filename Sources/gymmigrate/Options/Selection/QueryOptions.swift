import Configuration
import Logging
import Schema

/// Which documents of the named collections are meant.
struct QueryOptions: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only documents for which this holds, as 'role == admin and visits >= 3' (docs/filters.md). Several hold together.",
      valueName: "filter"
    )
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
  /// The filter that documents have to satisfy, nil for none.
  func filter(in database: DatabaseName, _ schema: DatabaseSchema) throws -> StructuredQuery.Filter? {
    if filters.isEmpty { return nil }
    return try FilterArguments.parse(filters, in: try LiteralContext(database, schema, in: timeZone))
  }
}

/// What becomes of a command that is given a collection without documents.
struct EmptinessOptions: ParsableArguments {
  @Flag(
    help:
      "Exit with 66, before anything is begun, if a named collection has no documents."
  )
  var failIfEmpty = false
}

extension Session {
  /// The moment that a choice means; nil for the present of each page.
  ///
  /// - Throws: As ``FirestoreClient/readTime(_:of:_:)``.
  func moment(_ choice: ReadTimeChoice) async throws -> Timestamp? {
    // The moment of a sharded run was found readable when it was planned.
    if part != nil, let moment = choice.moment { return moment }
    return try await client.readTime(choice, of: environment, logger)
  }

  /// The reads that a selection and its filters come to, in the order of the command line.
  ///
  /// Reports what a group reaches, and which documents the service leaves out of an OR.
  ///
  /// - Parameter moment: The moment that is read; nil is the present.
  /// - Throws: `.inputMissing` where a pattern matches nothing, and where `--fail-if-empty` says so.
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

  /// Reports what is worth knowing of reads before they begin.
  ///
  /// - Parameter isAll: Whether they are of all collections that there are, and not of named ones.
  /// - Throws: `.inputMissing` where `--fail-if-empty` says so.
  func prepare(_ reads: [CollectionRead], isAll: Bool, failIfEmpty: Bool) async throws {
    if let filter = reads.first?.filter { logger.reportRequiredFields(of: filter) }
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
    if !empty.isEmpty { throw Failure.empty(empty.map(\.collection)) }
  }

  /// Warns of collections that gave no document because they have none, and not because of a filter.
  func warnOfEmpty(_ reads: [CollectionRead]) async {
    for read in reads {
      let isEmpty = read.filter == nil ? true : try? await client.quickly.isEmpty(read)
      if isEmpty != true { continue }
      // A name that the schema knows better is said beside it.
      let notice = await client.emptyNotice(of: read, suggesting: schema.hint(of: read) == nil)
      logger.warning("\(notice)")
    }
  }
}

extension Logger {
  /// Reports the documents that a filter leaves out although they may satisfy it: the service orders by the fields of
  /// inequalities, and leaves out what lacks one of them; and what is missing is neither null nor unequal.
  func reportRequiredFields(of filter: StructuredQuery.Filter) {
    let fields = DocumentFilter(filter).requiredFields
    if !fields.isEmpty {
      notice(
        "Documents without \(fields.map(\.description).joined(separator: ", ")) are left out, also where another side of 'or' holds (docs/filters.md)."
      )
    }
    let absent = Set(filter.fieldsTakenForAbsent.map(\.description)).sorted()
    if absent.isEmpty { return }
    notice(
      "Documents without \(absent.joined(separator: ", ")) are not selected: what is missing is neither null nor unequal (docs/filters.md)."
    )
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

extension StructuredQuery.Filter {
  /// The fields of comparisons which people take for ones that select documents without them, too.
  fileprivate var fieldsTakenForAbsent: [FieldPath] {
    switch self {
    case .and(let filters), .or(let filters): filters.flatMap(\.fieldsTakenForAbsent)
    case .unary(let field, .isNull), .field(let field, .notEqual, _), .field(let field, .notIn, _): [field]
    case .unary, .field: []
    }
  }
}
