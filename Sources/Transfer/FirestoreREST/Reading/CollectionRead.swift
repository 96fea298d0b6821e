/// A read of a collection: what to read, and how.
///
///     var read = CollectionRead(CollectionPath(nil, "users"), mask: [FieldPath(field: "email")])
///     read.filter = .field(FieldPath(field: "isActive"), .equal, .boolean(true))
///     read.parallel = 8
///     for try await page in client.pages(of: read) { print(page.count) }
package struct CollectionRead: Sendable, Equatable {
  /// Which documents to read.
  package enum Reach: String, Codable, Sendable {
    /// The documents of the collection.
    case collection
    /// The documents of the collection and all its subcollections, including those of missing documents.
    case subcollections
    /// The documents of all collections with this ID.
    case group
    /// The documents of all collections whose path matches, with `*` for any document ID (`groups/*/members`).
    ///
    /// It is read as a collection group below the part before the first `*`. The client drops documents that do not match
    /// and evaluates the filter, because collection groups have no automatic single-field indexes.
    case pattern
  }

  /// The collection; its ID for ``Reach/group``, the pattern for ``Reach/pattern``.
  package var collection: CollectionPath
  package var reach = Reach.collection
  /// For ``Reach/subcollections``: the pattern of the only collections to return, with everything below them; nil for all.
  package var kind: CollectionPath?
  package var filter: StructuredQuery.Filter?
  /// Whether the client evaluates the filter, so that all documents are read, by name.
  var filtersHere = false
  /// The order; by name if empty.
  package var orderBy: [StructuredQuery.Order] = []
  /// The fields to return; nil for all.
  package var mask: [FieldPath]?
  /// The page size, 1 to 300.
  package var pageSize = 300
  /// Returns only documents after this one, by name.
  package var startAfter: DocumentPath?
  /// Returns only documents from this one on, by name; it does not have to exist.
  var startAt: DocumentPath?
  /// Returns only documents before this one, by name; it does not have to exist.
  var endBefore: DocumentPath?
  /// Whether pages are requested ahead of the caller.
  ///
  /// It should be off if only the first documents are needed, because more of them would be billed.
  package var readsAhead = true
  /// The maximum number of documents that the caller takes; nil for all.
  ///
  /// Sequential pages never ask for more in total, so that no more are billed. If the client filters, what it leaves out does
  /// not count: no page is requested ahead of the caller, and its size depends on how many were left out of the one before.
  package var limit: Int?
  /// The number of concurrent requests.
  ///
  /// With more than one, a read in name order is split into concurrent queries of name ranges; any other read has one
  /// request at a time. If there are several reads (``FirestoreClient/pages(ofEach:)``), later ones begin in the meantime.
  package var parallel = 1
  /// The read time; nil for the present.
  package var readTime: Timestamp?

  /// Whether to return missing documents that have subcollections.
  ///
  /// They have no times, and only `documents.list` returns them.
  package var showsMissing = false

  package init(
    _ collection: CollectionPath,
    pageSize: Int = 300,
    mask: [FieldPath]? = nil,
    showsMissing: Bool = false,
    readTime: Timestamp? = nil
  ) {
    self.collection = collection
    self.pageSize = pageSize
    self.mask = mask
    self.showsMissing = showsMissing
    self.readTime = readTime
  }

  /// Whether a page is requested while the one before is used.
  var asksAhead: Bool { readsAhead && (limit == nil || selection == nil) }

  /// Whether `documents.list` can serve it; everything else is a query.
  var isList: Bool {
    reach == .collection && filter == nil && orderBy.isEmpty && startAfter == nil && startAt == nil
      && endBefore == nil && !isSplit
  }

  /// Whether it is read as concurrent name ranges.
  var isSplit: Bool { parallel > 1 && isOrderedByName && !showsMissing }

  /// Whether the documents are in name order, so that the read can resume after any of them.
  package var isOrderedByName: Bool {
    completeOrder == [StructuredQuery.Order(.documentName, .ascending)]
  }

  /// Returns the query, with the order completed by the name, so that a page can start after the last document.
  ///
  /// Subcollections are one query over all descendants in a range of names. It costs one read per document, and finds the
  /// subcollections of missing documents because it scans keys (nodejs-firestore's recursive delete and firebase-tools send
  /// the same query).
  func query(in database: DatabaseName) -> StructuredQuery {
    let id = reach == .subcollections ? nil : collection.id
    let selector = StructuredQuery.CollectionSelector(id, allDescendants: reach != .collection)
    var query = StructuredQuery(from: selector)
    switch reach {
    case .collection, .group: break
    case .subcollections: query.where = Self.everything(below: collection, in: database)
    case .pattern: query.where = Self.everything(below: CollectionPattern(collection).root, in: database)
    }
    if let filter = sentFilter { query.where = filter }
    query.orderBy = completeOrder
    if let mask, !cutsHere { query.select = mask }
    return query
  }

  /// Returns the filter for all document names in and below a collection.
  package static func everything(
    below collection: CollectionPath,
    in database: DatabaseName
  ) -> StructuredQuery.Filter {
    let lowest = "__id-9223372036854775808__"
    let prefix = "\(database.documents)/\(collection.string)"
    return .and([
      .field(.documentName, .greaterThanOrEqual, .reference("\(prefix)/\(lowest)")),
      .field(.documentName, .lessThan, .reference("\(prefix)\u{0}/\(lowest)")),
    ])
  }

  /// The filter that the service evaluates; that of a pattern is evaluated by the client.
  private var sentFilter: StructuredQuery.Filter? { reach == .pattern || filtersHere ? nil : filter }

  /// The conditions that the client evaluates; nil for none.
  var selection: ReadSelection? {
    switch reach {
    case .pattern:
      ReadSelection(pattern: CollectionPattern(collection), filter: filter.map(DocumentFilter.init))
    case .subcollections: kind.map { ReadSelection(pattern: CollectionPattern($0), isDeep: true) }
    case .collection, .group: filtersHere ? filter.map { ReadSelection(filter: DocumentFilter($0)) } : nil
    }
  }

  /// Whether the client evaluates its filter, so that all documents are read regardless.
  package var isFilteredHere: Bool { filter != nil && sentFilter == nil }

  /// Whether the service can count the documents.
  package var isCountable: Bool {
    (reach == .collection || reach == .group) && startAt == nil && endBefore == nil
  }

  /// Returns the collection under which the document with a path is counted.
  package func countedName(of path: DocumentPath) -> CollectionPath {
    switch reach {
    case .collection, .pattern: collection
    case .subcollections, .group: path.collection.pattern
    }
  }

  /// The collection or pattern that was named.
  package var name: CollectionPath { kind ?? collection }

  /// The same read without what is below its collections.
  package var withoutBelow: CollectionRead {
    guard reach == .subcollections else { return self }
    var read = self
    (read.collection, read.reach, read.kind) = (name, kind == nil ? .collection : .pattern, nil)
    return read
  }

  /// What it reads, regardless of filters and ranges of names.
  package var scope: CollectionScope {
    reach == .subcollections
      ? CollectionScope(collection, isDeep: true, kind: kind) : CollectionScope(pathOrPattern: collection)
  }

  /// Whether the read includes a document of this name, regardless of its fields.
  package func covers(_ path: DocumentPath) -> Bool {
    guard range.contains(path), startAfter.map({ $0 < path }) ?? true else { return false }
    return switch reach {
    case .collection: path.isIn(collection)
    case .group: path.collection.id.isIdentical(to: collection.id)
    case .pattern: CollectionPattern(collection).contains(path)
    case .subcollections:
      CollectionPattern(collection).contains(path, isDeep: true)
        && (kind.map { CollectionPattern($0).contains(path, isDeep: true) } ?? true)
    }
  }

  var parent: DocumentPath? { reach == .group || reach == .pattern ? nil : collection.parent }

  /// The order with the service's implicit additions: inequality fields by name, then the document name.
  private var completeOrder: [StructuredQuery.Order] {
    var order = orderBy
    for field in inequalityFields where !order.contains(where: { $0.field == field }) {
      order.append(StructuredQuery.Order(field, order.last?.direction ?? .ascending))
    }
    if !order.contains(where: { $0.field == .documentName }) {
      order.append(StructuredQuery.Order(.documentName, order.last?.direction ?? .ascending))
    }
    return order
  }

  private var inequalityFields: [FieldPath] { sentFilter?.impliedOrder ?? [] }

  /// Whether the client applies the mask, because the order or its own filter needs other fields.
  var cutsHere: Bool {
    mask != nil && !isList
      && (!orderBy.isEmpty || !inequalityFields.isEmpty
        || ((reach == .pattern || filtersHere) && filter != nil))
  }
}

extension FieldMap {
  /// Returns only the fields of a mask.
  package func cut(to mask: [FieldPath]) -> FieldMap {
    var cut = FieldMap()
    for path in mask {
      if let value = self[path] { cut[path] = value }
    }
    return cut
  }
}
