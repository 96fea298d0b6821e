import FirestoreREST
import Logging
import Schema

/// Finds the documents of a subset: makes the requests that ``SubsetSearch`` needs, and keeps the names on disk.
///
/// Everything is read at one read time; each document is read once, with everything below it.
struct SubsetRun: ~Copyable {
  /// The number of concurrent requests that concern one document each.
  private static let width = 8
  /// The number of documents that are requested together.
  private static let batch = 64

  private let copy: Copy
  private let subset: Subset
  private let readTime: Timestamp?
  private let references: SubsetReferences
  private var search: SubsetSearch
  private var queue: SubsetQueue
  private var found = DiskSort<ScopedDocument>()
  private var hubs: [SubsetReport.Hub] = []

  private var client: FirestoreClient { copy.source.client }
  private var settings: SubsetSettings { subset.settings }

  init(_ copy: Copy, _ subset: Subset, at readTime: Timestamp?) throws(Failure) {
    (self.copy, self.subset, self.readTime) = (copy, subset, readTime)
    let references = SubsetReferences(schema: copy.context.schema, database: copy.source.client.database)
    self.references = references
    let follows = subset.settings.follow.outwards
    search = SubsetSearch(maximum: subset.settings.maximumDocuments) {
      follows ? references.references(of: $0) : []
    }
    queue = try SubsetQueue()
  }

  /// Finds the subset, and returns the report on it.
  ///
  /// - Throws: `.tryLater` for a subset that is too large.
  mutating func find() async throws -> SubsetReport {
    copy.context.progress.begin("look for the part", total: nil)
    defer { copy.context.progress.end() }
    do {
      try await findRoots()
      if settings.follow.inwards { try await findIncoming() }
      try await close()
    } catch let overflow as SubsetSearch.Overflow {
      report.say(to: copy.context.logger)
      throw failure(overflow)
    } catch let failure as Failure {
      throw failure.explainingClosedWindow(since: readTime, remedy: CopyReader.remedy)
    }
    report.say(to: copy.context.logger)
    return report
  }

  /// Returns the names of the documents that were found.
  ///
  /// - Parameter file: See ``SubsetNames``.
  /// - Throws: `.cannotWrite`.
  consuming func names(file: String?) throws(Failure) -> SubsetNames {
    try SubsetNames(try found.sorted(), file: file)
  }

  private var report: SubsetReport {
    SubsetReport(
      documents: search.documents,
      dangling: search.dangling,
      references: search.edges.filter { $0.documents > 0 }.map {
        .init(way: $0.way, reference: $0.name, documents: $0.documents)
      },
      hubs: hubs
    )
  }

  // MARK: Roots

  private mutating func findRoots() async throws {
    for root in subset.roots {
      let edge = search.edge(.root, root.text)
      var left = root.limit ?? .max
      let reads = try await copy.reads(of: root, at: readTime)
      for read in reads { left -= try await take(read, atMost: left, edge) }
      if search.edges[edge].documents > 0 { continue }
      let isWhole = root.filter == nil && settings.sample == nil && root.limit == nil
      // If the schema knows a better name, that has been said already.
      let suggests = reads.allSatisfy { copy.context.schema.hint(of: $0.collection) == nil }
      let notice =
        isWhole && reads.count == 1
        ? await client.emptyNotice(of: reads[0], suggesting: suggests) : nil
      copy.context.logger.warning("\(notice ?? "'\(root.text)' selects no document.")")
    }
  }

  /// Takes the first documents of a read, and returns their number.
  private mutating func take(_ read: CollectionRead, atMost most: Int, _ edge: Int) async throws -> Int {
    if most == 0 { return 0 }
    var read = read
    read.mask = [.documentName]
    if settings.sample == nil {
      // Documents read ahead beyond a limit would be billed and discarded.
      if most < .max { read.limit = most }
      read.pageSize = max(1, min(read.pageSize, most, search.left.addingClamped(1)))
    }
    var taken = 0
    let pages = client.pages(ofEach: [read])
    while taken < most, let page = try await pages.next(of: 0) {
      try Task.checkCancellation()
      for path in page.map(\.path) where taken < most {
        guard try settings.sample?.contains(path) ?? true else { continue }
        try ask(path, edge)
        taken += 1
      }
    }
    return taken
  }

  private mutating func ask(_ path: DocumentPath, _ edge: Int) throws {
    for question in try search.take(path, by: edge) { try queue.append(question) }
  }

  // MARK: Inwards

  /// Finds the documents that refer to the roots, which are all that the queue holds at this time.
  private mutating func findIncoming() async throws {
    let roots = queue.count
    for name in references.unreachable {
      copy.context.logger.warning(
        "What refers by \(name) is not found: no query can ask for a field of a map in an array."
      )
    }
    for field in references.incoming {
      let targets = try (0..<roots).filter { try field.canRefer(to: queue.path(at: $0)) }
      var fanIn = FanIn(of: targets.count, width: field.width, most: settings.maximumFanIn)
      while true {
        var ranges: [Range<Int>] = []
        while ranges.count < Self.width, let range = fanIn.next() { ranges.append(range) }
        if ranges.isEmpty { break }
        var reads: [CollectionRead] = []
        for range in ranges {
          var read = references.read(field, to: try targets[range].map { try queue.path(at: $0) })
          read.readTime = readTime
          reads.append(read)
        }
        for (index, count) in try await counts(of: reads).enumerated() {
          switch fanIn.take(count, of: ranges[index]) {
          case .follow where count > 0: try await take(reads[index], of: field)
          case .hub: try name(hub: queue.path(at: targets[ranges[index].lowerBound]), field, count)
          case .follow, .divided: continue
          }
        }
      }
    }
  }

  private func counts(of reads: [CollectionRead]) async throws -> [Int] {
    try await reads.concurrentMap { [client] read in try await client.count(read).count }
  }

  private mutating func take(_ read: CollectionRead, of field: SubsetReferences.Incoming) async throws {
    var read = read
    read.pageSize = max(1, min(copy.options.job.reading.pageSize, search.left.addingClamped(1)))
    let edge = search.edge(.inwards, field.name)
    let pages = client.pages(ofEach: [read])
    while let page = try await pages.next(of: 0) {
      try Task.checkCancellation()
      for path in page.map(\.path) where field.covers(path) && !path.isReserved { try ask(path, edge) }
    }
  }

  private mutating func name(hub: DocumentPath, _ field: SubsetReferences.Incoming, _ count: Int) throws {
    let shown = try copy.options.mask?.path(hub) ?? hub
    hubs.append(.init(document: shown.string, reference: field.name, documents: count))
  }

  // MARK: Closure

  /// Asks questions until no new documents are found.
  private mutating func close() async throws {
    while true {
      try Task.checkCancellation()
      let most = subset.isDeep ? Self.batch : copy.options.job.reading.pageSize
      var questions: [SubsetSearch.Question] = []
      while questions.count < most, let question = try queue.next() {
        if search.isOpen(question) { questions.append(question) }
      }
      if questions.isEmpty { return }
      if subset.isDeep { try await readBelow(questions) } else { try await read(questions) }
    }
  }

  private mutating func read(_ questions: [SubsetSearch.Question]) async throws {
    let found = try await client.batchGet(questions.map(\.path), readTime: readTime)
    for question in questions {
      if let document = found[question.path] { try take([document], question) } else { search.miss(question) }
    }
  }

  private mutating func readBelow(_ questions: [SubsetSearch.Question]) async throws {
    let scopes = questions.map { CollectionScope(document: $0.path, isDeep: true) }
    let pages = client.pages(ofEach: scopes.map { read($0) })
    for (index, question) in questions.enumerated() {
      var exists = false
      while let page = try await pages.next(of: index) {
        if page.isEmpty { continue }
        // Documents below one that does not exist are not included.
        exists = exists || page[0].path == question.path
        let own = exists ? page.filter { scopes[index].contains($0.path) } : []
        try take(own, question)
        if own.count < page.count { break }
      }
      if !exists { search.miss(question) }
    }
  }

  /// Returns the read of a document and everything below it.
  private func read(_ scope: CollectionScope) -> CollectionRead {
    var read = scope.read(at: readTime)
    // One document more than allowed is requested to detect an overflow; a page that is not full is the last one.
    read.pageSize = min(copy.options.job.reading.pageSize, search.left.addingClamped(2))
    read.parallel = Self.width
    if read.range.end == nil, let document = scope.document {
      // Its collections have no greater names, and reading other documents would be billed.
      read.range.end = DocumentPath("\(document)/\u{10FFFF}/\u{10FFFF}")
    }
    return read
  }

  private mutating func take(_ documents: [RawDocument], _ question: SubsetSearch.Question) throws {
    let (new, questions) = try search.take(documents, to: question)
    for path in new { try found.add(ScopedDocument(naming: path)) }
    for question in questions { try queue.append(question) }
    copy.context.progress.advance(by: new.count)
  }

  // MARK: Failures

  private func failure(_ overflow: SubsetSearch.Overflow) -> Failure {
    let most = search.edges.max { $0.documents < $1.documents }
    let brought =
      most.map { "; most are of \($0.label): \(NumberText.counted($0.documents, "document"))" } ?? ""
    let cause =
      switch overflow {
      case .documents:
        "it has more than \(NumberText.counted(settings.maximumDocuments, "document"))\(brought)"
      case .names: "it refers to \(NumberText.counted(search.dangling, "missing document")), and more"
      }
    return Failure(
      .tryLater,
      "copy the part",
      cause: "\(cause); nothing was written",
      remedy: "Allow more with --max-documents, or choose less with --subset and --follow."
    )
  }
}

/// The documents to ask for, in the order in which they were found, with their names on disk.
private struct SubsetQueue {
  private let names: NameSpool
  private var edges: [UInt16] = []
  private var done = 0

  /// - Throws: `.cannotWrite`.
  init() throws(Failure) { names = try NameSpool() }

  var count: Int { names.count }

  mutating func append(_ question: SubsetSearch.Question) throws(Failure) {
    try names.append(question.path)
    edges.append(UInt16(clamping: question.edge))
  }

  func path(at position: Int) throws(Failure) -> DocumentPath { try names.name(at: position) }

  mutating func next() throws(Failure) -> SubsetSearch.Question? {
    guard done < count else { return nil }
    defer { done += 1 }
    return SubsetSearch.Question(path: try names.name(at: done), edge: Int(edges[done]))
  }
}
