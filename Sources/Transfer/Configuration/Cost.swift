/// The prices of operations, in US dollars per 100,000 documents.
package struct PriceList: Sendable, Equatable {
  package var reads: Double
  package var writes: Double
  package var deletes: Double
  /// The source and date of the prices, for display.
  package var name: String
  /// Whether the prices are exact; otherwise they are lower bounds.
  package var isExact = true

  /// Returns the price of operations, in units of 10^-11 dollars; an integer, so that a bound is exact.
  package func amount(of cost: Cost) -> Int {
    [(cost.reads, reads), (cost.writes, writes), (cost.deletes, deletes)].reduce(0) { sum, item in
      sum.addingClamped(item.0.multipliedClamped(by: Self.each(item.1)))
    }
  }

  /// Returns how many reads an amount pays for.
  package func reads(for amount: Int) -> Int {
    let each = Self.each(reads)
    return each == 0 ? .max : max(0, amount) / each
  }

  /// One dollar per 100,000 operations is a million units per operation.
  private static func each(_ price: Double) -> Int {
    Int(clamping: ((price * 1e9).rounded() / 1000).rounded(.up))
  }

  /// Returns the amount of a number of dollars, rounded down.
  package static func amount(ofDollars dollars: Double) -> Int {
    Int(clamping: ((dollars * 1e14).rounded() / 1000).rounded(.down))
  }

  package func dollars(of cost: Cost) -> Double { Double(amount(of: cost)) / 1e11 }

  /// Returns the higher of two prices for each operation, for a bound that has to hold with either list.
  package func dearer(_ other: PriceList) -> PriceList {
    var prices = self
    prices.reads = max(reads, other.reads)
    (prices.writes, prices.deletes) = (max(writes, other.writes), max(deletes, other.deletes))
    return prices
  }

  /// Formats an amount for display: `12.05 USD`.
  package static func text(ofCents cents: Int) -> String {
    "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100) USD"
  }

  /// Parses a number of dollars such as `2.50`; returns nil for any other text.
  package static func dollars(_ text: String) -> Double? {
    guard text.utf8.allSatisfy({ $0.isASCIIDigit || $0 == 0x2E }) else { return nil }
    return Double(text).flatMap { $0 <= 1_000_000 ? $0 : nil }
  }
}

/// The operations that the service bills.
package struct Cost: Codable, Sendable, Equatable {
  /// Documents read; looking up a missing document counts, too.
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

  /// Whether it does not exceed another cost in any operation.
  package func isWithin(_ other: Cost) -> Bool {
    reads <= other.reads && writes <= other.writes && deletes <= other.deletes
  }

  /// Text for display: `12,000 reads, 4,000 writes, 0 deletes`.
  package var text: String { Self.text(members) }

  /// Text for display, without operations that do not occur: `12,000 reads`.
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

  /// Returns the reads of a query with the given number of results; at least one.
  package static func reads(ofQueryGiving documents: Int) -> Int { max(1, documents) }

  /// Returns the reads of an aggregation: one per 1,000 documents counted, at least one.
  package static func reads(ofCounting documents: Int) -> Int { max(1, documents.addingClamped(999) / 1000) }
}
