import FirestoreModels

/// What operations cost, in US dollars per 100,000 documents.
package struct PriceList: Sendable, Equatable {
  package var reads: Double
  package var writes: Double
  package var deletes: Double
  /// The source and date of the prices, for people.
  package var name: String

  /// Google's list prices of the multi-region nam5, as of August 2026.
  ///
  /// They include neither discounts nor the free quota
  /// (https://firebase.google.com/docs/firestore/billing-example).
  package static let nam5 = PriceList(
    reads: 0.06,
    writes: 0.18,
    deletes: 0.02,
    name: "list prices of nam5, August 2026"
  )
}

/// The operations that the service bills.
package struct Cost: Codable, Sendable, Equatable {
  /// Documents read; looking up a missing document also counts.
  package var reads: Int
  package var writes: Int
  package var deletes: Int

  package init(reads: Int = 0, writes: Int = 0, deletes: Int = 0) {
    self.reads = reads
    self.writes = writes
    self.deletes = deletes
  }

  package static func + (a: Cost, b: Cost) -> Cost {
    Cost(
      reads: a.reads.addingClamped(b.reads),
      writes: a.writes.addingClamped(b.writes),
      deletes: a.deletes.addingClamped(b.deletes)
    )
  }

  /// Returns the reads of a query with so many results; at least one.
  package static func reads(ofQueryGiving documents: Int) -> Int { max(1, documents) }

  /// Returns the reads of an aggregation: one per 1,000 documents counted, at least one.
  package static func reads(ofCounting documents: Int) -> Int { max(1, documents.addingClamped(999) / 1000) }
}
