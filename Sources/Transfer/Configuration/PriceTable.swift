/// Google's list prices, in US dollars for 100,000 documents: the only place that has them.
///
/// They include neither discounts nor the free quota. The Enterprise edition bills units of bytes instead (4 KiB read, 1 KiB
/// written with its index entries), whose number only the service knows: an operation has the price of one unit, or more.
extension PriceList {
  /// As of August 2026 (https://firebase.google.com/docs/firestore/billing-example).
  package static let nam5 = PriceList(
    reads: 0.06,
    writes: 0.18,
    deletes: 0.02,
    name: "list prices of nam5, August 2026"
  )

  /// Of the Standard edition by locations.
  ///
  /// Those beside nam5 are from pages of an unknown date (https://cloud.google.com/firestore
  /// and its editions, "starting at"; for us-west2 an older price page), and their names say so.
  private static let standard = [
    "nam5": nam5,
    "us-central1": unverified("us-central1", 0.03, 0.09, 0.01),
    "us-west1": unverified("us-west1", 0.03, 0.09, 0.01),
    "us-west2": unverified("us-west2", 0.036, 0.108, 0.012),
  ]

  /// Of one unit each, from Google's product page ("from", its date unknown; that of a delete not verified).
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

  /// The prices for a database of an edition in a location, as the service names them; nil for what it does not say.
  ///
  /// What a configuration says holds for any.
  package func of(edition: String?, location: String? = nil) -> PriceList {
    guard self == .nam5 else { return self }
    if edition?.uppercased() == "ENTERPRISE" { return .enterprise }
    // 'local' is where an embedded store is, which bills nothing.
    guard let location, location != "local" else { return self }
    if let known = Self.standard[location] { return known }
    var other = self
    other.name += "; those of \(location) are not known"
    return other
  }
}
