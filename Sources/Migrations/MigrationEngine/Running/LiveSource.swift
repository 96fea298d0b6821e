import Configuration
import Files
import FirestoreREST
import Runs

/// Documents as they are in the database now.
struct LiveSource: DocumentSource {
  let client: FirestoreClient
  let pageSize: Int
  let parallel: Int
  let progress: Progress
  let counts: RunCounts
  let changes: ChangeSource
  /// Where it stops for a checkpoint; nil where it does not.
  let stops: SourceCheckpoints?
  /// The part that is read; nil for all.
  var part: MigrationPart?
  /// The session of the run, where documents are given as they were before that.
  var earlier: PlanSession?
  /// What is planned already, where documents are given as that leaves them.
  var planned: PlannedDocuments?
  var turn = Turn()
  /// Called with reads that the service bills.
  var onRead: @Sendable (Int) -> Void = { _ in }
  /// Whether the service did not count when it was asked to.
  let hasNoCounts = Locked(false)

  func forEachDocument(
    matching read: CollectionRead,
    _ body: (RawDocument) async throws -> Void
  ) async throws {
    try await readPages(of: read) { page in
      for run in page.runs {
        for document in page[run.documents] {
          countReadOnly(1, in: run.collection)
          try await body(document)
        }
      }
    }
  }

  func forEachPage(
    matching read: CollectionRead,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    try await readPages(of: read) { page in
      for run in page.runs { countReadOnly(run.documents.count, in: run.collection) }
      try await body(page)
    }
  }

  private func readPages(
    of asked: CollectionRead,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    let (made, filter) = try made(asked)
    var read = made
    let index = stops?.next() ?? 0
    if let part {
      guard part.isSame(as: read) else { return }
      read.range = part.names
    }
    if let resumed = stops?.resumed {
      if index < resumed.read { return }
      if index == resumed.read { read.startAfter = resumed.last }
    }
    if !changes.deletesForGood { read = try await client.steady(read) }
    // The moment of such a read is asked for.
    if read != made, part == nil, stops?.resumed == nil { onRead(1) }
    let piece = progress.begin(read.collection.string, total: nil)
    let counting = BackgroundCount([read], client: client) { [progress] total in
      progress.setTotal(total, of: piece)
    }
    var given = 0
    let pages = try await pages(of: read, asked)
    // What is filtered here as former changes leave it, the service filters while applying.
    let isSelected = filter != nil && !asked.isFilteredHere
    defer {
      counting.cancel()
      let documents = isSelected ? given : max(given, pages.billed)
      // What applying it asks for, too: whether the count came in time makes no difference.
      if read.isCountable { onRead(Cost.reads(ofCounting: documents)) }
      onRead(Cost.reads(ofQueryGiving: documents))
    }
    var deletions = Deletions(in: read.collection, of: earlier?.originals)
    while let live = try await pages.next() {
      try Task.checkCancellation()
      // Of what is read ahead, one page is mostly all.
      if !pages.areAhead || given > 0 && !live.isEmpty { counting.begin() }
      let page = try planned?.revised(live, filter) ?? live
      if let originals = earlier?.originals {
        try await give(page, from: originals, &deletions, body)
      } else {
        try await body(page)
      }
      given += page.count
      progress.advance(by: page.count)
      if let stops, read.isOrderedByName, let last = page.last {
        try await stops.stop(SourcePosition(read: index, last: last.path))
      }
    }
    if let earlier, let originals = earlier.originals {
      let late = try await earlier.countDeletions(among: deletions.open.sorted())
      try await give(deletions.known + late, from: originals, body)
    }
    try await planned?.forEachMade(in: read, filter) { made in
      given += made.count
      try await body(made)
    }
    try await stops?.stop(SourcePosition(read: index + 1, last: nil))
  }

  /// A read as it is made, with the filter that is left to be evaluated here.
  private func made(
    _ asked: CollectionRead
  ) throws(Failure) -> (read: CollectionRead, filter: DocumentFilter?) {
    var read = asked
    read.pageSize = pageSize
    read.parallel = parallel
    // What decides by itself sees nothing of its own changes.
    let mayBeChanged = changes.foreseenReads == nil || turn.former.contains { $0.mayChange(read) }
    guard let planned, mayBeChanged else { return (read, nil) }
    return try planned.whole(read)
  }

  /// The pages of a read: those that are read ahead, or its own.
  private func pages(of read: CollectionRead, _ asked: CollectionRead) async throws -> LivePages {
    if let ahead = turn.ahead {
      let lane = try await ahead.begin(asked, of: turn.stage, as: read) { later throws(Failure) in
        try made(later).read
      }
      if let (lane, billed) = lane { return .ahead(ahead, lane, billed) }
    }
    return .own(client.pages(ofEach: [read]))
  }

  /// Gives a page as it was before the run, with the documents that the run deleted in their places.
  private func give(
    _ page: [RawDocument],
    from originals: OriginalDocuments,
    _ deletions: inout Deletions,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    var found: [RawDocument] = []
    found.reserveCapacity(page.count)
    for document in page {
      let gone = deletions.takeKnown(before: document.path)
      if !gone.isEmpty {
        try await body(found)
        found.removeAll(keepingCapacity: true)
        try await give(gone, from: originals, body)
      }
      found.append(try originals.original(of: document))
    }
    try await body(found)
  }

  /// Gives documents that the run deleted.
  private func give(
    _ deleted: ArraySlice<DocumentPath>,
    from originals: OriginalDocuments,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    for paths in deleted.chunks(of: pageSize) {
      try await body(try paths.compactMap { try originals.document($0) })
    }
  }

  /// Counts documents that may not be written; the others are counted together with what became of them.
  private func countReadOnly(_ count: Int, in collection: CollectionPath) {
    if changes.mayWrite(collection) { return }
    counts.update(collection) {
      $0.read += count
      $0.unchanged += count
    }
  }

  func isPast(_ path: DocumentPath) -> Bool {
    // What is outside of the part is another run's.
    if let part, !part.contains(path) { return true }
    guard let stops, let resumed = stops.resumed,
      let index = stops.sources.firstIndex(where: { $0.collection == path.collection })
    else { return false }
    return index < resumed.read || (index == resumed.read && resumed.last.map { path <= $0 } ?? false)
  }
}

/// The pages of one read.
private enum LivePages {
  case own(CollectionPages)
  case ahead(ReadsAhead, Int, BilledReads)

  var areAhead: Bool { if case .ahead = self { true } else { false } }

  func next() async throws -> [RawDocument]? {
    switch self {
    case .own(let pages): try await pages.next(of: 0)
    case .ahead(let ahead, let lane, _): try await ahead.next(of: lane)
    }
  }

  /// The reads that the pages were billed until now.
  var billed: Int {
    switch self {
    case .own(let pages): pages.billed[0]
    case .ahead(_, let lane, let billed): billed[lane]
    }
  }
}

extension Array<RawDocument> {
  /// Where documents of one collection follow each other.
  var runs: [(collection: CollectionPath, documents: Range<Int>)] {
    var runs: [(collection: CollectionPath, documents: Range<Int>)] = []
    var start = 0
    while start < count {
      let collection = self[start].path.collection
      var end = start + 1
      while end < count, self[end].path.isIn(collection) { end += 1 }
      runs.append((collection, start..<end))
      start = end
    }
    return runs
  }
}

/// What the run that is resumed deleted of a collection that is read.
private struct Deletions {
  /// Those that are known to be applied, in the order of their names.
  private(set) var known: ArraySlice<DocumentPath>
  /// Those of which it was not known when the reading began, and that were not read since.
  private(set) var open: Set<DocumentPath>

  init(in collection: CollectionPath, of originals: OriginalDocuments?) {
    known = originals?.deleted(in: collection)[...] ?? []
    open = originals?.openDeletions(in: collection) ?? []
  }

  /// Takes those that come before a document that was read.
  mutating func takeKnown(before path: DocumentPath) -> ArraySlice<DocumentPath> {
    open.remove(path)
    let taken = known.prefix { $0 < path }
    known = known.dropFirst(taken.count)
    return taken
  }
}

/// The position of a migration in its reads: `0 users/u5` is behind that document of the first one.
struct SourcePosition: Sendable, Equatable, CustomStringConvertible {
  /// The index of the read.
  var read: Int
  /// The last document of it that is done, nil where none is.
  var last: DocumentPath?

  var description: String { last.map { "\(read) \($0.string)" } ?? "\(read)" }
}

extension SourcePosition {
  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard let first = parts.first, let read = Int(count: first) else { return nil }
    self.read = read
    if parts.count > 1 {
      guard let path = DocumentPath(String(parts[1])) else { return nil }
      last = path
    }
  }
}

/// The positions at which the reads of a migration stop for a checkpoint, and the one from which a resumed run reads.
final class SourceCheckpoints: Sendable {
  let resumed: SourcePosition?
  /// What is read, one after another.
  let sources: [CollectionRead]
  /// Called where everything up to a position was handed over.
  let stop: @Sendable (SourcePosition) async throws -> Void
  private let count = Locked(0)

  init(
    of sources: [CollectionRead],
    resumed: SourcePosition?,
    _ stop: @escaping @Sendable (SourcePosition) async throws -> Void
  ) {
    self.sources = sources
    self.resumed = resumed
    self.stop = stop
  }

  /// The index of the next read.
  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}

extension LiveSource {
  /// The number of documents as the service counts them; one that cannot count is asked for their names.
  func count(_ collection: CollectionPath) async throws -> Int {
    if !hasNoCounts.withLock({ $0 }) {
      if let count = await client.quickCount(of: CollectionRead(collection))?.count {
        onRead(Cost.reads(ofCounting: count))
        return count + (try planned?.growth(of: collection) ?? 0)
      }
      // Once is enough to wait for.
      try Task.checkCancellation()
      hasNoCounts.withLock { $0 = true }
    }
    var count = 0
    for try await page in client.pages(of: CollectionRead(collection, mask: [.documentName])) {
      count += page.count
    }
    onRead(Cost.reads(ofQueryGiving: count))
    return count + (try planned?.growth(of: collection) ?? 0)
  }
}
