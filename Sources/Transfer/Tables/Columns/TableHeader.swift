import Files
import FirestoreModels
import Schema

/// The header of a table: what each of its columns is.
struct TableHeader {
  let headings: [String]
  /// The headings without the types that they give.
  private let names: [String]
  private(set) var roles: [TablePlan.Role] = []
  /// The fields that an export means by the headings, whatever options make of them.
  private(set) var exported: [(path: FieldPath, column: Int)] = []
  private(set) var tree = FieldTree()
  /// The column of the document IDs as export writes it.
  private(set) var nameColumn: Int?
  /// The column of the document IDs of a list of rejects whose table has no heading for them.
  private(set) var idColumn: Int?
  /// The columns whose types are given by the heading or an option.
  private(set) var typed: Set<Int> = []
  /// The columns that an option declares to be text.
  private(set) var texts: Set<Int> = []
  private(set) var dateOrders: [Int: DateOrder] = [:]
  /// What the user should know about columns.
  private(set) var notes: [(column: Int, note: ColumnNote)] = []
  /// The indices in ``TableOptions/types`` and ``TableOptions/renames`` that name a column.
  private(set) var usedTypes: Set<Int> = []
  private(set) var usedRenames: Set<Int> = []

  private let options: TableOptions
  /// The headings that mean the fields of columns in a list of rejects.
  private(set) var fieldHeadings: [Int: String] = [:]
  /// The types that headings give.
  private var types: [Int: ColumnType] = [:]
  /// The rules for headings of the original table if this is a list of rejects, whose own headings are fields; nil for
  /// others.
  private let original: HeadingRules?
  private var defects: [(column: Int, cause: String)] = []
  private var remedies: [String] = []

  /// Reads a header.
  ///
  /// - Parameters:
  ///   - label: The file (and the sheet of a workbook), for errors.
  ///   - isGuarded: Whether an apostrophe precedes texts that look like formulas.
  ///   - catalogue: The columns of the schema.
  /// - Throws: ``Failure`` of kind `inputMalformed` with all headings that are invalid or duplicate.
  init(
    _ header: CellRow,
    of label: String,
    isGuarded: Bool,
    catalogue: [Column],
    options: TableOptions
  ) throws(Failure) {
    self.options = options
    let texts = header.headings.map { Self.trimmed(isGuarded ? CellForm.unguarded($0) : $0) }
    let headings = texts + Self.namedBehind(texts, options)
    self.headings = headings
    names = headings.map { HeadingRules.typed($0).name }
    let known = Set((headings + names).map { UTF8Key($0) })
    func rules(_ style: HeadingStyle, _ headings: Set<UTF8Key> = [], renames: Bool = true) -> HeadingRules {
      HeadingRules(
        catalogue: catalogue,
        style: style,
        renames: renames ? options.renames : [],
        declaredRenames: renames ? options.declaredRenames : 0,
        headings: headings
      )
    }
    let isExport = headings.contains { $0.isIdentical(to: TablePlan.nameHeading) }
    let style = options.headings ?? (isExport ? .path : .literal)
    let isRejects = Self.isRejects(header)
    original = isRejects ? rules(style) : nil
    let current = isRejects ? rules(.path, renames: false) : rules(style, known)
    for index in headings.indices { add(index, current) }
    addTypes()
    if nameColumn != nil {
      let own = rules(.path, renames: false)
      exported = headings.enumerated().compactMap { index, heading in
        Self.role(heading) == nil ? (try? own.column(heading)).map { ($0.column.path, index) } : nil
      }
    }
    // A list repeats the fields of a table whose doubts were said.
    if !isRejects { noteDoubts(current) }
    guard !defects.isEmpty else { return }
    let causes = defects.prefix(20).map { "column \($0.column + 1): \($0.cause)" }.joined(separator: "; ")
    let more = defects.count > 20 ? "; and \(defects.count - 20) more" : ""
    throw .malformed(
      label,
      "\(header.place), \(causes)\(more)",
      remedy: remedies.isEmpty ? nil : remedies.joined(separator: " ")
    )
  }

  private mutating func noteDoubts(_ rules: HeadingRules) {
    let fields = roles.fields
    let found = Set(fields.map(\.column.path))
    for (index, column) in fields {
      if let doubt = rules.doubt(headings[index], of: column.path, beside: found) {
        notes.append((index, ColumnNote(text: doubt, isDoubt: true)))
      }
    }
  }

  private mutating func refuse(_ column: Int, _ cause: String, _ remedy: String?) {
    defects.append((column, cause))
    roles.append(.skipped)
    guard let remedy, !remedies.contains(where: { $0.isIdentical(to: remedy) }) else { return }
    remedies.append(remedy)
  }

  private mutating func add(_ index: Int, _ rules: HeadingRules) {
    let heading = headings[index]
    if options.skippedColumns.contains(index + 1) { return roles.append(.skipped) }
    let numbered = original == nil ? renamedByNumber(index) : nil
    if numbered == nil, let role = Self.role(heading) {
      if case .name = role {
        if nameColumn != nil { return refuse(index, "\(heading) is there twice", nil) }
        nameColumn = index
      }
      return roles.append(role)
    }
    if original != nil, heading.isIdentical(to: TablePlan.idHeading) {
      if idColumn != nil { return refuse(index, "\(heading) is there twice", nil) }
      idColumn = index
      return roles.append(.name)
    }
    let found: HeadingRules.Found
    do throws(HeadingRules.Defect) {
      if let numbered {
        found = rules.column(numbered, of: heading)
      } else {
        found = try rules.column(heading)
      }
    } catch {
      return refuse(index, error.cause, error.remedy)
    }
    let path = found.column.path
    guard tree.add(path, column: index) else {
      return refuse(
        index,
        "there is another column for the field \(path)\(place(of: path))",
        "\(remedy(index)) gives it another field."
      )
    }
    usedRenames.formUnion(options.renames.indices.filter { options.renames[$0].value == path })
    types[index] = found.type
    fieldHeadings[index] = rules.heading(of: path)
    if let note = found.note { notes.append((index, ColumnNote(text: note))) }
    roles.append(.field(found.column))
  }

  /// Gives columns the types of options, or else of their headings.
  private mutating func addTypes() {
    var given: [Int: (option: Int, isExact: Bool)] = [:]
    for (option, type) in options.types.enumerated() {
      let (columns, isExact) = columns(named: type.heading, alike: PlainText.saySame)
      for index in columns {
        if let known = given[index], known.isExact, !isExact,
          (known.option < options.declaredTypes) == (option < options.declaredTypes)
        {
          continue
        }
        given[index] = (option, isExact)
      }
    }
    for (index, column) in roles.fields {
      let option = given[index]?.option
      guard let type = option.map({ options.types[$0].value }) ?? types[index] else { continue }
      if let option { usedTypes.insert(option) }
      if option != nil, type.type == .string { texts.insert(index) }
      typed.insert(index)
      dateOrders[index] = type.dateOrder
      roles[index] = .field(column.typed(type.type))
    }
  }

  /// Returns the columns that an option means: those with exactly that heading, or else with the field of that name, or else
  /// those that read alike.
  ///
  /// In a list of rejects, it means the field that the heading had in the table.
  func columns(
    named wanted: String,
    alike: (String, String) -> Bool
  ) -> (columns: [Int], isExact: Bool) {
    let fields = roles.fields
    func columns(_ isNamed: (Int, FieldPath) -> Bool) -> [Int] {
      fields.filter { isNamed($0.index, $0.column.path) }.map(\.index)
    }
    let renamed = options.renames.filter { $0.heading.isIdentical(to: wanted) }.map(\.value)
    if let original {
      let found = columns { $1 == renamed.last ?? original.ownField(wanted) }
      if !found.isEmpty || !renamed.isEmpty { return (found, true) }
    }
    func fieldNames(_ path: FieldPath) -> [String] {
      [path.description] + (path.segments.count == 1 ? path.segments : [])
    }
    let headed = columns { index, _ in
      headings[index].isIdentical(to: wanted) || names[index].isIdentical(to: wanted)
    }
    if !headed.isEmpty { return (headed, true) }
    let named = columns { _, path in
      fieldNames(path).contains { $0.isIdentical(to: wanted) } || renamed.contains(path)
    }
    if !named.isEmpty { return (named, true) }
    // The headings of a list are not those of the table, which only options still name.
    let former = original == nil ? [] : options.renames
    return (
      columns { index, path in
        ([headings[index], names[index]] + fieldNames(path)
          + former.filter { $0.value == path }.map(\.heading))
          .contains { alike(wanted, $0) }
      }, false
    )
  }

  /// How a column can be left out, and how it can get another field than the one that is taken.
  private func remedy(_ index: Int) -> String {
    if original != nil { return "Take a column out of the list; another heading" }
    let byNumber =
      Self.isHeading(number: index + 1, headings)
      ? "another heading in the file" : "--rename \(index + 1)=FIELD"
    let rename = isUnique(index) ? "--rename '\(headings[index])=FIELD'" : byNumber
    return "--skip-columns \(index + 1) leaves a column out, and \(rename)"
  }

  /// How far beyond the last heading a column can be named by its number.
  private static let columnsBehind = 1000

  /// Returns empty headings for the columns of a sheet beyond the last heading, up to the last one that an option names by
  /// number.
  private static func namedBehind(_ headings: [String], _ options: TableOptions) -> [String] {
    let numbers = options.renames.compactMap { rename in
      headings.contains { $0.isIdentical(to: rename.heading) } ? nil : Int(rename.heading)
    }
    let last = numbers.filter { $0 <= headings.count + columnsBehind }.max() ?? 0
    return Array(repeating: "", count: max(0, last - headings.count))
  }

  /// Returns the field that an option assigns to a column by its number, if its heading is not unique.
  private func renamedByNumber(_ index: Int) -> FieldPath? {
    if isUnique(index) || Self.isHeading(number: index + 1, headings) { return nil }
    return options.renames.last { $0.heading.isIdentical(to: String(index + 1)) }?.value
  }

  /// Whether the number of a column is a heading, which is what an option means by it then.
  static func isHeading(number: Int, _ headings: [String]) -> Bool {
    headings.contains { $0.isIdentical(to: String(number)) }
  }

  /// Whether a column has a heading, and no other has the same.
  private func isUnique(_ index: Int) -> Bool {
    !headings[index].isEmpty && headings.count { $0.isIdentical(to: headings[index]) } == 1
  }

  /// Returns where a field is, or one that contains it or is inside it.
  private func place(of path: FieldPath) -> String {
    let found = roles.fields.first { $0.column.path.isPrefix(of: path) || path.isPrefix(of: $0.column.path) }
    return found.map { ", column \($0.index + 1)" } ?? ""
  }

  // MARK: Reserved headings

  /// Returns the number of cells of a row up to the last one that is read.
  static func width(of header: CellRow) -> Int {
    let last = header.texts.lastIndex { heading in
      switch role(trimmed(heading)) {
      case .some(.reason), .some(.none): false
      default: true
      }
    }
    return last.map { $0 + 1 } ?? 0
  }

  /// Whether a table is a list of rejected rows, whose texts are guarded against spreadsheets whichever program saved it.
  static func isRejects(_ header: CellRow) -> Bool { RejectOrigin(header: header) != nil }

  /// Returns the role of a reserved heading; nil for the heading of a field.
  private static func role(_ heading: String) -> TablePlan.Role? {
    if heading.isEmpty { return TablePlan.Role.none }
    if RejectOrigin(heading: heading) != nil { return .reason }
    let reserved: [(String, TablePlan.Role)] = [
      (TablePlan.nameHeading, .name), (ColumnPlan.restName, .rest), (TablePlan.rawHeading, .reason),
    ]
    return reserved.first { $0.0.isIdentical(to: heading) }?.1
  }

  /// Returns a heading without surrounding invisible characters, which would make it another name.
  private static func trimmed(_ text: String) -> String {
    PlainText.trimmed(text, where: Spacing.isInvisible)
  }
}
