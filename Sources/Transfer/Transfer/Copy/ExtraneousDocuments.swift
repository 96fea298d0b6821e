import FirestoreREST
import TypedDocuments

/// The documents of a copy's target that do not exist in its source: listed before any write, deleted after all of them.
///
/// The list is a file of the run with one line per document: its path and the update time that the deletion expects.
struct ExtraneousDocuments {
  /// The file name of the list.
  static let fileName = "extraneous.jsonl"

  /// The number of documents that are read and deleted together.
  private static let batch = 200

  let copy: Copy
  let plan: Copy.Plan
  private var scopes: [CollectionScope] { plan.scopes }
  private var path: String { copy.context.folder.file(Self.fileName) }

  // MARK: Listing

  /// Writes the list, and returns the number of its documents, and of those billed as read on both sides.
  func list() async throws -> (count: Int, billed: Int) {
    copy.context.progress.begin("look for extraneous documents", total: nil)
    defer { copy.context.progress.end() }
    var file = try OutputFile(path)
    var count = 0
    let from = pages(copy.source.client, plan.readTime)
    let to = pages(copy.context.client, nil)
    for index in scopes.indices {
      try await NameMerge.run { side in
        guard let page = try await (side == .from ? from : to).next(of: index) else { return nil }
        copy.context.progress.advance(by: page.count)
        return page.filter { CollectionScope.index(of: $0.path, in: scopes) == index }
      } _: { step in
        guard case .only(.to, let document) = step, let time = document.updateTime else { return }
        try file.write(Entry(path: document.path, updateTime: time).line)
        count += 1
      }
    }
    _ = try file.finish()
    return (count, from.billed.total + to.billed.total)
  }

  private func pages(_ client: FirestoreClient, _ readTime: Timestamp?) -> CollectionPages {
    client.pages(
      ofEach: scopes.map { scope in
        var read = scope.read(at: readTime)
        read.mask = [.documentName]
        copy.options.job.reading.apply(to: &read)
        return read
      }
    )
  }

  // MARK: Deletion

  /// A line of the list.
  private struct Entry: JSONRecord {
    @Text var path: DocumentPath
    var updateTime: Timestamp
  }

  /// Deletes the listed documents, except those that have changed since they were listed, and those below which something stays.
  ///
  /// The deepest are first, so that what lies below a document is settled before it is looked for.
  ///
  /// - Returns: How many of the target's documents this counted as read, including before an interruption.
  func delete(_ start: CopyPosition) async throws -> [CollectionPath: Int] {
    copy.context.progress.begin("delete", total: start.extraneous)
    defer { copy.context.progress.end() }
    var position = start
    position.stage = scopes.count
    let parser = JSONParser()
    let depths = try depths(parser)
    var read: [CollectionPath: Int] = [:]
    var taken = 0
    let delegate = DeleteDelegate(context: copy.context)
    try await BatchWriter.run(
      copy.context.client,
      limits: copy.options.limits,
      pacer: copy.options.pacer,
      journal: copy.context.journal,
      delegate: delegate
    ) { writer in
      for depth in depths {
        try await writer.drain()
        var lines = try LineReader(path)
        while true {
          var entries: [Entry] = []
          while entries.count < Self.batch, try lines.advance() {
            let entry = try entry(lines, parser)
            if entry.path.segments.count != depth { continue }
            read[entry.path.collection.pattern, default: 0] += 1
            taken += 1
            if taken > start.deletions { entries.append(entry) }
          }
          if entries.isEmpty { break }
          try await delete(entries, writer, delegate)
          position.deletions = taken
          copy.context.progress.advance(by: entries.count)
          try await copy.context.checkpoints?.mark(at: position.checkpoint) { try await writer.drain() }
        }
      }
    }
    return read
  }

  /// The numbers of segments of the listed documents, largest first.
  private func depths(_ parser: JSONParser) throws -> [Int] {
    var depths: Set<Int> = []
    var lines = try LineReader(path)
    while try lines.advance() { depths.insert(try entry(lines, parser).path.segments.count) }
    return depths.sorted(by: >)
  }

  private func entry(_ lines: borrowing LineReader, _ parser: JSONParser) throws(Failure) -> Entry {
    try lines.withJSON(parser) { json throws(WireError) in try Entry(json) }
  }

  private func delete(_ entries: [Entry], _ writer: BatchWriter, _ delegate: DeleteDelegate) async throws {
    let current = try await copy.context.client.batchGet(entries.map(\.path))
    let below = try await collectionsLeft(below: entries.map(\.path).filter { current[$0] != nil })
    for entry in entries {
      let document = current[entry.path]
      // The document was deleted before an interruption, and somebody created it again.
      let isBack = try document != nil && delegate.isChanged(entry.path, document)
      if isBack { try copy.context.noteChange(entry.path) }
      if !isBack, let ids = below[entry.path] {
        try copy.context.reject(deletionOf: entry.path, leaving: ids)
        continue
      }
      let result: WriteResult? =
        isBack || document == nil
        ? try delegate.settleMissing(entry.path)
        : document?.updateTime == entry.updateTime ? nil : .conflicted
      let change = Change(path: entry.path, before: document, after: nil, reasons: ["extraneous"])
      if let result {
        try await delegate.didSettle(change.write, result)
      } else {
        try await writer.submit(change)
      }
    }
  }

  /// Returns the subcollections that would be left without their documents.
  private func collectionsLeft(below paths: [DocumentPath]) async throws -> [DocumentPath: [String]] {
    let (client, source) = (copy.context.client, copy.source.client)
    var below = try await client.collectionIDs(belowEach: paths)
    for path in Array(below.keys)
    where CollectionScope.index(of: path, in: scopes).map({ scopes[$0].isDeep }) ?? false {
      // What the source has, too, lies below a missing document there.
      let ids = try await client.collectionIDs(below: path) { others in
        let paths = others.map(\.path)
        let copied = try await source.batchGet(paths, mask: [.documentName])
        return paths.filter { copied[$0] == nil }
      }
      below[path] = ids.isEmpty ? nil : ids
    }
    return below
  }
}

/// Settles the deletions of a copy; a document that another writer has changed in the meantime is left alone.
private struct DeleteDelegate: BatchDelegate {
  let context: RunContext

  func isChanged(_ path: DocumentPath, _ document: RawDocument?) throws(Failure) -> Bool {
    try context.journal?.isChanged(path, current: document) ?? false
  }

  /// Returns the result for a document that no longer exists, deleted by this run before an interruption or by another
  /// writer.
  func settleMissing(_ path: DocumentPath) throws(Failure) -> WriteResult {
    guard try context.journal?.takeOwnWrite(of: path, current: nil)?.kind == .delete else {
      return .unchanged
    }
    try context.journal?.settle(path, .written(updateTime: nil))
    return .written(updateTime: nil)
  }

  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure) {
    let conflict = "the document was to be deleted, but was changed meanwhile"
    try context.settle(write, result, conflict: conflict)
  }

  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution {
    .settle(current == nil ? .unchanged : .conflicted)
  }
}
