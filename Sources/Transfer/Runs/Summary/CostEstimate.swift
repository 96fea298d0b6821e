package import Configuration

/// The billed operations of a command and their price: a maximum, or a minimum if not everything could be counted.
package struct CostEstimate: Sendable, Equatable {
  /// The number of operations.
  package var cost: Cost
  /// Whether it is a minimum, because something could not be counted in advance.
  package var isMinimum: Bool
  /// The prices.
  package var prices: PriceList

  package init(_ cost: Cost, at prices: PriceList, isMinimum: Bool = false) {
    self.cost = cost
    self.prices = prices
    self.isMinimum = isMinimum
  }

  /// The price in US dollars.
  package var dollars: Double {
    let sum =
      Double(cost.reads) * prices.reads + Double(cost.writes) * prices.writes + Double(cost.deletes)
      * prices.deletes
    return sum / 100_000
  }

  /// The estimate as text: `12,000 reads, 4,000 writes, 0 deletes: at most 0.02 USD (list prices …)`,
  /// `at least 900,000 reads: at least 0.54 USD (…)`, or `12,000 reads: from 0.01 USD (…)` for prices that are not exact.
  package var text: String {
    let operations = isMinimum ? "at least \(cost.textOfSome)" : cost.text
    return "\(operations): \(sum(dollars)) (\(prices.name))"
  }

  /// The price, in cents, rounded so that it stays a bound.
  private func sum(_ dollars: Double) -> String {
    let cents = Int(clamping: bound(dollars * 100))
    if !prices.isExact { return "from \(PriceList.text(ofCents: max(1, cents)))" }
    if cents < 1 { return isMinimum ? "less than 0.01 USD for these" : "at most nothing" }
    return "\(isMinimum ? "at least" : "at most") \(PriceList.text(ofCents: cents))"
  }

  /// Rounds to an integer that stays a bound, ignoring inexact last digits of a product of prices.
  private func bound(_ number: Double) -> Double {
    ((number * 1_000_000).rounded() / 1_000_000).rounded(isMinimum ? .down : .up)
  }
}

extension CostEstimate: Encodable {
  private enum CodingKeys: String, CodingKey { case usd, prices, atLeast }

  package func encode(to encoder: any Encoder) throws {
    try cost.encode(to: encoder)
    var json = encoder.container(keyedBy: CodingKeys.self)
    try json.encode(bound(dollars * 10_000) / 10_000, forKey: .usd)
    try json.encode(prices.name, forKey: .prices)
    if isMinimum || !prices.isExact { try json.encode(true, forKey: .atLeast) }
  }
}
