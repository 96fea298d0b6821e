import FirestoreModels

/// What operations cost, in US dollars for each 100,000 of them.
package struct PriceList: Sendable, Equatable {
  /// Documents read.
  package var reads: Double
  /// Documents written.
  package var writes: Double
  /// Documents deleted.
  package var deletes: Double
  /// Where and as of when, for people.
  package var name: String

  /// Google's list prices of the multi-region nam5, where the gym's databases are, as of August 2026
  /// (https://firebase.google.com/docs/firestore/billing-example); discounts and the free quota are not in them.
  package static let nam5 = PriceList(
    reads: 0.06,
    writes: 0.18,
    deletes: 0.02,
    name: "list prices of nam5, August 2026"
  )
}

/// Operations that the service bills.
package struct Cost: Sendable, Equatable {
  /// Documents read; a look-up of one that is missing is a read, too.
  package var reads: Int
  /// Documents written.
  package var writes: Int
  /// Documents deleted.
  package var deletes: Int

  /// So many operations.
  package init(reads: Int = 0, writes: Int = 0, deletes: Int = 0) {
    self.reads = reads
    self.writes = writes
    self.deletes = deletes
  }

  /// The sum of two.
  package static func + (a: Cost, b: Cost) -> Cost {
    Cost(
      reads: a.reads.addingClamped(b.reads),
      writes: a.writes.addingClamped(b.writes),
      deletes: a.deletes.addingClamped(b.deletes)
    )
  }

  /// The reads of a query that gives so many documents: one at least.
  package static func reads(ofQueryGiving documents: Int) -> Int { max(1, documents) }

  /// The reads of a count on the server: one for every 1,000 documents, and one at least.
  package static func reads(ofCounting documents: Int) -> Int { max(1, documents.addingClamped(999) / 1000) }
}
