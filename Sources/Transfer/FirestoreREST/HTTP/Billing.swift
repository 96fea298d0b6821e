import Configuration

/// What a request may be billed, and what it was billed according to its response.
///
/// The service bills a read for each document, for each name that is looked up, for a query without results, for each 1,000
/// index entries counted, and for a page of collection IDs; and a write or a delete for each one that is committed, whether
/// it changes anything or not (https://firebase.google.com/docs/firestore/pricing).
enum Billing: Sendable, Equatable {
  case nothing
  /// A list or a query with the given maximum number of documents.
  case documents(Int)
  /// The given number of names.
  case names(Int)
  /// A count that takes at most the given number of reads; nil if it is not bounded.
  case count(reads: Int?)
  /// One page, regardless of its contents.
  case page
  case writes(Cost)

  /// The maximum that it may be billed, as far as known.
  var most: Cost {
    switch self {
    case .nothing: Cost()
    case .documents(let count), .names(let count): Cost(reads: max(1, count))
    case .count(let reads): Cost(reads: reads ?? 1)
    case .page: Cost(reads: 1)
    case .writes(let cost): cost
    }
  }

  /// Returns what the request was billed; nil if the response does not say.
  func cost(of root: JSONCursor) -> Cost? {
    switch self {
    case .nothing, .names, .page, .writes: most
    case .documents: Self.documents(root).map { Cost(reads: Cost.reads(ofQueryGiving: $0)) }
    case .count:
      (try? FirestoreClient.counted(root)).map { Cost(reads: Cost.reads(ofCounting: $0.count)) }
    }
  }

  /// The number of documents in a list or in a query's stream; nil for a stream that ends in an error.
  private static func documents(_ root: JSONCursor) -> Int? {
    if root.kind == .object { return root["documents"]?.elements.count { _ in true } ?? 0 }
    guard let elements = try? FirestoreClient.streamElements(root) else { return nil }
    return elements.count { $0["document"] != nil }
  }
}
