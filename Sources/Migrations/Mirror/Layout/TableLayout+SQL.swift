extension TableLayout {
  /// The statements that create the table and its indexes, on columns that name documents of other collections.
  ///
  /// Foreign keys show SQL tools how tables belong together. SQLite does not enforce them unless asked to, and it
  /// must not here: the service does not either, so a document may name one that is gone.
  func creation(in layout: MirrorLayout) -> [String] {
    var lines = parents.map { "\(SQLName.quoted($0)) TEXT NOT NULL" }
    lines.append("\(SQLName.quoted(Self.idColumn)) TEXT NOT NULL")
    for column in columns { lines.append("\(SQLName.quoted(column.name))\(column.declaration)") }
    lines.append("\(SQLName.quoted(Self.otherColumn)) TEXT")
    lines.append("PRIMARY KEY (\(SQLName.list(keyColumns)))")
    lines += columns.compactMap { $0.foreignKey(in: layout) }
    if let parent = collection.parent?.collection, let table = layout.table(of: parent),
      table.parents.count + 1 == parents.count
    {
      lines.append(table.reference(from: parents))
    }
    return ["CREATE TABLE \(SQLName.quoted(name)) (\n  \(lines.joined(separator: ",\n  "))\n)"]
      + elementTables.map { $0.creation(below: self, in: layout) }
  }

  /// The columns of the primary key.
  private var keyColumns: [String] { parents + [Self.idColumn] }

  /// The constraint that columns of another table hold the primary key of this one.
  func reference(from columns: [String]) -> String {
    "FOREIGN KEY (\(SQLName.list(columns))) REFERENCES \(SQLName.quoted(name)) (\(SQLName.list(keyColumns)))"
  }

  /// What distinguishes the tables of two layouts: their columns, indexes and tables of elements.
  func form(in layout: MirrorLayout) -> [String] {
    [collection.string] + creation(in: layout) + indexes(in: layout).map(\.sql)
  }

  /// The indexes, with the statements that create them, for a table that is filled.
  func indexes(in layout: MirrorLayout) -> [(name: String, sql: String)] {
    columns.filter { $0.reference.flatMap { layout.table(of: $0) } != nil }.map { column in
      let index = "\(name)_by_\(column.name)"
      return (
        index,
        "CREATE INDEX \(SQLName.quoted(index)) ON \(SQLName.quoted(name)) (\(SQLName.quoted(column.name)))"
      )
    }
  }

  static let events = ["INSERT", "UPDATE", "DELETE"]

  private var triggers: [(event: String, rows: [String])] {
    [("INSERT", ["NEW"]), ("UPDATE", ["OLD", "NEW"]), ("DELETE", ["OLD"])]
  }

  /// The statements that create the triggers.
  var triggerCreation: [String] { recorderCreation + elementTriggers }

  /// Those of the triggers that record the documents whose rows are edited.
  var recorderCreation: [String] {
    triggers.map { trigger in
      let records = trigger.rows.map { row in
        "INSERT OR IGNORE INTO \(MirrorTables.edits) (path, collection) VALUES (\(path(of: row)), \(SQLName.literal(collection.string)));"
      }
      return """
        CREATE TRIGGER \(SQLName.quoted(triggerName(trigger.event))) AFTER \(trigger.event) ON \(SQLName.quoted(name)) BEGIN
          \(records.joined(separator: "\n  "))
        END
        """
    }
  }

  var elementTriggers: [String] { elementTables.flatMap { $0.triggerCreation(below: self) } }

  /// The statements that drop the triggers, so that a pull does not count as editing.
  var triggerRemoval: [String] {
    Self.events.map { "DROP TRIGGER IF EXISTS \(SQLName.quoted(triggerName($0)))" }
      + elementTables.flatMap(\.triggerRemoval)
  }

  private func triggerName(_ event: String) -> String { "_mirror_\(name)_\(event.lowercased())" }

  /// The path of a row as an expression.
  private func path(of row: String) -> String {
    var parts: [String] = []
    for (index, segment) in collection.segments.enumerated() where index % 2 == 0 {
      parts.append(SQLName.literal(index == 0 ? "\(segment)/" : "/\(segment)/"))
      let above = index / 2
      parts.append("\(row).\(SQLName.quoted(above < parents.count ? parents[above] : Self.idColumn))")
    }
    return parts.joined(separator: " || ")
  }

  /// The statement that says whether there is a row with a path, whether or not a document may have it.
  var lookup: String {
    "SELECT 1 FROM \(SQLName.quoted(name)) WHERE \(path(of: SQLName.quoted(name))) = ? LIMIT 1"
  }

  /// The statement that selects the IDs of all rows, behind the number of the row.
  var identities: String { "SELECT rowid, \(SQLName.list(keyColumns)) FROM \(SQLName.quoted(name))" }

  /// The statement that removes the rows with a path, whether or not a document may have it.
  var removalByPath: String {
    "DELETE FROM \(SQLName.quoted(name)) WHERE \(path(of: SQLName.quoted(name))) = ?"
  }

  var removal: String { "DELETE FROM \(SQLName.quoted(name)) WHERE \(keyCondition)" }

  var selection: String { "SELECT * FROM \(SQLName.quoted(name)) WHERE \(keyCondition)" }

  /// The statement that changes some columns of a row, and `_other` if asked to; its parameters are they, and the IDs of the
  /// document.
  func update(of columns: [Int], withOther: Bool) -> String {
    let names = columns.map { self.columns[$0].name } + (withOther ? [Self.otherColumn] : [])
    let changes = names.map { "\(SQLName.quoted($0)) = ?" }.joined(separator: ", ")
    return "UPDATE \(SQLName.quoted(name)) SET \(changes) WHERE \(keyCondition)"
  }

  private var keyCondition: String {
    keyColumns.map { "\(SQLName.quoted($0)) = ?" }.joined(separator: " AND ")
  }
}

extension TableLayout.FieldColumn {
  /// The type in a column's declaration, which decides how SQLite keeps a value.
  var declaration: String {
    switch type {
    case .string, .timestamp, .array: " TEXT"
    case .integer: " INTEGER"
    case .double: " REAL"
    // With NUMERIC affinity, as SQLite calls it.
    case .boolean: " BOOLEAN"
    case .reference, .geopoint, .bytes, .any: ""
    }
  }

  /// The constraint that says which table's documents the values name; nil where they name none.
  func foreignKey(in layout: MirrorLayout) -> String? {
    guard let table = reference.flatMap({ layout.table(of: $0) }), table.parents.isEmpty else { return nil }
    return table.reference(from: [name])
  }
}
