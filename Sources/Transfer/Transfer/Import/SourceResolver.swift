import FirestoreREST
package import Schema
package import Tables

extension ImportSource {
  /// Resolves paths to files and sheets, each with its format and collection.
  ///
  /// - Parameters:
  /// Files, export folders, or `-`.
  ///   - format: The format of all of them; nil to detect each one's.
  ///   - collection: The collection of all tables; nil to determine each by its manifest, file name or sheet name.
  ///   - flattens: Whether several tables may be put into one collection.
  ///   - sheets: The sheets of workbooks, each as `NAME` or `NAME=COLLECTION`; all visible sheets if empty.
  ///   - schema: The schema, which resolves shortened sheet names.
  ///   - files: Gives access to the files.
  /// - Throws: ``Failure`` of kind `inputMissing` or `inputMalformed`; `usage` if the collection cannot be determined, or if
  ///   several would become one.
  package static func resolve(
    _ paths: [String],
    format: InputFormat? = nil,
    collection: CollectionPath? = nil,
    flattens: Bool = false,
    sheets: [String] = [],
    schema: DatabaseSchema,
    via files: FileAccess = .local
  ) throws(Failure) -> [ImportSource] {
    var resolver = SourceResolver(collection: collection, sheets: sheets, schema: schema, files: files)
    var failures = SourceFailures()
    var places = PlaceReader(files)
    for path in paths {
      let place = try places.place(at: path, isManaged: format.map { $0 == .managed })
      for source in try place.sources(via: files) {
        try failures.collect { () throws(Failure) in try resolver.add(source, format) }
      }
    }
    try failures.conclude()
    try resolver.assertComplete(flattens: flattens)
    return resolver.sources
  }
}

/// Determines the collection of each file and sheet of an import.
private struct SourceResolver {
  let collection: CollectionPath?
  let sheets: [String]
  let schema: DatabaseSchema
  let files: FileAccess

  private(set) var sources: [ImportSource] = []
  /// What the collection of each source would be without ``collection``: a collection, or the source itself if none is
  /// known.
  private var origins: [(key: UTF8Key, label: String)] = []
  /// The requested sheets that no workbook has had so far.
  private var missing: [String]

  init(collection: CollectionPath?, sheets: [String], schema: DatabaseSchema, files: FileAccess) {
    (self.collection, self.sheets, self.schema, self.files) = (collection, sheets, schema, files)
    missing = sheets
  }

  mutating func add(_ source: ImportSource, _ format: InputFormat?) throws(Failure) {
    try source.manifest?.assertStored(source.label)
    if source.listsDeletions {
      try source.assertListUnaltered(via: files)
      sources.append(source)
      return
    }
    var source = source
    if source.document != nil {
      source.format = .json
    } else if source.managed == nil {
      source.format = try InputFormat(of: source.path, given: format, via: files)
      if source.format == .managed {
        throw .malformed(
          source.label,
          "it is no folder of a managed export",
          remedy: "Name the folder with its .overall_export_metadata, or omit --format managed."
        )
      }
    }
    source.alteration = try source.alteration(via: files)
    if source.format == .xlsx {
      if source.path == "-" {
        throw Failure(
          .usage,
          "import",
          path: source.path,
          cause: "a workbook cannot be read from standard input",
          remedy: "Save it as a file."
        )
      }
      return try addSheets(of: source)
    }
    if source.path != "-", source.managed == nil {
      try files.assertReadable(source.path)
      if !source.format.isTable, let refusal = try BigQueryWriter.refusal(ofRows: source.path, via: files) {
        throw refusal
      }
    }
    if source.namesItsDocuments || source.document != nil {
      origins.append((UTF8Key(""), source.label))
    } else {
      // A pipe can be read only once.
      if !source.isStream { source.readOrigin(via: files) }
      if let named = try choice(of: source.rejects)?.collection {
        source.collection = named
      } else {
        (source.collection, source.isGuess) = try collection(ofTable: source)
        source.collection = try chosen(source.collection, for: source)
      }
      if source.collection == nil, source.format == .csv {
        throw unknown(source, "its name is not that of a collection", "Name it with --collection.")
      }
    }
    sources.append(source)
  }

  // MARK: Sheets

  private mutating func addSheets(of workbook: ImportSource) throws(Failure) {
    var workbook = workbook
    if FileAccess.isRemote(workbook.path) { workbook.copy = try InputCopy(of: workbook.path, via: files) }
    let package = try workbook.opening { path throws(Failure) in try XLSXPackage(path) }
    let names = package.sheets.map(\.name)
    let byName = collection == nil ? try declaredCollection(of: workbook) : nil
    let given = collection ?? byName
    // If there are several sheets, the name of the file does not say which of them it means.
    let isOnly = package.sheets.count { !$0.isHidden } == 1
    let isNamed = workbook.isExported || !sheets.isEmpty
    let declared = isNamed ? [] : declaredSheets(of: given, names)
    let choices = try SheetChoice.all(sheets, among: names) + declared
    missing.removeAll { text in choices.contains { $0.text.isIdentical(to: text) } }
    var (hidden, others): ([String], [String]) = ([], [])
    let before = sources.count
    for (index, sheet) in package.sheets.enumerated() {
      var source = workbook
      (source.sheet, source.sheetWriting, source.sheetNumber) = (sheet.name, sheet.writing, index + 1)
      // A sheet that an export wrote is no list, and hidden ones are not read.
      if !sheet.isHidden, sheet.collection == nil { source.readOrigin(via: files) }
      var choice = choices.first { $0.sheet.isIdentical(to: sheet.name) }
      if choice == nil { choice = try self.choice(of: source.rejects) }
      if choice == nil {
        if !sheets.isEmpty { continue }
        if try isOwn(sheet, of: workbook) { continue }
        if sheet.isHidden {
          hidden.append(sheet.name)
          continue
        }
        if !declared.isEmpty, given != nil || !isDeclared(sheet) {
          others.append(sheet.name)
          continue
        }
      }
      if sheet.isView { throw Manifest.viewRefusal("\(workbook.path) (sheet \(sheet.name))") }
      sources.append(try placed(source, sheet, of: package, choice, isOnly ? byName : nil))
    }
    try assertSheets(of: package, in: workbook, since: before, hidden: hidden)
    if sources.count > before + 1 {
      for index in before..<sources.count { sources[index].isOneOfSeveral = true }
    }
    if let last = sources.indices.last, sources[last].path.isIdentical(to: workbook.path) {
      (sources[last].hiddenSheets, sources[last].otherSheets) = (hidden, others)
    }
  }

  /// Returns the choice of the sheet that the rows of a list of rejected ones come from; nil if there is none.
  private mutating func choice(of rejects: RejectOrigin?) throws(Failure) -> SheetChoice? {
    guard let sheet = rejects?.sheet, !sheets.isEmpty else { return nil }
    // The names of the sheets before it are not known.
    let names = (1..<sheet.number).map { "\($0)" } + [sheet.name]
    let choice = try SheetChoice.all(sheets, among: names).first { $0.sheet.isIdentical(to: sheet.name) }
    if let choice { missing.removeAll { $0.isIdentical(to: choice.text) } }
    return choice
  }

  /// Returns the source that a sheet is, with its collection.
  ///
  /// - Parameters:
  ///   - choice: How the sheet was chosen; nil if it is one of all.
  ///   - named: The collection that the file's name declares; nil if none, or if the workbook has several sheets.
  /// - Throws: `.usage` if the collection is unknown.
  private mutating func placed(
    _ source: ImportSource,
    _ sheet: XLSXPackage.Sheet,
    of package: XLSXPackage,
    _ choice: SheetChoice?,
    _ named: CollectionPath?
  ) throws(Failure) -> ImportSource {
    var source = source
    source.collection = choice?.collection
    if source.collection == nil {
      let own = ImportSource.collection(of: sheet, schema: schema)
      source.collection = try chosen(named ?? own, for: source)
      source.isGuess = collection == nil && choice?.collection == nil && sheet.collection == nil
    }
    if source.collection == nil {
      let cause = "the name of the sheet '\(sheet.name)' is not that of a collection"
      let known = package.sheets.filter { $0.collection != nil || isDeclared($0) }.map(\.name)
      let others = DatabaseSchema.advice(importing: known).map { "\($0) " } ?? ""
      let name = "Name it with --sheet '\(sheet.name)=COLLECTION', for each sheet."
      throw unknown(source, cause, others + name)
    }
    return source
  }

  /// Checks that a workbook has sheets with documents.
  ///
  /// - Parameter before: The number of sources without its sheets.
  private func assertSheets(
    of package: XLSXPackage,
    in workbook: ImportSource,
    since before: Int,
    hidden: [String]
  ) throws(Failure) {
    if !hidden.isEmpty, sources.last.map({ !$0.path.isIdentical(to: workbook.path) }) ?? true {
      let names = FilePaths.list(hidden.map { "'\($0)'" })
      throw unknown(workbook, "its sheets are hidden: \(names)", "--sheet NAME imports one.")
    }
    if sources.count == before, !workbook.isExported, let summary = package.sheets.first(where: \.isSummary) {
      throw Failure.malformed(
        workbook.path,
        "its sheet '\(summary.name)' is a report, which holds no documents, and it has no other"
      )
    }
  }

  /// The sheets that the schema names for a collection, or for all collections if none is given.
  private func declaredSheets(of given: CollectionPath?, _ names: [String]) -> [SheetChoice] {
    let known = given.map { schema.collection($0).map { [$0] } ?? [] } ?? schema.collections
    return known.compactMap { known in
      guard let wanted = known.imports.sheet else { return nil }
      var sheet = names.first(named: wanted)
      // A number would match a sheet of any workbook, so it counts only if the collection is known.
      if sheet == nil, given != nil, let number = Int(wanted), names.indices.contains(number - 1) {
        sheet = names[number - 1]
      }
      return sheet.map { SheetChoice(sheet: $0, collection: given ?? known.pattern) }
    }
  }

  private func isDeclared(_ sheet: XLSXPackage.Sheet) -> Bool {
    ImportSource.collection(of: sheet, schema: schema).map { schema.collection($0) != nil } ?? false
  }

  /// The collection whose files have such a name according to the schema; nil if there is none.
  private func declaredCollection(of source: ImportSource) throws(Failure) -> CollectionPath? {
    if source.isExported { return nil }
    let name = FilePaths.name(of: source.path)
    let found = schema.collections.filter { $0.imports.isOf(fileNamed: name) }.map(\.pattern)
    guard found.count > 1 else { return found.first }
    throw unknown(
      source,
      "the schema takes its name for that of \(FilePaths.list(found.map(\.string)))",
      "Name the collection with --collection."
    )
  }

  /// Whether an export created the sheet for what its tables do not show.
  private func isOwn(_ sheet: XLSXPackage.Sheet, of workbook: ImportSource) throws(Failure) -> Bool {
    if sheet.isSummary { return true }
    return try workbook.opening { path throws(Failure) in
      if try LongTextIndex.isSheet(sheet.name, of: path) { return true }
      return try ExactValueIndex.isSheet(sheet.name, of: path)
    }
  }

  // MARK: Collections

  /// Returns the collection given by the user, or else the table's own.
  private mutating func chosen(
    _ own: CollectionPath?,
    for source: ImportSource
  ) throws(Failure) -> CollectionPath? {
    guard let collection else { return try checked(own, of: source) }
    origins.append((UTF8Key(own?.string ?? "\(source.label)/"), source.label))
    return collection
  }

  /// Returns the collection of a table by its manifest, or else by the schema, or else by its name, which is a guess.
  private func collection(ofTable source: ImportSource) throws(Failure) -> (CollectionPath?, isGuess: Bool) {
    if source.path == "-" { return (nil, false) }
    let name = FilePaths.name(of: source.path)
    if let entry = source.manifest?.file(named: name) {
      return (CollectionPath(entry.collection), false)
    }
    do throws(Failure) {
      if let declared = try declaredCollection(of: source) { return (declared, false) }
    } catch  where collection != nil {
      // The option decides if the schema does not.
    }
    let named = ImportSource.stem(ofTable: name).flatMap { ImportSource.collection(ofFile: $0) }
    return (named, collection == nil)
  }

  /// Checks that the service accepts the collection that the name of a file or sheet says.
  private func checked(
    _ collection: CollectionPath?,
    of source: ImportSource
  ) throws(Failure) -> CollectionPath? {
    guard let collection else { return nil }
    let violation = PathLimits.violations(of: collection).first?.message
    let reserved = collection.isReserved ? "it is gymmigrate's own" : nil
    guard let defect = violation ?? reserved else { return collection }
    throw Failure(
      .inputMalformed,
      "import",
      path: source.label,
      cause: "its name stands for the collection '\(PathLimits.shortened(collection.string))': \(defect)",
      remedy: "Name another with --collection."
    )
  }

  private func unknown(_ source: ImportSource, _ cause: String, _ remedy: String) -> Failure {
    Failure(.usage, "import", path: source.path, cause: cause, remedy: remedy)
  }

  /// Checks that each sheet was found, and that several collections become one only if that is intended.
  func assertComplete(flattens: Bool) throws(Failure) {
    if let missing = missing.first, !sources.areListsOfSheets {
      throw Failure(.inputMissing, "import", path: missing, cause: "no workbook has a sheet of that name")
    }
    guard !flattens, let first = origins.first,
      let other = origins.first(where: { $0.key != first.key })
    else { return }
    throw Failure(
      .usage,
      "import",
      path: other.label,
      cause: "--collection would put it into one collection with \(first.label)",
      remedy:
        "Import them one by one, name the collection of each sheet with --sheet NAME=COLLECTION, or use --flatten if they are one collection."
    )
  }
}

/// A sheet that was chosen, and the collection that was given for it.
private struct SheetChoice {
  /// The choice as typed.
  var text: String
  var sheet: String
  var collection: CollectionPath?

  /// Returns the choices for a workbook, without those that name none of its sheets.
  ///
  /// - Throws: `.usage` for an invalid collection, or for a sheet that is given two of them.
  static func all(_ texts: [String], among names: [String]) throws(Failure) -> [SheetChoice] {
    var choices: [SheetChoice] = []
    for text in texts {
      guard let choice = try SheetChoice(text, among: names) else { continue }
      if choices.contains(where: {
        $0.sheet.isIdentical(to: choice.sheet) && $0.collection != choice.collection
      }) {
        throw Failure(.usage, "import", path: choice.sheet, cause: "--sheet names this sheet twice")
      }
      choices.append(choice)
    }
    return choices
  }

  /// Creates the choice of a sheet that the schema names.
  init(sheet: String, collection: CollectionPath) {
    (text, self.sheet, self.collection) = (sheet, sheet, collection)
  }

  /// Parses `NAME` or `NAME=COLLECTION`, where the name is the longest possible one that a sheet has, or else a sheet's
  /// number.
  private init?(_ text: String, among names: [String]) throws(Failure) {
    var end = text.endIndex
    var found: String?
    while true {
      found = names.first(named: String(text[..<end]))
      guard found == nil, let sign = text.utf8[..<end].lastIndex(of: UInt8(ascii: "=")) else { break }
      end = sign
    }
    if found == nil, let number = Int(text[..<end]), names.indices.contains(number - 1) {
      found = names[number - 1]
    }
    guard let found else { return nil }
    (self.text, sheet) = (text, found)
    if end == text.endIndex { return }
    let name = String(text[text.utf8.index(after: end)...])
    let path = CollectionPath(name)
    let reserved = path?.isReserved ?? false ? "is gymmigrate's own" : nil
    if let defect = CollectionSelection.defect(of: name) ?? reserved {
      throw Failure(.usage, "import", path: sheet, cause: "--sheet: '\(name)' \(defect)")
    }
    collection = path
  }
}

extension [String] {
  /// Returns the name that is the same, or else one whose accents are composed in another way.
  fileprivate func first(named name: String) -> String? {
    first { $0.isIdentical(to: name) } ?? first { $0 == name }
  }
}
