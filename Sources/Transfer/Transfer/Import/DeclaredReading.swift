import Schema
import Tables

/// How a table is read: as the command line says, and where it says nothing as the schema does of the table's collection.
struct DeclaredReading {
  /// The options of the table.
  let options: TableOptions
  /// What the schema says.
  private var declared = TableReading()

  /// What says how a table is to be read, by its headings.
  private enum Origin {
    /// An export, which needs no options.
    case export
    case people
  }

  /// - Throws: ``Failure`` where the schema is needed and the file cannot be read.
  init(_ source: ImportSource, collection: CollectionPath, options: TableOptions) throws(Failure) {
    let reading = options.schema.collection(collection)?.imports.reading ?? TableReading()
    if Self.isRejects(source) {
      var own = options
      own.reading = options.reading.ofContent.completed(by: reading.ofContent)
      self.options = own
      return
    }
    if source.isExported || reading == TableReading() {
      self.options = options
      return
    }
    switch Self.origin(of: source, options) {
    case .export: break
    case .people: declared = reading
    }
    var completed = options
    completed.reading = options.reading.completed(by: declared)
    self.options = completed
    let given = options.reading.shown.map(\.name)
    notes = declared.shown.filter { option in
      !given.contains(option.name) || ["rename", "types"].contains(option.name)
    }.map { "\($0.name) \($0.texts.joined(separator: ", "))" }
  }

  /// What the schema says and no option does, as it is typed.
  private(set) var notes: [String] = []

  /// The numbers of the headings that the schema says something of, which are before those of the command line.
  var declaredTypes: Int { declared.types.count }
  var declaredRenames: Int { declared.renames.count }

  private static func origin(of source: ImportSource, _ options: TableOptions) -> Origin {
    guard var reader = try? TableReader(source, options), (try? reader.next()) == true else { return .people }
    let headings = reader.row.texts
    func has(_ name: String) -> Bool { headings.contains { PlainText.trimmed($0).isIdentical(to: name) } }
    return has(TablePlan.nameHeading) ? .export : .people
  }

  /// Whether a file is a list of rejected rows: CSV as export writes it, with cells as they were in another file.
  private static func isRejects(_ source: ImportSource) -> Bool {
    guard source.format == .csv else { return false }
    let line = FileHead(source.path).bytes.prefix { $0 != 0x0A }
    return line.firstRange(of: Array(TablePlan.reasonHeading.utf8)) != nil
  }
}
