public import Logging
public import Models

/// What to do about a line that cannot be read (`--parse-errors`).
public enum ParseErrorPolicy: String, Sendable, CaseIterable {
  /// Find out first, and write nothing at all.
  case stop
  /// List it among the rejected and go on.
  case skipRow = "skip-row"
}

/// Imports files of JSON Lines into a database.
public struct Import: Sendable {
  /// What to import, and how.
  public struct Options: Sendable {
    /// The files, in their order; `-` is standard input.
    public var files: [String]
    /// Where every document goes, whatever collection its name says; the name's own where nil.
    public var collection: CollectionPath?
    /// What happens to documents that are there.
    public var mode: WriteMode
    /// The database that references in the files point into, where it is known.
    public var source: DatabaseName?
    /// What to do about a line that cannot be read.
    public var parseErrors = ParseErrorPolicy.stop
    /// Limits of what is written at once.
    public var limits = BatchLimits()
    /// How fast it may be written.
    public var pacer = WritePacer(ramp: false)
    /// Whether nothing is written: the documents are read, checked and counted.
    public var isDryRun = false
    /// Documents at the most; all where nil.
    public var limit: Int?

    /// Makes options.
    public init(files: [String], mode: WriteMode) {
      self.files = files
      self.mode = mode
    }
  }

  private let client: FirestoreClient
  private let options: Options
  private let book: AccountsBook
  private let rejects: RejectList
  private let progress: Progress
  private let logger: Logger

  /// Documents that are looked up and handed on together.
  private static let batch = 200

  /// Makes an import.
  public init(
    client: FirestoreClient,
    options: Options,
    book: AccountsBook,
    rejects: RejectList,
    progress: Progress,
    logger: Logger
  ) {
    self.client = client
    self.options = options
    self.book = book
    self.rejects = rejects
    self.progress = progress
    self.logger = logger
  }

  /// Reads every file once to find malformed lines before anything is written (standard input, which can be read only
  /// once, is checked as it comes), then imports.
  ///
  /// - Throws: ``Failure``: `.inputMalformed` with file and line, `.inputMissing`, and what writing throws.
  public func run() async throws {
    if options.parseErrors == .stop {
      progress.begin("checking", total: nil)
      for file in options.files where file != "-" { try check(file) }
      progress.end()
    }
    if let collection = options.collection { book.open(collection) }
    let counts = Guarded(ReferenceRewriter.Counts())
    defer { progress.end() }
    progress.begin("import", total: nil)
    if options.isDryRun {
      try await forEachBatch(counts) { documents in
        for document in documents {
          let violation = DocumentLimits.violations(of: document).first
          book.count(document.path.collection) {
            $0.read += 1
            if violation == nil { $0.skipped += 1 } else { $0.rejected += 1 }
          }
          if let violation {
            try rejects.add(
              document.path,
              code: "INVALID_ARGUMENT",
              message: violation.message,
              fields: document.fields
            )
            try book.assertBudget()
          }
        }
      }
    } else {
      let loader = DocumentLoader(
        client: client,
        mode: options.mode,
        book: book,
        rejects: rejects,
        limits: options.limits,
        pacer: options.pacer
      )
      try await loader.load { intake in
        try await forEachBatch(counts) { documents in try await intake.put(documents) }
      }
    }
    tell(counts.withLock { $0 })
  }

  private func tell(_ counts: ReferenceRewriter.Counts) {
    if counts.rewritten > 0 {
      logger.info("\(counts.rewritten) references were rewritten to \(client.database).")
    }
    if counts.kept > 0 {
      let why = options.source == nil ? "; the database that they came from is not known (--source)" : ""
      logger.notice("\(counts.kept) references were kept as they are\(why).")
    }
  }

  private func check(_ file: String) throws {
    var reader = try JSONLinesReader(file)
    var read = 0
    while let line = try reader.next() {
      try Task.checkCancellation()
      _ = try line.document.get()
      read += 1
      if read % 1000 == 0 { progress.advance(by: 1000) }
    }
  }

  private func forEachBatch(
    _ counts: Guarded<ReferenceRewriter.Counts>,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    var rewriter = ReferenceRewriter(from: options.source, to: client.database)
    var left = options.limit ?? .max
    var batch: [RawDocument] = []
    for file in options.files {
      var reader = try JSONLinesReader(file)
      while left > 0, let line = try reader.next() {
        guard var document = try document(of: line) else { continue }
        if let collection = options.collection { document.path = DocumentPath(collection, document.path.id) }
        document.fields = rewriter.rewrite(document.fields)
        batch.append(document)
        left -= 1
        if batch.count == Self.batch {
          try await body(batch)
          progress.advance(by: batch.count)
          batch.removeAll(keepingCapacity: true)
        }
      }
    }
    if !batch.isEmpty {
      try await body(batch)
      progress.advance(by: batch.count)
    }
    counts.withLock { [counted = rewriter.counts] in $0 = counted }
  }

  /// The document of a line; nil where the line is bad and is to be skipped.
  private func document(of line: JSONLinesReader.Line) throws -> RawDocument? {
    switch line.document {
    case .success(let document): return document
    case .failure(let failure):
      guard options.parseErrors == .skipRow else { throw failure }
      // A line that is no document belongs to no collection; it is counted under the one that is imported to.
      let place = options.collection ?? CollectionPath(nil, "(unreadable)")
      book.count(place) {
        $0.read += 1
        $0.rejected += 1
      }
      try rejects.add(
        DocumentPath(place, "line-\(line.number)"),
        code: "MALFORMED",
        message: failure.cause,
        fields: nil
      )
      try book.assertBudget()
      return nil
    }
  }
}
