import Files

/// What a server's responses show about its lists, and about a suitable number of documents per response; shared by copies
/// of a client.
///
/// Google's emulator refuses a list with a read time, and scans the whole collection for each page of at most 150
/// documents. Its queries accept a read time and larger pages. The service's own lists are always used: they cost the same
/// and return missing documents.
package final class ListSupport: Sendable {
  /// The page size of the emulator's lists.
  static let emulatorPage = 150
  /// The maximum number of documents in a page of a query.
  private static let maximumDocuments = 5000
  private static let maximumBytes = ByteBudget.response
  /// The maximum number of documents in a lookup.
  private static let maximumNames = 300

  private let names = Locked(ListSupport.maximumNames)
  private let queryPage = Locked<Int?>(nil)

  package init() {}

  /// How many documents a query requests instead of a list; nil if lists are used.
  var queried: Int? { queryPage.withLock { $0 } }

  /// How many documents a lookup by name requests.
  var lookup: Int { names.withLock { $0 } }

  /// Adjusts lookups to the size of documents.
  func learnLookup(bytes: Int, documents: Int) {
    guard documents > 0 else { return }
    let fitting = max(1, documents.multipliedClamped(by: ByteBudget.response) / max(1, bytes))
    names.withLock { $0 = min(Self.maximumNames, 2 * $0, fitting) }
  }

  /// Records that queries replace lists.
  func giveUp() { queryPage.withLock { $0 = $0 ?? 300 } }

  /// Records that queries would not work either.
  func restore() { queryPage.withLock { $0 = nil } }

  /// Adjusts the page size to the size of documents, so that memory stays bounded.
  func learn(bytes: Int, documents: Int) {
    guard documents > 0 else { return }
    queryPage.withLock { page in
      guard page != nil else { return }
      page = min(Self.maximumDocuments, max(1, Self.maximumBytes / max(1, bytes / documents)))
    }
  }
}
