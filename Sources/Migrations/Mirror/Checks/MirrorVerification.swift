import Files
import FirestoreREST
import Logging
package import Runs

/// Compares a mirror with the service document by document, with counts and checksums per collection.
package struct MirrorVerification: Sendable {
  /// The required share of equal documents in each collection (domain page: go or no-go of the move to SQL).
  package static let required = 0.999

  package struct Collection: Sendable, Equatable {
    package var path: CollectionPath
    /// The numbers of documents in the mirror and on the service.
    package var mirrored = 0
    package var served = 0
    /// The number of documents that are equal in both.
    package var same = 0
    /// The SHA-256 of all documents ordered by name, one line of path and fields each, in lower-case hexadecimal.
    package var mirroredSHA256 = ""
    package var servedSHA256 = ""

    /// The share of equal documents; 1 if there are none.
    package var share: Double {
      let total = max(mirrored, served)
      return total == 0 ? 1 : Double(same) / Double(total)
    }

    package var suffices: Bool { share >= MirrorVerification.required }
  }

  package let collections: [Collection]
  /// The service's read time that was compared; nil if each page was read at its present time.
  package let readTime: Timestamp?

  package var suffices: Bool { collections.allSatisfy(\.suffices) }

  /// Compares a mirror with the service.
  ///
  /// The service is read at the mirror's own read time if that is still possible. Otherwise, and after a push, whose documents
  /// are later than that time, it is read at the present.
  ///
  /// - Throws: ``Failure``.
  package static func run(
    _ path: String,
    in context: DatabaseContext
  ) async throws -> MirrorVerification {
    let client = context.client
    let file = try MirrorFile(path, for: .reading)
    let info = try MirrorInfo(file)
    let moment = try await moment(of: info, client, context.logger)
    let roots = try await client.collectionIDs(readTime: moment).compactMap { CollectionPath($0) }
      .filter { !$0.isReserved }
    let known = info.collections.map(\.path).filter { $0.parent == nil }
    var tallies: [CollectionPath: Tally] = [:]
    func tally(_ path: DocumentPath) throws(Failure) -> Tally {
      let pattern = path.collection.pattern
      if let found = tallies[pattern] { return found }
      let made = try Tally(pattern)
      tallies[pattern] = made
      return made
    }
    for collection in info.collections { tallies[collection.path] = try Tally(collection.path) }
    for root in Set(roots + known).sorted() {
      var stored = StoredDocuments(file, client.database, .subtree(root))
      var read = CollectionRead(root, readTime: moment)
      read.reach = .subcollections
      var json = JSONWriter()
      for try await page in client.pages(of: read) {
        try Task.checkCancellation()
        context.progress.advance(by: page.count)
        for document in page where !document.path.isReserved {
          let key = DocumentTable.key(document.path)
          while let row = try stored.next(before: key) {
            try tally(row.path).add(row.path, mirrored: row.fields)
          }
          json.removeAll()
          json.fields(document.fields)
          let row = try stored.next(at: key)
          try tally(document.path).add(document.path, mirrored: row?.fields, served: json.bytes)
          context.counts.update(document.path.collection) { $0.read += 1 }
        }
      }
      while let row = try stored.next() {
        try tally(row.path).add(row.path, mirrored: row.fields)
      }
    }
    return MirrorVerification(
      collections: tallies.values.map { $0.finish() }.sorted { $0.path < $1.path },
      readTime: moment
    )
  }

  /// Returns the mirror's read time if the service can still read at it; otherwise nil.
  private static func moment(
    of info: MirrorInfo,
    _ client: FirestoreClient,
    _ logger: Logger
  ) async throws -> Timestamp? {
    if info.isPushed {
      logger.notice("Edits were pushed since the last pull, so the present of the database is compared.")
      return nil
    }
    guard let moment = info.readTime,
      let collection = info.collections.first(where: { $0.path.parent == nil })
    else { return nil }
    do {
      _ = try await client.count(CollectionRead(collection.path, readTime: moment))
      return moment
    } catch let failure {
      guard failure.service?.refusesOldReadTime ?? false else { throw failure }
      logger.notice("The service no longer shows \(moment): what changed since then differs.")
      return nil
    }
  }
}

/// The counts and checksums of a collection.
private final class Tally {
  private var found: MirrorVerification.Collection
  private var mirrored: SHA256Digest?
  private var served: SHA256Digest?

  init(_ path: CollectionPath) throws(Failure) {
    mirrored = try SHA256Digest()
    served = try SHA256Digest()
    found = MirrorVerification.Collection(path: path)
  }

  func add(_ path: DocumentPath, mirrored ours: [UInt8]? = nil, served theirs: [UInt8]? = nil) {
    if let ours {
      found.mirrored += 1
      Self.add(path, ours, to: &mirrored)
    }
    if let theirs {
      found.served += 1
      Self.add(path, theirs, to: &served)
    }
    if let ours, let theirs, ours == theirs { found.same += 1 }
  }

  /// Adds a document to the checksum of documents ordered by name.
  private static func add(_ path: DocumentPath, _ fields: [UInt8], to digest: inout SHA256Digest?) {
    let line = Array(path.string.utf8) + [UInt8(ascii: "\t")] + fields + [UInt8(ascii: "\n")]
    line.withUnsafeBytes { digest?.update($0) }
  }

  func finish() -> MirrorVerification.Collection {
    found.mirroredSHA256 = mirrored.take()?.finish() ?? ""
    found.servedSHA256 = served.take()?.finish() ?? ""
    return found
  }
}

/// Iterates over the stored documents of a scope.
private struct StoredDocuments {
  private let file: MirrorFile
  private let database: DatabaseName
  private let scope: DocumentTable.Scope
  private var rows: ArraySlice<DocumentTable.Row> = []
  private var last: [UInt8]?
  private var isAtEnd = false

  init(_ file: MirrorFile, _ database: DatabaseName, _ scope: DocumentTable.Scope) {
    self.file = file
    self.database = database
    self.scope = scope
  }

  private mutating func peek() throws(Failure) -> DocumentTable.Row? {
    if rows.isEmpty, !isAtEnd {
      let (last, scope, database) = (last, scope, database)
      let found = try file.use { db in
        try DocumentTable(db, database).rows(scope, after: last, limit: 300)
      }
      rows = found[...]
      isAtEnd = found.isEmpty
      self.last = found.last?.key ?? last
    }
    return rows.first
  }

  mutating func next() throws(Failure) -> DocumentTable.Row? {
    guard let row = try peek() else { return nil }
    rows.removeFirst()
    return row
  }

  /// Returns the next document if its key is before another.
  mutating func next(before key: [UInt8]) throws(Failure) -> DocumentTable.Row? {
    guard let row = try peek(), row.key.lexicographicallyPrecedes(key) else { return nil }
    return try next()
  }

  /// Returns the next document if it has a certain key.
  mutating func next(at key: [UInt8]) throws(Failure) -> DocumentTable.Row? {
    guard let row = try peek(), row.key == key else { return nil }
    return try next()
  }
}
