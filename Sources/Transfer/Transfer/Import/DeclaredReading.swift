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
    /// A list of rejected rows, which is CSV as export writes it, with cells as they were.
    case rejects
    case people
  }

  /// - Throws: ``Failure`` where the schema is needed and the file cannot be read.
  init(_ source: ImportSource, collection: CollectionPath, options: TableOptions) throws(Failure) {
    let reading = options.schema.collection(collection)?.imports.reading ?? TableReading()
    let isPlain = options.reading == options.reading.ofContent && reading == TableReading()
    if source.isExported || isPlain {
      self.options = options
      return
    }
    var completed = options
    // What was written in UTF-8 is in another encoding where a spreadsheet has saved it.
    let saved = source.format == .csv && !Self.isUTF8(source) ? options.encoding ?? reading.encoding : nil
    switch Self.origin(of: source, options, in: saved) {
    case .export: declared.encoding = saved
    case .rejects:
      completed.reading = options.reading.ofContent
      declared = reading.ofContent
      declared.encoding = saved
    case .people: declared = reading
    }
    completed.reading = completed.reading.completed(by: declared)
    self.options = completed
    let given = options.reading.shown.map(\.name)
    notes = declared.shown.filter { option in
      !given.contains(option.name) || ["rename", "types"].contains(option.name)
    }.map { "\($0.name) \($0.texts.joined(separator: ", "))" }
  }

  /// What the schema says and no option does, as it is typed.
  private(set) var notes: [String] = []

  /// The failure of a table with what the schema says of it, which nobody sees on the command line.
  func explaining(_ failure: Failure, _ collection: CollectionPath) -> Failure {
    if notes.isEmpty { return failure }
    let said = "The schema says of \(collection): \(notes.joined(separator: "; "))."
    var failure = failure
    failure.remedy = failure.remedy.map { "\($0) \(said)" } ?? said
    return failure
  }

  /// The numbers of the headings that the schema says something of, which are before those of the command line.
  var declaredTypes: Int { declared.types.count }
  var declaredRenames: Int { declared.renames.count }

  /// - Parameter encoding: That of a file that is not in UTF-8, if it is known.
  private static func origin(
    of source: ImportSource,
    _ options: TableOptions,
    in encoding: TextEncoding?
  ) -> Origin {
    var own = options
    own.reading = options.reading.ofContent
    own.encoding = encoding
    if source.format == .csv, has(TablePlan.reasonHeading, source, own) { return .rejects }
    var named = options
    named.encoding = options.encoding ?? encoding
    return has(TablePlan.nameHeading, source, named) ? .export : .people
  }

  private static func has(_ heading: String, _ source: ImportSource, _ options: TableOptions) -> Bool {
    guard var reader = try? TableReader(source, options), (try? reader.next()) == true else { return false }
    return reader.row.texts.contains { PlainText.trimmed($0).isIdentical(to: heading) }
  }

  /// Whether a table is in the encoding of what we write, as far as its first bytes tell; those of gzip do not.
  private static func isUTF8(_ source: ImportSource) -> Bool {
    let head = FileHead(source.path).bytes
    if head.starts(with: [0x1F, 0x8B]) { return true }
    // Its last character may be cut.
    return (0...3).contains { String(validating: head.dropLast($0), as: UTF8.self) != nil }
  }
}
