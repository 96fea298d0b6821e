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

  /// The order of dates in columns that have their own.
  package private(set) var dateOrders: [Int: DateOrder] = [:]
  /// The types of columns without one whose cells in REST JSON all are references, or all are geo points.
  package private(set) var addressTypes: [Int: Column.ValueType] = [:]
  /// The types that nobody said.
  package private(set) var guesses: [ColumnGuess] = []
  /// The indices in ``TableOptions/types`` that name a column.
  package private(set) var usedTypes: Set<Int> = []

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
      let (column, headed, name) = try Self.column(heading, catalogue) { cause, remedy in
        malformed(index, cause, remedy)
      }
      let given = options.types.lastIndex {
        $0.heading.isIdentical(to: heading) || $0.heading.isIdentical(to: name)
      }
      if let given { usedTypes.insert(given) }
      let type = given.map { options.types[$0].type } ?? headed
      guard tree.add(column.path, column: index) else {
        throw malformed(index, "there is another column for the field \(column.path)")
      }
      if let type {
        typed.insert(index)
        dateOrders[index] = type.dateOrder
      }
      roles.append(.field(type.map { column.typed($0.type) } ?? column))
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
      if index == idColumn || column.isTextLike
        || identifiers.contains(UTF8Key(column.path.segments.last ?? ""))
      {
        roles[index] = .field(column.typed(.string))
        decided.insert(index)
        if index != idColumn {
          var guess = ColumnGuess(column: index, cells: 0)
          guess.isByName = true
          guesses.append(guess)
        }
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

  /// The columns of a table by export whose cells have their types by their forms.
  package var untyped: [Int] {
    guard readsForms, !isSheet else { return [] }
    return roles.indices.filter { index in
      if case .field(let column) = roles[index] { column.type == .any } else { false }
    }
  }

  /// Sets the inferred types.
  package mutating func decide(_ found: [ColumnGuess]) {
    for guess in found {
      if case .field(let column) = roles[guess.column] {
        roles[guess.column] = .field(column.typed(guess.type))
      }
      dateOrders[guess.column] = guess.dateOrder
    }
    inferred.formUnion(undecided)
    guesses = (guesses + found).sorted { $0.column < $1.column }
    decided.formUnion(undecided)
    undecided = []
  }

  /// Sets the type of the cells in REST JSON of a column without a type, if it is one of ``addressTypes``.
  package mutating func setAddressType(_ type: Column.ValueType?, of column: Int) {
    addressTypes[column] = type
  }

  /// The heading of a column with the type that was found out, for a list of rejected rows.
  package func typedHeading(_ index: Int) -> String {
    guard case .field(let column) = roles[index], column.type != .any, decided.contains(index) else {
      return headings[index]
    }
    let order = dateOrders[index].flatMap { $0 == .dayFirst ? nil : $0 }
    return "\(column.path):\(ColumnType(column.type, dateOrder: order).name)"
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

  /// Returns the column of a heading, the type that the heading says, and its name without that.
  private static func column(
    _ heading: String,
    _ catalogue: [Column],
    _ failure: (String, String?) -> Failure
  ) throws(Failure) -> (column: Column, type: ColumnType?, name: String) {
    if let known = known(heading, catalogue) { return (known, nil, heading) }
    let isPath = (try? FieldPath(parsing: heading)) != nil
    var name = heading
    var type: ColumnType?
    if !isPath, let colon = heading.utf8.lastIndex(of: UInt8(ascii: ":")) {
      let typeName = String(heading[heading.utf8.index(after: colon)...])
      guard let found = ColumnType(named: typeName) else {
        throw failure("'\(typeName)' is not a type", "The types are \(ColumnType.description).")
      }
      type = found
      name = trimmed(String(heading[..<colon]))
      if let known = known(name, catalogue) { return (known, type, name) }
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
    return (catalogue.first { $0.path == path } ?? Column(unknown: path), type, name)
  }

  private static func known(_ heading: String, _ catalogue: [Column]) -> Column? {
    catalogue.first { $0.path.description.isIdentical(to: heading) }
      ?? catalogue.first { $0.isLabelled(heading) }
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
