import Configuration
import FirestoreREST

extension ServiceChecks {
  /// The documents per second that `export --parallel 16` reads if a request takes 80 ms (docs/managed.md).
  private static let documentsPerSecond = 42_000
  /// How long a read time stays readable without point-in-time recovery, in seconds
  /// (https://firebase.google.com/docs/firestore/pitr).
  private static let window = 3600
  /// The maximum number of documents that can be read in that time.
  private static let maximum = documentsPerSecond * window

  /// Counts the documents of root collections for up to 5 seconds, to see whether a whole database is better exported by
  /// Firestore's own export.
  ///
  /// An export reads as of one read time, which stays readable for an hour unless point-in-time recovery is on. If there are
  /// more documents than can be read in that time, this process cannot export them as of one moment.
  ///
  /// - Parameter database: The service's description of it; nil if it gave none.
  func size(
    of roots: [String],
    in database: DatabaseDescription?,
    into diagnosis: inout Diagnosis
  ) async {
    let collections = roots.compactMap { CollectionPath($0) }
    if collections.isEmpty { return }
    let counts = await client.quickCounts(of: collections.map { CollectionRead($0) })
    let documents = counts.reduce(0) { $0.addingClamped($1?.count ?? 0) }
    let uncounted = zip(collections, counts).filter { $1 == nil }.map { $0.0.string }
    let prices = prices.of(edition: database?.edition, location: database?.location)
    let cost = CostEstimate(Cost(reads: documents), at: prices, isMinimum: true)
    let limit = NumberText.grouped(Self.maximum)
    let rate = "\(NumberText.grouped(Self.documentsPerSecond)) documents/s"
    let known = "\(NumberText.counted(documents, "document")) in the root collections"
    if documents > Self.maximum {
      let past =
        database?.hasRecovery ?? false
        ? ", or export with --read-time at a whole minute, which stays readable for 7 days" : ""
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
    } else if client.caller.traffic.account.bindsReads {
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
