package import FirestoreREST
package import Logging
import Platform

/// Compares two databases or snapshots, document by document.
///
/// It merges two streams in the order of document names, in constant memory.
///
///     let diff = Diff(
///       from: .snapshot(try Snapshot("backup/", source: nil, progress: progress)),
///       to: .database(environment, client, at: .pinned),
///       options: Diff.Options(selection: selection),
///       runCounts: counts, progress: progress, logger: logger
///     )
///     let (counts, readTime) = try await diff.run()
package struct Diff {
  package struct Options: Sendable {
    package var selection: CollectionSelection
    /// How each database is read.
    package var reading = ReadingSettings()
    /// The fields that may differ.
    package var ignored: [FieldPath] = []
    /// The format of the differences.
    package var format = DiffFormat.text
    /// Whether each differing field is reported with its values.
    package var isDetailed = false
    /// Whether text has colors.
    package var isColored = false
    /// Whether equal documents are reported, too.
    package var showsEqual = false
    /// Whether a scope without documents on either side is an error.
    package var failsIfEmpty = false
    /// The output file; `-` is standard output, nil is none.
    package var output: String?
    package var files = FileAccess.local
    /// Suggests the collection that was probably meant by one that neither side has.
    package var hint: @Sendable (CollectionPath) -> String? = { _ in nil }

    package init(selection: CollectionSelection) {
      self.selection = selection
    }
  }

  fileprivate let from: Side
  fileprivate let to: Side
  fileprivate let options: Options
  fileprivate let runCounts: RunCounts
  fileprivate let progress: Progress
  fileprivate let logger: Logger

  package init(
    from: Side,
    to: Side,
    options: Options,
    runCounts: RunCounts,
    progress: Progress,
    logger: Logger
  ) {
    self.from = from
    self.to = to
    self.options = options
    self.runCounts = runCounts
    self.progress = progress
    self.logger = logger
  }

  /// Runs the comparison.
  ///
  /// - Returns: The counts, and the read time of `--to`, or else of `--from`.
  /// - Throws: ``Failure`` if one side cannot be read at all.
  package func run() async throws -> (counts: DiffCounts, readTime: Timestamp?) {
    let (fromTime, toTime) = (try await from.moment(logger), try await to.moment(logger))
    var roots: [CollectionPath] = []
    if options.selection.wantsRoots {
      roots = try await from.roots(at: fromTime) + to.roots(at: toTime)
    }
    let scopes = try options.selection.scopes(roots: Array(Set(roots)))
    if options.failsIfEmpty { try await assertFilled(scopes, fromTime, toTime) }
    for scope in scopes { runCounts.open(scope.name) }
    if from.database == nil || to.database == nil {
      logger.notice(
        "The database of a snapshot is not known, so references are compared by their full names (--from-source, --to-source)."
      )
    }
    // Pages of two databases that are read at the same time leave holes between them otherwise.
    if case (.database, .database) = (from, to) { _ = Allocator.returnsMediumBlocks }
    let remedy = "Compare fewer collections at a time, or read at a later moment."
    let (fromPages, toPages) = (
      try from.pages(of: scopes, at: fromTime, reading: options.reading, orElse: remedy),
      try to.pages(of: scopes, at: toTime, reading: options.reading, orElse: remedy)
    )
    var run = try DiffRun(self)
    let piece = progress.begin("compare", total: nil)
    let total = DiffTotal { [progress] total in progress.setTotal(total, of: piece) }
    let counting = [(from, fromTime), (to, toTime)].compactMap { total.count($0, scopes, at: $1) }
    defer {
      for count in counting { count.cancel() }
      progress.end()
    }
    for side in [from, to] { try run.recordDefects(of: side) }
    for (index, scope) in scopes.enumerated() {
      do {
        let count = try await compare(into: &run) { side in
          let page = try await (side == .from ? fromPages : toPages).next(index)
          if page != nil { for counter in counting { counter.begin() } }
          return page
        }
        if count == 0 {
          let hint = options.hint(scope.name).map { " \($0)" } ?? ""
          logger.warning("\(scope.name) has no documents on either side.\(hint)")
        }
      } catch let failure as Failure where failure.isOfOneCollection {
        logger.error("\(failure)")
        try run.record(DiffEntry(mark: .unreadable, path: scope.name.string, reason: failure.cause))
      }
    }
    try run.finish()
    return (run.counts, toTime ?? fromTime)
  }

  /// - Throws: `.inputMissing` if there are no scopes, or if one has no documents on either side.
  private func assertFilled(
    _ scopes: [CollectionScope],
    _ fromTime: Timestamp?,
    _ toTime: Timestamp?
  ) async throws {
    var empty: [CollectionScope] = []
    for scope in scopes {
      if try await from.isEmpty(scope, at: fromTime), try await to.isEmpty(scope, at: toTime) {
        empty.append(scope)
      }
    }
    if !empty.isEmpty || scopes.isEmpty { throw Failure.empty(empty.map(\.name)) }
  }

  /// Compares the pages of a scope and returns the number of its documents on both sides.
  private func compare(
    into run: inout DiffRun,
    _ next: (NameMerge.Side) async throws -> [RawDocument]?
  ) async throws -> Int {
    var count = 0
    try await NameMerge.run { side in
      let page = try await next(side)
      if let page {
        count += page.count
        run.read(page)
      }
      return page
    } _: { step in
      try run.take(step)
    }
    return count
  }
}

/// Reports the total number of documents once both sides have been counted.
private struct DiffTotal: Sendable {
  private let counts = Locked<[Int]>([])
  let report: @Sendable (Int) -> Void

  /// Counts a side; a count on the server runs in the background.
  func count(_ side: Diff.Side, _ scopes: [CollectionScope], at moment: Timestamp?) -> BackgroundCount? {
    switch side {
    case .snapshot(let snapshot):
      add(snapshot.count)
      return nil
    case .database(_, let client, _):
      return BackgroundCount(scopes.map { $0.read(at: moment) }, client: client) { add($0) }
    }
  }

  private func add(_ count: Int) {
    let total = counts.withLock { counts in
      counts.append(count)
      return counts.count == 2 ? counts.reduce(0, +) : nil
    }
    if let total { report(total) }
  }
}

extension Failure {
  /// Whether other collections may still be readable: a response was invalid, or the service refused one request.
  fileprivate var isOfOneCollection: Bool {
    kind == .rejected || isUnreadable || (kind == .internal && service == nil)
  }
}

/// The state of a comparison while the two sides are merged.
private struct DiffRun: ~Copyable {
  private let diff: Diff
  private let comparison: DocumentComparison
  private var output: OutputFile?
  private var writer: DiffWriter
  private(set) var counts = DiffCounts()

  init(_ diff: Diff) throws {
    self.diff = diff
    let (from, to, options) = (diff.from.database, diff.to.database, diff.options)
    comparison = DocumentComparison(from: from, to: to, ignoring: options.ignored)
    writer = DiffWriter(
      format: options.format,
      isDetailed: options.isDetailed,
      isColored: options.isColored
    )
    if let path = options.output {
      output = try OutputFile(path, via: options.files)
      try output?.write(writer.head)
    }
  }

  mutating func finish() throws {
    try output?.write(writer.tail)
    if let output = output.take() { _ = try output.finish() }
  }

  mutating func recordDefects(of side: Diff.Side) throws {
    guard case .snapshot(let snapshot) = side else { return }
    for defect in snapshot.defects {
      try record(DiffEntry(mark: .unreadable, path: defect.label, reason: defect.reason))
    }
    let hidden = snapshot.defectCount - snapshot.defects.count
    if hidden == 0 { return }
    counts.unreadable += hidden
    let lines = "\(NumberText.grouped(hidden)) further lines of \(snapshot.path)"
    diff.logger.warning("\(lines) are not documents.")
  }

  func read(_ page: [RawDocument]) {
    diff.progress.advance(by: page.count)
    for document in page { diff.runCounts.update(document.path.collection) { $0.read += 1 } }
  }

  mutating func take(_ step: NameMerge.Step) throws {
    switch step {
    case .only(let side, let document):
      try record(DiffEntry(mark: side == .from ? .onlyInFrom : .onlyInTo, path: document.path.string))
    case .both(let a, let b):
      if comparison.areSame(a.fields, b.fields) {
        counts.same += 1
        if diff.options.showsEqual { try write(DiffEntry(mark: .same, path: a.path.string)) }
      } else {
        let differences = diff.options.isDetailed ? comparison.differences(a, b) : []
        try record(DiffEntry(mark: .different, path: a.path.string, differences: differences))
      }
    case .needs, .finished: break
    }
  }

  mutating func record(_ entry: DiffEntry) throws {
    switch entry.mark {
    case .same: counts.same += 1
    case .onlyInFrom: counts.onlyInFrom += 1
    case .onlyInTo: counts.onlyInTo += 1
    case .different: counts.different += 1
    case .unreadable: counts.unreadable += 1
    }
    try write(entry)
  }

  private mutating func write(_ entry: DiffEntry) throws {
    try output?.write(writer.bytes(entry))
  }
}
