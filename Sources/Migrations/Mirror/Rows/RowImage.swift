/// The row of a document: a cell for each column of a field, and everything that the columns cannot hold.
///
/// The latter are undeclared fields, nulls, and values other than a map if the fields of a map have columns.
package struct RowImage: Sendable, Equatable {
  package var cells: [SQLCell]
  package var other: FieldMap

  package init(_ fields: FieldMap, in table: TableLayout, _ writer: inout SQLCells) {
    self.init(fields, table.columns, table.tree, &writer)
  }

  /// Creates the row of an array element.
  init(_ element: Value, in table: ElementTable, _ writer: inout SQLCells) {
    let fields = FieldMap([.init(name: FieldSchema.elementName, value: element)])
    self.init(fields, table.columns, table.tree, &writer)
  }

  private init(
    _ fields: FieldMap,
    _ columns: [TableLayout.FieldColumn],
    _ tree: FieldColumnTree,
    _ writer: inout SQLCells
  ) {
    cells = [SQLCell](repeating: .null, count: columns.count)
    other = FieldMap()
    add(fields, tree.members, below: [], columns, &writer)
  }

  private mutating func add(
    _ fields: FieldMap,
    _ members: [FieldColumnTree.Member],
    below parents: [String],
    _ columns: [TableLayout.FieldColumn],
    _ writer: inout SQLCells
  ) {
    var at = 0
    for entry in fields.entries {
      // Both are in byte order of their names.
      var order = 1
      while at < members.count {
        order = members[at].name.compareUTF8(entry.name)
        if order >= 0 { break }
        at += 1
      }
      guard at < members.count, order == 0 else {
        keep(entry.value, entry.name, below: parents)
        continue
      }
      let member = members[at]
      if let column = member.column {
        if case .null = entry.value {
          keep(entry.value, entry.name, below: parents)
        } else {
          cells[column] = writer.cell(entry.value, as: columns[column].type)
        }
      } else if case .map(let inner) = entry.value, !inner.isEmpty {
        add(inner, member.members, below: parents + [entry.name], columns, &writer)
      } else {
        keep(entry.value, entry.name, below: parents)
      }
    }
  }

  private mutating func keep(_ value: Value, _ name: String, below parents: [String]) {
    if parents.isEmpty {
      other[name] = value
    } else if let path = FieldPath(segments: parents + [name]) {
      other[path] = value
    }
  }
}
