/// Checks that the documents of a read arrive in its order.
///
/// A server, or a cache in front of it, that repeats a page or goes backwards would cause documents to be read twice, or
/// forever. In name order, every document comes after the one before, within and across pages. In any other order,
/// documents that others change in the meantime may come again, but not twice in one page. Pages without documents are
/// normal, but not forever. The type is pure.
struct ReadOrder: Sendable {
  /// The maximum number of consecutive pages without documents, as for three million deleted documents.
  static let maximumEmptyPages = 10_000

  private let isByName: Bool
  private var last: DocumentPath?
  private var page: Set<DocumentPath> = []
  private var isFirstOfPage = true
  private var emptyPages = 0

  init(of read: CollectionRead) {
    isByName = read.isOrderedByName
    last = isByName ? read.startAfter : nil
  }

  /// Begins a page.
  mutating func beginPage() {
    page = []
    isFirstOfPage = true
  }

  /// Takes the next document of a page.
  ///
  /// - Throws: `.foreign` if it must not come here.
  mutating func take(_ path: DocumentPath) throws(CallFailure) {
    if isByName {
      if let last, path <= last { throw isFirstOfPage ? .leadsBack : Self.disorder(path) }
      last = path
    } else if !page.insert(path).inserted {
      throw Self.disorder(path)
    }
    isFirstOfPage = false
  }

  /// Ends a page.
  ///
  /// - Throws: `.foreign` after too many pages without documents.
  mutating func endPage() throws(CallFailure) {
    emptyPages = isFirstOfPage ? emptyPages + 1 : 0
    if emptyPages > Self.maximumEmptyPages {
      throw .foreign("there were \(emptyPages) pages without documents in a row")
    }
  }

  private static func disorder(_ path: DocumentPath) -> CallFailure {
    .foreign("the response has '\(PathLimits.shortened(path.string))' twice, or out of order")
  }
}

extension CallFailure {
  /// The failure of a page before those that were already read.
  static let leadsBack = CallFailure.foreign(
    "the response leads back to an earlier page, so the read would never end"
  )
}

extension StructuredQuery.Cursor {
  /// Whether the position comes after another one.
  func isAfter(_ other: StructuredQuery.Cursor, _ order: [StructuredQuery.Order]) -> Bool {
    for (index, order) in order.enumerated() where index < values.count && index < other.values.count {
      let result = ValueOrder.compare(values[index], other.values[index])
      if result != 0 { return (result > 0) == (order.direction == .ascending) }
    }
    return false
  }
}
