package import Tables

/// One file or one sheet of a workbook that is imported.
package struct ImportSource: Sendable, Equatable {
  /// The path of the file; `-` is standard input.
  package var path: String
  /// The copy of a workbook in a bucket, which is read in several places at once.
  var copy: InputCopy?
  package var format: InputFormat
  /// The name of the sheet in a workbook.
  package var sheet: String?
  /// The zone of the times of a sheet that an export wrote.
  var timeZone: String?
  /// Whether other sheets of its workbook are imported, too.
  var isOneOfSeveral = false
  /// The hidden sheets of the workbook, which are left out; only in its last source.
  var hiddenSheets: [String] = []
  /// Those that the schema takes for nothing where it names others of the workbook; likewise.
  var otherSheets: [String] = []
  /// The collection of a table's rows; nil for JSON Lines, whose lines name it.
  package var collection: CollectionPath?
  /// Whether nothing but the name of the file or sheet says the collection.
  var isGuess = false
  /// Whether it was found in a folder that was named: an export that is restored.
  package var isFromFolder = false
  /// The document that the file holds, and the first of its folder's, where the place of the file says it.
  var (document, firstDocument): (DocumentPath?, DocumentPath?) = (nil, nil)
  /// The managed export that it is.
  var managed: ManagedExport?
  /// The export that it belongs to according to the manifest beside it.
  var manifest: Manifest?
  /// Whether it is the list of what was deleted before its export.
  var listsDeletions = false
  /// Whether it is a table of an export that is another file than its manifest says: people have edited it.
  var isEdited = false
  /// Whether a folder was named that is an export, whose names are exact.
  var isExported: Bool { managed != nil || isFromFolder && manifest != nil && !isEdited }
  /// The files that are read.
  package var files: [String] { managed?.allFiles ?? [path] }
  /// The zone of the times of a file of an export that have none.
  var manifestZone: String? {
    manifest?.file(named: FilePaths.name(of: path)) == nil ? nil : manifest?.timeZone
  }
  /// The database that its documents come from, if known.
  private var database: DatabaseName? { managed?.database ?? manifest?.database }

  package init(path: String, format: InputFormat) { (self.path, self.format) = (path, format) }

  init(_ managed: ManagedExport) {
    self.init(path: managed.path, format: .managed)
    self.managed = managed
  }

  /// The files of a managed export, each by itself; else the source itself.
  var parts: [ImportSource] {
    guard let managed, managed.outputs.count > 1 else { return [self] }
    return managed.parts.map { part in
      var source = self
      (source.path, source.managed) = (part.path, part)
      return source
    }
  }

  /// Whether it can be read only once.
  var isStream: Bool { Self.isStream(path) }

  /// Returns whether a path can be read only once: standard input, a pipe or a device.
  package static func isStream(_ path: String) -> Bool {
    if path == "-" { return true }
    guard let status = SystemCall.status(path).status else { return false }
    return !status.isRegularFile && !status.isFolder
  }

  /// Calls `body` with the path at which a workbook can be opened; what it throws names the file itself.
  func opening<Result>(_ body: (String) throws(Failure) -> Result) throws(Failure) -> Result {
    guard let location = try copy?.location() else { return try body(path) }
    do throws(Failure) {
      return try body(location)
    } catch {
      throw error.naming(path, for: location)
    }
  }

  /// Whether no more of it is in memory than some rows.
  var isReadPieceByPiece: Bool { format == .jsonLines || format == .csv || format == .managed }

  /// The name for messages.
  package var label: String { sheet.map { "\(path) (sheet \($0))" } ?? path }

  /// An option of its columns or rows, as it is typed for this table alone.
  func option(_ name: String, _ value: String) -> String {
    guard let sheet, isOneOfSeveral else { return "--\(name) \(value)" }
    return "--\(name) '\(sheet)=\(value)'"
  }

  /// How it is given another column of IDs than other tables, as a sentence behind others.
  var idAdvice: String {
    sheet == nil || !isOneOfSeveral
      ? " Import tables whose ids have other headings by themselves."
      : " \(option("id-column", "HEADING")) is for this sheet alone."
  }

  /// What its documents are on, for messages.
  var unit: String { format == .jsonLines ? "line" : format.isTable ? "row" : "document" }

  /// Whether it belongs to an export that adds to an earlier one.
  var isIncrement: Bool { manifest?.isIncrement ?? false }

  /// Whether its documents are later states of those of another source: of an export of the same database that was read
  /// before.
  func isIncrement(upon earlier: ImportSource) -> Bool {
    guard isIncrement, let manifest, let base = earlier.manifest, let time = manifest.readTime,
      let before = base.readTime
    else { return false }
    return manifest.database == base.database && before < time
  }

  /// The database of the exports that sources belong to; nil if one belongs to none or they disagree.
  package static func database(of sources: [ImportSource]) -> DatabaseName? {
    let databases = Set(sources.filter { $0.path != "-" }.map(\.database))
    return databases.count == 1 ? databases.first ?? nil : nil
  }
}
