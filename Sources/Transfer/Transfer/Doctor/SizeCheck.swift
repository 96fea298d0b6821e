import Configuration
import FirestoreREST

/// Whether a whole database is better exported by Firestore's own export.
///
/// An export reads as of one read time, which stays readable for an hour unless point-in-time recovery is on. If there are
/// more documents than can be read in that time, this process cannot export them as of one moment.
struct SizeCheck: Sendable, Equatable {
  /// The documents per second that `export --parallel 16` reads if a request takes 80 ms (docs/managed.md).
  static let documentsPerSecond = 42_000
  /// How long a read time stays readable without point-in-time recovery, in seconds
  /// (https://firebase.google.com/docs/firestore/pitr).
  static let window = 3600
  /// The maximum number of documents that can be read in that time.
  static let maximum = documentsPerSecond * window

  /// The number of documents in the collections that were counted.
  var documents: Int
  /// The collections that were not counted in time.
  var uncounted: [String]
  var prices: PriceList
  /// Whether point-in-time recovery is on.
  var hasRecovery: Bool
  /// Whether nothing was counted because the number of reads is bounded.
  var isBounded = false
}

extension SizeCheck {
  /// Counts the documents of root collections, except gymmigrate's own, for up to 5 seconds; nil without any collections.
  init?(_ roots: [String], in client: FirestoreClient, at prices: PriceList, hasRecovery: Bool) async {
    let collections = roots.filter { !$0.hasPrefix(CollectionSelection.ownPrefix) }.compactMap {
      CollectionPath($0)
    }
    if collections.isEmpty { return nil }
    let counts = await client.quickCounts(of: collections.map { CollectionRead($0) })
    self.init(
      documents: counts.reduce(0) { $0.addingClamped($1?.count ?? 0) },
      uncounted: zip(collections, counts).filter { $1 == nil }.map { $0.0.string },
      prices: prices,
      hasRecovery: hasRecovery,
      isBounded: client.caller.traffic.account.bindsReads
    )
  }

  /// Adds the result to a diagnosis.
  func report(to diagnosis: inout Diagnosis) {
    let cost = CostEstimate(Cost(reads: documents), at: prices, isMinimum: true)
    let limit = NumberText.grouped(Self.maximum)
    let rate = "\(NumberText.grouped(Self.documentsPerSecond)) documents/s"
    let known = "\(NumberText.counted(documents, "document")) in the root collections"
    if documents > Self.maximum {
      let past =
        hasRecovery ? ", or export with --read-time at a whole minute, which stays readable for 7 days" : ""
      diagnosis.warn(
        "size",
        "there are at least \(known); at \(rate) an export reads \(limit) in the hour of its read time. To copy all: \(cost.text)",
        remedy: "Leave a copy of the whole database to the service: 'gymmigrate managed export --all'\(past)."
      )
    } else if uncounted.isEmpty {
      diagnosis.ok(
        "size",
        "there are \(known), which an export reads in the hour of its read time. To copy all: \(cost.text)"
      )
    } else if isBounded {
      diagnosis.ok(
        "size",
        "not counted, as reads are bounded (--max-reads, --max-cost, or 'limits' of the environment): 'gymmigrate count --all' counts"
      )
    } else {
      let names = uncounted.prefix(3).joined(separator: ", ") + (uncounted.count > 3 ? ", …" : "")
      diagnosis.ok(
        "size",
        "the service did not count \(names) within 5 s, and \(known) beside. A copy of more than \(limit) is better left to 'gymmigrate managed export --all'"
      )
    }
  }
}
