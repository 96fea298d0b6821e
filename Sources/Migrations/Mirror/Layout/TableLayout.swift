/// The table of a collection in a mirror.
///
/// Its rows have the document ID in `_id`, a column for the ID of each ancestor document, a column for each declared field (with
/// the fields of maps flattened), and `_other` with everything that the columns cannot hold, as REST JSON.
package struct TableLayout: Sendable {
  /// A column with the values of a field.
  package struct FieldColumn: Sendable {
    package let name: String
    package let field: FieldPath
    package let type: Schema.Column.ValueType
    /// The collection whose document IDs the values are; nil if they are not references.
    package let reference: CollectionPath?
  }

  /// The columns of the document ID, and of what the other columns cannot hold.
  package static let idColumn = "_id"
  package static let otherColumn = "_other"

  /// The collection, or the collection pattern.
  package let collection: CollectionPath
  package let schema: CollectionSchema
  package let name: String
  /// The columns of the ancestor documents' IDs, outermost first.
  package let parents: [String]
  package let columns: [FieldColumn]
  /// The tables of the elements of arrays whose elements the schema declares.
  package private(set) var elementTables: [ElementTable] = []
  package var width: Int { parents.count + columns.count + 2 }

  let tree: FieldColumnTree
  /// The statements that insert and update a row; the parameters of both are the columns in order.
  let insertion: String
  let update: String

  init(_ schema: CollectionSchema, name: String, _ tables: inout Set<String>) {
    collection = schema.pattern
    self.schema = schema
    self.name = name
    var taken: Set<String> = [Self.idColumn, Self.otherColumn]
    let segments = schema.pattern.segments
    parents = segments.indices.filter { $0 % 2 == 1 }.map {
      SQLName.unused("\(SQLName.snakeCase(segments[$0 - 1]))_id", &taken)
    }
    columns = schema.columns.map { column in
      let words = column.path.segments.map { $0.isEmpty ? "_" : SQLName.snakeCase($0) }
      return FieldColumn(
        name: SQLName.unused(words.joined(separator: "_"), &taken),
        field: column.path,
        type: Self.type(of: column),
        reference: schema.field(column.path)?.referenceByID
      )
    }
    tree = FieldColumnTree(columns.map(\.field))
    let keys = parents + [Self.idColumn]
    let others = columns.map(\.name) + [Self.otherColumn]
    let marks = (1...keys.count + others.count).map { "?\($0)" }
    insertion =
      "INSERT INTO \(SQLName.quoted(name)) (\(SQLName.list(keys + others))) VALUES (\(marks.joined(separator: ", ")))"
    let isRow = zip(keys, marks).map { "\(SQLName.quoted($0)) = \($1)" }
    let changes = zip(others, marks.dropFirst(keys.count)).map { "\(SQLName.quoted($0)) = \($1)" }
    update =
      "UPDATE \(SQLName.quoted(name)) SET \(changes.joined(separator: ", ")) WHERE \(isRow.joined(separator: " AND "))"
    let ids = parents + ["\(SQLName.snakeCase(segments[segments.count - 1]))_id"]
    for column in columns {
      guard let field = schema.field(column.field), !field.elements.isEmpty else { continue }
      elementTables.append(
        ElementTable(field, name: SQLName.unused("\(name)_\(column.name)", &tables), documentIDs: ids)
      )
    }
  }

  /// Returns the type of a column; if SQL has no type for it, its cells are REST JSON.
  static func type(of column: Schema.Column) -> Schema.Column.ValueType {
    switch column.type {
    case .reference, .geopoint, .bytes: .any
    default: column.type
    }
  }

  /// For an undeclared collection, a schema with only the inferred update time that the service sets, by which the next pull
  /// finds changes.
  var inferredTimes: CollectionSchema {
    var inferred = CollectionSchema(collection)
    inferred.updateTime = schema.updateTime
    return inferred
  }

  /// Returns the IDs of a document and its ancestors, outermost first.
  func ids(of path: DocumentPath) -> [String] {
    let segments = path.segments
    return segments.indices.filter { $0 % 2 == 1 }.map { segments[$0] }
  }
}

extension CollectionPath {
  /// The segments: collection IDs alternating with document IDs or `*`.
  var segments: [String] { string.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) } }
}

package struct MirrorLayout: Sendable {
  package let tables: [TableLayout]
  private let byPattern: [CollectionPath: Int]

  /// The names of tables that the file uses for other purposes.
  private static let reserved: Set<String> = [
    "state", "databases", "collection_groups", "documents", "versions", "zone_offsets",
  ]

  /// Creates the layouts of collections, in order.
  package init(_ collections: [CollectionSchema]) {
    var taken = Self.reserved
    var tables: [TableLayout] = []
    var byPattern: [CollectionPath: Int] = [:]
    for collection in collections where byPattern[collection.pattern] == nil {
      let ids = collection.pattern.segments.enumerated().filter { $0.offset % 2 == 0 }
        .map { SQLName.snakeCase($0.element) }
      byPattern[collection.pattern] = tables.count
      let name = SQLName.unused(ids.joined(separator: "_"), &taken)
      tables.append(TableLayout(collection, name: name, &taken))
    }
    self.tables = tables
    self.byPattern = byPattern
  }

  /// Returns the table of a collection; nil if there is none.
  package func table(of collection: CollectionPath) -> TableLayout? {
    (byPattern[collection] ?? byPattern[collection.pattern]).map { tables[$0] }
  }
}

/// The fields of columns as a tree, whose members are in the order in which documents store them.
struct FieldColumnTree: Sendable {
  struct Member: Sendable {
    let name: String
    /// The column of the field; nil for a map whose fields have columns.
    var column: Int?
    var members: [Member] = []

    /// Whether its column, or any column below it, has a value.
    func isFilled(in row: [SQLCell]) -> Bool {
      if let column { return row[column] != .null }
      return members.contains { $0.isFilled(in: row) }
    }
  }

  private(set) var members: [Member] = []

  init(_ fields: [FieldPath]) {
    for (index, field) in fields.enumerated() { Self.add(field.segments[...], index, to: &members) }
  }

  private static func add(_ segments: ArraySlice<String>, _ column: Int, to members: inout [Member]) {
    guard let first = segments.first else { return }
    let at = members.firstIndex { $0.name.compareUTF8(first) >= 0 } ?? members.count
    if at == members.count || !members[at].name.isIdentical(to: first) {
      members.insert(Member(name: first), at: at)
    }
    if segments.count == 1 {
      members[at].column = column
    } else {
      add(segments.dropFirst(), column, to: &members[at].members)
    }
  }
}
