import Schema
import Tables

/// The inputs of an import, each of which can be read from the start several times.
struct ImportInputs: Sendable {
  private struct Input {
    var source: ImportSource
    /// The columns of a table; nil for JSON Lines and for a table without rows.
    var plan: TablePlan?
    /// How the table is read; nil for other formats.
    var reading: DeclaredReading?
  }

  private let inputs: [Input]
  private let options: TableOptions
  private let rules: SchemaRules
  private let collection: CollectionPath?
  /// The database of all sources; nil for that of the export that each of them belongs to.
  private let database: DatabaseName?
  /// Where named documents go; nil to go by their names.
  private let placement: CollectionPlacement?

  /// The size of each input in bytes; nil if unknown.
  let sizes: [Int?]

  /// Determines the columns of tables, which may require reading them entirely.
  ///
  /// - Throws: ``Failure``.
  init(_ given: Import.Options, progress: Progress) throws {
    let (options, rules) = (given.table, given.rules)
    (self.options, self.rules, collection) = (options, rules, given.job.collection)
    database = given.job.source
    var sources = given.job.parallel ?? 1 > 1 ? given.sources.flatMap(\.parts) : given.sources
    // What can be read only once has a copy by now.
    for index in sources.indices where sources[index].isStream {
      sources[index].readOrigin(via: options.files)
    }
    placement = try given.job.collection.flatMap { collection throws(Failure) in
      try Self.placed(in: collection, of: sources, options)
    }
    sizes = sources.map { $0.size(via: options.files) }
    let meter = ImportProgress(zip(sources, sizes).map { $0.format.isTable ? $1 : 0 })
    var inputs: [Input] = []
    var failures = SourceFailures()
    for (stage, source) in sources.enumerated() {
      var input = Input(source: source)
      if let collection = source.collection, source.format.isTable {
        let advice = options.schema.advice(on: source, among: sources)
        try failures.collect(advising: advice) { () throws(Failure) in
          let options = try Self.options(for: source, rules, options, isOnly: sources.count == 1)
          let reading = try DeclaredReading(source, collection: collection, options: options)
          input.reading = reading
          do throws(Failure) {
            input.plan = try TableSurvey.plan(of: source, collection: collection, options: reading.options) {
              rows,
              position in
              progress.advance(by: rows, share: meter.share(stage: stage, position: position))
            }
          } catch {
            throw reading.explaining(error, collection)
          }
        }
        try Task.checkCancellation()
      }
      inputs.append(input)
    }
    self.inputs = inputs
    if !failures.isEmpty {
      for stage in indices where !source(stage).format.isTable {
        try failures.collect { () throws(Failure) in try assertReadable(stage) }
      }
    }
    // A table may have failed only because of an option that was meant for another one, so this comes first.
    try TableAgreement(
      inputs.filter { $0.source.format.isTable }.map { ($0.source, $0.plan) },
      options
    ).check()
    try failures.conclude()
    try assertTables()
    if !hasObjects { try assertUsed() }
  }

  /// Returns the options with which a table is read, completed with what its export says of how it was written.
  private static func options(
    for source: ImportSource,
    _ rules: SchemaRules,
    _ given: TableOptions,
    isOnly: Bool
  ) throws(Failure) -> TableOptions {
    var options = given
    options.reading = options.reading.of(source.ownSheet)
    options.keepsDays = rules.policy(for: source) != .reject
    if !isOnly { options.idAdvice = source.idAdvice }
    let writing = source.writing
    if let zone = writing.timeZone, !options.isZoneGiven {
      options.timeZone = try LocalTimeZone(named: zone)
    }
    options.doubtsDecimalComma =
      !source.isExported && options.usesDecimalComma == nil && writing.usesDecimalComma ?? false
    options.reading = writing.completing(options.reading)
    if let delimiter = writing.delimiter, options.delimiter == nil,
      DeclaredReading.isExport(source, options, separatedBy: delimiter)
    {
      options.delimiter = delimiter
    }
    return options
  }

  /// Reads an input that is not a table up to its first fault.
  private func assertReadable(_ stage: Int) throws(Failure) {
    guard let input = try openForCheck(stage, decoding: false) else { return }
    while !Task.isCancelled, let row = try input.next() {
      if let fault = row.faults.first, fault.code == nil { throw fault.failure }
    }
  }

  /// Checks that there is a table if there are options that apply only to tables.
  ///
  /// - Throws: `.usage`.
  private func assertTables() throws(Failure) {
    if inputs.isEmpty || inputs.contains(where: { $0.source.format.isTable }) { return }
    let others = ["types", "rename", "id-column", "keep-spaces", "date-format"]
    let given = options.reading.shown.map(\.name).filter { !others.contains($0) }
    guard let first = given.first else { return }
    throw Failure(
      .usage,
      "use",
      path: "--\(first)",
      cause: "it is for CSV and workbooks, and no input is one",
      remedy: hasObjects && first == "new-ids"
        ? "Name the member that has the ids with --id-column. Where none has, \(Self.numbering) numbers the objects."
        : "Omit it, or give --format if the file is a table by another name."
    )
  }

  /// A command that numbers objects without ids, in an array or in lines.
  private static let numbering =
    "jq -s 'flatten(1) | to_entries | map({id: (.key + 1)} + .value)' FILE > NEW.json"

  /// Whether some inputs are JSON, whose members are known only after reading.
  private var hasObjects: Bool { inputs.contains { $0.source.format == .json } }

  /// Checks that each heading named by an option exists in a table, or was found in an object.
  ///
  /// - Throws: `.inputMalformed`.
  func assertUsed(_ met: [MetHeadings] = []) throws(Failure) {
    if !met.allSatisfy(\.isComplete) || inputs.map(\.source).areListsOfSheets { return }
    let types = used({ $0.usedTypes }, behind: \.declaredTypes)
    try assertUsed(options.types.map { ("--types", $0.heading) }, met.reduce(types) { $0.union($1.types) })
    let renames = used({ $0.usedRenames }, behind: \.declaredRenames)
    try assertUsed(
      options.renames.map { ("--rename", $0.heading) },
      met.reduce(renames) { $0.union($1.renames) }
    )
  }

  /// The indices of those headings of a command line option that some table has.
  ///
  /// Headings from the schema precede them and need not exist in any table.
  private func used(
    _ used: (TablePlan) -> Set<Int>,
    behind declared: (TableOptions) -> Int
  ) -> Set<Int> {
    inputs.reduce(into: []) { found, input in
      guard let plan = input.plan, let reading = input.reading else { return }
      found.formUnion(used(plan).map { $0 - declared(reading.options) })
    }
  }

  /// Checks that the headings named by options exist.
  private func assertUsed(
    _ headings: [(option: String, name: String)],
    _ used: Set<Int>
  ) throws(Failure) {
    let unused = headings.indices.filter { !used.contains($0) }
    guard let first = unused.first else { return }
    let names = FilePaths.list(unused.map { "'\(headings[$0].name)'" })
    throw Failure(
      .inputMalformed,
      "import",
      cause: hasObjects
        ? "no object has a member \(names), and no table a column, which \(headings[first].option) names"
        : "no table has a column \(names), which \(headings[first].option) names",
      remedy: meant(by: headings[first].name) + "Write it as it is in the file, once."
    )
  }

  /// A sentence with the heading that was probably meant by a name.
  private func meant(by name: String) -> String {
    let tables = inputs.compactMap { $0.plan?.headings }
    let numbered = Int(name).flatMap { number in
      tables.first { $0.indices.contains(number - 1) && !$0[number - 1].isEmpty }?[number - 1]
    }
    if let numbered { return "Column \(name) goes by its heading '\(numbered)'. " }
    // A name of one or two letters is near any heading.
    let near = name.count > 2 ? name.nearest(of: tables.flatMap { $0 }.filter { !$0.isEmpty }) : nil
    return near.map { "Did you mean '\($0)'? " } ?? ""
  }

  /// The tables whose columns are known, in order.
  var tables: [(source: ImportSource, plan: TablePlan, declared: [String])] {
    inputs.compactMap { input in input.plan.map { (input.source, $0, input.reading?.notes ?? []) } }
  }

  /// Returns where named documents go; nil if there are none.
  private static func placed(
    in collection: CollectionPath,
    of sources: [ImportSource],
    _ options: TableOptions
  ) throws(Failure) -> CollectionPlacement? {
    guard sources.contains(where: \.namesItsDocuments) else { return nil }
    if collection.string.utf8.contains(UInt8(ascii: "*")) {
      throw Failure(
        .usage,
        "import",
        path: collection.string,
        cause: "documents that have names are put into one collection, and this stands for several",
        remedy: "Name one, such as groups/g1/members."
      )
    }
    if options.flattens { return CollectionPlacement(flattening: collection) }
    for source in sources where source.namesItsDocuments {
      let documents = try NamedDocuments(source, via: options.files)
      while let next = try documents.next() {
        guard let first = try? next.document.get() else { continue }
        return CollectionPlacement(collection, takingOver: first.path)
      }
    }
    return nil
  }

  /// The stages of the import, one per input.
  var indices: Range<Int> { inputs.indices }

  func source(_ stage: Int) -> ImportSource { inputs[stage].source }

  /// The columns of a table; nil for other formats and for a table without rows.
  func plan(_ stage: Int) -> TablePlan? { inputs[stage].plan }

  /// How the changes from an input are checked.
  func guarding(_ stage: Int) -> LoadGuard.Input {
    let (source, reading) = (inputs[stage].source, inputs[stage].reading)
    // In all other formats, each value states its type.
    let isUntyped = source.format.isTable || source.format == .json
    let zone = isUntyped ? (reading?.options ?? options).timeZone : nil
    return LoadGuard.Input(rules.policy(for: source), untypedIn: zone)
  }

  /// How many inputs may be read at the same time: a workbook, or a file of one JSON value, takes much memory.
  func width(_ parallel: Int?) -> Int {
    inputs.allSatisfy { $0.source.isReadPieceByPiece } ? max(1, parallel ?? 1) : 1
  }

  /// Opens an input at its start to look for errors; nil if it is empty.
  ///
  /// - Parameter decodes: Whether the documents are needed.
  /// - Throws: ``Failure``.
  func openForCheck(_ stage: Int, decoding decodes: Bool) throws(Failure) -> (any DocumentInput)? {
    let source = inputs[stage].source
    if source.listsDeletions || decodes { return try open(stage) }
    // A violation that only causes a warning is not an error.
    guard source.format == .jsonLines, !isChecked(source) || rules.policy(for: source) != .reject else {
      return try open(stage)
    }
    return try JSONLinesInput(source.path, via: options.files, .checked, placement: placement)
  }

  /// Opens an input at its start; nil if it is empty.
  ///
  /// - Parameter references: How to encode references, for documents that are encoded directly; nil to decode all
  ///   documents.
  /// - Throws: ``Failure``.
  func open(_ stage: Int, encoding references: ReferenceRule? = nil) throws(Failure) -> (any DocumentInput)? {
    let input = inputs[stage]
    if input.source.listsDeletions {
      return try DeletionInput(input.source.path, via: options.files, placement: placement)
    }
    if input.source.format == .jsonLines {
      let encoder = references.map { DocumentEncoder($0, placement: placement) }
      let known = UndecodedViolations()
      return checked(
        try JSONLinesInput(
          input.source.path,
          via: options.files,
          mode(encoder, of: input.source, known),
          placement: placement
        ),
        input.source,
        knowing: known
      )
    }
    if let managed = input.source.managed {
      let input = ManagedInput(managed, via: options.files, placement: placement)
      return checked(input, inputs[stage].source)
    }
    if input.source.format == .json {
      var options = options
      options.source = database ?? input.source.database
      return checked(try JSONInput(input.source, options: options, into: collection), input.source)
    }
    guard let plan = input.plan else { return nil }
    let options = input.reading?.options ?? options
    return checked(try TableInput(input.source, plan: plan, options: options, stage: stage), input.source)
  }

  /// How the lines of a source are read: documents to encode that satisfy the schema, or only cause warnings, are not
  /// decoded.
  private func mode(
    _ encoder: DocumentEncoder?,
    of source: ImportSource,
    _ known: UndecodedViolations
  ) -> JSONLinesReader.Mode {
    guard let encoder, !rules.completes else { return .decoded }
    if !isChecked(source) { return .encoded(encoder) { _ in true } }
    let declared = DeclaredCollections(rules.schema)
    let warns = rules.policy(for: source) == .warn
    return .encoded(encoder) { [rules] in
      known.take(rules.violations(in: $0, declared), ifOnlyWarned: warns)
    }
  }

  /// Whether the documents of a source are checked against the schema.
  private func isChecked(_ source: ImportSource) -> Bool {
    !rules.schema.isEmpty && rules.policy(for: source) != .off
  }

  private func checked(
    _ input: any DocumentInput,
    _ source: ImportSource,
    knowing known: UndecodedViolations = UndecodedViolations()
  ) -> any DocumentInput {
    isChecked(source) ? SchemaInput(input, of: source, rules, knowing: known) : input
  }

  /// Returns the file name of an input's list of rejected rows: `rejects.csv`, or `rejects-2.csv` for the second table.
  func rejectList(_ stage: Int) -> String {
    let tables = inputs[..<stage].count { $0.source.format.isTable }
    return tables == 0 ? "rejects.csv" : "rejects-\(tables + 1).csv"
  }
}
