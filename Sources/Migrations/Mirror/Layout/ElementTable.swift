/// The table of an array's elements.
///
/// Each row has the IDs of the document, the position from 0, and the element's value or, if it is a map, a column for each
/// declared field. The table reflects the documents, not edited rows: edits are made in the array's own column, and triggers
/// refuse all changes here.
package struct ElementTable: Sendable {
  package let field: FieldPath
  package let name: String
  /// The columns of the document's IDs, those of its ancestors first.
  package let documentIDs: [String]
  package let columns: [TableLayout.FieldColumn]

  let tree: FieldColumnTree
  /// The statement that inserts a row; its parameters are the columns in order.
  let insertion: String
  /// The statement that removes the rows of a document by its IDs.
  let removal: String

  static let positionColumn = "position"

  init(_ array: FieldSchema, name: String, documentIDs: [String]) {
    field = array.path
    self.name = name
    var taken: Set<String> = [Self.positionColumn, TableLayout.otherColumn]
    let ids = documentIDs.map { SQLName.unused($0, &taken) }
    self.documentIDs = ids
    columns = array.elementColumns.map { column in
      let words = column.path.segments.dropFirst().map { $0.isEmpty ? "_" : SQLName.snakeCase($0) }
      return TableLayout.FieldColumn(
        name: SQLName.unused(words.isEmpty ? "value" : words.joined(separator: "_"), &taken),
        field: column.path,
        type: TableLayout.type(of: column),
        reference: array.elements.first { $0.path == column.path }?.referenceByID
      )
    }
    tree = FieldColumnTree(columns.map(\.field))
    let marks = Array(repeating: "?", count: ids.count + columns.count + 2).joined(separator: ", ")
    insertion = "INSERT INTO \(SQLName.quoted(name)) VALUES (\(marks))"
    let condition = ids.map { "\(SQLName.quoted($0)) = ?" }.joined(separator: " AND ")
    removal = "DELETE FROM \(SQLName.quoted(name)) WHERE \(condition)"
  }

  /// Returns the statement that creates the table, which belongs to another one.
  func creation(below table: TableLayout, in layout: MirrorLayout) -> String {
    var lines = documentIDs.map { "\(SQLName.quoted($0)) TEXT NOT NULL" }
    lines.append("\(SQLName.quoted(Self.positionColumn)) INTEGER NOT NULL")
    for column in columns { lines.append("\(SQLName.quoted(column.name))\(column.declaration)") }
    lines.append("\(SQLName.quoted(TableLayout.otherColumn)) TEXT")
    lines.append("PRIMARY KEY (\(SQLName.list(documentIDs + [Self.positionColumn])))")
    lines.append(table.reference(from: documentIDs))
    lines += columns.compactMap { $0.foreignKey(in: layout) }
    return "CREATE TABLE \(SQLName.quoted(name)) (\n  \(lines.joined(separator: ",\n  "))\n) WITHOUT ROWID"
  }

  /// Returns the statements that create the triggers that refuse edits.
  func triggerCreation(below table: TableLayout) -> [String] {
    let column = table.columns.first { $0.field == field }?.name ?? ""
    let cause = SQLName.literal("edit the column \(column) of \(table.name) instead")
    return TableLayout.events.map { event in
      """
      CREATE TRIGGER \(SQLName.quoted(TableLayout.triggerName(event, of: name))) BEFORE \(event) ON \(SQLName.quoted(name)) BEGIN
        SELECT RAISE(ABORT, \(cause));
      END
      """
    }
  }

  var triggerRemoval: [String] {
    TableLayout.triggerNames(of: name).map { "DROP TRIGGER IF EXISTS \(SQLName.quoted($0))" }
  }
}

extension FieldSchema {
  /// The collection that the field refers to by document IDs; nil if it refers by references, which are paths.
  var referenceByID: CollectionPath? { types == [.string] ? reference?.collection : nil }
}
