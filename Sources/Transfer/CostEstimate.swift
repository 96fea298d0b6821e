import Models

/// Operations that a command will need, and at whose prices.
public struct CostEstimate: Sendable, Equatable {
  /// The operations.
  public var cost: Cost
  /// What they cost.
  public var prices: PriceList

  /// Makes an estimate.
  public init(_ cost: Cost, at prices: PriceList = .nam5) {
    self.cost = cost
    self.prices = prices
  }

  /// The sum in US dollars.
  public var dollars: Double { cost.dollars(at: prices) }

  /// One line for people.
  public var text: String { cost.text(at: prices) }

  func writeMembers(to json: inout JSONWriter) { cost.writeMembers(to: &json, at: prices) }
}

extension Cost {
  /// The reads of a query that gives so many documents: one at least.
  package static func reads(ofQueryGiving documents: Int) -> Int { max(1, documents) }

  /// The reads of a count on the server.
  package static func reads(ofCounting documents: Int) -> Int { counting(documents) }

  /// The sum of two.
  public static func + (a: Cost, b: Cost) -> Cost {
    Cost(reads: a.reads + b.reads, writes: a.writes + b.writes, deletes: a.deletes + b.deletes)
  }
}
