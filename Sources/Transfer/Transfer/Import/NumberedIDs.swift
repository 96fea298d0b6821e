import FirestoreREST
import Logging

/// The ids of an import that are numbers, which a spreadsheet spells in another way: `0001` becomes `1`, another document.
struct NumberedIDs: Sendable {
  private struct Found {
    var collection: CollectionPath
    var digits = 0
    var others = 0
    /// Whether some of the digits begin with a zero.
    var isPadded = false
    var shortest = Int.max
    var longest = 0
  }

  /// The most collections that are looked at, for each is a read.
  private static let maximum = 10

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
    if Self.isPadded(id) { collections[index].isPadded = true }
    collections[index].shortest = min(collections[index].shortest, id.count)
    collections[index].longest = max(collections[index].longest, id.count)
  }

  /// Warns where the ids of a collection have zeros before them in the file alone, or in the database alone.
  ///
  /// It reads one name for each collection, and says nothing if the service does not respond soon.
  func warn(in context: RunContext) async {
    // One that is no number, as that of a row of totals, does not make them names.
    for found in collections where found.digits > 0 && found.others * 10 <= found.digits {
      guard let stored = await Self.first(in: found.collection, context.client),
        stored.utf8.allSatisfy(\.isASCIIDigit)
      else { continue }
      let (lack, have): (String, String)
      if found.isPadded, !Self.isPadded(stored.utf8), stored.utf8.count < found.longest {
        (lack, have) = ("the database", "the input")
      } else if !found.isPadded, Self.isPadded(stored.utf8), found.shortest < stored.utf8.count {
        (lack, have) = ("the input", "the database")
      } else {
        continue
      }
      context.logger.warning(
        "\(found.collection): the ids of \(lack) have no zeros before them, those of \(have) do (\(stored) in the database): they may be another spelling of the same documents. A spreadsheet drops such zeros; write the ids as the database has them."
      )
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
