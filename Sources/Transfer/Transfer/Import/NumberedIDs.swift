import FirestoreREST
import Logging

/// The ids of an import that are numbers, which a spreadsheet spells in another way: `0001` becomes `1`, another document.
struct NumberedIDs: Sendable {
  private struct Found {
    var collection: CollectionPath
    var digits = 0
    var others = 0
    /// The shortest that begins with a zero has so many digits; nil where none does.
    var padded: Int?
    /// Some that begin with none.
    var plain: [String] = []
    var shortest = Int.max
    var longest = 0
  }

  /// The most collections that are looked at, for each is a read.
  private static let maximum = 10

  /// The most ids of a collection that are looked up.
  private static let lookedUp = 20

  private var collections: [Found] = []

  /// Takes the id of a document that is imported.
  mutating func add(_ path: DocumentPath) {
    let known = collections.lastIndex { path.isIn($0.collection) }
    if known == nil, collections.count == Self.maximum { return }
    let index = known ?? collections.count
    if known == nil { collections.append(Found(collection: path.collection)) }
    let id = path.id.utf8
    guard id.allSatisfy(\.isASCIIDigit) else {
      collections[index].others += 1
      return
    }
    collections[index].digits += 1
    if Self.isPadded(id) {
      collections[index].padded = min(collections[index].padded ?? .max, id.count)
    } else if collections[index].plain.count < Self.lookedUp {
      collections[index].plain.append(path.id)
    }
    collections[index].shortest = min(collections[index].shortest, id.count)
    collections[index].longest = max(collections[index].longest, id.count)
  }

  /// Warns where the ids of a collection have zeros before them in the file alone, or in the database alone, and where one that has
  /// none would be another document than that of the same number.
  ///
  /// It reads one name for each collection, and a few more where some ids of the file have zeros before them; it says nothing if
  /// the service does not respond soon.
  func warn(in context: RunContext) async {
    // One that is no number, as that of a row of totals, does not make them names.
    for found in collections where found.digits > 0 && found.others * 10 <= found.digits {
      guard let stored = await Self.first(in: found.collection, context.client),
        stored.utf8.allSatisfy(\.isASCIIDigit)
      else { continue }
      if let said = Self.difference(found, stored) {
        context.logger.warning(
          "\(found.collection): \(said) (\(stored) in the database): they may be another spelling of the same documents. \(Self.advice)"
        )
      } else if let (id, twin) = await Self.twin(found, context.client) {
        context.logger.warning(
          "\(found.collection): the id \(id) has no zeros before it, and is new; the database has \(twin), as which it may be meant. \(Self.advice)"
        )
      }
    }
  }

  private static let advice =
    "A spreadsheet drops such zeros; write the ids as the database has them."

  /// What the ids of one side lack that those of the other have.
  private static func difference(_ found: Found, _ stored: String) -> String? {
    let isStoredPadded = isPadded(stored.utf8)
    if found.padded != nil, !isStoredPadded, stored.utf8.count < found.longest {
      return "the ids of the database have no zeros before them, those of the input do"
    }
    if found.padded == nil, isStoredPadded, found.shortest < stored.utf8.count {
      return "the ids of the input have no zeros before them, those of the database do"
    }
    return nil
  }

  /// An id without zeros among others that have them, which is new, beside the id with zeros that is not.
  private static func twin(_ found: Found, _ client: FirestoreClient) async -> (id: String, twin: String)? {
    guard let width = found.padded else { return nil }
    let twins = found.plain.filter { $0.utf8.count < width }.map { id in
      (id: id, twin: String(repeating: "0", count: width - id.utf8.count) + id)
    }
    if twins.isEmpty { return nil }
    let paths = twins.flatMap { [$0.id, $0.twin] }.map { DocumentPath(found.collection, $0) }
    guard let known = try? await client.quickly.batchGet(paths, mask: [.documentName]) else { return nil }
    return twins.first { pair in
      known[DocumentPath(found.collection, pair.id)] == nil
        && known[DocumentPath(found.collection, pair.twin)] != nil
    }
  }

  private static func isPadded(_ id: String.UTF8View) -> Bool {
    id.count > 1 && id.first == UInt8(ascii: "0")
  }

  /// The first id of a collection that begins with a digit; before all others are those that begin with a zero.
  private static func first(in collection: CollectionPath, _ client: FirestoreClient) async -> String? {
    var look = CollectionRead(collection, pageSize: 1, mask: [.documentName])
    (look.limit, look.readsAhead) = (1, false)
    // `0` itself says nothing, and a colon follows the digits.
    look.range = NameRange(start: DocumentPath(collection, "00"), end: DocumentPath(collection, ":"))
    var pages = client.quickly.pages(of: look).makeAsyncIterator()
    return (try? await pages.next()?.first)?.path.id
  }
}
