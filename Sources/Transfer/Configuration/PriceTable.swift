/// Google's list prices, in US dollars per 100,000 documents, which are defined only here.
///
/// They include neither discounts nor the free quota. The Enterprise edition bills units of bytes instead (4 KiB read, 1
/// KiB written with its index entries), whose number only the service knows: an operation costs at least one unit.
extension PriceList {
  /// As of August 2026 (https://firebase.google.com/docs/firestore/billing-example).
  package static let nam5 = PriceList(
    reads: 0.06,
    writes: 0.18,
    deletes: 0.02,
    name: "list prices of nam5, August 2026"
  )

  /// Prices of the Standard edition, by location.
  ///
  /// Those other than nam5 are from pages of unknown date (https://cloud.google.com/firestore and its editions, "starting
  /// at"; for us-west2 an older price page), and their names say so.
  private static let standard = [
    "nam5": nam5,
    "us-central1": unverified("us-central1", 0.03, 0.09, 0.01),
    "us-west1": unverified("us-west1", 0.03, 0.09, 0.01),
    "us-west2": unverified("us-west2", 0.036, 0.108, 0.012),
  ]

  /// Prices of one unit each, from Google's product page ("from", of unknown date; that of a delete is not verified).
  private static let enterprise: PriceList = {
    var prices = PriceList(
      reads: 0.005,
      writes: 0.026,
      deletes: 0.026,
      name: """
        list prices of the Enterprise edition for a unit each, not verified; documents over 4 KiB, index entries and \
        filters without an index cost more
        """
    )
    prices.isExact = false
    return prices
  }()

  private static func unverified(
    _ location: String,
    _ reads: Double,
    _ writes: Double,
    _ deletes: Double
  ) -> PriceList {
    PriceList(
      reads: reads,
      writes: writes,
      deletes: deletes,
      name: "list prices of \(location), not verified"
    )
  }

  /// Returns the prices for a database with an edition in a location, as named by the service; nil for what it does not
  /// report.
  ///
  /// Prices from a configuration apply to any database.
  package func of(edition: String?, location: String? = nil) -> PriceList {
    guard self == .nam5 else { return self }
    if edition?.uppercased() == "ENTERPRISE" { return .enterprise }
    // 'local' is the location of an embedded store, which bills nothing.
    guard let location, location != "local" else { return self }
    if let known = Self.standard[location] { return known }
    var other = self
    other.name += "; those of \(location) are not known"
    return other
  }
}
