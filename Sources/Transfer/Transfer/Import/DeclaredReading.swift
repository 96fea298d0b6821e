import Schema
import Tables

/// How a table is read: as the command line says, or else as the schema of the table's collection says.
struct DeclaredReading {
  /// The options of the table.
  let options: TableOptions
  /// What the schema says.
  private var declared = TableReading()

  /// - Throws: ``Failure`` where the schema is needed and the file cannot be read.
  init(_ source: ImportSource, collection: CollectionPath, options: TableOptions) throws(Failure) {
    let reading = options.schema.collection(collection)?.imports.reading ?? TableReading()
    let isPlain = options.reading == options.reading.ofContent && reading == TableReading()
    var completed = options
    if let rejects = source.rejects { completed.reading = rejects.applicable(options.reading) }
    if source.isExported || isPlain {
      self.options = completed
      return
    }
    // A file that was written in UTF-8 is in another encoding after a spreadsheet has saved it.
    let isUTF8 = source.format == .csv ? try Self.isUTF8(source, via: options.files) : true
    let saved = isUTF8 ? nil : options.encoding ?? reading.encoding
    var named = completed
    named.encoding = completed.encoding ?? saved
    // An export, and a list of its rows, is read as export writes it.
    let isOfExport = Self.has(TablePlan.nameHeading, source, named)
    if !isOfExport { declared = source.rejects?.applicable(reading) ?? reading }
    if isOfExport || source.rejects != nil { declared.encoding = saved }
    completed.reading = completed.reading.completed(by: declared)
    (completed.declaredTypes, completed.declaredRenames) = (declared.types.count, declared.renames.count)
    self.options = completed
    let given = options.reading.shown.map(\.name)
    notes = declared.shown.filter { option in
      !given.contains(option.name) || ["rename", "types"].contains(option.name)
    }.map { "\($0.name) \($0.texts.joined(separator: ", "))" }
  }

  /// The settings of the schema that no option overrides, as they would be typed.
  private(set) var notes: [String] = []

  /// Adds to a table's failure what the schema says about it, which the command line does not show.
  func explaining(_ failure: Failure, _ collection: CollectionPath) -> Failure {
    if notes.isEmpty { return failure }
    let said = "The schema says of \(collection): \(notes.joined(separator: "; "))."
    return failure.advising(failure.remedy.map { "\($0) \(said)" } ?? said)
  }

  /// Whether a table has the heading of an export if its cells are separated by the delimiter that the export used.
  ///
  /// A spreadsheet may have saved it with another one.
  static func isExport(
    _ source: ImportSource,
    _ options: TableOptions,
    separatedBy delimiter: CSVDelimiter
  ) -> Bool {
    var options = options
    options.delimiter = delimiter
    return source.isExported || has(TablePlan.nameHeading, source, options)
  }

  private static func has(_ heading: String, _ source: ImportSource, _ options: TableOptions) -> Bool {
    guard var reader = try? TableReader(source, options), (try? reader.next()) == true else { return false }
    return reader.row.texts.contains { PlainText.trimmed($0).isIdentical(to: heading) }
  }

  /// Whether a table is in UTF-8, judging by its first bytes; a file that is compressed with gzip is taken for UTF-8.
  private static func isUTF8(_ source: ImportSource, via files: FileAccess) throws(Failure) -> Bool {
    let head = try FileHead(source.path, via: files).bytes
    if head.starts(with: [0x1F, 0x8B]) { return true }
    // The last character may be cut off.
    return (0...3).contains { String(validating: head.dropLast($0), as: UTF8.self) != nil }
  }
}
