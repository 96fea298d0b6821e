package import FirestoreModels

/// Which of the gym's collections hold people's data, which do not leave a protected environment by accident.
package enum PersonalData {
  /// Why a collection's documents are held back, as the clause behind its name; nil where they hold nobody's data.
  ///
  /// The list is of what is free, not of what is held back: a collection that nobody thought of (`users_copy`), and
  /// whatever is below a document, is held back until somebody says otherwise.
  package static func reason(of collection: CollectionPath) -> String? {
    if free.contains(where: { $0.isIdentical(to: collection.string) }) { return nil }
    let root = collection.string.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1).first
    let name = root.map { String(Substring($0)) } ?? collection.string
    let known = reasons.first { $0.collection.isIdentical(to: name) }
    return known?.reason ?? "what it holds is not known"
  }

  /// Collections whose documents describe things, not people: plans, goods, exercises, and the timetable.
  static let free = ["membership_plans", "products", "exercises", "routine_templates", "classes"]

  /// The others of the gym, each with its reason.
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
    ("groups", "its members bear names and photos"),
    ("app_config", "it names the first admin"),
  ]
}

/// The gym's catalogues: what every environment may have alike, and `copy --catalogues` copies.
package enum GymCatalogues {
  /// The collections.
  package static let collections = ["membership_plans", "products", "exercises", "routine_templates"]
}
