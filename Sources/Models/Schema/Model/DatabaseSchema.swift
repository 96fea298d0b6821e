/// The description of a database's collections that every command relies on.
///
/// A schema is data: it is read from a YAML file (``SchemaReader``), and nothing in it depends on a particular application.
///
///     let schema = try SchemaReader.schema(parsing: text, path: "shop.yaml")
///     schema.collection(CollectionPath("orders/o1/items")!)?.updateTime    // that of orders/*/items
package struct DatabaseSchema: Sendable {
  /// The name in messages and in reports.
  package let name: String
  /// The time zone of dates in tables and reports, such as `Europe/Madrid`; nil for UTC.
  package let timeZone: String?
  /// The collections, in the order of the file.
  package let collections: [CollectionSchema]

  private let byPattern: [CollectionPath: Int]

  package init(name: String, timeZone: String? = nil, collections: [CollectionSchema]) {
    self.name = name
    self.timeZone = timeZone
    self.collections = collections
    byPattern = Dictionary(
      collections.enumerated().map { ($0.element.pattern, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  package static let none = DatabaseSchema(name: "none", collections: [])

  package var isEmpty: Bool { collections.isEmpty }

  /// Returns the schema of a collection, or of a collection pattern; nil if none is declared.
  package func collection(_ path: CollectionPath) -> CollectionSchema? {
    (byPattern[path] ?? byPattern[path.pattern]).map { collections[$0] }
  }

  /// The columns of a collection's table; empty if the schema does not declare the collection.
  package func columns(of path: CollectionPath) -> [Column] { collection(path)?.columns ?? [] }

  /// The languages that have labels, sorted.
  package var languages: [String] {
    Set(collections.flatMap { $0.fields.flatMap(\.labels.keys) }).sorted { $0.compareUTF8($1) < 0 }
  }

  // MARK: Questions of commands

  /// Returns the field with the time of a document's last change, by which incremental exports and mirrors find changes.
  ///
  /// Returns nil if the schema says that there is none. In a collection that is not declared it is ``usualChangeTime``.
  package func changeTime(of path: CollectionPath) -> FieldPath? {
    guard let declared = collection(path) else { return Self.usualChangeTime }
    return declared.updateTime?.path
  }

  /// The field with the time of the last change in collections that are not declared.
  package static let usualChangeTime = FieldPath(field: "updatedAt")

  /// The collections that `find` searches if none is named.
  package var searchable: [CollectionPath] {
    collections.filter { !$0.isSearchedWhenNamed && ($0.searchedTexts != nil || !$0.searchedPhones.isEmpty) }
      .map(\.pattern)
  }

  /// The collections that all environments share, which `copy --catalogues` copies.
  package var catalogues: [CollectionPath] { collections.filter(\.isCatalogue).map(\.pattern) }

  /// Returns why a collection must not leave a protected environment by accident, as a clause after its name; nil if it may
  /// leave.
  ///
  /// Only a collection that the schema declares free of personal data may leave: unknown collections are withheld, and so are
  /// subcollections that are not declared themselves.
  package func withholding(of path: CollectionPath) -> String? {
    if let declared = collection(path) {
      switch declared.personalData {
      case .free: return nil
      case .holds(let reason): return reason
      case .unknown: break
      }
    }
    var above = path
    while let parent = above.parent?.collection {
      if case .holds(let reason)? = collection(parent)?.personalData { return reason }
      above = parent
    }
    return "what it holds is not known"
  }

  /// The fields of a collection that identify people: those with a mask, and references to a collection with personal data.
  package func fieldsOfPeople(in path: CollectionPath) -> [String] {
    guard let declared = collection(path) else { return [] }
    return declared.fields.filter(namesPeople).map { "\(declared.pattern): \($0.path)" }
  }

  private func namesPeople(_ field: FieldSchema) -> Bool {
    if let rule = field.mask, rule.kind != .keep { return true }
    if case .holds? = field.reference.flatMap({ collection($0.collection) })?.personalData { return true }
    return field.elements.contains(where: namesPeople)
  }

  /// The names of fields whose digits are not numbers: identifiers and phone numbers in any collection.
  package var identifierNames: Set<UTF8Key> {
    Set(
      collections.flatMap { collection in
        collection.columns.compactMap { $0.isTextLike ? $0.path.segments.last.map(UTF8Key.init) : nil }
      }
    )
  }
}
