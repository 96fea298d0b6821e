import Configuration
package import FirestoreModels
package import FirestoreREST
import Logging
package import Runs
import Tables

/// Exports collections to files: page by page, in constant memory, each file whole or not at all.
package struct Export: Sendable {
  /// What to export, and how.
  package struct Options: Sendable {
    /// What to read, in the order of the output.
    package var reads: [CollectionRead]
    /// Where they go.
    package var destination: ExportDestination
    /// How they look there.
    package var format: ExportFormat
    /// Fields to export; all where nil.
    package var fields: [FieldPath]?
    /// Documents of a collection at most; all where nil.
    package var limit: Int?
    /// The moment to read at.
    package var readTime = ReadTimeChoice.pinned
    /// What was asked for, for the manifest.
    package var scope: Manifest.Scope?
    /// The moments of increments, for the manifest; the reads hold the filters.
    package var since: [CollectionPath: Timestamp] = [:]

    /// Makes options.
    package init(reads: [CollectionRead], destination: ExportDestination, format: ExportFormat) {
      self.reads = reads
      self.destination = destination
      self.format = format
    }
  }

  private let options: Options
  private let context: RunContext

  package init(_ options: Options, in context: RunContext) {
    self.options = options
    self.context = context
  }

  /// Reads and writes everything.
  ///
  /// - Returns: The moment that was read at, nil where none was pinned.
  /// - Throws: ``Failure``; files that were not complete are gone then.
  package func run() async throws -> Timestamp? {
    for read in options.reads { context.counts.open(read.collection) }
    let readTime = try await ReadTimePinning(
      client: context.client,
      environment: context.environment,
      logger: context.logger
    )
    .pin(options.readTime, probing: options.reads.first { $0.reach == .collection }?.collection)
    let output = try ExportOutput(options.destination, options.format)
    let piece = context.progress.begin("export", total: nil)
    defer { context.progress.end() }
    let count = BackgroundCount(options.reads, limit: options.limit, client: context.client) {
      [progress = context.progress] total in
      progress.setTotal(total, of: piece)
    }
    defer { count.cancel() }
    var empty: [CollectionRead] = []
    do {
      for read in options.reads {
        var read = read
        read.readTime = readTime
        if try await export(read, to: output) == 0 { empty.append(read) }
      }
    } catch let failure as Failure {
      throw readTime.map {
        failure.explainingClosedWindow(since: $0, remedy: "Export fewer collections at a time")
      } ?? failure
    }
    try complete(output, readTime: readTime)
    // Nothing new in an increment is no news.
    for read in empty where options.since[read.collection] == nil {
      context.logger.warning(
        "\(read.collection) has no documents\(read.filter == nil ? "" : " for which the filter holds")."
      )
    }
    return readTime
  }

  /// Exports what a read gives, and says how many documents that are.
  private func export(_ read: CollectionRead, to output: ExportOutput) async throws -> Int {
    // A table has rows of one kind, so each collection below has a table of its own; JSON Lines take them as they
    // come.
    let splits = read.reach == .subcollections && options.format.isTable
    var writers: [CollectionPath: any CollectionWriter] = [:]
    func writer(for table: CollectionPath) throws -> any CollectionWriter {
      if let writer = writers[table] { return writer }
      let writer = try output.writer(for: table, fields: options.fields)
      writers[table] = writer
      return writer
    }
    let own = try writer(for: read.kind ?? read.collection)
    var count = 0
    try await forEachPage(of: read) { page in
      count += page.count
      guard splits else { return try own.append(contentsOf: page) }
      for (table, documents) in page.grouped(by: { $0.path.collection.pattern }) {
        try writer(for: table).append(contentsOf: documents)
      }
    }
    for writer in writers.values { try writer.finish() }
    return count
  }

  private func complete(_ output: ExportOutput, readTime: Timestamp?) throws {
    context.progress.begin("completing the files", total: nil)
    let reports = try output.finish()
    for report in reports where report.path != "-" {
      for collection in report.collection.map({ [$0] }) ?? options.reads.map(\.collection) {
        context.counts.setFile(report.path, of: collection)
      }
    }
    guard case .folder(let folder) = options.destination else { return }
    try Manifest(
      toolVersion: gymmigrateVersion,
      environment: context.environment.name,
      database: context.client.database,
      readTime: readTime,
      scope: options.scope,
      files: reports.compactMap { report in
        var entry = report.manifestEntry
        entry?.since = report.collection.flatMap { options.since[$0] }
        return entry
      }
    ).write(to: folder)
  }

  private func forEachPage(of read: CollectionRead, _ body: ([RawDocument]) throws -> Void) async throws {
    var left = options.limit ?? .max
    if left == 0 { return }
    var read = read
    read.pageSize = min(read.pageSize, left)
    // Ranges that are read ahead of a limit would be paid for and thrown away.
    if options.limit != nil { read.parallel = 1 }
    for try await page in context.client.pages(of: read) {
      try Task.checkCancellation()
      let taken = page.count > left ? Array(page.prefix(left)) : page
      try body(taken)
      left -= taken.count
      if read.reach == .collection || read.reach == .pattern {
        context.counts.update(read.collection) { $0.read += taken.count }
      } else {
        for document in taken { context.counts.update(read.countedName(of: document)) { $0.read += 1 } }
      }
      context.progress.advance(by: taken.count)
      if left == 0 { return }
    }
  }
}

extension Array {
  /// Runs of elements with one key, in their order, elements with one key together.
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

extension ExportFormat {
  /// Whether rows of different collections cannot share a file.
  fileprivate var isTable: Bool {
    if case .jsonLines = self { false } else { true }
  }
}
