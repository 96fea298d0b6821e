package import Configuration

/// The billed operations of a command and their price: a maximum, or a minimum if not everything could be counted.
package struct CostEstimate: Sendable, Equatable {
  /// The number of operations.
  package var cost: Cost
  /// Whether it is a minimum, because something could not be counted beforehand.
  package var isMinimum: Bool
  /// The prices.
  package var prices: PriceList

  package init(_ cost: Cost, at prices: PriceList, isMinimum: Bool = false) {
    self.cost = cost
    self.prices = prices
    self.isMinimum = isMinimum
  }

  /// The price in US dollars; nil where it is not known.
  package var dollars: Double? {
    guard prices.isKnown else { return nil }
    let sum =
      Double(cost.reads) * prices.reads + Double(cost.writes) * prices.writes + Double(cost.deletes)
      * prices.deletes
    return sum / 100_000
  }

  /// The estimate as text: `12,000 reads, 4,000 writes, 0 deletes: at most 0.02 USD (list prices …)`, or
  /// `at least 900,000 reads: at least 0.54 USD (…)`.
  package var text: String {
    let operations = isMinimum ? "at least \(cost.textOfSome)" : cost.text
    guard let dollars else { return "\(operations): the price is \(prices.name)" }
    return "\(operations): \(sum(dollars)) (\(prices.name))"
  }

  /// In cents, rounded so that it stays a bound.
  private func sum(_ dollars: Double) -> String {
    let cents = Int(clamping: bound(dollars * 100))
    if cents < 1 { return isMinimum ? "less than 0.01 USD for these" : "at most nothing" }
    let sum = "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100) USD"
    return "\(isMinimum ? "at least" : "at most") \(sum)"
  }

  /// A whole number that stays a bound, whatever the last digits of a product of prices are.
  private func bound(_ number: Double) -> Double {
    ((number * 1_000_000).rounded() / 1_000_000).rounded(isMinimum ? .down : .up)
  }
}

extension CostEstimate: Encodable {
  private enum CodingKeys: String, CodingKey { case usd, prices, atLeast }

  package func encode(to encoder: any Encoder) throws {
    try cost.encode(to: encoder)
    var json = encoder.container(keyedBy: CodingKeys.self)
    try json.encode(dollars.map { bound($0 * 10_000) / 10_000 }, forKey: .usd)
    try json.encode(prices.name, forKey: .prices)
    if isMinimum { try json.encode(true, forKey: .atLeast) }
  }
}
