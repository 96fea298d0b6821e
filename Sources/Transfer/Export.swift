public import Logging
public import Models

/// Exports collections to files: page by page, in constant memory, each file whole or not at all.
public struct Export: Sendable {
  /// What to export, and how.
  public struct Options: Sendable {
    /// The collections, in their order in the output.
    public var collections: [CollectionPath]
    /// Where they go.
    public var destination: ExportDestination
    /// How they look there.
    public var format: ExportFormat
    /// Fields to export; all where nil.
    public var fields: [FieldPath]?
    /// Documents of a collection at the most; all where nil.
    public var limit: Int?
    /// Documents a page.
    public var pageSize = 300
    /// The moment to read at.
    public var readTime = ReadTimeChoice.pinned

    /// Makes options.
    public init(collections: [CollectionPath], destination: ExportDestination, format: ExportFormat) {
      self.collections = collections
      self.destination = destination
      self.format = format
    }
  }

  private let client: FirestoreClient
  private let environment: Environment
  private let options: Options
  private let book: AccountsBook
  private let progress: Progress
  private let logger: Logger

  /// Makes an export.
  public init(
    client: FirestoreClient,
    environment: Environment,
    options: Options,
    book: AccountsBook,
    progress: Progress,
    logger: Logger
  ) {
    self.client = client
    self.environment = environment
    self.options = options
    self.book = book
    self.progress = progress
    self.logger = logger
  }

  /// Reads and writes everything.
  ///
  /// - Returns: The moment that was read at, nil where none was pinned.
  /// - Throws: ``Failure``; files that were not complete are gone then.
  public func run() async throws -> Timestamp? {
    for collection in options.collections { book.count(collection) }
    let (total, countTime) = try await count()
    let readTime = try await ReadTimePinning(client: client, environment: environment, logger: logger)
      .pin(options.readTime, countTime: countTime, probing: options.collections.first)
    let output = try ExportOutput(options.destination, options.format)
    progress.begin("export", total: total)
    defer { progress.end() }
    do {
      for collection in options.collections {
        let writer = try output.writer(for: collection, fields: options.fields)
        try await forEachPage(of: collection, at: readTime) { page in try writer.append(contentsOf: page) }
        try writer.finish()
      }
    } catch let failure as Failure {
      throw readTime.map { failure.explainingClosedWindow(since: $0) } ?? failure
    }
    try complete(output, readTime: readTime)
    for collection in options.collections where book[collection].read == 0 {
      logger.warning("\(collection) has no documents.")
    }
    return readTime
  }

  private func complete(_ output: ExportOutput, readTime: Timestamp?) throws {
    progress.begin("completing the files", total: nil)
    let reports = try output.finish()
    for report in reports where report.path != "-" {
      for collection in report.collection.map({ [$0] }) ?? options.collections {
        book.setFile(report.path, of: collection)
      }
    }
    guard case .folder(let folder) = options.destination else { return }
    try Manifest(
      toolVersion: gymmigrateVersion,
      environment: environment.name,
      database: client.database,
      readTime: readTime,
      files: reports.compactMap(\.manifestEntry)
    ).write(to: folder)
  }

  private func count() async throws -> (total: Int, readTime: Timestamp?) {
    var total = 0
    var readTime: Timestamp?
    for collection in options.collections {
      let (count, time) = try await client.count(collection)
      total += min(count, options.limit ?? count)
      readTime = time ?? readTime
    }
    return (total, readTime)
  }

  // MARK: Pages

  private func forEachPage(
    of collection: CollectionPath,
    at readTime: Timestamp?,
    _ body: ([RawDocument]) throws -> Void
  ) async throws {
    var left = options.limit ?? .max
    if left == 0 { return }
    let request = ListRequest(
      collection,
      pageSize: min(options.pageSize, left),
      mask: options.fields,
      readTime: readTime
    )
    for try await page in client.list(request) {
      try Task.checkCancellation()
      let taken = page.count > left ? Array(page.prefix(left)) : page
      try body(taken)
      left -= taken.count
      book.count(collection) { $0.read += taken.count }
      progress.advance(by: taken.count)
      if left == 0 { return }
    }
  }
}

extension Failure {
  /// Says it plainly where a read at a pinned moment failed because that moment is no longer kept.
  fileprivate func explainingClosedWindow(since readTime: Timestamp) -> Failure {
    guard let service, service.status == .invalidArgument || service.status == .failedPrecondition else {
      return self
    }
    var failure = self
    failure.kind = .unavailable
    failure.cause =
      "the moment that everything was to be read at, \(readTime), is no longer readable (\(service))"
    failure.remedy =
      "Export fewer collections at a time, or give --read-time none to read the present, which mixes moments."
    return failure
  }
}
