package import Files
package import FirestoreModels
import FirestoreREST
package import Schema
import Tables

/// One file or one sheet of a workbook that is imported.
package struct ImportSource: Sendable, Equatable {
  /// The format of a source.
  package enum Format: String, Sendable, CaseIterable {
    case jsonLines = "jsonl"
    case csv, xlsx

    /// Determines the format of a file by its extension, else by its first bytes, else JSON Lines.
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

  /// The path of the file; `-` is standard input.
  package var path: String
  /// The copy of a workbook in a bucket, which is read in several places at once.
  private(set) var copy: InputCopy?
  package var format: Format
  /// The name of the sheet in a workbook.
  package var sheet: String?
  /// The collection of a table's rows; nil for JSON Lines, whose lines name it.
  package var collection: CollectionPath?
  /// Whether it was found in a folder that was named: an export that is restored.
  package var isFromFolder = false
  /// Whether that folder has the manifest of an export, whose names are exact.
  var isExported = false

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

  /// The name for messages.
  package var label: String { sheet.map { "\(path) (sheet \($0))" } ?? path }

  /// Resolves paths to files and sheets, each with its format and collection.
  ///
  /// - Parameters:
  ///   - paths: Files, export directories, or `-`.
  ///   - format: The format of all of them; nil to determine each by its name.
  ///   - collection: The collection of all tables; nil to determine each by its manifest, file name or sheet name.
  ///   - sheets: The sheets of workbooks; all visible sheets if empty.
  ///   - schema: The schema, for sheets whose names are shortened.
  ///   - files: The files that can be reached.
  /// - Throws: ``Failure`` of kind `inputMissing` or `inputMalformed`; `usage` if the collection cannot be determined.
  package static func resolve(
    _ paths: [String],
    format: Format? = nil,
    collection: CollectionPath? = nil,
    sheets: [String] = [],
    schema: DatabaseSchema,
    via files: FileAccess = .local
  ) throws(Failure) -> [ImportSource] {
    var sources: [ImportSource] = []
    var missing = sheets
    for path in paths {
      let found = try Manifest.files(at: path, via: files)
      let isFile = found.count == 1 && found[0].isIdentical(to: path)
      let manifest = isFile ? nil : try Manifest.read(from: path, via: files)
      for file in found {
        var source = ImportSource(path: file, format: format ?? (file == "-" ? .jsonLines : Format(of: file)))
        source.isFromFolder = file != path
        source.isExported = manifest != nil
        if source.format != .jsonLines {
          source.collection = collection
          if collection == nil {
            source.collection = try checked(try derivedCollection(for: file, via: files), of: file)
          }
        }
        switch source.format {
        case .jsonLines:
          if file != "-" { try files.assertReadable(file) }
          sources.append(source)
        case .csv:
          if file != "-" { try files.assertReadable(file) }
          guard source.collection != nil else {
            throw unknownCollection(file, "its name is not that of a collection")
          }
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
          if FileAccess.isRemote(file) { source.copy = try InputCopy(of: file, via: files) }
          for sheet in try self.sheets(of: source, chosen: sheets, schema: schema) {
            missing.removeAll { $0.isIdentical(to: sheet.sheet ?? "") }
            sources.append(sheet)
          }
        }
      }
    }
    if let missing = missing.first {
      throw Failure(.inputMissing, "import", path: missing, cause: "no workbook has a sheet of that name")
    }
    return sources
  }

  /// Returns the sheets of a workbook that are to be imported.
  private static func sheets(
    of source: ImportSource,
    chosen: [String],
    schema: DatabaseSchema
  ) throws(Failure) -> [ImportSource] {
    let package = try source.opening { path throws(Failure) in try XLSXPackage(path) }
    let names = package.sheets.map(\.name)
    var sources: [ImportSource] = []
    for sheet in package.sheets {
      if chosen.isEmpty {
        if sheet.isHidden || sheet.isSummary { continue }
        let isOwn = try source.opening { path throws(Failure) in
          if try LongTextIndex.isSheet(sheet.name, of: path) { return true }
          return try ExactValueIndex.isSheet(sheet.name, of: path)
        }
        if isOwn { continue }
      } else if !chosen.contains(where: { $0.isIdentical(to: sheet.name) }) {
        continue
      }
      var resolved = source
      resolved.sheet = sheet.name
      if resolved.collection == nil {
        resolved.collection = try checked(
          collection(ofSheet: sheet.name, among: names, schema: schema),
          of: resolved.label
        )
      }
      guard resolved.collection != nil else {
        throw unknownCollection(
          source.path,
          "the name of the sheet '\(sheet.name)' is not that of a collection"
        )
      }
      sources.append(resolved)
    }
    return sources
  }

  /// Checks that the service accepts the collection of a file's or sheet's name.
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
      cause: "its name stands for the collection '\(PathLimits.shortened(collection.string))': \(defect)",
      remedy: "Name another with --collection."
    )
  }

  private static func unknownCollection(_ file: String, _ cause: String) -> Failure {
    Failure(.usage, "import", path: file, cause: cause, remedy: "Name it with --collection.")
  }

  // MARK: Names

  /// Returns the collection of a file according to its manifest, else its name.
  private static func derivedCollection(
    for file: String,
    via files: FileAccess
  ) throws(Failure) -> CollectionPath? {
    if file == "-" { return nil }
    let name = FilePaths.name(of: file)
    if let entry = try Manifest.read(from: FilePaths.folder(of: file), via: files)?.files
      .first(where: { $0.file.isIdentical(to: name) })
    {
      return CollectionPath(entry.collection)
    }
    return stem(ofTable: name).flatMap { collection(ofFile: $0) }
  }

  /// Returns the name of a CSV file without its extension.
  fileprivate static func stem(ofTable path: String) -> String? {
    for ending in [".csv", ".csv.gz", ".tsv", ".tsv.gz"] where path.hasSuffix(ending) {
      return String(path.dropLast(ending.count))
    }
    return nil
  }

  /// Returns the collection for a file name that an export has made (see ``ExportOutput``); nil for any other name.
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

  /// Returns the collection for a sheet name that an export has made; `users (2)` continues `users`.
  static func collection(
    ofSheet name: String,
    among names: [String],
    schema: DatabaseSchema
  ) -> CollectionPath? {
    var stem = name
    if name.hasSuffix(")"), let open = name.utf8.lastIndex(of: UInt8(ascii: "(")),
      Int(name[name.utf8.index(after: open)...].dropLast()) != nil
    {
      let first = String(name[..<open].dropLast())
      if names.contains(where: { $0.isIdentical(to: first) }) { stem = first }
    }
    for pattern in schema.collections.map(\.pattern) {
      var legal = SheetNames()
      if legal.unique(pattern.string).isIdentical(to: stem) { return pattern }
    }
    return collection(ofFile: stem)
  }
}
