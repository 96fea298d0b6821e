import Files
package import FirestoreModels
import FirestoreREST
import GymModels
import Tables

/// One file, or one sheet of a workbook, that is imported.
package struct ImportSource: Sendable, Equatable {
  /// What it is kept in.
  package enum Format: String, Sendable, CaseIterable {
    case jsonLines = "jsonl"
    case csv, xlsx

    /// The format of a file by its ending, else by its first bytes; JSON Lines where neither decides.
    init(of path: String) {
      if path.hasSuffix(".jsonl") || path.hasSuffix(".jsonl.gz") {
        self = .jsonLines
        return
      }
      switch TableReader.Format(of: path) {
      case .xlsx: self = .xlsx
      case .csv: self = ImportSource.stem(ofTable: path) == nil ? .jsonLines : .csv
      }
    }
  }

  /// The file; `-` is standard input.
  package var path: String
  /// What it is kept in.
  package var format: Format
  /// The sheet of a workbook.
  package var sheet: String?
  /// Where the rows of a table belong; nil for JSON Lines, whose lines say it.
  package var collection: CollectionPath?

  /// Whether it can be read only once.
  var isStream: Bool { Self.isStream(path) }

  /// Whether what a path leads to can be read only once: standard input, a pipe, a device.
  package static func isStream(_ path: String) -> Bool {
    if path == "-" { return true }
    guard let status = SystemCall.status(path).status else { return false }
    return !status.isRegularFile && !status.isFolder
  }

  /// How it is named to a person.
  package var label: String { sheet.map { "\(path) (sheet \($0))" } ?? path }

  /// The files of folders and the sheets of workbooks, each with its format and its collection.
  ///
  /// - Parameters:
  ///   - paths: Files, folders of an export, or `-`.
  ///   - format: The format of all of them; nil decides each by its name.
  ///   - collection: Where all of them belong; nil decides each by the manifest beside it, its name or its sheet's name.
  ///   - sheets: The sheets of workbooks; all that are not hidden where none are named.
  /// - Throws: ``Failure`` of kind `inputMissing` or `inputMalformed`; `usage` where the collection is not known.
  package static func resolve(
    _ paths: [String],
    format: Format? = nil,
    collection: CollectionPath? = nil,
    sheets: [String] = []
  ) throws(Failure) -> [ImportSource] {
    var sources: [ImportSource] = []
    var missing = sheets
    for path in paths {
      for file in try Manifest.files(at: path) {
        var source = ImportSource(path: file, format: format ?? (file == "-" ? .jsonLines : Format(of: file)))
        if source.format != .jsonLines {
          source.collection = collection
          if collection == nil { source.collection = try checked(try told(for: file), of: file) }
        }
        switch source.format {
        case .jsonLines:
          if file != "-" { try InputFile.assertReadable(file) }
          sources.append(source)
        case .csv:
          if file != "-" { try InputFile.assertReadable(file) }
          guard source.collection != nil else { throw unknown(file, "its name does not name a collection") }
          sources.append(source)
        case .xlsx:
          if file == "-" {
            throw Failure(
              .usage,
              "import",
              path: file,
              cause: "a workbook cannot be read from standard input",
              remedy: "Save it as a file."
            )
          }
          for found in try self.sheets(of: source, chosen: sheets) {
            missing.removeAll { $0.isIdentical(to: found.sheet ?? "") }
            sources.append(found)
          }
        }
      }
    }
    if let missing = missing.first {
      throw Failure(.inputMissing, "import", path: missing, cause: "no workbook has a sheet of that name")
    }
    return sources
  }

  /// The sheets of a workbook that are to be imported.
  private static func sheets(of source: ImportSource, chosen: [String]) throws(Failure) -> [ImportSource] {
    let package = try XLSXPackage(source.path)
    let names = package.sheets.map(\.name)
    var sources: [ImportSource] = []
    for sheet in package.sheets {
      if chosen.isEmpty {
        if sheet.isHidden || LongTextIndex.isSheet(sheet.name, among: names) { continue }
      } else if !chosen.contains(where: { $0.isIdentical(to: sheet.name) }) {
        continue
      }
      var found = source
      found.sheet = sheet.name
      if found.collection == nil {
        found.collection = try checked(collection(ofSheet: sheet.name, among: names), of: found.label)
      }
      guard found.collection != nil else {
        throw unknown(source.path, "the name of the sheet '\(sheet.name)' is no collection's")
      }
      sources.append(found)
    }
    return sources
  }

  /// Refuses the collection of a file's or sheet's name where the service does not take it.
  private static func checked(
    _ collection: CollectionPath?,
    of label: String
  ) throws(Failure) -> CollectionPath? {
    guard let collection else { return nil }
    let violation = PathLimits.violations(of: collection).first?.message
    let reserved = collection.isReserved ? "it is gymmigrate's own" : nil
    guard let defect = violation ?? reserved else { return collection }
    throw Failure(
      .inputMalformed,
      "import",
      path: label,
      cause: "its name means the collection '\(PathLimits.shortened(collection.string))': \(defect)",
      remedy: "Name another with --collection."
    )
  }

  private static func unknown(_ file: String, _ cause: String) -> Failure {
    Failure(.usage, "import", path: file, cause: cause, remedy: "Name it with --collection.")
  }

  // MARK: Names

  /// The collection of a file, by the manifest beside it or its name.
  private static func told(for file: String) throws(Failure) -> CollectionPath? {
    if file == "-" { return nil }
    let name = FilePaths.name(of: file)
    if let entry = try Manifest.read(from: FilePaths.folder(of: file))?.files
      .first(where: { $0.file.isIdentical(to: name) })
    {
      return CollectionPath(entry.collection)
    }
    return stem(ofTable: name).flatMap { collection(ofFile: $0) }
  }

  /// The name of a CSV file without its ending.
  fileprivate static func stem(ofTable path: String) -> String? {
    for ending in [".csv", ".csv.gz", ".tsv", ".tsv.gz"] where path.hasSuffix(ending) {
      return String(path.dropLast(ending.count))
    }
    return nil
  }

  /// The collection that export gave a file's name (see ``ExportOutput``); nil where it gives no such names.
  static func collection(ofFile stem: String) -> CollectionPath? {
    if stem == "rejects" || stem.hasPrefix("rejects-") { return nil }
    let bytes = Array(stem.utf8)
    var path: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "~"): path.append(contentsOf: "/*/".utf8)
      case UInt8(ascii: "%"):
        guard index + 2 < bytes.count,
          let code = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
        else { return nil }
        path.append(code)
        index += 2
      case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): path.append(byte)
      default:
        guard CharacterSets.isLetterOrDigit(byte) else { return nil }
        path.append(byte)
      }
      index += 1
    }
    guard let text = String(validating: path, as: UTF8.self) else { return nil }
    return CollectionPath(text)
  }

  /// The collection of a sheet: its name, as export makes it; `users (2)` continues `users`.
  static func collection(ofSheet name: String, among names: [String]) -> CollectionPath? {
    var stem = name
    if name.hasSuffix(")"), let open = name.utf8.lastIndex(of: UInt8(ascii: "(")),
      Int(name[name.utf8.index(after: open)...].dropLast()) != nil
    {
      let first = String(name[..<open].dropLast())
      if names.contains(where: { $0.isIdentical(to: first) }) { stem = first }
    }
    for group in ColumnCatalogue.collections {
      var legal = SheetNames()
      if legal.unique(group).isIdentical(to: stem) { return CollectionPath(group) }
    }
    return collection(ofFile: stem)
  }
}
