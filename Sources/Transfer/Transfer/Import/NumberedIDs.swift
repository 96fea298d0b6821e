import FirestoreREST
import Logging

/// The numeric ids of an import, which spreadsheets may respell: `0001` becomes `1`, which is another document.
struct NumberedIDs: Sendable {
  private struct Found {
    var collection: CollectionPath
    var digits = 0
    var others = 0
    /// The number of digits of the shortest id that begins with a zero; nil if none does.
    var padded: Int?
    /// Some ids that do not begin with a zero.
    var plain: [String] = []
    var shortest = Int.max
    var longest = 0
  }

  /// The maximum number of collections to examine, because each costs a read.
  private static let maximum = 10

  /// The maximum number of ids per collection to look up.
  private static let lookedUp = 20

  private var collections: [Found] = []

  /// Adds the id of an imported document.
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

  /// Warns if the ids of a collection have leading zeros only in the file or only in the database, and if an id without
  /// them would be another document than that with the same number.
  ///
  /// This reads one name for each collection, and a few more if some ids of the file have leading zeros; it warns of
  /// nothing if the service does not respond soon.
  func warn(in context: RunContext) async {
    // A single ID that is not a number, such as that of a row of totals, does not make all of them names.
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

  /// A phrase about the leading zeros that only one side has; nil if the sides agree.
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

  /// A new id without leading zeros, among others that have them, and the existing id with zeros.
  private static func twin(_ found: Found, _ client: FirestoreClient) async -> (id: String, twin: String)? {
    guard let width = found.padded else { return nil }
    let twins = found.plain.filter { $0.utf8.count < width }.map { (id: $0, twin: $0.padded(to: width)) }
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

  /// The first id of a collection that begins with a digit; ids with leading zeros come first.
  private static func first(in collection: CollectionPath, _ client: FirestoreClient) async -> String? {
    var look = CollectionRead(collection, pageSize: 1, mask: [.documentName])
    (look.limit, look.readsAhead) = (1, false)
    // `0` itself proves nothing, so the range starts after it; a colon follows the digits.
    look.range = NameRange(start: DocumentPath(collection, "00"), end: DocumentPath(collection, ":"))
    var pages = client.quickly.pages(of: look).makeAsyncIterator()
    return (try? await pages.next()?.first)?.path.id
  }
}
