package import FirestoreModels

/// Which collections contain personal data that must not leave a protected environment by accident.
package enum PersonalData {
  /// Why a collection is withheld, as a clause after its name; nil if it contains no personal data.
  ///
  /// This is an allow list: unknown collections (`users_copy`) and all subcollections of collections with
  /// personal data are withheld by default.
  package static func reason(of collection: CollectionPath) -> String? {
    if free.contains(where: { $0.isIdentical(to: collection.string) }) { return nil }
    let root = collection.string.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1).first
    let name = root.map { String(Substring($0)) } ?? collection.string
    let entry = reasons.first { $0.collection.isIdentical(to: name) }
    return entry?.reason ?? "what it holds is not known"
  }

  /// Collections without personal data: plans, products, exercises and the timetable.
  static let free = ["membership_plans", "products", "exercises", "routine_templates", "classes"]

  /// The reason for each other collection of the gym.
  static let reasons: [(collection: String, reason: String)] = [
    ("users", "it holds names, emails and phones"),
    ("members", "it holds names, phones, illnesses and guardians"),
    ("user_emails", "its ids are emails"),
    ("check_ins", "it says who was at the gym and when"),
    ("payments", "it says who paid what"),
    ("expenses", "it holds wages and free text about people"),
    ("classBookings", "it says who booked which class"),
    ("classAttendance", "it says who came to which class"),
    ("daily_routines", "it says who trains what"),
    ("groups", "its members have names and photos"),
    ("app_config", "it names the first admin"),
  ]
}

/// The catalogues shared by all environments, which `copy --catalogues` copies.
package enum GymCatalogues {
  package static let collections = ["membership_plans", "products", "exercises", "routine_templates"]
}
