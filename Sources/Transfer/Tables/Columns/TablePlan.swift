package import FirestoreModels
package import Schema

/// The columns of a table, from its header, the catalogue and, if neither has a type, all values.
package struct TablePlan: Sendable {
  package enum Role: Sendable {
    /// The document ID, or the path below the collection.
    case name
    case field(Column)
    /// A map of further fields.
    case rest
    /// Why a row was rejected earlier, and what it was; ignored.
    case reason
    /// Nothing; its cells must be empty.
    case none
  }

  /// The heading of the column with the reason of a rejection.
  package static let reasonHeading = "__reason__"
  package static let nameHeading = "__name__"
  /// The heading of the column with the row as it was, where it could not be read; ignored.
  package static let rawHeading = "__raw__"

  package let collection: CollectionPath
  package let headings: [String]
  package private(set) var roles: [Role]
  package let headerRow: Int
  /// Whether export wrote the table, so that the form of a cell without a type determines it.
  package let readsForms: Bool
  /// Whether an apostrophe precedes texts that look like formulas.
  package let isForExcel: Bool
  /// Whether cells have their own types.
  package let isSheet: Bool
  /// The column of the document IDs.
  package private(set) var idColumn: Int?
  /// The column of the field that holds the document's own ID.
  package private(set) var idField: Int?
  package let tree: FieldTree
  /// The columns whose types must be inferred from all values.
  package private(set) var undecided: [Int] = []
  /// The columns whose types were inferred, from their names or their values.
  package private(set) var decided: Set<Int> = []
  /// Those whose types were inferred from their values.
  package private(set) var inferred: Set<Int> = []

  /// The types that a heading may specify after a colon.
  package static let typeNames: [(name: String, type: Column.ValueType)] = [
    ("string", .string), ("text", .string), ("integer", .integer), ("int", .integer), ("double", .double),
    ("number", .double), ("boolean", .boolean), ("bool", .boolean), ("timestamp", .timestamp),
    ("date", .timestamp), ("array", .array), ("any", .any),
  ]

  /// Reads a header.
  ///
  /// - Parameter label: The file (and the sheet of a workbook), for errors.
  /// - Throws: ``Failure`` of kind `inputMalformed` for an invalid or duplicate heading.
  package init(
    header: CellRow,
    of label: String,
    isSheet: Bool,
    collection: CollectionPath,
    isForExcel: Bool,
    options: TableOptions
  ) throws(Failure) {
    let catalogue = options.schema.columns(of: collection)
    let isGuarded = isForExcel || Self.isRejects(header)
    let headings = header.texts.map { Self.trimmed(isGuarded ? CellForm.unguarded($0) : $0) }
    var roles: [Role] = []
    var typed: Set<Int> = []
    var tree = FieldTree()
    func malformed(_ index: Int, _ cause: String, _ remedy: String? = nil) -> Failure {
      .malformed(label, "row \(header.number), column \(index + 1): \(cause)", remedy: remedy)
    }
    let identifiers = options.schema.identifierNames
    var idColumn: Int?
    for (index, heading) in headings.enumerated() {
      if let role = Self.role(heading) {
        if case .name = role {
          if idColumn != nil { throw malformed(index, "\(heading) is there twice") }
          idColumn = index
        }
        roles.append(role)
        continue
      }
      let (column, isTyped) = try Self.column(heading, catalogue) { cause, remedy in
        malformed(index, cause, remedy)
      }
      guard tree.add(column.path, column: index) else {
        throw malformed(index, "there is another column for the field \(column.path)")
      }
      if isTyped { typed.insert(index) }
      roles.append(.field(column))
    }
    self.collection = collection
    self.headings = headings
    headerRow = header.number
    self.tree = tree
    self.isForExcel = isGuarded
    self.isSheet = isSheet
    readsForms = idColumn != nil
    if let wanted = options.idColumn {
      if idColumn != nil {
        throw Failure.malformed(
          label,
          "it has a column \(Self.nameHeading) with the document IDs",
          remedy: "Omit --id-column, or remove that column."
        )
      }
      idColumn = roles.indices.first { index in
        guard case .field(let column) = roles[index] else { return false }
        return headings[index].isIdentical(to: wanted) || column.path.description.isIdentical(to: wanted)
      }
      if idColumn == nil {
        throw Failure.malformed(
          label,
          "it has no column '\(wanted)' for the document IDs",
          remedy: "Set --id-column to a heading of the table."
        )
      }
    }
    self.idColumn = idColumn
    let declared = options.schema.collection(collection)
    // The column of the IDs is no field if the schema has none of its name.
    if let index = idColumn, case .field(let column) = roles[index], let declared,
      declared.field(column.path) == nil
    {
      roles[index] = .name
    }
    let idPath = declared == nil ? FieldPath(field: "id") : declared?.idField
    for (index, role) in roles.enumerated() {
      guard case .field(let column) = role else { continue }
      if column.path == idPath { idField = index }
      if typed.contains(index) || readsForms || column.type != .any { continue }
      if index == idColumn || Self.isTextLike(column, identifiers) {
        roles[index] = .field(column.typed(.string))
        decided.insert(index)
      } else {
        undecided.append(index)
      }
    }
    self.roles = roles
    if idColumn == nil, options.newIDs == nil {
      throw Failure.malformed(
        label,
        "it has no column \(Self.nameHeading) with the document IDs",
        remedy: "Set --id-column to the column that has them, or use --new-ids uuid."
      )
    }
    if collection.string.utf8.contains(UInt8(ascii: "*")), !readsForms {
      throw Failure.malformed(
        label,
        "the rows do not specify the parent document in \(collection)",
        remedy:
          "Add a column \(Self.nameHeading) with paths such as g1/members/m1, or specify one collection."
      )
    }
  }

  /// The column `__name__`; nil if there is none.
  package var nameColumn: Int? { readsForms ? idColumn : nil }

  /// The columns by the bytes of their field paths, as export names them.
  package var columnsByField: [[UInt8]: Int] {
    var columns: [[UInt8]: Int] = [:]
    for (index, role) in roles.enumerated() {
      switch role {
      case .field(let column): columns[Array(column.path.description.utf8)] = index
      case .rest: columns[Array(FieldPath(field: ColumnPlan.restName).description.utf8)] = index
      case .name, .reason, .none: break
      }
    }
    return columns
  }

  /// Sets the inferred types.
  package mutating func decide(_ types: [(Int, Column.ValueType)]) {
    for (index, type) in types {
      if case .field(let column) = roles[index] { roles[index] = .field(column.typed(type)) }
    }
    inferred.formUnion(undecided)
    decided.formUnion(undecided)
    undecided = []
  }

  /// Returns the number and the heading of a column, for errors.
  package func name(ofColumn index: Int) -> String {
    headings.indices.contains(index) && !headings[index].isEmpty
      ? "column \(index + 1) (\(headings[index]))" : "column \(index + 1)"
  }

  /// Returns the number of cells that a row has up to the last one that is looked at.
  static func width(of header: CellRow) -> Int {
    let last = header.texts.lastIndex { heading in
      switch role(trimmed(heading)) {
      case .some(.reason), .some(.none): false
      default: true
      }
    }
    return last.map { $0 + 1 } ?? 0
  }

  /// Whether a table is a list of rejected rows, whose texts are guarded from spreadsheets, whatever program has saved it.
  private static func isRejects(_ header: CellRow) -> Bool {
    header.texts.contains { trimmed($0).isIdentical(to: reasonHeading) }
  }

  // MARK: Headings

  /// The role that a heading reserves; nil for the heading of a field.
  private static func role(_ heading: String) -> Role? {
    if heading.isEmpty { return Role.none }
    let reserved: [(String, Role)] = [
      (nameHeading, .name), (ColumnPlan.restName, .rest), (reasonHeading, .reason), (rawHeading, .reason),
    ]
    return reserved.first { $0.0.isIdentical(to: heading) }?.1
  }

  private static func column(
    _ heading: String,
    _ catalogue: [Column],
    _ failure: (String, String?) -> Failure
  ) throws(Failure) -> (column: Column, isTyped: Bool) {
    if let known = known(heading, catalogue) { return (known, false) }
    let isPath = (try? FieldPath(parsing: heading)) != nil
    var name = heading
    var type: Column.ValueType?
    if !isPath, let colon = heading.utf8.lastIndex(of: UInt8(ascii: ":")) {
      let typeName = heading[heading.utf8.index(after: colon)...]
      guard let found = typeNames.first(where: { $0.name.isIdentical(to: String(typeName)) }) else {
        let names = typeNames.map(\.name).joined(separator: ", ")
        throw failure("'\(typeName)' is not a type", "The types are \(names).")
      }
      type = found.type
      name = trimmed(String(heading[..<colon]))
      if let known = known(name, catalogue) { return (known.typed(found.type), true) }
    }
    let path: FieldPath
    do throws(FieldPathError) {
      path = try FieldPath(parsing: name)
    } catch {
      let remedy = "Use a field name, a label of the schema, or back-quotes around any other name."
      throw failure(error.description, remedy)
    }
    if let reserved = path.segments.first(where: { $0.hasPrefix("__") && $0.hasSuffix("__") }) {
      throw failure("the service reserves names such as \(reserved)", "Rename the column.")
    }
    let column = catalogue.first { $0.path == path } ?? Column(unknown: path)
    return (column.typed(type ?? column.type), type != nil)
  }

  private static func known(_ heading: String, _ catalogue: [Column]) -> Column? {
    catalogue.first { $0.path.description.isIdentical(to: heading) }
      ?? catalogue.first { $0.isLabelled(heading) }
  }

  /// Whether a column of digits is an identifier, according to the schema or to its name.
  private static func isTextLike(_ column: Column, _ identifiers: Set<String>) -> Bool {
    if column.isTextLike { return true }
    let name = column.path.segments.last ?? ""
    return ["Id", "ID", "_id"].contains(where: name.hasSuffix) || identifiers.contains(name)
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
