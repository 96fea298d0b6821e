package import FirestoreREST
import Runs

/// How old a mirror is, and what the next pull would read.
///
/// Nothing is read for it but counts.
package struct MirrorStatus: Sendable {
  /// A collection of a mirror, beside the service.
  package struct Collection: Sendable, Equatable {
    package var path: CollectionPath
    package var table: String
    /// Documents in the mirror.
    package var documents: Int
    /// Documents of the service; nil where they were not counted, as those of a pattern are not.
    package var counted: Int?
    /// From when on the next pull reads; nil where it reads the collection whole.
    package var mark: Timestamp?
    /// Documents that the next pull reads, at the least; nil where that is not known.
    package var toRead: Int?
    /// Documents of which the next pull reads the names, at the most, because their number differs.
    package var names = 0
  }

  package var info: MirrorInfo
  package var collections: [Collection]
  /// Documents that were edited and not pushed.
  package var edits: Int

  /// What the next pull is billed at the least: documents and names, and a read for every 1,000 that are counted.
  package var reads: Int {
    collections.reduce(0) { sum, collection in
      let counted = collection.mark == nil ? 0 : ((collection.counted ?? 0) + 999) / 1000
      return sum + (collection.toRead ?? collection.documents) + collection.names + counted
    }
  }

  /// Looks at a mirror, and at the service with a client; at the mirror alone where that is nil.
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
    var collections: [Collection] = []
    for collection in info.collections {
      let mode = PullMode(
        schema.changeTime(of: collection.path),
        mark: collection.mark,
        hasTimes: try file.hasTimes(in: collection.path, of: layout, schema),
        isFull: info.mask != nil
          || info.readTime.flatMap { setBack.run(in: collection.path, since: $0) } != nil
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
    return MirrorStatus(info: info, collections: collections, edits: edits)
  }
}
