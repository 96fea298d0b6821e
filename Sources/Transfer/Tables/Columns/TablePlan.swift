import Files
package import Schema

/// The columns of a table, determined from its header, the catalogue and, if neither gives a type, all values.
package struct TablePlan: Sendable {
  package enum Role: Sendable {
    /// The document ID, or the path below the collection.
    case name
    case field(Column)
    /// A map of further fields.
    case rest
    /// Why a row was rejected earlier, and its original text; ignored.
    case reason
    /// A column that an option skips.
    case skipped
    /// Nothing; its cells must be empty.
    case none
  }

  /// The heading of the column with the reason of a rejection.
  package static let reasonHeading = "__reason__"
  package static let nameHeading = "__name__"
  /// The heading of the document IDs in a list of rejected rows if there is none for them in the table.
  package static let idHeading = "__id__"
  /// The heading of the column with the original text of a row that could not be read; ignored.
  package static let rawHeading = "__raw__"

  package let collection: CollectionPath
  package let headings: [String]
  package private(set) var roles: [Role]
  /// The headings that mean the fields of columns, also of the column of IDs, in a list of rejects.
  private let fieldHeadings: [Int: String]
  /// The fields that an export means by the headings, whatever options make of them.
  private let exported: [(path: FieldPath, column: Int)]
  package let headerRow: Int
  /// Whether export wrote the table, so that an untyped cell has the type of its form.
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
  /// The columns of identifiers, by the schema or their names, unless their types are given.
  package private(set) var identifiers: Set<Int> = []
  /// The columns in which a spreadsheet error cannot be intended text: all except those declared to be text.
  private(set) var errorColumns: Set<Int> = []
  /// The columns whose types must be inferred from all values.
  package private(set) var undecided: [Int] = []
  /// The columns whose types were inferred from their names or their values.
  package private(set) var decided: Set<Int> = []
  /// The columns whose types were inferred from their values.
  package private(set) var inferred: Set<Int> = []
  /// The columns that an option declares to be text.
  let texts: Set<Int>

  /// The order of dates in columns that have their own.
  package private(set) var dateOrders: [Int: DateOrder] = [:]
  /// The types of untyped columns whose cells in REST JSON are all references or all geo points.
  package private(set) var addressTypes: [Int: Column.ValueType] = [:]
  /// The types that were inferred.
  package private(set) var guesses: [ColumnGuess] = []
  /// The columns whose types are given by the headings or an option.
  private let typed: Set<Int>
  /// What the user should know about the fields of columns.
  package private(set) var notes: [(column: Int, note: ColumnNote)]
  /// The indices in ``TableOptions/types`` and ``TableOptions/renames`` that name a column.
  package let usedTypes: Set<Int>
  package let usedRenames: Set<Int>

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
    let isGuarded = isForExcel || TableHeader.isRejects(header)
    let read = try TableHeader(
      header,
      of: label,
      isGuarded: isGuarded,
      catalogue: options.schema.columns(of: collection),
      options: options
    )
    var roles = read.roles
    var idColumn = read.nameColumn ?? read.idColumn
    self.collection = collection
    (headings, tree, typed, notes) = (read.headings, read.tree, read.typed, read.notes)
    (dateOrders, usedTypes, usedRenames) = (read.dateOrders, read.usedTypes, read.usedRenames)
    exported = read.exported
    fieldHeadings = read.fieldHeadings
    (headerRow, texts) = (header.number, read.texts)
    self.isForExcel = isGuarded
    self.isSheet = isSheet
    readsForms = read.nameColumn != nil
    if let wanted = options.idColumn, readsForms || idColumn == nil {
      if idColumn != nil {
        throw Failure.malformed(
          label,
          "it has a column \(Self.nameHeading) with the document IDs",
          remedy: "Omit --id-column, or remove that column."
        )
      }
      idColumn = Self.column(named: wanted, of: read)
      if idColumn == nil, let index = Int(wanted).map({ $0 - 1 }), headings.indices.contains(index),
        headings[index].isEmpty, case .none = roles[index]
      {
        // A column without a heading is named by its number.
        (idColumn, roles[index]) = (index, .name)
      }
      if idColumn == nil {
        throw Failure.malformed(
          label,
          "it has no column '\(wanted)' for the document IDs",
          remedy:
            "\(Self.meant(by: wanted, headings))Set --id-column to a heading of row \(header.number): \(Self.list(headings)).\(options.idAdvice)"
        )
      }
    }
    self.idColumn = idColumn
    let declared = options.schema.collection(collection)
    // The column of the IDs is not a field if the schema has none of its name.
    if let index = idColumn, case .field(let column) = roles[index], let declared,
      declared.field(column.path) == nil
    {
      roles[index] = .name
      notes.removeAll { $0.column == index && $0.note.isDoubt }
    }
    let names = options.schema.identifierNames
    let idPath = declared == nil ? FieldPath(field: "id") : declared?.idField
    if let idColumn, !readsForms, !typed.contains(idColumn) { identifiers.insert(idColumn) }
    if let idColumn, !typed.contains(idColumn) { errorColumns.insert(idColumn) }
    for (index, role) in roles.enumerated() {
      guard case .field(let column) = role else { continue }
      if column.path == idPath { idField = index }
      let isIdentifier =
        index == idColumn || column.isTextLike || names.contains(UTF8Key(column.path.segments.last ?? ""))
      // The headings of a list of rejects contain the types that were inferred.
      let isSaid = typed.contains(index) && !(TableHeader.isRejects(header) && options.types.isEmpty)
      if isIdentifier, !isSaid { identifiers.insert(index) }
      if !isSaid || column.type != .string { errorColumns.insert(index) }
      if typed.contains(index) || readsForms || column.type != .any { continue }
      if isIdentifier {
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
    if idColumn == nil, Self.isList(headings) { throw Self.listOfRun(label) }
    if idColumn == nil, options.newIDs == nil {
      throw Failure.malformed(
        label,
        "it has no column \(Self.nameHeading) with the document IDs",
        remedy:
          "Set --id-column to the column that has them, or use --new-ids uuid. The headings are \(Self.list(headings)).\(options.idAdvice)"
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

  /// Whether a table is `review.csv` or `findings.csv` of a run.
  package static func isList(_ headings: [String]) -> Bool {
    zip(["document", "migration", "code", "field"], headings).allSatisfy { $0.isIdentical(to: $1) }
      && headings.count >= 4
  }

  private static func listOfRun(_ label: String) -> Failure {
    .malformed(
      label,
      "it is a list of what a migration found, which holds no documents",
      remedy: "Hand a corrected review.csv to 'gymmigrate migrate apply' (docs/migrating.md)."
    )
  }

  /// Returns the column that ``TableOptions/idColumn`` means, which may be the only one whose name looks the same.
  private static func column(named wanted: String, of read: TableHeader) -> Int? {
    // Swift's equality treats composed and decomposed accents as the same.
    let (columns, isExact) = read.columns(named: wanted, alike: ==)
    return isExact || columns.count == 1 ? columns.first : nil
  }

  /// Returns a sentence with the heading that was probably meant; empty if there is none.
  private static func meant(by wanted: String, _ headings: [String]) -> String {
    let headings = headings.filter { !$0.isEmpty }
    let same = headings.filter { PlainText.saySame($0, wanted) }
    // Any heading is similar to a name of one or two letters.
    let near = wanted.count > 2 ? wanted.nearest(of: headings) : nil
    return (same.count == 1 ? same[0] : near).map { "Did you mean '\($0)'? " } ?? ""
  }

  private static func list(_ headings: [String]) -> String {
    FilePaths.list(headings.filter { !$0.isEmpty }.map { "'\($0)'" })
  }

  /// The column `__name__`; nil if there is none.
  package var nameColumn: Int? { readsForms ? idColumn : nil }

  /// The columns by the bytes of their field paths, as export names them.
  ///
  /// An option may give a column another field than its heading says, and a heading that somebody changed its own field.
  package var columnsByField: [[UInt8]: Int] {
    var columns: [[UInt8]: Int] = [:]
    for (index, role) in roles.enumerated() {
      switch role {
      case .field(let column): columns[Array(column.path.description.utf8)] = index
      case .rest: columns[Array(FieldPath(field: ColumnPlan.restName).description.utf8)] = index
      case .name, .reason, .skipped, .none: break
      }
    }
    for (path, index) in exported { columns[Array(path.description.utf8)] = index }
    return columns
  }

  /// The columns of a table written by export in which the form of a cell determines its type.
  package var untyped: [Int] {
    readsForms && !isSheet ? roles.fields.filter { $0.column.type == .any }.map(\.index) : []
  }

  /// Whether an exact value is of the type that the heading or an option gives its column, or none gives one.
  package func takes(_ value: Value, in index: Int) -> Bool {
    guard typed.contains(index), case .field(let column) = roles[index] else { return true }
    return switch (column.type, value) {
    case (.any, _), (.string, .string), (.integer, .integer), (.double, .double), (.boolean, .boolean),
      (.timestamp, .timestamp), (.array, .array), (.reference, .reference), (.geopoint, .geoPoint),
      (.bytes, .bytes):
      true
    // A vector is a map.
    case (.array, .map): true
    default: false
    }
  }

  /// Returns the columns of fields that are texts of a certain form.
  func textColumns(where hasForm: (Column) -> Bool) -> Set<Int> {
    Set(roles.fields.filter { $0.column.type == .string && hasForm($0.column) }.map(\.index))
  }

  /// The columns of a sheet written by export whose cells have their own types, unless the heading or an option gives the
  /// type.
  package var mixable: Set<Int> {
    guard readsForms, isSheet else { return [] }
    return Set(roles.fields.filter { $0.column.type == .any && !typed.contains($0.index) }.map(\.index))
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

  /// Adopts the findings about one of the ``untyped`` columns.
  ///
  /// These are the type of its cells in REST JSON, if one of ``addressTypes``, and what the user should know about the
  /// others.
  package mutating func take(_ found: TypeInference, of column: Int) {
    addressTypes[column] = found.addressType
    note(found.plainTimes, of: column, "a time as text", .timestamp)
    if identifiers.contains(column) {
      note(found.plainNumbers, of: column, "a number", .string)
    } else {
      let doubles = found.plainNumbers - found.plainIntegers
      let isOfDoubles = found.plainIntegers * 10 <= doubles
      let what = "a whole number beside \(NumberText.counted(doubles, "double"))"
      note(isOfDoubles ? found.plainIntegers : 0, of: column, what, .double)
    }
  }

  private mutating func note(_ cells: Int, of column: Int, _ what: String, _ type: Column.ValueType) {
    if cells == 0 { return }
    let option =
      "--types '\(headings[column])=\(type.rawValue)' takes it for \(type == .string ? "text" : "one")"
    let text = "\(what) in \(NumberText.counted(cells, "cell")); \(option)"
    notes.append((column, ColumnNote(text: text)))
  }

  /// Returns the heading of a column for a list of rejected rows: the path of its field, with the type that was inferred.
  ///
  /// - Parameter order: The order of dates in columns without their own.
  package func typedHeading(_ index: Int, unless order: DateOrder) -> String {
    guard let heading = fieldHeadings[index] else {
      return index == idColumn && headings[index].isEmpty ? Self.idHeading : headings[index]
    }
    guard case .field(let column) = roles[index],
      typed.contains(index) || decided.contains(index) && column.type != .any
    else { return heading }
    let own = dateOrders[index].flatMap { $0 == .dayFirst && order == .dayFirst ? nil : $0 }
    return "\(heading):\(ColumnType(column.type, dateOrder: own).name)"
  }

  /// How the table is read, for display: where its headings, IDs and fields are.
  package var reading: String {
    let fields = roles.fields.map { "\($0.column.path) \(ColumnType($0.column.type).name)" }
    let ids = idColumn.map { "ids in \(name(ofColumn: $0))" } ?? "new ids"
    return "headings in row \(headerRow), \(ids); fields: \(fields.joined(separator: ", "))"
  }

  /// Whether the number of a column is a heading, which is what an option means by it then.
  package func isHeading(number: Int) -> Bool { TableHeader.isHeading(number: number, headings) }

  /// Returns the number and the heading of a column, for errors.
  package func name(ofColumn index: Int) -> String {
    headings.indices.contains(index) && !headings[index].isEmpty
      ? "column \(index + 1) (\(headings[index]))" : "column \(index + 1)"
  }
}

extension [TablePlan.Role] {
  /// The columns that are fields.
  package var fields: [(index: Int, column: Column)] {
    enumerated().compactMap { index, role in
      if case .field(let column) = role { (index, column) } else { nil }
    }
  }
}
