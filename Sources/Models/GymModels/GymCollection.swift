/// The gym's collections.
package enum GymCollection {
  package static let users = CollectionPath(nil, "users")
  package static let userEmails = CollectionPath(nil, "user_emails")
  package static let members = CollectionPath(nil, "members")
  package static let payments = CollectionPath(nil, "payments")
  package static let expenses = CollectionPath(nil, "expenses")
  package static let products = CollectionPath(nil, "products")
  package static let checkIns = CollectionPath(nil, "check_ins")
  package static let groups = CollectionPath(nil, "groups")
  /// The pattern of the members of all groups.
  package static let groupMembers = members(of: DocumentPath(groups, "*"))
  package static let classes = CollectionPath(nil, "classes")
  package static let bookings = CollectionPath(nil, "classBookings")
  package static let attendance = CollectionPath(nil, "classAttendance")
  package static let appConfig = CollectionPath(nil, "app_config")
  /// The gym's only document in `app_config`.
  package static let setup = DocumentPath(appConfig, "setup")

  package static func members(of group: DocumentPath) -> CollectionPath { CollectionPath(group, "members") }
}
