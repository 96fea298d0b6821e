import Configuration
import Files
import FirestoreREST
import Runs

/// Documents as they currently are in the database.
struct LiveSource: DocumentSource {
  let client: FirestoreClient
  let pageSize: Int
  let parallel: Int
  let progress: Progress
  let counts: RunCounts
  let changes: ChangeSource
  /// Where reading stops for checkpoints; nil if it does not.
  let stops: SourceCheckpoints?
  /// The part to read; nil for all.
  var part: MigrationPart?
  /// The session of the run, if documents are presented as they were before it.
  var earlier: PlanSession?
  /// What is already planned, if documents are presented as the plan leaves them.
  var planned: PlannedDocuments?
  var turn = Turn()
  /// Called with billed reads.
  var onRead: @Sendable (Int) -> Void = { _ in }
  /// Whether the service failed to count when asked.
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
    // Such a read begins with a billed query for its read time.
    if read != made, part == nil, stops?.resumed == nil { onRead(1) }
    let counting = progress.begin(read.collection.string, counting: [read], in: client)
    var given = 0
    let pages = try await pages(of: read, asked)
    // A filter that is evaluated here because of planned changes is evaluated by the service when applying.
    let isSelected = filter != nil && !asked.isFilteredHere
    defer {
      counting.cancel()
      let documents = isSelected ? given : max(given, pages.billed)
      // Applying makes this request, too, whether or not the count arrived in time here.
      if read.isCountable { onRead(Cost.reads(ofCounting: documents)) }
      onRead(Cost.reads(ofQueryGiving: documents))
    }
    var deletions = Deletions(in: read.collection, of: earlier?.originals)
    while let live = try await pages.next() {
      try Task.checkCancellation()
      // A read that is fetched ahead usually has a single page, so counting waits for the second one.
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

  /// Returns a read as it is executed, and the filter that remains to be evaluated here.
  private func made(
    _ asked: CollectionRead
  ) throws(Failure) -> (read: CollectionRead, filter: DocumentFilter?) {
    var read = asked
    read.pageSize = pageSize
    read.parallel = parallel
    // A source that decides each document by itself does not see its own changes.
    let mayBeChanged = changes.foreseenReads == nil || turn.former.contains { $0.mayChange(read) }
    guard let planned, mayBeChanged else { return (read, nil) }
    return try planned.whole(read)
  }

  /// The pages of a read: those fetched ahead, or its own.
  private func pages(of read: CollectionRead, _ asked: CollectionRead) async throws -> LivePages {
    if let ahead = turn.ahead {
      let lane = try await ahead.begin(asked, of: turn.stage, as: read) { later throws(Failure) in
        try made(later).read
      }
      if let (lane, billed) = lane { return .ahead(ahead, lane, billed) }
    }
    return .own(client.pages(ofEach: [read]))
  }

  /// Passes on a page as it was before the run, with the documents that the run deleted in their places.
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

  /// Passes on documents that the run deleted.
  private func give(
    _ deleted: ArraySlice<DocumentPath>,
    from originals: OriginalDocuments,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    for paths in deleted.chunks(of: pageSize) {
      try await body(try paths.compactMap { try originals.document($0) })
    }
  }

  /// Counts documents that may not be written; others are counted together with their outcomes.
  private func countReadOnly(_ count: Int, in collection: CollectionPath) {
    if changes.mayWrite(collection) { return }
    counts.update(collection) {
      $0.read += count
      $0.unchanged += count
    }
  }

  func isPast(_ path: DocumentPath) -> Bool {
    // Documents outside the part belong to another run.
    if let part, !part.contains(path) { return true }
    guard let stops, let resumed = stops.resumed,
      let index = stops.sources.firstIndex(where: { $0.collection == path.collection })
    else { return false }
    return index < resumed.read || (index == resumed.read && resumed.last.map { path <= $0 } ?? false)
  }
}

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

  /// The reads billed for the pages so far.
  var billed: Int {
    switch self {
    case .own(let pages): pages.billed[0]
    case .ahead(_, let lane, let billed): billed[lane]
    }
  }
}

extension Array<RawDocument> {
  /// The ranges of consecutive documents of the same collection.
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

/// The documents of a collection that the resumed run deleted.
private struct Deletions {
  /// Deletions that are known to be applied, ordered by name.
  private(set) var known: ArraySlice<DocumentPath>
  /// Deletions whose result was unknown when reading began, and whose documents were not read since.
  private(set) var open: Set<DocumentPath>

  init(in collection: CollectionPath, of originals: OriginalDocuments?) {
    known = originals?.deleted(in: collection)[...] ?? []
    open = originals?.openDeletions(in: collection) ?? []
  }

  /// Takes the deletions before a document that was read.
  mutating func takeKnown(before path: DocumentPath) -> ArraySlice<DocumentPath> {
    open.remove(path)
    let taken = known.prefix { $0 < path }
    known = known.dropFirst(taken.count)
    return taken
  }
}

/// The position of a migration in its reads: `0 users/u5` is after that document of the first read.
struct SourcePosition: Sendable, Equatable, CustomStringConvertible {
  /// The index of the read.
  var read: Int
  /// The last processed document; nil if there is none.
  var last: DocumentPath?

  var description: String { last.map { "\(read) \($0.string)" } ?? "\(read)" }
}

extension SourcePosition {
  init?(_ text: String) {
    let parts = text.parts(at: " ", maxSplits: 1)
    guard let first = parts.first, let read = Int(count: first) else { return nil }
    self.read = read
    if parts.count > 1 {
      guard let path = DocumentPath(parts[1]) else { return nil }
      last = path
    }
  }
}

/// The positions where a migration's reads stop for a checkpoint, and the one where a resumed run continues.
final class SourceCheckpoints: Sendable {
  let resumed: SourcePosition?
  /// The reads, executed one after another.
  let sources: [CollectionRead]
  /// Called when everything up to a position has been passed on.
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
  /// Returns the number of documents as counted by the service; if it cannot count, their names are queried.
  func count(_ collection: CollectionPath) async throws -> Int {
    if !hasNoCounts.withLock({ $0 }) {
      if let count = await client.quickCount(of: CollectionRead(collection))?.count {
        onRead(Cost.reads(ofCounting: count))
        return count + (try planned?.growth(of: collection) ?? 0)
      }
      // Waiting for this once is enough.
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
