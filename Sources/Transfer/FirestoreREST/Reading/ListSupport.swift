import Files

/// Whether a server's lists serve, and how many documents a response should have, as its answers show; copies of a client share it.
///
/// Google's emulator refuses a list at a moment, and looks through the whole collection for each page, of 150 documents at
/// most. Its queries take a moment and larger pages. The service's own lists are always used: they cost the same and name
/// missing documents.
package final class ListSupport: Sendable {
  /// The page size of the emulator's lists.
  static let emulatorPage = 150
  /// What a page of a query may have.
  private static let maximumDocuments = 5000
  private static let maximumBytes = ByteBudget.response
  /// What a lookup may ask for.
  private static let maximumNames = 300

  private let names = Locked(ListSupport.maximumNames)
  private let queryPage = Locked<Int?>(nil)

  package init() {}

  /// How many documents a query asks for in place of a list; nil where lists are used.
  var queried: Int? { queryPage.withLock { $0 } }

  /// How many documents a lookup by name asks for.
  var lookup: Int { names.withLock { $0 } }

  /// Adjusts lookups to the size of documents.
  func learnLookup(bytes: Int, documents: Int) {
    guard documents > 0 else { return }
    let fitting = max(1, documents.multipliedClamped(by: ByteBudget.response) / max(1, bytes))
    names.withLock { $0 = min(Self.maximumNames, 2 * $0, fitting) }
  }

  /// Notes that queries are to take the place of lists.
  func giveUp() { queryPage.withLock { $0 = $0 ?? 300 } }

  /// Notes that queries would not serve either.
  func restore() { queryPage.withLock { $0 = nil } }

  /// Adjusts the page to the size of documents, so that memory stays bounded.
  func learn(bytes: Int, documents: Int) {
    guard documents > 0 else { return }
    queryPage.withLock { page in
      guard page != nil else { return }
      page = min(Self.maximumDocuments, max(1, Self.maximumBytes / max(1, bytes / documents)))
    }
  }
}
