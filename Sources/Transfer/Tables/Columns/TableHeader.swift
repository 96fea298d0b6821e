import Files
import FirestoreModels
import Schema

/// The header of a table: what each of its columns is.
struct TableHeader {
  let headings: [String]
  private(set) var roles: [TablePlan.Role] = []
  /// The fields that an export means by the headings, whatever options make of them.
  private(set) var exported: [(path: FieldPath, column: Int)] = []
  private(set) var tree = FieldTree()
  /// The column of the document IDs as export writes it.
  private(set) var nameColumn: Int?
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
    let texts = header.texts.map { Self.trimmed(isGuarded ? CellForm.unguarded($0) : $0) }
    headings = texts + Self.namedBehind(texts, options)
    let isRejects = Self.isRejects(header)
    let isOurs = isRejects || headings.contains { $0.isIdentical(to: TablePlan.nameHeading) }
    func rules(_ style: HeadingStyle) -> HeadingRules {
      HeadingRules(catalogue: catalogue, style: style, renames: options.renames)
    }
    original = isRejects ? rules(options.headings ?? .literal) : nil
    let current = rules(isRejects ? .path : options.headings ?? (isOurs ? .path : .literal))
    for index in headings.indices { add(index, current) }
    if nameColumn != nil {
      let own = HeadingRules(catalogue: catalogue, style: .path, renames: [])
      exported = headings.enumerated().compactMap { index, heading in
        Self.role(heading) == nil ? (try? own.column(heading)).map { ($0.column.path, index) } : nil
      }
    }
    noteDoubts(current)
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
    let numbered = renamedByNumber(index)
    if numbered == nil, let role = Self.role(heading) {
      if case .name = role {
        if nameColumn != nil { return refuse(index, "\(heading) is there twice", nil) }
        nameColumn = index
      }
      return roles.append(role)
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
      let skip =
        "--skip-columns \(index + 1) leaves a column out, and --rename \(index + 1)=FIELD gives it another field."
      return refuse(index, "there is another column for the field \(path)\(place(of: path))", skip)
    }
    let renamed = options.renames.indices.filter { options.renames[$0].value == path }
    usedRenames.formUnion(renamed)
    let names =
      [heading, found.name] + renamed.map { options.renames[$0].heading }
      + (path.segments.count == 1 ? path.segments : [])
    let given =
      options.types.lastIndex { type in
        names.contains { type.heading.isIdentical(to: $0) } || wasNamed(type.heading, path)
      } ?? options.types.lastIndex { type in names.contains { PlainText.saySame(type.heading, $0) } }
    if let given { usedTypes.insert(given) }
    let type = given.map { options.types[$0].value } ?? found.type
    if let given, options.types[given].value.type == .string { texts.insert(index) }
    if let type {
      typed.insert(index)
      dateOrders[index] = type.dateOrder
    }
    if let note = found.note { notes.append((index, ColumnNote(text: note))) }
    roles.append(.field(type.map { found.column.typed($0.type) } ?? found.column))
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
    let (heading, number) = (headings[index], String(index + 1))
    let isUnique = !heading.isEmpty && headings.count { $0.isIdentical(to: heading) } == 1
    if isUnique || headings.contains(where: { $0.isIdentical(to: number) }) { return nil }
    return options.renames.last { $0.heading.isIdentical(to: number) }?.value
  }

  /// Whether a column of a list of rejects had the given heading in the original table.
  func wasNamed(_ heading: String, _ path: FieldPath) -> Bool {
    (try? original?.column(heading))?.column.path == path
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
  static func isRejects(_ header: CellRow) -> Bool {
    header.texts.contains { trimmed($0).isIdentical(to: TablePlan.reasonHeading) }
  }

  /// Returns the role of a reserved heading; nil for the heading of a field.
  private static func role(_ heading: String) -> TablePlan.Role? {
    if heading.isEmpty { return TablePlan.Role.none }
    let reserved: [(String, TablePlan.Role)] = [
      (TablePlan.nameHeading, .name), (ColumnPlan.restName, .rest), (TablePlan.reasonHeading, .reason),
      (TablePlan.rawHeading, .reason),
    ]
    return reserved.first { $0.0.isIdentical(to: heading) }?.1
  }

  /// Returns a heading without surrounding invisible characters, which would make it another name.
  private static func trimmed(_ text: String) -> String {
    PlainText.trimmed(text, where: Spacing.isInvisible)
  }
}
