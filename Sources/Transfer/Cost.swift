import Models

/// What operations cost, in US dollars for each 100,000 of them.
public struct PriceList: Sendable, Equatable {
  /// Documents read.
  public var reads: Double
  /// Documents written.
  public var writes: Double
  /// Documents deleted.
  public var deletes: Double
  /// Where and as of when, for people.
  public var name: String

  /// Google's list prices of the multi-region nam5, where the gym's databases are, as of August 2026
  /// (https://firebase.google.com/docs/firestore/billing-example); discounts and the free quota are not in them.
  public static let nam5 = PriceList(
    reads: 0.06,
    writes: 0.18,
    deletes: 0.02,
    name: "list prices of nam5, August 2026"
  )
}

/// Operations that the service bills.
public struct Cost: Sendable, Equatable {
  /// Documents read; a look-up of one that is missing is a read, too.
  public var reads: Int
  /// Documents written.
  public var writes: Int
  /// Documents deleted.
  public var deletes: Int

  /// So many operations.
  public init(reads: Int = 0, writes: Int = 0, deletes: Int = 0) {
    self.reads = reads
    self.writes = writes
    self.deletes = deletes
  }

  /// The reads of a count on the server: one for every 1,000 documents, and one at least.
  static func counting(_ documents: Int) -> Int { max(1, (documents + 999) / 1000) }

  /// The sum in US dollars.
  public func dollars(at prices: PriceList = .nam5) -> Double {
    let sum =
      Double(reads) * prices.reads + Double(writes) * prices.writes + Double(deletes) * prices.deletes
    return sum / 100_000
  }

  /// `12,000 reads, 4,000 writes, 0 deletes: about 0.01 USD (list prices …)`.
  public func text(at prices: PriceList = .nam5) -> String {
    let dollars = dollars(at: prices)
    let cents = Int((dollars * 100).rounded(.up))
    let sum = cents < 1 ? "nothing" : "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100) USD"
    let counts = [(reads, "reads"), (writes, "writes"), (deletes, "deletes")].map {
      "\(Progress.grouped($0.0)) \($0.1)"
    }
    return "\(counts.joined(separator: ", ")): at the most \(sum) (\(prices.name))"
  }

  func writeMembers(to json: inout JSONWriter, at prices: PriceList = .nam5) {
    json.key("reads")
    json.integer(reads)
    json.key("writes")
    json.integer(writes)
    json.key("deletes")
    json.integer(deletes)
    json.key("usd")
    json.double((dollars(at: prices) * 10_000).rounded() / 10_000)
    json.key("prices")
    json.string(prices.name)
  }
}
