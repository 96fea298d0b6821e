import FirestoreREST
import Logging
import Schema

/// The pass of an import over all inputs that hands their documents on.
final class ImportPass {
  private let inputs: ImportInputs
  private let options: Import.Options
  private let context: RunContext
  private let superseded: PlaceList
  private let warnings: ValidationReport
  private let skipped: SkippedFields
  private let meter: ImportProgress
  /// Whether documents are encoded directly; a dry run has to look at every document, and server times remove fields from
  /// it.
  private let encodes: Bool

  private var position: ImportPosition
  /// The references of the documents that were handed on.
  private(set) var references: SourceReferences
  /// How many more documents may be handed on.
  private var left: Int
  /// The number of the last line that was read of each open file, and the index of the first unopened file.
  private var lines: [Int: Int] = [:]
  private var unopened: Int
  /// The number of bytes read of all files.
  private var bytes = 0
  /// The lists of rejected rows of the tables, each with the columns of its table and the reason.
  private var rejects: [Int: LineList] = [:]
  private var batch: [LoadDocument] = []
  private var fill = BatchFill(count: batchSize)
  /// Whether a notice has been logged that gymmigrate's own documents are left out.
  private var leavesOutOwn = false

  /// The number of documents that are handed on together.
  private static let batchSize = 200
  /// The code of lines that could not be read.
  private static let malformed = "MALFORMED"

  typealias Body = ([LoadDocument], ImportPosition) async throws -> Void

  /// - Parameters:
  ///   - position: Where the import was interrupted.
  ///   - superseded: The lines and rows that are superseded by another one with the same document.
  init(
    _ inputs: ImportInputs,
    at position: ImportPosition,
    without superseded: PlaceList,
    warnings: ValidationReport,
    skipping skipped: SkippedFields,
    _ options: Import.Options,
    in context: RunContext
  ) {
    (self.inputs, self.options, self.context) = (inputs, options, context)
    (self.superseded, self.warnings, self.position) = (superseded, warnings, position)
    self.skipped = skipped
    unopened = position.unopened
    let database = context.client.database
    references = SourceReferences(inputs, from: options.job.source, to: database, at: position)
    left = (options.job.limit ?? .max) - position.documents
    encodes = !options.job.isDryRun && options.rules.times != .server
    meter = ImportProgress(inputs.sizes, limit: options.job.limit)
  }

  /// Calls `body` with batches of documents, and with the position after each of them.
  func forEachBatch(_ body: Body) async throws {
    // Superseded places are looked up in order, and a limit takes the first documents.
    let isOrdered = !superseded.isEmpty || options.job.limit != nil
    let reading = SideBySide(width: isOrdered ? 1 : inputs.width(options.job.parallel)) { try self.open($0) }
    let begun = position.open.filter { inputs.indices.contains($0.file) }
    lines = Dictionary(begun.map { ($0.file, $0.line) }, uniquingKeysWith: max)
    bytes = inputs.sizes.prefix(unopened).enumerated().filter { lines[$0.offset] == nil }
      .reduce(0) { $0.addingClamped($1.element ?? 0) }
    let stages = begun.map(\.file) + inputs.indices.dropFirst(unopened)
    try await reading.forEachBatch(of: stages) { rows, _ in
      let source = inputs.source(rows.stage)
      for row in rows.rows {
        if left == 0 { return false }
        lines[rows.stage] = row.number
        try take(row, of: source, rows.stage)
        try context.counts.assertBudget()
        if fill.isFull { try await passOn(body) }
      }
      bytes = bytes.addingClamped(rows.bytes)
      if let failure = rows.failure { throw failure }
      if rows.isLast { (lines[rows.stage], rejects[rows.stage]) = (nil, nil) }
      return left > 0
    }
    if !batch.isEmpty { try await passOn(body) }
    try warnings.flush()
    context.progress.reachEnd()
  }

  /// Opens an input after the lines that were already handed on.
  private func open(_ stage: Int) throws -> InputLane? {
    let line = lines[stage] ?? 0
    unopened = max(unopened, stage + 1)
    lines[stage] = nil
    guard let input = try inputs.open(stage, encoding: encodes ? references.rule(of: stage) : nil) else {
      return nil
    }
    lines[stage] = line
    if line > 0 {
      try input.skip(through: line)
      bytes = bytes.addingClamped(input.position)
      context.progress.resume(at: share)
    }
    return InputLane(input, stage: stage, options.job.parseErrors)
  }

  private var share: Double? { meter.share(read: bytes, documents: position.documents) }

  private func passOn(_ body: Body) async throws {
    try Task.checkCancellation()
    position.references = references.counts
    (position.keptUnplaced, position.elsewhere) = (references.keptUnplaced, references.elsewhere)
    position.documents += batch.count
    position.set(lines, next: unopened)
    try warnings.flush()
    try await body(batch, position)
    context.progress.advance(by: batch.count, share: share)
    batch.removeAll(keepingCapacity: true)
    fill.empty()
  }

  // MARK: Rows

  private func take(_ row: DocumentRow, of source: ImportSource, _ stage: Int) throws {
    if let share = options.share, !share.contains(row, of: stage) { return }
    if let path = row.path,
      try superseded.contains(DuplicateSearch.Place(file: stage, line: row.number))
    {
      context.counts.update(path.collection) {
        $0.read += 1
        $0.superseded += 1
      }
      return
    }
    if case .deleted(let path) = row.content {
      if !path.isReserved { pass(.absent(path), of: stage) }
      return
    }
    for warning in row.warnings { try warnings.add(warning, of: source) }
    if row.faults.isEmpty, let encoded = row.encoded {
      if encoded.path.isReserved { return try refuse(encoded.document, of: source) }
      references.count(encoded, of: stage)
      return pass(.encoded(encoded), of: stage)
    }
    guard var document = try document(of: row, from: source, stage) else { return }
    if document.path.isReserved { return try refuse(document, of: source) }
    document.fields = references.rewrite(document.fields, of: stage)
    pass(.decoded(document), of: stage)
  }

  private func pass(_ content: LoadDocument.Content, of stage: Int) {
    let document = LoadDocument(content, of: stage)
    batch.append(document)
    fill.add(bytes: document.heldBytes)
    left -= 1
  }

  /// Rejects a document of gymmigrate's own collections, which hold the ledger and the lease of the target.
  ///
  /// A managed export includes those of its source, which are left out.
  private func refuse(_ document: RawDocument, of source: ImportSource) throws {
    if source.managed != nil {
      if !leavesOutOwn {
        context.logger.notice(
          "\(source.label): what begins with \(CollectionSelection.ownPrefix) is gymmigrate's own, of that database, and is left out."
        )
      }
      leavesOutOwn = true
      return context.counts.update(document.path.collection) {
        $0.read += 1
        $0.skipped += 1
      }
    }
    try context.reject(
      document.path,
      code: "RESERVED",
      message: "collections that begin with \(CollectionSelection.ownPrefix) are gymmigrate's own",
      document: document
    )
  }

  /// Returns the document of a line or row; nil if it has an error and is skipped.
  private func document(of row: DocumentRow, from source: ImportSource, _ stage: Int) throws -> RawDocument? {
    guard let fault = row.faults.first else { return row.document }
    if options.job.parseErrors == .stop { throw fault.failure }
    if options.job.parseErrors == .skipField, let document = row.document {
      context.counts.update(document.path.collection) { $0.review += 1 }
      try list(row, without: document, stage)
      if !row.skipped.isEmpty { skipped.add(row.skipped, of: document.path) }
      return document
    }
    let path = row.path ?? row.refused?.path
    // A line without a document belongs to no collection, so it is counted for the target collection.
    let position =
      path?.collection ?? source.collection ?? options.job.collection ?? CollectionPath(nil, "(unreadable)")
    guard let rejected = row.rejected else {
      let refused = whole(row, stage)
      try context.reject(
        path ?? DocumentPath(position, "\(source.unit)-\(row.number)"),
        in: position,
        code: refused == nil ? Self.malformed : code(of: row),
        message: refused == nil ? causes(of: row) : row.reason,
        document: refused
      )
      return nil
    }
    context.counts.update(position) {
      $0.read += 1
      $0.rejected += 1
    }
    try list(rejected, of: stage)
    context.rejects.count(code(of: row))
    return nil
  }

  /// Lists a row that is imported without some of its fields, in the list that its input has.
  private func list(_ row: DocumentRow, without fields: RawDocument, _ stage: Int) throws {
    if let rejected = row.rejected { return try list(rejected, of: stage) }
    let refused = whole(row, stage)
    let line = RejectList.line(
      fields.path,
      code: row.faults.first?.code ?? Self.malformed,
      message: refused == nil ? causes(of: row) : row.reason,
      document: refused
    )
    try context.rejects.append(line)
  }

  /// The document of a row that breaks the schema, for the list; nil where some of it could not be read.
  ///
  /// Its references are rewritten, because the list is not beside the manifest that says where they come from.
  private func whole(_ row: DocumentRow, _ stage: Int) -> RawDocument? {
    guard !row.faults.contains(where: { $0.code == nil }), var document = row.refused else { return nil }
    document.fields = references.rewritten(document.fields, of: stage)
    return document
  }

  private func causes(of row: DocumentRow) -> String {
    row.faults.map(\.failure.cause).joined(separator: "; ")
  }

  /// The code of a rejected row: with skip-field, not the code of what would just be left out, but of what is missing
  /// without it.
  private func code(of row: DocumentRow) -> String {
    if options.job.parseErrors != .skipField || row.refused == nil {
      return row.faults.first?.code ?? Self.malformed
    }
    let ofWhole: [SchemaViolation.Kind] = [.missing, .idMissing, .idMismatch, .documentID]
    let codes = row.faults.lazy.compactMap(\.code)
    return codes.first(where: ofWhole.map(\.rawValue).contains) ?? SchemaViolation.Kind.missing.rawValue
  }

  private func list(_ row: RejectedRow, of stage: Int) throws(Failure) {
    let list = rejects[stage] ?? LineList(context.folder.file(inputs.rejectList(stage)), header: row.header)
    rejects[stage] = list
    try list.append(row.line)
  }
}
