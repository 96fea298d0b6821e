package import Tables

/// A file, or a sheet of a workbook, that is imported.
package struct ImportSource: Sendable, Equatable {
  /// The path of the file; `-` is standard input.
  package var path: String
  /// The local copy of a workbook in a bucket, because reading it needs random access.
  var copy: InputCopy?
  package var format: InputFormat
  /// The name of the sheet in a workbook.
  package var sheet: String?
  /// How an export wrote the sheet.
  var sheetWriting = TableWriting()
  /// The number of the sheet among those of the workbook, from 1.
  var sheetNumber = 1
  /// What it says of the table that its rows come from, if it is a list of rejected rows.
  var rejects: RejectOrigin?
  /// Whether several sheets of its workbook are imported.
  var isOneOfSeveral = false
  /// The hidden sheets of the workbook, which are left out; set only in the workbook's last source.
  var hiddenSheets: [String] = []
  /// The sheets without a declared collection, if other sheets of the workbook have one; set only in the workbook's last
  /// source.
  var otherSheets: [String] = []
  /// The collection of a table's rows; nil for JSON Lines, where each line names it.
  package var collection: CollectionPath?
  /// Whether the collection is only inferred from the name of the file or sheet.
  var isGuess = false
  /// Whether it was found in a folder given by the user, as when restoring an export.
  package var isFromFolder = false
  /// The document that the file holds, and the first document of its folder, if the location of the file determines them.
  var (document, firstDocument): (DocumentPath?, DocumentPath?) = (nil, nil)
  /// The folder of such files, and the paths of the files in it that are not read; set only in the first source.
  var (root, unread): (String?, [String]) = (nil, [])
  /// The managed export, if it is one.
  var managed: ManagedExport?
  /// The export that it belongs to, according to the manifest beside it.
  var manifest: Manifest?
  /// Whether it is the list of documents that were deleted before its export.
  var listsDeletions = false
  /// How its file differs from what its export wrote, for example because somebody edited it, as a sentence.
  var alteration: String?
  /// Whether it belongs to an export that was given as a folder, so that its names are exact.
  var isExported: Bool { managed != nil || isFromFolder && manifest != nil && alteration == nil }
  /// Whether the cells of its table have the stored values, also those that break the schema.
  ///
  /// In a plain CSV file, a vector looks like an array.
  var isExact: Bool { isExported && (format != .csv || writing.timeZone == nil) }
  /// The files to read.
  package var files: [String] { managed?.allFiles ?? [path] }
  /// How an export wrote it, by the mark of its sheet or the manifest beside it; or, for a list of rejected rows, the table
  /// that they come from.
  var writing: TableWriting {
    if let rejects, rejects.writing != TableWriting() { return rejects.writing }
    guard sheet == nil, manifest?.file(named: FilePaths.name(of: path)) != nil else { return sheetWriting }
    return manifest?.writing ?? sheetWriting
  }
  /// The database that its documents come from, if known.
  var database: DatabaseName? { managed?.database ?? manifest?.database ?? rejects?.database }

  package init(path: String, format: InputFormat) { (self.path, self.format) = (path, format) }

  init(_ managed: ManagedExport) {
    self.init(path: managed.path, format: .managed)
    self.managed = managed
  }

  /// The individual files of a managed export; otherwise the source itself.
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

  /// Whether a path can be read only once: standard input, a pipe or a device.
  package static func isStream(_ path: String) -> Bool {
    if path == "-" { return true }
    guard let status = SystemCall.status(path).status else { return false }
    return !status.isRegularFile && !status.isFolder
  }

  /// Calls `body` with the path at which a workbook can be opened; errors that it throws name the original file.
  func opening<Result>(_ body: (String) throws(Failure) -> Result) throws(Failure) -> Result {
    guard let location = try copy?.location() else { return try body(path) }
    do throws(Failure) {
      return try body(location)
    } catch {
      throw error.naming(path, for: location)
    }
  }

  /// Whether only a few rows of it are in memory at any time.
  var isReadPieceByPiece: Bool { format == .jsonLines || format == .csv || format == .managed }

  /// The name for messages.
  package var label: String { sheet.map { "\(path) (sheet \($0))" } ?? path }

  /// An option for its columns or rows, as typed for this table only.
  func option(_ name: String, _ value: String) -> String {
    guard let sheet, isOneOfSeveral else { return "--\(name) \(value)" }
    return "--\(name) '\(sheet)=\(value)'"
  }

  /// A sentence on how to give it another ID column than other tables, to be appended to others.
  var idAdvice: String {
    sheet == nil || !isOneOfSeveral
      ? " Import tables whose ids have other headings by themselves."
      : " \(option("id-column", "HEADING")) is for this sheet alone."
  }

  /// What one of its documents is in the file, for messages.
  var unit: String { format == .jsonLines ? "line" : format.isTable ? "row" : "document" }

  /// Whether it belongs to an export that adds to an earlier one.
  var isIncrement: Bool { manifest?.isIncrement ?? false }

  /// Whether its documents are later versions of those of another source, which is an earlier export of the same database.
  func isIncrement(upon earlier: ImportSource) -> Bool {
    guard isIncrement, let manifest, let base = earlier.manifest, let time = manifest.readTime,
      let before = base.readTime
    else { return false }
    return manifest.database == base.database && before < time
  }

  /// The database of the exports that sources belong to; nil if one of them belongs to none, or if they disagree.
  package static func database(of sources: [ImportSource]) -> DatabaseName? {
    let databases = Set(sources.filter { $0.path != "-" }.map(\.database))
    return databases.count == 1 ? databases.first ?? nil : nil
  }
}
