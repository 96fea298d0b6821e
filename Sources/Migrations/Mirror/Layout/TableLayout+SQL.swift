extension TableLayout {
  /// Returns the statements that create the table, with foreign keys for columns that refer to documents of other collections.
  ///
  /// Foreign keys show SQL tools how tables are related. SQLite does not enforce them unless asked to, and must not here, because
  /// the service does not either: a document may refer to a missing one.
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
  var keyColumns: [String] { parents + [Self.idColumn] }

  /// Returns the constraint that columns of another table contain the primary key of this one.
  func reference(from columns: [String]) -> String {
    "FOREIGN KEY (\(SQLName.list(columns))) REFERENCES \(SQLName.quoted(name)) (\(SQLName.list(keyColumns)))"
  }

  /// Returns what distinguishes the tables of two layouts: their columns, indexes and element tables.
  func form(in layout: MirrorLayout) -> [String] {
    [collection.string] + creation(in: layout) + indexes(in: layout).map(\.sql)
  }

  /// Returns the indexes with the statements that create them, to be run when the table is filled.
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

  /// The statements that create all triggers.
  var triggerCreation: [String] { recorderCreation + elementTriggers }

  /// The statements that create the triggers that record which documents' rows are edited.
  var recorderCreation: [String] {
    triggers.map { trigger in
      // An OR clause of the statement that fires a trigger replaces that of the trigger's statements, but no ON CONFLICT.
      var records = trigger.rows.map { row in
        "INSERT INTO \(MirrorTables.edits) (path, collection) VALUES (\(path(of: row)), \(SQLName.literal(collection.string))) ON CONFLICT DO NOTHING;"
      }
      if trigger.event == "INSERT" { records.append(MirrorTables.forgetMove(path(of: "NEW"))) }
      return """
        CREATE TRIGGER \(SQLName.quoted(Self.triggerName(trigger.event, of: name))) AFTER \(trigger.event) ON \(SQLName.quoted(name)) BEGIN
          \(records.joined(separator: "\n  "))
        END
        """
    } + [moveTrigger]
  }

  /// The trigger that records which rows are given another ID, and which one they had when they were pulled.
  private var moveTrigger: String {
    let (old, new) = (path(of: "OLD"), path(of: "NEW"))
    return """
      CREATE TRIGGER \(SQLName.quoted(moveTriggerName)) AFTER UPDATE OF \(SQLName.list(keyColumns)) ON \(SQLName.quoted(name))
      WHEN \(new) IS NOT \(old) BEGIN
        \(MirrorTables.forgetMove(new))
        INSERT INTO \(MirrorTables.moves) (path, origin, fields)
          SELECT \(new), coalesce(origin, \(old)), fields FROM (SELECT 1) LEFT JOIN \(MirrorTables.moves) ON path = \(old);
        \(MirrorTables.forgetMove(old))
      END
      """
  }

  var elementTriggers: [String] { elementTables.flatMap { $0.triggerCreation(below: self) } }

  /// The statements that drop the triggers, so that the writes of a pull do not count as edits.
  var triggerRemoval: [String] {
    (Self.triggerNames(of: name) + [moveTriggerName]).map { "DROP TRIGGER IF EXISTS \(SQLName.quoted($0))" }
      + elementTables.flatMap(\.triggerRemoval)
  }

  /// The name of the trigger that files of earlier versions lack.
  var moveTriggerName: String { "_mirror_\(name)_move" }

  static func triggerNames(of table: String) -> [String] { events.map { triggerName($0, of: table) } }

  static func triggerName(_ event: String, of table: String) -> String {
    "_mirror_\(table)_\(event.lowercased())"
  }

  /// Returns the SQL expression for the path of a row, with every slash of an ID doubled.
  ///
  /// No document has such an ID, and the path must not be that of a document in another table.
  private func path(of row: String) -> String {
    var parts: [String] = []
    for (index, segment) in collection.segments.enumerated() where index % 2 == 0 {
      parts.append(SQLName.literal(index == 0 ? "\(segment)/" : "/\(segment)/"))
      let above = index / 2
      let id = "\(row).\(SQLName.quoted(above < parents.count ? parents[above] : Self.idColumn))"
      parts.append("replace(\(id), '/', '//')")
    }
    return parts.joined(separator: " || ")
  }

  /// The query for whether any row has a certain path, even if no document can have it.
  var lookup: String {
    "SELECT 1 FROM \(SQLName.quoted(name)) WHERE \(path(of: SQLName.quoted(name))) = ? LIMIT 1"
  }

  /// The query for the IDs of all rows, after the row ID.
  var identities: String { "SELECT rowid, \(SQLName.list(keyColumns)) FROM \(SQLName.quoted(name))" }

  /// The statement that removes the rows with a certain path, even if no document can have it.
  var removalByPath: String {
    "DELETE FROM \(SQLName.quoted(name)) WHERE \(path(of: SQLName.quoted(name))) = ?"
  }

  var removal: String { "DELETE FROM \(SQLName.quoted(name)) WHERE \(keyCondition)" }

  var selection: String { "SELECT * FROM \(SQLName.quoted(name)) WHERE \(keyCondition)" }

  /// Returns the statement that updates some columns of a row, optionally with `_other`; its parameters are these columns and the
  /// IDs of the document.
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
  /// The type in a column's declaration, which determines how SQLite stores a value.
  var declaration: String {
    switch type {
    case .string, .timestamp, .array: " TEXT"
    case .integer: " INTEGER"
    case .double: " REAL"
    // This type has NUMERIC affinity in SQLite.
    case .boolean: " BOOLEAN"
    case .reference, .geopoint, .bytes, .any: ""
    }
  }

  /// Returns the constraint for the table that the values refer to; nil if they are not references.
  func foreignKey(in layout: MirrorLayout) -> String? {
    guard let table = reference.flatMap({ layout.table(of: $0) }), table.parents.isEmpty else { return nil }
    return table.reference(from: [name])
  }
}
