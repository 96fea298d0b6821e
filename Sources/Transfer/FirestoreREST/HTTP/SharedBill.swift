package import Configuration

/// A bound on the bill that several processes have in common.
///
/// A process takes an allowance before it sends requests, and gives back at its end what it did not need. One that is killed
/// keeps its allowance, so that all together are never billed more than the bound.
package protocol SharedBill: Sendable {
  /// Takes an allowance.
  ///
  /// - Parameters:
  ///   - cost: What is needed.
  ///   - leastReads: The number of reads that suffice if fewer than those of `cost` are left.
  ///   - ahead: What is taken in addition if so much is left, for the next requests.
  /// - Returns: What was taken; nil if too little is left.
  func take(
    _ cost: Cost,
    leastReads: Int,
    ahead: Cost,
    at prices: PriceList
  ) throws(Failure) -> Cost?

  /// Gives back a part of an allowance.
  func give(_ unused: Cost) throws(Failure)

  /// Returns the failure to do what costs more than is left; nil if enough is left.
  func exhausted(before cost: Cost, at prices: PriceList) throws(Failure) -> Failure?
}
