package import FirestoreREST
import Runs

/// The age of a mirror, and what the next pull would read.
///
/// Determining it requires only count queries.
package struct MirrorStatus: Sendable {
  /// A collection of a mirror compared with the service.
  package struct Collection: Sendable, Equatable {
    package var path: CollectionPath
    package var table: String
    /// The number of documents in the mirror.
    package var documents: Int
    /// The number of documents on the service; nil if they were not counted, as for collection patterns.
    package var counted: Int?
    /// The time from which the next pull reads; nil if it reads the entire collection.
    package var mark: Timestamp?
    /// The minimum number of documents that the next pull reads; nil if not known.
    package var toRead: Int?
    /// The maximum number of documents whose names the next pull reads, because the counts differ.
    package var names = 0
  }

  package var info: MirrorInfo
  package var collections: [Collection]
  /// The number of documents that were edited and not pushed.
  package var edits: Int
  /// What is wrong with tables in which edits are not recorded.
  package var damages: [String]
  /// The columns that somebody added to tables, which no push writes.
  package var addedColumns: [String]

  /// The minimum number of reads billed for the next pull: documents and names, and one read per 1,000 counted documents.
  package var reads: Int {
    collections.reduce(0) { sum, collection in
      let counted = collection.mark == nil ? 0 : ((collection.counted ?? 0) + 999) / 1000
      return sum + (collection.toRead ?? collection.documents) + collection.names + counted
    }
  }

  /// Examines a mirror, and also the service if there is a client.
  ///
  /// - Throws: ``Failure``.
  package static func find(
    _ path: String,
    _ schema: DatabaseSchema,
    client: FirestoreClient?
  ) async throws -> MirrorStatus {
    let file = try MirrorFile(path, for: .reading)
    let info = try MirrorInfo(file)
    let edits = try file.editCount()
    var setBack = SetBackCollections()
    if let client {
      setBack = try await SetBackCollections(since: info.readTime.map { [$0] } ?? [], in: client)
    }
    let layout = try info.layout()
    let added = try file.use { db in try layout.addedColumns(db) }
    var collections: [Collection] = []
    let former = try info.schema()
    for collection in info.collections {
      let field = schema.changeTime(of: collection.path)
      let mode = PullMode(
        field,
        former: former.changeTime(of: collection.path),
        mark: collection.mark,
        hasTimes: try file.hasTimes(in: collection.path, of: layout, schema),
        isFull: info.mask != nil
          || info.readTime.flatMap { setBack.run(in: collection.path, since: $0, by: field) } != nil
      )
      var found = Collection(
        path: collection.path,
        table: collection.table,
        documents: collection.documents
      )
      if case .since(_, let mark) = mode { found.mark = mark }
      if let client, collection.path.parent == nil {
        let counted = try await client.count(CollectionRead(collection.path)).count
        (found.counted, found.toRead) = (counted, counted)
        if case .since(let field, let mark) = mode {
          var read = CollectionRead(collection.path)
          read.filter = .field(field, .greaterThanOrEqual, .timestamp(mark))
          found.toRead = try await client.count(read).count
          let difference = abs(counted - collection.documents)
          found.names = min(counted, difference * CountSearch.readsPerDifference)
        }
      }
      collections.append(found)
    }
    return MirrorStatus(
      info: info,
      collections: collections,
      edits: edits,
      damages: try file.damages(),
      addedColumns: added
    )
  }
}
