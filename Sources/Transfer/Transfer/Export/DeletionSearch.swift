import Files
import FirestoreREST
import Logging
import TypedDocuments

/// Finds the documents of earlier exports that were deleted since, while collections are exported, and lists them.
///
/// In a collection that is read whole, every known document that was not read is gone. If only the changes of a collection
/// are read, the documents are counted by ranges of names (``CountSearch``); documents found that way that no export has
/// are read.
///
/// Not `Sendable`: one task passes it the pages, read by read, and then finishes the list.
final class DeletionSearch {
  private let client: FirestoreClient
  private let logger: Logger
  private let reads: [CollectionRead]
  private let readTime: Timestamp?
  private let lastSeen: Timestamp?
  /// The documents of earlier exports: those of each read, then those of the collections that are gone.
  private let known: SnapshotDocuments
  private let goneCount: Int
  /// The names of the current read.
  private var names: DiskSort<ScopedDocument>? = DiskSort()
  private var list: OutputFile?
  private var count = 0

  /// Creates the search of an export; nil if it adds to no earlier ones.
  ///
  /// - Throws: ``Failure``.
  init?(for options: Export.Options, in context: DatabaseContext) throws {
    guard let earlier = options.earlier, case .folder(let folder) = options.destination else { return nil }
    (client, logger) = (context.client, context.logger)
    (reads, readTime, lastSeen) = (options.reads, options.readTime, earlier.lastSeen)
    let roots = Set(reads.map(\.collection.root))
    let gone = earlier.snapshot.roots.filter { !roots.contains($0) }
    // An export of everything below its collections also had what was below those that are gone.
    let isDeep = options.scope?.subcollections ?? false
    let scopes = reads.map(\.scope) + gone.map { CollectionScope($0, isDeep: isDeep) }
    known = try earlier.snapshot.names(of: scopes)
    goneCount = gone.count
    let files = try reads.map { read throws(Failure) in
      try ExportOutput.fileName(of: read.collection, options.format.fileExtension)
    }
    let name = DeletedDocument.fileName(beside: files)
    list = try OutputFile("\(folder)/\(name)", digest: true, via: options.files)
  }

  /// Takes documents of the current read.
  ///
  /// - Throws: `.cannotWrite`.
  func take(_ page: DocumentPage) throws(Failure) {
    var paths: [DocumentPath] = []
    page.forEachPath { paths.append($0) }
    for path in paths { try names?.add(ScopedDocument(naming: path)) }
  }

  /// Lists the documents that are gone from a read, after all its documents have been taken.
  ///
  /// - Parameter body: Receives documents that neither an earlier export nor the read contains.
  /// - Throws: ``Failure``, or whatever `body` throws.
  func conclude(_ index: Int, _ body: ([RawDocument]) async throws -> Void) async throws {
    let taken = names.take() ?? DiskSort()
    names = DiskSort()
    let sorted = try taken.sorted()
    if reads[index].filter == nil {
      return try merge(index, sorted) { name, isRead in
        if !isRead { try add(name) }
      }
    }
    let spool = try NameSpool()
    try merge(index, sorted) { name, _ in try spool.append(name) }
    var read = reads[index]
    (read.filter, read.mask, read.readTime) = (nil, nil, readTime)
    try await compare(spool, with: read, body)
  }

  /// Completes the list.
  ///
  /// - Throws: `.cannotWrite`.
  func finish() throws -> Manifest.File? {
    for index in reads.count..<(reads.count + goneCount) {
      while let page = try known.next(index) {
        for document in page { try add(document.path) }
      }
    }
    guard let receipt = try list.take()?.finish(), let sha256 = receipt.sha256 else { return nil }
    if count > 0 {
      logger.notice(
        "\(NumberText.counted(count, "document")) of the exports before \(count == 1 ? "is" : "are") gone."
      )
    }
    return Manifest.File(
      file: FilePaths.name(of: receipt.path),
      collection: "*",
      documents: count,
      bytes: receipt.bytes,
      sha256: sha256
    )
  }

  private func add(_ name: DocumentPath) throws(Failure) {
    count += 1
    try list?.write(DeletedDocument(lastSeen: lastSeen, name: name).line)
  }

  /// Merges the names of earlier exports with those that were read.
  private func merge(
    _ index: Int,
    _ read: consuming SortedRecords<ScopedDocument>,
    _ body: (_ name: DocumentPath, _ isRead: Bool) throws -> Void
  ) throws {
    var next = try read.next()?.path
    while let page = try known.next(index) {
      for document in page {
        while let name = next, name < document.path {
          try body(name, true)
          next = try read.next()?.path
        }
        let isRead = next == document.path
        try body(document.path, isRead)
        if isRead { next = try read.next()?.path }
      }
    }
    while let name = next {
      try body(name, true)
      next = try read.next()?.path
    }
  }

  // MARK: Counting

  private func compare(
    _ names: NameSpool,
    with whole: CollectionRead,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    let ranges = try await rangesThatDiffer(names, from: whole)
    var missing: [DocumentPath] = []
    var rest = ranges.map(\.positions)[...]
    var read = whole
    read.mask = [.documentName]
    let remedy = "Export fewer collections at a time"
    try await client.readRanges(of: read, ranges.map(\.names), orElse: remedy) { page, _ in
      var known = rest.first ?? 0..<0
      for document in page ?? [] {
        while let position = known.first, try names.name(at: position) < document.path {
          try add(names.name(at: position))
          known = known.dropFirst()
        }
        if let position = known.first, try names.name(at: position) == document.path {
          known = known.dropFirst()
        } else {
          missing.append(document.path)
        }
      }
      if page == nil {
        for position in known { try add(names.name(at: position)) }
        rest = rest.dropFirst()
      } else if !rest.isEmpty {
        rest[rest.startIndex] = known
      }
    }
    for some in missing.chunks(of: 300) {
      let found = try await client.batchGet(Array(some), readTime: readTime)
      try await body(some.compactMap { found[$0] })
    }
  }

  /// The ranges whose count differs from the number of names; the whole range if the service cannot count, as for a
  /// pattern.
  private func rangesThatDiffer(
    _ names: NameSpool,
    from read: CollectionRead
  ) async throws -> [KnownRange] {
    let all = KnownRange(positions: 0..<names.count, names: NameRange())
    if !read.isCountable { return [all] }
    do {
      return try await client.rangesThatDiffer(in: read, from: names).ranges
    } catch let error as Failure {
      if error.kind == .interrupted { throw error }
      logger.notice("\(read.collection) could not be counted, so its names are read: \(error)")
      return [all]
    }
  }
}
