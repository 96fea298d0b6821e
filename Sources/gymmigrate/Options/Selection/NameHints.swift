import Configuration
import Logging
import MigrationEngine
import Schema

extension Session {
  /// Warns of names in reads that the schema does not know.
  ///
  /// These are collections whose names are close to a declared one, and filter fields that no collection declares. Nothing else
  /// would explain why nothing is found.
  func warnOfUnknownNames(in reads: [CollectionRead]) {
    for read in reads { warn(schema.hint(of: read)) }
    // All have the same filter, except for those of a part.
    var rest = reads[...]
    while let first = rest.first {
      let same = Array(rest.prefix { $0.filter == first.filter })
      rest = rest.dropFirst(same.count)
      guard let filter = first.filter else { continue }
      warnOfUnknown(filter.fields, in: same)
      warnOfImpossibleValues(in: [filter], of: same)
    }
  }

  /// Warns if the collection of a missing document has a name close to one in the schema or in the database.
  func warnOfMissing(_ path: DocumentPath, at readTime: Timestamp? = nil) async {
    let read = CollectionRead(path.collection)
    warnOfUnknownNames(in: [read])
    if schema.hint(of: read) != nil || schema.collection(path.collection) != nil { return }
    warn(await client.meantNotice(of: path.collection, at: readTime))
  }

  /// Warns of filter values that no document can have according to the schema, unless one of the collections is undeclared.
  private func warnOfImpossibleValues(in filters: [StructuredQuery.Filter], of reads: [CollectionRead]) {
    guard let declared = declared(by: reads) else { return }
    for hint in filters.flatMap({ declared.hints(ofValuesIn: $0) }) { warn(hint) }
  }

  /// Warns of fields that none of the collections declares, unless one of the collections is undeclared.
  func warnOfUnknown(_ fields: Set<FieldPath>, in reads: [CollectionRead]) {
    for hint in declared(by: reads)?.hints(of: fields) ?? [] { warn(hint) }
  }

  /// Warns if none of several selected fields is declared.
  func warnOfUndeclared(_ fields: [FieldPath], in reads: [CollectionRead]) {
    guard fields.count > 1, let known = declared(by: reads) else { return }
    if fields.contains(where: { known.hints(of: [$0]).isEmpty }) { return }
    warn("The schema declares none of --fields: the file may have nothing but ids.")
  }

  /// Returns the declared collections that reads cover; nil if one of the collections is undeclared.
  private func declared(by reads: [CollectionRead]) -> [CollectionSchema]? {
    let declared = reads.map { schema.declared(by: $0) }
    return declared.contains(where: \.isEmpty) ? nil : declared.flatMap(\.self)
  }

  /// Warns of names in declarative migrations that the schema does not know, of unique fields that they write, and of documents
  /// that their filters omit.
  ///
  /// - Parameter isCopied: Whether they work on a copy, for which the collections were already reported.
  func warnOfUnknownNames(in migrations: [any Migration], isCopied: Bool = false) {
    for case let migration as DeclarativeMigration in migrations {
      let reads = migration.scope.wholeReads
      if !isCopied { warnOfUnknownNames(in: reads) }
      warnOfUnknown(migration.filteredFields, in: reads)
      warnOfImpossibleValues(in: migration.scope.filters, of: reads)
      warnOfFields(inStepsOf: migration)
      logger.reportOmissions(by: migration.scope.filters)
    }
  }

  /// Warns of names in the steps of a migration that the schema does not know, and of unique fields that they write.
  func warnOfFields(inStepsOf migration: DeclarativeMigration) {
    for hint in migration.unknownNames + migration.uniqueHints { warn(hint) }
  }

  private func warn(_ hint: String?) {
    if let hint { logger.warning("\(hint)") }
  }

  /// Warns of reads that returned no document because there is none.
  func warnOfUnread(_ reads: [CollectionRead]) async {
    for read in reads where counts.readCount(below: read) == 0 {
      // The counted collection may be recorded by its pattern.
      if await (try? client.quickly.isEmpty(read)) ?? false { await warnOfEmpty([read]) }
    }
  }
}

/// Reports which of several migrations found no document, perhaps because a name is misspelt; asks the service nothing.
struct EmptyMigrations {
  private let session: Session
  private var read: Int

  init(in session: Session) {
    self.session = session
    read = session.counts.totals.read
  }

  /// Reports it if a migration, of which the documents are counted by now, has read none.
  mutating func report(_ migration: (any Migration)?) {
    let former = read
    read = session.counts.totals.read
    guard read == former, let migration = migration as? DeclarativeMigration else { return }
    let (scope, id) = (migration.scope, migration.id)
    if scope.filters.isEmpty {
      let place =
        scope.isGroup ? "no collection called \(scope.collection) has any" : "\(scope.collection) has none"
      session.logger.warning(
        "\(id) read 0 documents: \(place). Is it spelled right? 'gymmigrate count --all' lists what there is."
      )
    } else {
      session.logger.notice("\(id) read 0 documents: its filter selects none of \(scope.collection).")
    }
  }
}

extension DatabaseSchema {
  /// Returns a hint that the name of a read's collection is close to a declared one; nil if it is not.
  func hint(of read: CollectionRead) -> String? {
    read.reach == .group ? hint(ofGroup: read.collection.id) : hint(of: read.kind ?? read.collection)
  }

  /// Returns the declared collections that a read covers; empty if it covers an undeclared one, or everything below a collection.
  fileprivate func declared(by read: CollectionRead) -> [CollectionSchema] {
    switch read.reach {
    case .group: declared(inGroup: read.collection.id)
    case .subcollections: []
    case .collection, .pattern: collection(read.collection).map { [$0] } ?? []
    }
  }
}

extension RunCounts {
  /// Returns how many documents of a read were counted, in whatever collections.
  fileprivate func readCount(below read: CollectionRead) -> Int {
    let scope = CollectionScope(
      pathOrPattern: read.kind ?? read.collection,
      isDeep: read.reach == .subcollections
    )
    return collections.reduce(0) { sum, collection in
      guard let path = CollectionPath(collection.name), scope.contains(DocumentPath(path, "x")) else {
        return sum
      }
      return sum + collection.counts.read
    }
  }
}
