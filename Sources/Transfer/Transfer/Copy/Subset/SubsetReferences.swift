import FirestoreREST
import Schema

/// Finds what documents refer to: by Firestore references, and by IDs that the schema declares to be references.
struct SubsetReferences: Sendable {
  struct Reference: Equatable {
    /// The field and its target, such as `members.gymId -> gyms`.
    var edge: String
    var path: DocumentPath
  }

  let schema: DatabaseSchema
  /// The database that is read; references into any other database are ignored.
  let database: DatabaseName

  // MARK: Outwards

  /// A place in a document: its field, if declared, and its name for display.
  private struct Place {
    let path: FieldPath
    let field: FieldSchema?
    let name: String
    /// The fields in elements of the enclosing array; nil outside of arrays.
    var elements: [FieldSchema]?

    /// Returns the place of a member of the map at this place.
    func member(_ name: String, of collection: CollectionSchema?) -> Place {
      let path = path.appending(name)
      let field = elements.map { $0.first { $0.path == path } } ?? collection?.field(path)
      let shown = field == nil ? self.name : "\(self.name).\(FieldPath(field: name))"
      return Place(path: path, field: field, name: shown, elements: elements)
    }
  }

  /// Returns what a document refers to.
  func references(of document: RawDocument) -> [Reference] {
    let collection = schema.collection(document.path.collection).flatMap {
      $0.covers(document.path) ? $0 : nil
    }
    let pattern = document.path.collection.pattern
    var found: [Reference] = []
    for entry in document.fields.entries {
      let path = FieldPath(field: entry.name)
      let field = collection?.field(path)
      // An undeclared field name may be personal data.
      let name = field != nil || MaskGaps.isPlain(entry.name) ? path.description : "(others)"
      collect(entry.value, Place(path: path, field: field, name: name), collection) { target, name in
        found.append(Reference(edge: "\(pattern).\(name) -> \(target.collection.pattern)", path: target))
      }
    }
    return found
  }

  private func collect(
    _ value: Value,
    _ place: Place,
    _ collection: CollectionSchema?,
    _ take: (DocumentPath, String) -> Void
  ) {
    switch value {
    case .reference(let name):
      if let path = database.path(ofName: name), isDocument(path) { take(path, place.name) }
    case .string(let id):
      guard let target = place.field?.idTarget, PathLimits.violation(ofID: id, isDocument: true) == nil
      else { return }
      take(DocumentPath(target, id), place.name)
    case .array(let values):
      let elements = place.field?.elements ?? []
      let inside = Place(
        path: FieldPath(field: FieldSchema.elementName),
        field: elements.first,
        name: "\(place.name)[]",
        elements: elements
      )
      for value in values { collect(value, inside, collection, take) }
    case .map(let fields):
      for entry in fields.entries {
        collect(entry.value, place.member(entry.name, of: collection), collection, take)
      }
    default: return
    }
  }

  private func isDocument(_ path: DocumentPath) -> Bool {
    !path.isReserved && PathLimits.violations(of: path).isEmpty
  }

  // MARK: Inwards

  /// A declared field that refers to documents, with what is needed to query it.
  struct Incoming: Sendable {
    let collection: CollectionSchema
    let field: FieldPath
    let isArray: Bool
    /// The collection that it refers to; nil for any.
    let target: CollectionPath?
    /// Whether it holds IDs as well as references.
    let hasIDs: Bool

    /// The field and its target, such as `members.gymId -> gyms`.
    var name: String {
      "\(collection.pattern).\(field)\(isArray ? "[]" : "")" + (target.map { " -> \($0)" } ?? "")
    }

    /// The number of documents that one query can cover, given at most 30 values.
    var width: Int { hasIDs ? 15 : 30 }

    func canRefer(to path: DocumentPath) -> Bool { target.map { path.isIn($0) } ?? true }

    /// Whether a document is in the collection and covered by its schema.
    func covers(_ path: DocumentPath) -> Bool {
      CollectionPattern(collection.pattern).contains(path) && collection.covers(path)
    }
  }

  /// The fields of the schema that can be queried.
  var incoming: [Incoming] {
    schema.collections.flatMap { collection in
      collection.fields.flatMap { field in
        [(field, false), (field.elements.first, true)].compactMap { holder, isArray in
          guard let holder, holder.refers else { return nil }
          return Incoming(
            collection: collection,
            field: field.path,
            isArray: isArray,
            target: holder.reference?.collection,
            hasIDs: holder.idTarget != nil
          )
        }
      }
    }
  }

  /// The fields of the schema that refer to documents but cannot be queried: those of maps in arrays.
  var unreachable: [String] {
    schema.collections.flatMap { collection in
      collection.fields.flatMap { field in
        field.elements.dropFirst().filter(\.refersAnywhere).map { element in
          // The first segment of its path denotes the element itself.
          "\(collection.pattern).\(field.path)[]"
            + element.path.segments.dropFirst().map { ".\($0)" }.joined()
        }
      }
    }
  }

  /// Returns the read of the names of the documents that refer to some documents by a field.
  func read(_ incoming: Incoming, to documents: [DocumentPath]) -> CollectionRead {
    var values = documents.map { Value.reference(database.name(of: $0)) }
    if incoming.hasIDs { values += documents.map { .string($0.id) } }
    let pattern = CollectionPattern(incoming.collection.pattern)
    let filter = StructuredQuery.Filter.field(
      incoming.field,
      incoming.isArray ? .arrayContainsAny : .in,
      .array(values)
    )
    var read = CollectionRead(pattern.isOpen ? CollectionPath(nil, pattern.path.id) : pattern.path)
    read.filter = filter
    if pattern.isOpen {
      read.reach = .group
      read.filter = .and([filter, CollectionRead.everything(below: pattern.root, in: database)])
    }
    read.mask = [.documentName]
    return read
  }
}

extension FieldSchema {
  /// Whether the schema says that it refers to documents.
  fileprivate var refers: Bool { reference != nil || types.contains(.reference) }
  /// Whether it, or any of its elements, refers to documents.
  fileprivate var refersAnywhere: Bool { refers || elements.contains(where: \.refersAnywhere) }
  /// The collection whose IDs it holds, as texts.
  fileprivate var idTarget: CollectionPath? { types == [.string] ? reference?.collection : nil }
}
