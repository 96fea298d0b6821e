public import Logging
public import Models

/// The formats that collections are exported to.
public enum ExportFormat: String, Sendable, CaseIterable {
  case csv, xlsx, jsonl

  /// The format that a file's name tells, nil where it tells none.
  public init?(fileName: String) {
    let name = fileName.hasSuffix(".gz") ? String(fileName.dropLast(3)) : fileName
    guard let format = Self.allCases.first(where: { name.hasSuffix(".\($0.rawValue)") }) else { return nil }
    self = format
  }
}

/// Exports collections to files: page by page, in constant memory, each file whole or not at all.
public struct Export: Sendable {
  /// What to export, and how.
  public struct Options: Sendable {
    /// The collections, in their order in the output.
    public var collections: [CollectionPath]
    /// Where the files go.
    public var layout: ExportLayout
    /// Fields to export; all where nil.
    public var fields: [FieldPath]?
    /// Documents of a collection at the most; all where nil.
    public var limit: Int?
    /// Documents a page.
    public var pageSize = 300
    /// The moment to read at.
    public var readTime = ReadTimeChoice.pinned
    /// Collections that are read side by side, where each has a file of its own.
    public var parallel = 4
    /// How CSV looks.
    public var csv = CSVOptions()
    /// How a workbook looks; the gym's time zone where nil.
    public var xlsx: XLSXOptions?

    /// Makes options.
    public init(collections: [CollectionPath], layout: ExportLayout) {
      self.collections = collections
      self.layout = layout
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
    client: FirestoreClient, environment: Environment, options: Options, book: AccountsBook,
    progress: Progress, logger: Logger
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
    progress.begin("export", total: total)
    defer { progress.end() }
    do {
      switch options.layout.format {
      case .xlsx: try await workbook(at: readTime)
      case .csv, .jsonl: try await files(at: readTime)
      }
    } catch let failure as Failure {
      throw readTime.map { failure.explainingClosedWindow(since: $0) } ?? failure
    }
    for collection in options.collections where book[collection].read == 0 {
      logger.warning("\(collection) has no documents.")
    }
    return readTime
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

  // MARK: Formats

  private func workbook(at readTime: Timestamp?) async throws {
    let path = options.layout.path(of: nil)
    let settings = try options.xlsx ?? XLSXOptions(timeZone: LocalTimeZone(named: LocalTimeZone.gym))
    let workbook = try XLSXWriter(path, options: settings)
    for collection in options.collections {
      let sheet = try workbook.sheet(for: collection, fields: options.fields)
      try await forEachPage(of: collection, at: readTime) { page in try sheet.append(contentsOf: page) }
      try sheet.finish()
      if path != "-" { book.setFile(path, of: collection) }
    }
    progress.begin("completing \(path)", total: nil)
    try workbook.finish()
  }

  private func files(at readTime: Timestamp?) async throws {
    if options.layout.isOneFile, options.collections.count > 1 {
      let path = options.layout.path(of: nil)
      let writer = try JSONLinesWriter(path)
      for collection in options.collections {
        try await forEachPage(of: collection, at: readTime) { page in try writer.append(contentsOf: page) }
        if path != "-" { book.setFile(path, of: collection) }
      }
      try writer.finish()
      return
    }
    let receipts = try await eachCollection(options.collections) { collection in
      try await file(of: collection, at: readTime)
    }
    if let folder = options.layout.folder {
      try Manifest(
        toolVersion: gymmigrateVersion, environment: environment.name, database: client.database,
        readTime: readTime, files: receipts.compactMap { $0 }
      ).write(to: folder)
    }
  }

  /// Runs `body` for each collection, some at once, and gives the results in the order of the collections.
  private func eachCollection<Result: Sendable>(
    _ collections: [CollectionPath], _ body: @escaping @Sendable (CollectionPath) async throws -> Result
  ) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
      var results: [Int: Result] = [:]
      for (index, collection) in collections.enumerated() {
        if index >= max(1, options.parallel), let (done, result) = try await group.next() { results[done] = result }
        group.addTask { (index, try await body(collection)) }
      }
      for try await (index, result) in group { results[index] = result }
      return collections.indices.compactMap { results[$0] }
    }
  }

  private func file(of collection: CollectionPath, at readTime: Timestamp?) async throws -> Manifest.File? {
    let path = options.layout.path(of: collection)
    let isListed = options.layout.folder != nil
    var receipt: OutputFile.Receipt?
    let count: Int
    switch options.layout.format {
    case .jsonl:
      let writer = try JSONLinesWriter(path, digest: isListed)
      try await forEachPage(of: collection, at: readTime) { page in try writer.append(contentsOf: page) }
      try writer.finish()
      receipt = writer.receipt
      count = writer.documentCount
    case .csv, .xlsx:
      var csv = options.csv
      csv.digest = isListed
      let writer = try CSVWriter(path, collection: collection, fields: options.fields, options: csv)
      try await forEachPage(of: collection, at: readTime) { page in try writer.append(contentsOf: page) }
      try writer.finish()
      receipt = writer.receipt
      count = writer.documentCount
    }
    if path != "-" { book.setFile(path, of: collection) }
    guard let receipt, let sha256 = receipt.sha256 else { return nil }
    return Manifest.File(
      file: options.layout.fileName(of: collection), collection: collection.string, documents: count,
      bytes: receipt.bytes, sha256: sha256)
  }

  // MARK: Pages

  private func forEachPage(
    of collection: CollectionPath, at readTime: Timestamp?, _ body: ([RawDocument]) throws -> Void
  ) async throws {
    var left = options.limit ?? .max
    if left == 0 { return }
    let request = ListRequest(
      collection, pageSize: min(options.pageSize, left), mask: options.fields, readTime: readTime)
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
    failure.cause = "the moment that everything was to be read at, \(readTime), is no longer readable (\(service))"
    failure.remedy =
      "Export fewer collections at a time, or give --read-time none to read the present, which mixes moments."
    return failure
  }
}
