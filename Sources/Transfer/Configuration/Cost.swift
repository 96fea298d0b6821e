/// What operations cost, in US dollars per 100,000 documents.
package struct PriceList: Sendable, Equatable {
  package var reads: Double
  package var writes: Double
  package var deletes: Double
  /// The source and date of the prices, for people.
  package var name: String
  /// Whether operations have these prices.
  package var isKnown = true

  package init(reads: Double, writes: Double, deletes: Double, name: String) {
    (self.reads, self.writes, self.deletes, self.name) = (reads, writes, deletes, name)
  }

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

  /// The prices for a database of an edition, as the service names it.
  ///
  /// Google's list prices are those of the Standard edition. The Enterprise edition bills units of bytes, whose number only the
  /// service knows (https://cloud.google.com/firestore/enterprise/pricing). What a configuration says holds for any.
  package func of(edition: String?) -> PriceList {
    guard self == .nam5, let edition, edition.isIdentical(to: "ENTERPRISE") else { return self }
    var unknown = self
    (unknown.isKnown, unknown.name) = (
      false, "not known for the Enterprise edition, which bills units of bytes"
    )
    return unknown
  }
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

  package static func - (a: Cost, b: Cost) -> Cost {
    Cost(reads: a.reads - b.reads, writes: a.writes - b.writes, deletes: a.deletes - b.deletes)
  }

  /// Whether it is no more than another, operation by operation.
  package func isWithin(_ other: Cost) -> Bool {
    reads <= other.reads && writes <= other.writes && deletes <= other.deletes
  }

  /// For people: `12,000 reads, 4,000 writes, 0 deletes`.
  package var text: String { Self.text(members) }

  /// For people, without those of which there is none: `12,000 reads`.
  package var textOfSome: String {
    let some = members.filter { $0.count > 0 }
    return Self.text(some.isEmpty ? Array(members.prefix(1)) : some)
  }

  private var members: [(count: Int, noun: String)] {
    [(reads, "read"), (writes, "write"), (deletes, "delete")]
  }

  private static func text(_ members: [(count: Int, noun: String)]) -> String {
    members.map { NumberText.counted($0.count, $0.noun) }.joined(separator: ", ")
  }

  /// Returns the reads of a query with so many results; at least one.
  package static func reads(ofQueryGiving documents: Int) -> Int { max(1, documents) }

  /// Returns the reads of an aggregation: one per 1,000 documents counted, at least one.
  package static func reads(ofCounting documents: Int) -> Int { max(1, documents.addingClamped(999) / 1000) }
}
