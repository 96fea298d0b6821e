import Configuration
package import FirestoreREST
import Logging
import Schema
package import Tables

/// Exports collections to files, page by page and in constant memory; each file is replaced atomically.
///
///     var options = Export.Options(
///       reads: [CollectionRead(users)], destination: .file("users.jsonl"), format: .jsonLines()
///     )
///     options.limit = 100
///     let readTime = try await Export(options, in: context).run()
package struct Export: Sendable {
  package struct Options: Sendable {
    /// The reads, in the order of the output.
    package var reads: [CollectionRead]
    package var destination: ExportDestination
    package var format: ExportFormat
    /// The fields to export; nil for all.
    package var fields: [FieldPath]?
    /// The maximum number of documents per collection; nil for all.
    package var limit: Int?
    /// The read time; nil to read each page as of the present.
    package var readTime: Timestamp?
    /// The scope of the export, for the manifest.
    package var scope: Manifest.Scope?
    /// The times at which increments begin, for the manifest; the filters themselves are part of the reads.
    package var since: [CollectionPath: Timestamp] = [:]
    /// The read time of the last export that this one adds to, for the manifest; nil for none.
    package var after: Timestamp?
    /// The documents of the earlier exports that this one adds to, in a folder of JSON Lines; nil to list no deletions.
    package var earlier: EarlierDocuments?
    /// Returns what to write instead of a document; nil to write it unchanged.
    package var transform: (@Sendable (RawDocument) -> RawDocument)?
    /// Masks documents before anything else sees them; nil to write them as they are.
    package var mask: Mask?
    /// Selects the documents to write, by what would be written of them; nil for all.
    ///
    /// All documents of the reads are read to evaluate it.
    package var filter: DocumentFilter?
    /// The sheet that precedes the tables of a workbook.
    package var summary: Summary?
    package var files = FileAccess.local
    /// Whether this is a part of a larger export, so that finding no documents needs no warning.
    package var isPart = false

    package init(reads: [CollectionRead], destination: ExportDestination, format: ExportFormat) {
      self.reads = reads
      self.destination = destination
      self.format = format
    }
  }

  /// A sheet about exactly the documents that are exported, which precedes their tables.
  ///
  /// `add` takes the documents of a page as they are in the database; `sheet` creates the sheet, after all documents.
  package typealias Summary = (
    name: String, add: @Sendable ([RawDocument]) -> Void, sheet: @Sendable () -> SummarySheet
  )

  private let options: Options
  private let context: RunContext

  package init(_ options: Options, in context: RunContext) {
    self.options = options.transform == nil ? options : options.markedAsView
    self.context = context
  }

  /// Runs the export.
  ///
  /// - Parameter report: Called with the columns of each CSV file, as field paths, once it is complete.
  /// - Returns: The read time, or nil if none was pinned.
  /// - Throws: ``Failure``, after deleting incomplete files.
  package func run(columns report: ([String]) -> Void = { _ in }) async throws -> Timestamp? {
    for read in options.reads { context.counts.open(read.collection) }
    let output = try ExportOutput(options.destination, options.format, via: options.files)
    if let summary = options.summary { try output.beginSummary(named: summary.name) }
    try output.announce(options.reads.map { $0.kind ?? $0.collection })
    let deletions = try DeletionSearch(for: options, in: context.database)
    let count = context.progress.begin("export", counting: reads, in: context.client)
    defer { context.progress.end() }
    defer { count.cancel() }
    var empty: [CollectionRead] = []
    let unmet = UnmetFields(options, context.schema)
    do {
      let pages = context.client.documentPages(ofEach: options.limit == 0 ? [] : reads)
      for (index, read) in reads.enumerated() {
        let exported = try await export(index, read, to: output, deletions, unmet) {
          let page = try await pages.nextPage(of: index)
          // If the export is limited, counting everything may cost more than the export itself.
          if options.limit == nil { count.begin() }
          return page
        }
        if exported == 0 { empty.append(read) }
      }
    } catch let failure as Failure {
      throw failure.explainingClosedWindow(
        since: options.readTime,
        remedy: "Export fewer collections at a time, \(Failure.orReadPresent)"
      )
    }
    try assertKnown(empty)
    for columns in try complete(output, deletions) { report(columns) }
    await unmet.warn(options.reads, at: options.readTime, in: context)
    // An increment without new documents needs no warning.
    for read in empty
    where options.since[read.collection] == nil && options.after == nil && options.earlier == nil
      && !options.isPart && options.limit != 0
    {
      let isFiltered = read.filter != nil || options.filter != nil
      let notice =
        isFiltered
        ? "\(read.name) has no documents for which the filter holds."
        : !read.orderBy.isEmpty
          ? "\(read.name) has no documents with all fields of --order-by."
          : await context.client.emptyNotice(
            of: read,
            // If the schema knows a better name, that has been said already.
            suggesting: context.schema.hint(of: read.collection) == nil
          )
      context.logger.warning("\(notice)")
    }
    return options.readTime
  }

  /// The maximum size of a file that holds no documents, such as a table with only a header, in bytes.
  private static let emptyFile = 16

  /// Refuses to overwrite a file with nothing if nothing knows the collections, as after a typing error in a name.
  private func assertKnown(_ empty: [CollectionRead]) throws(Failure) {
    guard case .file(let file) = options.destination, let first = empty.first,
      empty.count == options.reads.count, options.filter == nil, options.limit != 0, !options.isPart
    else { return }
    let schema = context.schema
    let areUnknown = empty.allSatisfy { read in
      read.reach == .collection && read.filter == nil && read.orderBy.isEmpty
        && schema.collection(read.collection) == nil
    }
    guard areUnknown, let size = try options.files.size(of: file), size > Self.emptyFile else { return }
    throw Failure(
      .inputMissing,
      "replace",
      path: file,
      cause: "\(first.collection) has no documents, and the schema does not declare it",
      remedy:
        "\(schema.hint(of: first.collection) ?? "Check the name.") If it is right, remove the file first."
    )
  }

  /// Returns the reads with the read time and the limit applied.
  private var reads: [CollectionRead] {
    options.reads.map { read in
      var read = read
      read.readTime = options.readTime
      if let limit = options.limit, options.filter == nil {
        read.limit = limit
        // Documents read ahead beyond the limit would be billed and discarded.
        read.parallel = 1
      }
      return read
    }
  }

  /// Exports the documents of a read, and returns their number.
  private func export(
    _ index: Int,
    _ read: CollectionRead,
    to output: ExportOutput,
    _ deletions: DeletionSearch?,
    _ unmet: UnmetFields,
    _ next: () async throws -> DocumentPage?
  ) async throws -> Int {
    // A table has rows of one kind, so each subcollection needs its own table; JSON Lines hold documents of any collection.
    let splits = read.reach == .subcollections && options.format.isTable
    var writers: [CollectionPath: any CollectionWriter] = [:]
    func writer(for table: CollectionPath) throws -> any CollectionWriter {
      if let writer = writers[table] { return writer }
      let writer = try output.writer(for: table, fields: options.fields)
      writers[table] = writer
      return writer
    }
    let main = try writer(for: read.kind ?? read.collection)
    var count = 0
    try await forEachPage(of: read, next) { page in
      count += page.count
      try deletions?.take(page)
      try unmet.look(at: page)
      guard splits else { return try main.append(page) }
      for (table, documents) in try page.documents().grouped(by: { $0.path.collection.pattern }) {
        try writer(for: table).append(contentsOf: documents)
      }
    }
    try await deletions?.conclude(index) { documents in
      count += documents.count
      context.counts.update(read.collection) { $0.read += documents.count }
      try main.append(.memory(documents))
    }
    // Finishing the writer of a single collection's file replaces the previous file, so this check has to come first.
    if count == 0 { try assertKnown([read]) }
    for writer in writers.values { try writer.finish() }
    return count
  }

  /// - Returns: The columns of the CSV files.
  private func complete(_ output: ExportOutput, _ deletions: DeletionSearch?) throws -> [[String]] {
    context.progress.begin("completing the files", total: nil)
    if let summary = options.summary { try output.write(summary.sheet()) }
    try markManaged()
    let reports = try output.finish()
    for report in reports where report.path != "-" {
      for collection in report.collection.map({ [$0] }) ?? options.reads.map(\.collection) {
        context.counts.setFile(report.path, ofAllIn: collection)
      }
    }
    let columns = reports.compactMap(\.columns)
    guard case .folder(let folder) = options.destination else { return columns }
    // A managed export has its own marker of completeness.
    if case .managed = options.format { return columns }
    try manifest(of: reports, deleted: deletions?.finish()).write(to: folder, via: options.files)
    return columns
  }

  /// Marks a managed export that is masked or may lack fields with a manifest that lists no files, which Google's import
  /// does not look at.
  ///
  /// This comes before the overall file, so that there is no complete export without the mark.
  private func markManaged() throws(Failure) {
    guard case .managed = options.format, case .folder(let folder) = options.destination,
      options.scope?.needsMark ?? false
    else { return }
    try manifest(of: []).write(to: folder, via: options.files)
  }

  private func manifest(of reports: [FileReport], deleted: Manifest.File? = nil) -> Manifest {
    Manifest(
      toolVersion: gymmigrateVersion,
      environment: context.environment.name,
      database: context.client.database,
      server: context.environment.server,
      readTime: options.readTime,
      writing: options.format.writing(of: options.reads.map(\.collection), by: context.schema),
      scope: options.scope,
      after: options.after,
      kind: options.format.kind,
      files: reports.compactMap { report in
        var entry = report.manifestEntry
        entry?.since = report.collection.flatMap { options.since[$0] }
        return entry
      },
      deleted: deleted
    )
  }

  private func forEachPage(
    of read: CollectionRead,
    _ next: () async throws -> DocumentPage?,
    _ body: (DocumentPage) throws -> Void
  ) async throws {
    var left = options.limit ?? .max
    while left > 0, let whole = try await next() {
      try Task.checkCancellation()
      let page = try await prepared(whole, atMost: left)
      try body(page)
      left -= page.count
      if read.reach == .collection || read.reach == .pattern {
        context.counts.update(read.collection) { $0.read += page.count }
      } else {
        page.forEachPath { path in
          context.counts.update(read.countedName(of: path)) { $0.read += 1 }
        }
      }
      context.progress.advance(by: options.filter == nil ? page.count : whole.count)
    }
  }

  /// Passes the documents of a page to the summary, and returns what is written in their place.
  private func prepared(_ page: DocumentPage, atMost limit: Int) async throws -> DocumentPage {
    guard options.mask != nil || options.summary != nil || options.transform != nil || options.filter != nil
    else {
      return page.count > limit ? page.prefix(limit) : page
    }
    var read: [RawDocument] = []
    var written: [RawDocument] = []
    let documents = try await options.mask?.masked(page.documents()) ?? page.documents()
    for document in documents where written.count < limit {
      var shown = options.transform?(document) ?? document
      guard options.filter?.matches(shown) ?? true else { continue }
      // The read had no field mask, because the transformed document may depend on other fields.
      if options.mask != nil || options.transform != nil, let fields = options.fields {
        shown.fields = shown.fields.cut(to: fields)
      }
      read.append(document)
      written.append(shown)
    }
    options.summary?.add(read)
    return .memory(written)
  }
}

extension Array {
  /// Groups elements by a key, with the groups in the order of their first elements.
  fileprivate func grouped<Key: Hashable>(by key: (Element) -> Key) -> [(key: Key, elements: [Element])] {
    var groups: [(key: Key, elements: [Element])] = []
    var index: [Key: Int] = [:]
    for element in self {
      let key = key(element)
      if let at = index[key] {
        groups[at].elements.append(element)
      } else {
        index[key] = groups.count
        groups.append((key, [element]))
      }
    }
    return groups
  }
}

extension Export.Options {
  /// A copy that marks the output as not meant for import, if its format has a place for that.
  fileprivate var markedAsView: Export.Options {
    var options = self
    options.scope?.isView = true
    if case .xlsx(var workbook) = format {
      workbook.isView = true
      options.format = .xlsx(workbook)
    }
    return options
  }
}

extension ExportFormat {
  /// Whether a file holds rows of one collection only.
  fileprivate var isTable: Bool {
    switch self {
    case .csv, .xlsx, .plainJSON, .bigQuery: true
    case .jsonLines, .managed: false
    }
  }
}
