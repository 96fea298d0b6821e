import FirestoreREST
import GRDB

/// The names of a collection in a mirror and of its new staged documents, by their positions.
///
/// Every ten-thousandth key is in memory; names in between are looked up from there.
struct PullNames: KnownNames {
  private static let interval = 10_000

  let count: Int
  private let collection: CollectionPath
  private let file: MirrorFile
  private let database: DatabaseName
  private let keys: [[UInt8]]

  /// Iterates over all keys once.
  init(
    of collection: CollectionPath,
    in file: MirrorFile,
    _ database: DatabaseName,
    _ documents: DocumentTable
  ) throws {
    (self.collection, self.file, self.database) = (collection, file, database)
    var (count, keys) = (0, [[UInt8]]())
    try documents.keys(of: collection, and: "added").forEach { row in
      if count.isMultiple(of: Self.interval) { keys.append(row.array(0)) }
      count += 1
      return true
    }
    (self.count, self.keys) = (count, keys)
  }

  func name(at position: Int) throws(Failure) -> DocumentPath {
    let (begin, offset) = position.quotientAndRemainder(dividingBy: Self.interval)
    let found = try file.use { db in
      let documents = try DocumentTable(db, database)
      let rest = try documents.keys(of: collection, and: "added", from: keys[begin], offset: offset)
      return try rest.first { $0.array(0) }.flatMap { DocumentTable.path($0, in: collection) }
    }
    guard let found else {
      throw Failure(.internal, "compare the names of", path: collection.string, cause: "one cannot be found")
    }
    return found
  }
}
