package import FirestoreModels

/// What to read of a collection, and how far.
package struct CollectionRead: Sendable, Equatable {
  /// How far a read goes.
  package enum Reach: Sendable, Equatable {
    /// The documents of the collection itself.
    case collection
    /// They and everything below them, also below documents that are missing.
    case subcollections
    /// The documents of every collection of this id, wherever it is.
    case group
    /// The documents of every collection whose path matches, `*` standing for any document id
    /// (`groups/*/members`).
    ///
    /// Read as the collection group below the part without `*`; what does not match is dropped, and the filter is
    /// evaluated here: collection groups have no indexes of single fields unless somebody made them.
    case pattern
  }

  /// The collection; for ``Reach/group`` its id stands for all of them, for ``Reach/pattern`` it is the pattern.
  package var collection: CollectionPath
  /// How far to read.
  package var reach = Reach.collection
  /// With ``Reach/subcollections``: only what is in collections of this kind and below them; everything where nil.
  package var kind: CollectionPath?
  /// Only documents for which this holds.
  package var filter: StructuredQuery.Filter?
  /// The order of the documents; that of their names where empty.
  package var orderBy: [StructuredQuery.Order] = []
  /// The fields to read; all where nil.
  package var mask: [FieldPath]?
  /// Documents a page, 1 to 300.
  package var pageSize = 300
  /// Only what comes after this document, by name.
  package var startAfter: DocumentPath?
  /// Only this document and what comes after it, by name; the document need not be there.
  var startAt: DocumentPath?
  /// Only what comes before this document, by name; it need not be there.
  var endBefore: DocumentPath?
  /// Requests at a time.
  ///
  /// With more than one, a collection that is read in the order of names is read by queries for ranges of them; every
  /// other read has one request at a time.
  package var parallel = 1
  /// The moment to read at; now where nil.
  package var readTime: Timestamp?

  /// Whether documents are listed that do not exist but have subcollections; they come with no times, and only where
  /// nothing asks for a query.
  package var showsMissing = false

  /// Makes a read of a whole collection.
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

  /// Whether `documents.list` can do it; everything else is a query.
  var isList: Bool {
    reach == .collection && filter == nil && orderBy.isEmpty && startAfter == nil && startAt == nil
      && endBefore == nil && !isSplit
  }

  /// Whether ranges of it are read side by side.
  var isSplit: Bool { parallel > 1 && reach == .collection && isOrderedByName && !showsMissing }

  /// Whether the documents come in the order of their names, so that the read can go on behind one of them.
  package var isOrderedByName: Bool {
    completeOrder == [StructuredQuery.Order(.documentName, .ascending)]
  }

  /// The query, its order spelled out to the name so that a page can begin after the last document of another.
  ///
  /// Everything below a collection is one query over all descendants within a range of names: it costs a read a
  /// document and finds what is below missing parents, because it walks keys (nodejs-firestore's recursive delete
  /// and firebase-tools send the same).
  func query(in database: DatabaseName) -> StructuredQuery {
    var query: StructuredQuery
    switch reach {
    case .collection: query = StructuredQuery(from: StructuredQuery.CollectionSelector(collection.id))
    case .group:
      query = StructuredQuery(
        from: StructuredQuery.CollectionSelector(collection.id, allDescendants: true)
      )
    case .subcollections:
      query = StructuredQuery(from: StructuredQuery.CollectionSelector(nil, allDescendants: true))
      query.where = Self.everything(below: collection, in: database)
    case .pattern:
      query = StructuredQuery(
        from: StructuredQuery.CollectionSelector(collection.id, allDescendants: true)
      )
      query.where = Self.everything(below: CollectionPattern(collection).root, in: database)
    }
    if let filter = sentFilter { query.where = filter }
    query.orderBy = completeOrder
    if let mask, !cutsHere { query.select = mask }
    return query
  }

  /// The names of all documents of a collection and below it.
  private static func everything(
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

  /// The filter that the service evaluates; that of a pattern is evaluated here.
  private var sentFilter: StructuredQuery.Filter? { reach == .pattern ? nil : filter }

  /// What is asked of each document here, because the service was not; nil where nothing is.
  var selection: ReadSelection? {
    switch reach {
    case .pattern: ReadSelection(CollectionPattern(collection), filter.map(DocumentFilter.init))
    case .subcollections: kind.map { ReadSelection(CollectionPattern($0), nil, isDeep: true) }
    case .collection, .group: nil
    }
  }

  /// Whether the service can count what the read gives.
  package var isCountable: Bool { reach == .collection || reach == .group }

  /// The collection that a document of the read is counted under.
  package func countedName(of document: RawDocument) -> CollectionPath {
    switch reach {
    case .collection, .pattern: collection
    case .subcollections, .group: document.path.collection.pattern
    }
  }

  /// The parent that the query is sent to.
  var parent: DocumentPath? { reach == .group || reach == .pattern ? nil : collection.parent }

  /// The order with what the service would add to it: fields of inequalities by their names, then the name.
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

  private var hasInequality: Bool { !inequalityFields.isEmpty }

  private var inequalityFields: [FieldPath] { sentFilter?.impliedOrder ?? [] }

  /// Whether a page has to be cut down to the mask here, because its order, or the filter that is evaluated here, wants
  /// other fields.
  var cutsHere: Bool {
    mask != nil && !isList && (!orderBy.isEmpty || hasInequality || (reach == .pattern && filter != nil))
  }
}

extension FieldMap {
  /// Only the fields of a mask.
  func cut(to mask: [FieldPath]) -> FieldMap {
    var cut = FieldMap()
    for path in mask {
      if let value = self[path] { cut[path] = value }
    }
    return cut
  }
}
