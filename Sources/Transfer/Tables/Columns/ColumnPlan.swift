import Schema

/// The columns of a collection's table, and the assignment of field values to them.
///
/// The columns of the schema come first. Other fields get a column at the end when they first appear. Columns are therefore
/// only appended, and earlier rows merely lack the last cells, which allows writing in one pass. A map has a column per
/// member (`address.city`). A single cell under the path of the map holds an empty map, a vector, or a value where other
/// documents have a map (null, a scalar, an array). A document fills either the column of a path or those below it, which
/// is unambiguous when read back.
///
/// Fields beyond ``maximumColumns`` share a last column, ``restName``, as a map to merge into the row. This
/// limits memory if every document has a map with different keys.
struct ColumnPlan: Sendable {
  /// The maximum number of columns of a table, besides the name and the rest.
  ///
  /// Spreadsheets allow 16,384, but are slow with so many.
  static let maximumColumns = 1000
  /// The heading of the last column of a table with too many fields; the service reserves such names.
  static let restName = "__rest__"

  /// The current columns, without the name.
  private(set) var columns: [Column] { didSet { types = columns.map(\.type) } }
  private(set) var types: [Column.ValueType]
  /// Whether other fields get a column; otherwise they are omitted.
  let grows: Bool

  private var index = ColumnIndex()
  private var hasRest = false

  /// - Parameter fields: The fields to write, in this order, each as one cell even if it is a map; if nil, all fields,
  ///   which get columns as they appear.
  /// - Throws: ``Failure`` of kind `usage` if one of `fields` is repeated or is inside another one.
  init(collection: CollectionPath, fields: [FieldPath]?, schema: DatabaseSchema) throws(Failure) {
    let known = schema.columns(of: collection)
    columns = fields?.map { path in known.first { $0.path == path } ?? Column(unknown: path) } ?? known
    types = columns.map(\.type)
    grows = fields == nil
    for (index, column) in columns.enumerated() {
      let path = column.path
      if let other = fields?[..<index].first(where: { $0.isPrefix(of: path) || path.isPrefix(of: $0) }) {
        throw Failure(
          .usage,
          "lay out the columns",
          path: collection.string,
          cause: path == other
            ? "the field \(path) is named twice" : "one of \(path) and \(other) contains the other"
        )
      }
      enter(path, index)
    }
  }

  /// Adds a column for a field outside the schema, unless it has one, for a header shared by several parts.
  mutating func add(_ path: FieldPath) {
    if !columns.contains(where: { $0.path == path }) { columns.append(Column(unknown: path)) }
  }

  /// Assigns the values of a document to the columns.
  ///
  /// Afterwards, `cells` has one element per current column, nil for a missing value.
  ///
  /// - Returns: The fields without a column, for the last column; nil if there are none.
  /// - Throws: ``WireError`` if a value cannot be read.
  mutating func position<Fields: ReadableFields>(
    _ fields: Fields,
    into cells: inout [Fields.Content?]
  ) throws(WireError) -> FieldMap? {
    fill(&cells)
    // In nearly every document, all fields already have columns.
    if !hasRest {
      let isPlaced = try cells.withUnsafeMutableBufferPointer { cells throws(WireError) in
        try index.withTable { table throws(WireError) in
          try Self.place(fields, table, level: 0, in: cells, isAll: grows)
        }
      }
      if isPlaced { return nil }
    }
    var rest: [FieldMap.Entry] = []
    try position(fields, level: 0, into: &cells, rest: &rest)
    if rest.isEmpty { return nil }
    if !hasRest {
      hasRest = true
      columns.append(Column(unknown: FieldPath(field: Self.restName)))
      fill(&cells)
    }
    return FieldMap(rest)
  }

  private func fill<Cell>(_ cells: inout [Cell?]) {
    while cells.count < columns.count { cells.append(nil) }
  }

  /// Assigns values to existing columns.
  ///
  /// - Parameter isAll: Whether every field must have a column.
  /// - Returns: False at the first field that needs a new column.
  private static func place<Fields: ReadableFields>(
    _ fields: Fields,
    _ table: ColumnIndex.Table,
    level: Int,
    in cells: UnsafeMutableBufferPointer<Fields.Content?>,
    isAll: Bool
  ) throws(WireError) -> Bool {
    // Both the document's members and the known ones are sorted, so they are traversed together.
    var at = 0
    var iterator = fields.makeIterator()
    while let (name, value) = iterator.next() {
      let found = name.withBytes { table.seek(ColumnIndex.Name($0), in: level, from: &at) }
      if !found {
        if isAll { return false }
        continue
      }
      let member = table[level, at]
      if isAll, value.isMap, let inner = try members(of: value) {
        guard let below = member.level, try place(inner, table, level: below, in: cells, isAll: isAll) else {
          return false
        }
      } else if let column = member.column {
        cells[column] = value
      } else if isAll {
        return false
      } else if let below = member.level, case .map(let inner) = try value.view() {
        _ = try place(inner, table, level: below, in: cells, isAll: isAll)
      }
    }
    return true
  }

  private mutating func position<Fields: ReadableFields>(
    _ fields: Fields,
    level: Int,
    into cells: inout [Fields.Content?],
    rest: inout [FieldMap.Entry]
  ) throws(WireError) {
    var at = 0
    var members = fields.makeIterator()
    while let (name, value) = members.next() {
      let found = name.withBytes { index.seek(ColumnIndex.Name($0), in: level, from: &at) }
      if !found {
        guard grows, name.withBytes({ !$0.isEmpty && !PathLimits.isReserved($0) }), !hasRest else {
          if grows { rest.append(FieldMap.Entry(name: name.copy, value: try value.value())) }
          continue
        }
        name.withBytes { index.insert(ColumnIndex.Name($0), in: level, at: at) }
      }
      if grows, let inner = try Self.members(of: value) {
        if index[level, at].level == nil, hasRest {
          rest.append(FieldMap.Entry(name: name.copy, value: try value.value()))
          continue
        }
        let below = index.openLevel(below: level, at: at, named: name.copy)
        var innerRest: [FieldMap.Entry] = []
        try position(inner, level: below, into: &cells, rest: &innerRest)
        if !innerRest.isEmpty {
          rest.append(FieldMap.Entry(name: name.copy, value: .map(FieldMap(innerRest))))
        }
      } else if let column = index[level, at].column {
        cells[column] = value
      } else if grows {
        guard columns.count < Self.maximumColumns, !hasRest,
          let path = FieldPath(segments: index.path(of: level) + [name.copy])
        else {
          rest.append(FieldMap.Entry(name: name.copy, value: try value.value()))
          continue
        }
        index[level, at].column = columns.count
        columns.append(Column(unknown: path))
        cells.append(value)
      } else if let below = index[level, at].level, case .map(let inner) = try value.view() {
        try position(inner, level: below, into: &cells, rest: &rest)
      }
    }
  }

  /// Returns the members of a map that have columns of their own; nil for a value that is one cell.
  private static func members<Source: ReadableValue>(
    of value: Source
  ) throws(WireError) -> Source.Fields? {
    guard value.isMap, case .map(let inner) = try value.view(), !inner.isEmpty,
      try inner.vectorComponents() == nil
    else { return nil }
    return inner
  }

  private mutating func enter(_ path: FieldPath, _ column: Int) {
    var level = 0
    for (depth, name) in path.segments.enumerated() {
      var at = 0
      name.withBytes { bytes in
        let name = ColumnIndex.Name(bytes)
        if !index.seek(name, in: level, from: &at) { index.insert(name, in: level, at: at) }
      }
      if depth == path.segments.count - 1 {
        index[level, at].column = column
      } else {
        level = index.openLevel(below: level, at: at, named: name)
      }
    }
  }

  // MARK: Header

  /// Returns the heading of a column: its path or its label.
  ///
  /// A path that could be read as the label of another column is back-quoted, which makes it unambiguous. Among labels, the
  /// name of a field is written without back-quotes if it is still read as that name.
  func heading(of column: Column, _ language: Column.HeaderLanguage) -> String {
    let text = column.heading(language)
    guard text.isIdentical(to: column.path.description) else { return text }
    func isLabelOfOther(_ text: String) -> Bool {
      columns.contains { $0.path != column.path && $0.isLabelled(like: text) }
    }
    if column.type == .any, isLabelOfOther(text) {
      return column.path.quoted
    }
    guard case .labels = language, let name = Self.bareName(column.path), !isLabelOfOther(name) else {
      return text
    }
    return name
  }

  /// Returns the name of a field that is not a valid path, so that a heading without back-quotes means that name; nil for
  /// others.
  private static func bareName(_ path: FieldPath) -> String? {
    guard path.segments.count == 1, (try? FieldPath(parsing: path.segments[0])) == nil else { return nil }
    let name = path.segments[0]
    let isBare =
      !name.isEmpty && !name.utf8.contains { $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: ":") }
      && PlainText.trimmed(name).isIdentical(to: name)
    return isBare ? name : nil
  }
}
