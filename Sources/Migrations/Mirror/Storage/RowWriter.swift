import GRDB

/// Writes the rows of documents into their tables.
struct RowWriter {
  let layout: MirrorLayout
  private var cells: SQLCells
  private let parser = JSONParser()
  private var decoder = WireDecoder()
  private var json = JSONWriter()

  init(_ layout: MirrorLayout) throws(Failure) {
    self.layout = layout
    cells = try SQLCells()
  }

  /// Inserts or updates the row of a document; has no effect if its collection has no table.
  ///
  /// An update keeps the row ID, and both are plain statements: a replacing insert would fire no trigger for the removed row, and
  /// its conflict resolution would also apply to the statements of triggers.
  mutating func put(_ path: DocumentPath, _ fields: FieldMap, _ db: Database) throws {
    guard let table = layout.table(of: path.collection) else { return }
    let image = RowImage(fields, in: table, &cells)
    for sql in [table.update, table.insertion] {
      let statement = try StatementWriter(db, sql)
      var index = 1
      bind(table.ids(of: path).map { .text($0) }, statement, &index)
      bind(image.cells, statement, &index)
      bind(other: image.other, statement, &index)
      try statement.run()
      if db.changesCount > 0 { break }
    }
    for elements in table.elementTables { try put(path, fields, elements, of: table, db) }
  }

  private func bind(_ cells: [SQLCell], _ insert: StatementWriter, _ index: inout Int) {
    for cell in cells {
      switch cell {
      case .null, .unreadable: insert.bindNull(index)
      case .integer(let number): insert.bind(index, integer: number)
      case .real(let number): insert.bind(index, real: number)
      case .text(let text): insert.bind(index, text: text)
      }
      index += 1
    }
  }

  /// Sets some columns of a document's row to the cells of its fields, and optionally `_other` to what has no column.
  mutating func set(
    _ columns: [Int],
    _ path: DocumentPath,
    to fields: FieldMap,
    withOther: Bool,
    _ db: Database
  ) throws {
    guard let table = layout.table(of: path.collection), withOther || !columns.isEmpty else { return }
    let image = RowImage(fields, in: table, &cells)
    let statement = try StatementWriter(db, table.update(of: columns, withOther: withOther))
    var index = 1
    bind(columns.map { image.cells[$0] }, statement, &index)
    if withOther { bind(other: image.other, statement, &index) }
    bind(table.ids(of: path).map { .text($0) }, statement, &index)
    try statement.run()
  }

  private mutating func bind(other: FieldMap, _ statement: StatementWriter, _ index: inout Int) {
    if other.isEmpty {
      statement.bindNull(index)
    } else {
      json.removeAll()
      json.fields(other)
      json.bytes.withUnsafeBytes { statement.bind(index, text: $0) }
    }
    index += 1
  }

  /// Replaces the rows of an array's elements.
  private mutating func put(
    _ path: DocumentPath,
    _ fields: FieldMap,
    _ elements: ElementTable,
    of table: TableLayout,
    _ db: Database
  ) throws {
    let ids = table.ids(of: path)
    try StatementWriter(db, elements.removal).run(texts: ids)
    guard case .array(let values)? = fields[elements.field] else { return }
    for (position, value) in values.enumerated() {
      let image = RowImage(value, in: elements, &cells)
      let insert = try StatementWriter(db, elements.insertion)
      var index = 1
      bind(ids.map { .text($0) } + [.integer(Int64(position))] + image.cells, insert, &index)
      if let other = image.other[FieldSchema.elementName] {
        json.removeAll()
        json.value(other)
        json.bytes.withUnsafeBytes { insert.bind(index, text: $0) }
      } else {
        insert.bindNull(index)
      }
      try insert.run()
    }
  }

  func remove(_ path: DocumentPath, _ db: Database) throws {
    guard let table = layout.table(of: path.collection) else { return }
    for sql in [table.removal] + table.elementTables.map(\.removal) {
      try StatementWriter(db, sql).run(texts: table.ids(of: path))
    }
  }

  /// Decodes the fields of a stored document.
  mutating func fields(_ bytes: [UInt8]) throws(WireError) -> FieldMap {
    let parser = parser
    var decoder = decoder
    defer { self.decoder = decoder }
    return try parser.parse(bytes) { json throws(WireError) in try decoder.fields(json) }
  }

  mutating func fill(_ tables: [TableLayout], _ documents: DocumentTable, _ db: Database) throws {
    for table in tables {
      try MirrorScan.forEach(of: table.collection, documents) { row in
        try put(row.path, try fields(row.fields), db)
      }
    }
  }
}

/// Reads stored documents ordered by name, in batches.
enum MirrorScan {
  private static let batch = 500

  /// Calls `body` for each document of a collection, or of the collections of a pattern.
  static func forEach(
    of collection: CollectionPath,
    _ documents: DocumentTable,
    withFields: Bool = true,
    _ body: (DocumentTable.Row) throws -> Void
  ) throws {
    let pattern = CollectionPatternScope(collection)
    var last: [UInt8]?
    while true {
      let rows = try documents.rows(pattern.scope, after: last, limit: batch, withFields: withFields)
      for row in rows where pattern.contains(row.path) { try body(row) }
      guard let end = rows.last else { return }
      last = end.key
    }
  }
}

extension StatementWriter {
  /// Runs the statement with text parameters, which may contain NUL characters.
  func run(texts: [String]) throws {
    for (index, text) in texts.enumerated() { bind(index + 1, text: text) }
    try run()
  }
}

extension RowWriter {
  /// Writes the row of a document as it is stored; removes the row if there is no document.
  mutating func restore(_ path: DocumentPath, _ documents: DocumentTable, _ db: Database) throws {
    if let row = try documents.row(path) {
      try put(path, try fields(row.fields), db)
    } else {
      try remove(path, db)
    }
  }
}
