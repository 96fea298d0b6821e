package import FirestoreREST
import Logging
package import Tables
import TypedDocuments

/// The policy for lines and rows that cannot be read (`--parse-errors`).
package enum ParseErrorPolicy: String, Codable, Sendable, CaseIterable {
  /// Check all input first, and write nothing if there is an error.
  case stop
  /// List the row among the rejects and continue.
  case skipRow = "skip-row"
  /// Leave out fields that cannot be read, list the row and continue; a row without an ID is rejected.
  case skipField = "skip-field"
}

/// Imports JSON Lines, CSV files and sheets of workbooks into a database.
///
///     let sources = try ImportSource.resolve(["users.csv"])
///     var options = Import.Options(sources: sources, table: TableOptions(timeZone: timeZone), mode: .upsert)
///     options.parseErrors = .skipRow
///     try await Import(options, in: context).run()
package struct Import: Sendable {
  package struct Options: Sendable {
    /// The files and sheets, in order.
    package var sources: [ImportSource]
    package var table: TableOptions
    /// The collection that documents of JSON Lines are put into; nil for the one in each document's name.
    package var collection: CollectionPath?
    /// Whether every document is put into ``collection`` itself, whatever is above it in the input.
    package var flattens = false
    /// Which of several documents with the same path is imported; nil to refuse them, except of increments.
    package var duplicates: DuplicatePolicy?
    /// The write mode, which decides about existing documents.
    package var mode: WriteMode
    /// The database that references in the files point into, if known.
    package var source: DatabaseName?
    package var parseErrors = ParseErrorPolicy.stop
    package var limits = BatchLimits()
    /// The rate of writing.
    package var pacer = WritePacer(ramp: false)
    /// Whether it only reads, checks and counts.
    package var isDryRun = false
    /// The maximum number of documents; nil for all.
    package var limit: Int?
    /// The most documents that increments may delete, for a run that is resumed: others are held to what was counted.
    package var maximumDeletes: Int?
    /// How the schema of the target is applied.
    package var rules = SchemaRules()
    /// The documents that this process imports of those that several share; nil for all.
    package var share: ImportShare?
    /// Called before anything is written with the number of documents that are there and would be deleted, if there are any; what it throws
    /// ends the import.
    package var willDelete: @Sendable (Int) throws -> Void = { _ in }

    package init(sources: [ImportSource], table: TableOptions, mode: WriteMode) {
      self.sources = sources
      self.table = table
      self.mode = mode
    }
  }

  private let options: Options
  private let context: RunContext

  /// The number of documents that are passed on together.
  private static let batch = 200

  /// - Parameter context: The run context; its checkpoints make the import resumable.
  package init(_ options: Options, in context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Runs the import.
  ///
  /// A first pass checks every file, so that nothing is written if there are malformed lines or rows, or a document twice. What
  /// can be read only once is copied for that. A resumed import continues after the last line that is done.
  ///
  /// - Throws: ``Failure``: `.inputMalformed` with file and line, `.inputMissing`, and failures of writing.
  package func run() async throws {
    var files = options.table.files
    for source in options.sources where source.isStream {
      files.keep(try InputCopy(of: source.path, in: context.folder.path))
    }
    context.progress.begin("columns", total: nil)
    let inputs = try inputs(via: files)
    context.progress.begin("checking", total: nil)
    let check = InputCheck(inputs: inputs, options: options, context: context)
    // What several processes share was checked as a whole.
    let isChecked = context.checkpoints?.resumed != nil || options.share != nil
    let superseded = try isChecked ? check.repeated() : check.report()
    context.progress.end()
    let deletions = try await deletions(of: inputs, without: superseded, counting: !isChecked)
    if let collection = options.collection { context.counts.open(collection) }
    let counts = Locked(ReferenceRewriter.Counts())
    let warnings = ValidationReport(context.folder.file("warnings.csv"))
    defer { context.progress.end() }
    context.progress.begin("import", total: nil)
    if options.isDryRun {
      try await forEachBatch(of: inputs, without: superseded.places, counts, warnings) { documents, _ in
        try await report(documents, leaving: deletions)
        for document in documents.map(\.document) {
          if let violation = DocumentLimits.violations(of: document).first {
            let (code, message) = ("INVALID_ARGUMENT", violation.message)
            try context.reject(document.path, code: code, message: message, fields: document.fields)
          } else {
            context.counts.update(document.path.collection) {
              $0.read += 1
              $0.skipped += 1
            }
          }
        }
      }
    } else {
      let loader = DocumentLoader(
        in: context,
        mode: options.mode,
        times: options.rules.times,
        limits: options.limits,
        pacer: options.pacer,
        maximumDeletes: isChecked
          ? options.maximumDeletes.map(context.deletions(leftOf:)) : deletions?.count
      )
      try await loader.load { intake in
        if context.checkpoints?.resumed == nil {
          try await context.checkpoints?.begin(at: Position().checkpoint)
        }
        try await forEachBatch(of: inputs, without: superseded.places, counts, warnings) {
          documents,
          position in
          try await report(documents, leaving: deletions)
          try await intake.put(documents)
          try await context.checkpoints?.mark(at: position) { try await intake.drain() }
        }
      }
    }
    record(counts.withLock { $0 })
    for line in warnings.lines { context.logger.warning("\(line)") }
    if warnings.count > 0 { context.logger.notice("See \(warnings.path) for the values.") }
  }

  /// Checks every file, as ``run()`` does before it writes.
  ///
  /// - Throws: As ``run()``.
  package func check() async throws {
    defer { context.progress.end() }
    context.progress.begin("checking", total: nil)
    let inputs = try inputs(via: options.table.files)
    let superseded = try InputCheck(inputs: inputs, options: options, context: context).report()
    _ = try await deletions(of: inputs, without: superseded, counting: true)
  }

  /// Returns what exports list as deleted; nil where nothing is deleted.
  ///
  /// - Parameter isCounted: Whether what is there is counted and reported.
  private func deletions(
    of inputs: ImportInputs,
    without superseded: Superseded,
    counting isCounted: Bool
  ) async throws -> ListedDeletions? {
    guard options.mode != .create, inputs.indices.contains(where: { inputs.source($0).listsDeletions }) else {
      return nil
    }
    let deletions = try await ListedDeletions(
      of: inputs,
      without: superseded.deletions,
      counting: isCounted,
      in: context.client
    )
    if deletions.count > 0 { try options.willDelete(deletions.count) }
    return deletions
  }

  /// Says of documents that are deleted which collections below them stay.
  private func report(_ documents: [LoadDocument], leaving deletions: ListedDeletions?) async throws {
    guard let leaving = try await deletions?.leaving(among: documents) else { return }
    let verb = options.isDryRun ? "would be" : "is"
    for (path, ids) in leaving.sorted(by: { $0.key < $1.key }) {
      context.logger.warning(
        "\(path) \(verb) deleted, and what is below it stays: \(ids.joined(separator: ", "))."
      )
    }
  }

  private func inputs(via files: FileAccess) throws -> ImportInputs {
    var table = options.table
    table.files = files
    table.database = context.client.database
    // What several processes share was checked as a whole, and what is resumed was checked before.
    let isFirst = context.checkpoints?.resumed == nil && options.share == nil
    if isFirst { try reportUnread(beside: options.sources) }
    let inputs = try ImportInputs(
      options.sources,
      options: table,
      rules: options.rules,
      collection: options.collection,
      flattens: options.flattens,
      progress: context.progress
    )
    if isFirst {
      let report = ColumnReport(context.folder.file("columns.csv"), table.reading)
      try report.report(inputs.tables, context.logger)
    }
    return inputs
  }

  /// Says which sheets are not read, and what the folders that were named hold that is not: what systems and programs leave there, and all else.
  private func reportUnread(beside sources: [ImportSource]) throws(Failure) {
    for source in sources {
      let leftOut = [
        ("hidden sheets", source.hiddenSheets), ("sheets of no declared collection", source.otherSheets),
      ]
      for (what, sheets) in leftOut where !sheets.isEmpty {
        let names = FilePaths.list(sheets.map { "'\($0)'" })
        context.logger.notice(
          "\(source.path): \(what) are left out: \(names). --sheet NAME imports one."
        )
      }
    }
    for folder in Set(sources.filter(\.isFromFolder).map { FilePaths.folder(of: $0.path) }).sorted() {
      let read = Set(sources.map { UTF8Key($0.path) } + [UTF8Key("\(folder)/\(Manifest.fileName)")])
      let others = try options.table.files.names(in: folder).filter {
        !read.contains(UTF8Key("\(folder)/\($0)"))
      }
      let litter = others.filter(DocumentPlace.isLitter)
      if !litter.isEmpty { context.logger.notice("\(folder): skipped \(FilePaths.list(litter)).") }
      let unread = others.filter { !DocumentPlace.isLitter($0) }
      if unread.isEmpty { continue }
      context.logger.warning(
        "\(folder): not read: \(FilePaths.list(unread)). Name what is to be imported, and convert .xls and .ods to .xlsx."
      )
    }
  }

  /// Returns the paths of the lists of rejected rows that a run has left.
  package static func rejectedRows(in run: RunDirectory) -> [String] {
    run.allLists.filter { $0.hasSuffix(".csv") && $0.hasPrefix("rejects") }.map { run.file($0) }
  }

  private func record(_ counts: ReferenceRewriter.Counts) {
    if counts.rewritten > 0 {
      let rewritten = NumberText.counted(counts.rewritten, "reference")
      context.logger.info("Rewritten to \(context.client.database): \(rewritten).")
    }
    if counts.kept > 0 {
      let (are, come) = counts.kept == 1 ? ("it is", "it comes") : ("they are", "they come")
      let why = options.source == nil ? ": the database that \(come) from is not known (--source)" : ""
      context.logger.notice("Kept as \(are): \(NumberText.counted(counts.kept, "reference"))\(why).")
    }
  }

  /// The position of an import.
  private struct Position: JSONRecord {
    var file = 0
    /// The number of the last line of the file that was passed on.
    var line = 0
    /// The number of documents that were passed on.
    var documents = 0
    /// The references in those documents.
    var references = ReferenceRewriter.Counts()

    var checkpoint: Checkpoint.State { Checkpoint.State(stage: file, at: self) }
  }

  private func forEachBatch(
    of inputs: ImportInputs,
    without superseded: PlaceList,
    _ counts: Locked<ReferenceRewriter.Counts>,
    _ warnings: ValidationReport,
    _ body: ([LoadDocument], Checkpoint.State) async throws -> Void
  ) async throws {
    var position = try context.checkpoints?.resumed?.position(as: Position.self) ?? Position()
    var rewriter = ReferenceRewriter(
      from: options.source,
      to: context.client.database,
      counts: position.references
    )
    var left = (options.limit ?? .max) - position.documents
    var batch: [LoadDocument] = []
    // A dry run looks at every document, and times of the service take fields out of it.
    let encodes = !options.isDryRun && options.rules.times != .server
    let meter = ImportProgress(inputs.sizes, limit: options.limit)
    func share(_ offset: Int) -> Double? {
      meter.share(stage: position.file, position: offset, documents: position.documents)
    }
    func passOn(at offset: Int) async throws {
      try Task.checkCancellation()
      position.references = rewriter.counts
      position.documents += batch.count
      try await body(batch, position.checkpoint)
      context.progress.advance(by: batch.count, share: share(offset))
      batch.removeAll(keepingCapacity: true)
    }
    for stage in inputs.indices.dropFirst(position.file) {
      let source = inputs.source(stage)
      guard let input = try inputs.open(stage, encoding: encodes ? rewriter.rule : nil) else { continue }
      if stage == position.file {
        try input.skip(through: position.line)
        if position.line > 0 { context.progress.resume(at: share(input.position)) }
      }
      let list = RowRejects(context.folder.file(inputs.rejectList(stage)))
      while left > 0, let row = try input.next() {
        (position.file, position.line) = (stage, row.number)
        if let share = options.share, !share.contains(row, of: stage) { continue }
        if let path = row.path,
          try superseded.contains(DuplicateSearch.Place(file: stage, line: row.number))
        {
          context.counts.update(path.collection) {
            $0.read += 1
            $0.superseded += 1
          }
          continue
        }
        if case .deleted(let path) = row.content {
          if path.isReserved { continue }
          batch.append(.absent(path))
          left -= 1
          if batch.count == Self.batch { try await passOn(at: input.position) }
          continue
        }
        for warning in row.warnings { try warnings.add(warning, of: source) }
        if row.faults.isEmpty, let encoded = row.encoded {
          if encoded.path.isReserved {
            try refuse(encoded.document)
            continue
          }
          rewriter.count(encoded)
          batch.append(.encoded(encoded))
        } else {
          guard var document = try document(of: row, from: source, input, list) else { continue }
          if document.path.isReserved {
            try refuse(document)
            continue
          }
          document.fields = rewriter.rewrite(document.fields)
          batch.append(.decoded(document))
        }
        left -= 1
        if batch.count == Self.batch { try await passOn(at: input.position) }
      }
    }
    if !batch.isEmpty { try await passOn(at: .max) }
    context.progress.reachEnd()
    counts.withLock { [counted = rewriter.counts] in $0 = counted }
  }

  /// Rejects a document of gymmigrate's own collections, which hold the ledger and the lease of the target.
  private func refuse(_ document: RawDocument) throws {
    try context.reject(
      document.path,
      code: "RESERVED",
      message: "collections that begin with \(CollectionSelection.ownPrefix) are gymmigrate's own",
      fields: document.fields
    )
  }

  /// Returns the document of a line or row; nil if it has an error and is skipped.
  private func document(
    of row: DocumentRow,
    from source: ImportSource,
    _ input: any DocumentInput,
    _ list: RowRejects
  ) throws -> RawDocument? {
    guard let fault = row.faults.first else { return row.document }
    if options.parseErrors == .stop { throw fault.failure }
    if options.parseErrors == .skipField, let document = row.document {
      context.counts.update(document.path.collection) { $0.review += 1 }
      if let rejected = input.rejected("Imported without " + RowRejects.reason(row.faults)) {
        try list.add(rejected)
      }
      return document
    }
    // A line that is not a document belongs to no collection; it is counted for the collection that is imported into.
    let position = source.collection ?? options.collection ?? CollectionPath(nil, "(unreadable)")
    let reason = RowRejects.reason(row.faults)
    guard let rejected = input.rejected(reason) else {
      let refused = row.refused
      try context.reject(
        refused?.path ?? DocumentPath(position, "line-\(row.number)"),
        in: position,
        code: refused == nil ? "MALFORMED" : fault.code ?? "MALFORMED",
        message: refused == nil ? fault.failure.cause : reason,
        fields: refused?.fields
      )
      return nil
    }
    context.counts.update(position) {
      $0.read += 1
      $0.rejected += 1
    }
    try list.add(rejected)
    try context.counts.assertBudget()
    return nil
  }
}
