import Configuration
import FirestoreREST
import Logging
import Platform

/// The report on a subset of a database, in the summary and on a terminal.
package struct SubsetReport: SummarySection, Codable, Equatable {
  /// A reference that was followed.
  struct Reference: Codable, Sendable, Equatable {
    let way: SubsetSearch.Way
    let reference: String
    /// The number of documents that it added.
    let documents: Int
  }

  /// A root whose references by a field are not followed inwards, because there are too many.
  struct Hub: Codable, Sendable, Equatable {
    let document: String
    let reference: String
    /// The number of documents that refer to it.
    let documents: Int
  }

  let documents: Int
  /// The number of referenced documents that do not exist.
  let dangling: Int
  let references: [Reference]
  let hubs: [Hub]

  package var name: StaticString { "part" }
  package var line: String? {
    "Part: \(NumberText.counted(documents, "document")), dangling: \(NumberText.grouped(dangling))"
  }

  /// Logs what each reference added, and which documents are not followed.
  func say(to logger: Logger) {
    for edge in references {
      let name =
        edge.way == .root ? "'\(edge.reference)'" : "\(edge.way.rawValue) \(edge.reference)"
      logger.notice("  \(name): \(NumberText.counted(edge.documents, "document"))")
    }
    for hub in hubs {
      logger.warning(
        "\(hub.document) is not followed inwards: \(NumberText.grouped(hub.documents)) documents refer to it by \(hub.reference)."
      )
    }
  }
}

extension Copy {
  /// Plans the copy of a subset, all of whose documents are found first.
  ///
  /// - Throws: The errors of ``prepare()``; `.tryLater` for a subset that is too large.
  func plan(of subset: Subset, _ resumed: CopyPosition?) async throws -> Plan {
    let readTime = resumed.map(\.readTime) ?? options.readTime
    for root in subset.roots { try await assertMayLeave(reads(of: root, at: readTime).map(\.collection)) }
    let billed = source.client.caller.traffic.account.billed.known.reads
    let file = context.folder.file(SubsetNames.fileName)
    var plan = Plan(scopes: [], readTime: readTime)
    let names: SubsetNames
    if resumed != nil, options.mask == nil, SystemCall.status(file).status != nil {
      names = try SubsetNames(file: file)
    } else {
      let isKept = context.checkpoints != nil && options.mask == nil
      var run = try SubsetRun(self, subset, at: readTime)
      plan.part = try await run.find()
      names = try run.names(file: isKept ? file : nil)
    }
    try assertMayLeave(names.collections.map(\.pattern))
    plan.names = names
    plan.scopes = names.collections.map { CollectionScope(pathOrPattern: $0.pattern) }
    for scope in plan.scopes { context.counts.open(scope.name) }
    if let resumed {
      plan.resume(at: resumed)
      return plan
    }
    plan.counts = names.collections.map(\.count)
    plan.overhead = source.client.caller.traffic.account.billed.known.reads - billed
    addDocuments(to: &plan)
    return plan
  }

  /// Returns the reads of a subset's root.
  func reads(of root: Subset.Root, at readTime: Timestamp?) async throws -> [CollectionRead] {
    let selection = CollectionSelection([root.collection], isDeep: false)
    let roots = selection.wantsRoots ? try await source.client.collectionIDs(readTime: readTime) : []
    return try selection.scopes(roots: roots.compactMap { CollectionPath($0) }).map { scope in
      var read = scope.read(at: readTime)
      (read.filter, read.pageSize) = (root.filter, options.job.reading.pageSize)
      return read
    }
  }

  func assertMayLeave(_ collections: [CollectionPath]) throws(Failure) {
    try options.mask?.assertCovers(collections)
    for collection in collections { try assertFree(collection) }
  }

  /// Removes the names of a subset, after it was copied.
  func forgetNames() throws(Failure) {
    let path = context.folder.file(SubsetNames.fileName)
    if unlink(path) != 0, errno != ENOENT { throw Failure.cannotWrite(path, errno: errno) }
  }
}
