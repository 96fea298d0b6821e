import Configuration

/// What a request may be billed, and what its response says that it was.
///
/// The service bills a read for each document, for each name that is looked up, for a query without results, for each 1,000
/// index entries counted, and for a page of IDs of collections; a write or a delete for each that is committed, whether it changes
/// anything or not (https://firebase.google.com/docs/firestore/pricing).
enum Billing: Sendable, Equatable {
  case nothing
  /// A list or a query of at most so many documents.
  case documents(Int)
  /// So many names.
  case names(Int)
  /// A count that takes at most so many reads; nil where nothing bounds it.
  case count(reads: Int?)
  /// One page, whatever is on it.
  case page
  case writes(Cost)

  /// The most that it may be billed, as far as that is known.
  var most: Cost {
    switch self {
    case .nothing: Cost()
    case .documents(let count), .names(let count): Cost(reads: max(1, count))
    case .count(let reads): Cost(reads: reads ?? 1)
    case .page: Cost(reads: 1)
    case .writes(let cost): cost
    }
  }

  /// What the request was billed; nil where the response does not tell.
  func cost(of root: JSONCursor) -> Cost? {
    switch self {
    case .nothing, .names, .page, .writes: most
    case .documents: Self.documents(root).map { Cost(reads: Cost.reads(ofQueryGiving: $0)) }
    case .count:
      (try? FirestoreClient.counted(root)).map { Cost(reads: Cost.reads(ofCounting: $0.count)) }
    }
  }

  /// The number of documents of a list or of a query's stream; nil for a stream that ends in an error.
  private static func documents(_ root: JSONCursor) -> Int? {
    if root.kind == .object { return root["documents"]?.elements.count { _ in true } ?? 0 }
    guard let elements = try? FirestoreClient.streamElements(root) else { return nil }
    return elements.count { $0["document"] != nil }
  }
}
