/// What the gym's data must obey; the raw value is the rule's name on the command line and in findings.
///
/// A value of the wrong type is reported by ``wrongType``, and the rule that would have read it passes over it. Null counts
/// as absent everywhere.
package enum IntegrityRule: String, Sendable, CaseIterable {
  /// A document has no `id`; those of `user_emails` and `app_config` need none.
  case idMissing = "id-missing"
  /// A document's `id` is there and is not the document's id, byte for byte.
  case idMismatch = "id-mismatch"
  /// A field that a rule reads is not of its type.
  case wrongType = "wrong-type"
  /// A foreign key that every document of its collection has is absent; an empty text is none, and allowed.
  case foreignKeyMissing = "foreign-key-missing"
  /// A foreign key names a document that does not exist.
  case foreignKeyDangling = "foreign-key-dangling"
  /// A user and a member that both exist do not name each other.
  case linkNotMirrored = "link-not-mirrored"
  /// The members of a `familyGroupId` have no owner, or several.
  case familyGroupOwner = "family-group-owner"
  /// A user has several active bookings of one class.
  case bookingDuplicate = "booking-duplicate"
  /// A class has more active bookings than `capacidadMax`.
  case classOverbooked = "class-overbooked"
  /// There are members below a group that does not exist.
  case groupMissing = "group-missing"
  /// A group's `memberCount` is not the number of its members.
  case groupMemberCount = "group-member-count"
  /// A group has more than 10 members.
  case groupTooLarge = "group-too-large"
  /// A group has no active admin.
  case groupAdminMissing = "group-admin-missing"
  /// There is no `app_config/setup`.
  case setupMissing = "setup-missing"
  /// The `adminUserId` of `app_config/setup` is not an active user with role admin.
  case setupAdmin = "setup-admin"
  /// A payment of type membership carries no snapshot of the plan.
  case paymentSnapshotMissing = "payment-snapshot-missing"

  /// The rule of a name, to the byte; nil where there is none.
  package init?(named name: String) {
    guard let rule = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else {
      return nil
    }
    self = rule
  }

  /// The rule in a sentence, for `--list-rules`.
  package var summary: String {
    switch self {
    case .idMissing: "Every document has its id; those of user_emails and app_config need none."
    case .idMismatch: "An id that is there is the document's id."
    case .wrongType: "A field that a rule reads is of its type."
    case .foreignKeyMissing: "A foreign key that is not optional is there; an empty text will do."
    case .foreignKeyDangling: "A foreign key names a document that exists."
    case .linkNotMirrored: "users.linkedMemberId and members.linkedUserId name each other."
    case .familyGroupOwner: "Every familyGroupId has exactly one owner."
    case .bookingDuplicate: "A user has one active booking of a class."
    case .classOverbooked: "A class has no more active bookings than capacidadMax."
    case .groupMissing: "Members stand below a group that exists."
    case .groupMemberCount: "memberCount is the number of the group's members."
    case .groupTooLarge: "A group has at most 10 members."
    case .groupAdminMissing: "A group has an active admin."
    case .setupMissing: "There is an app_config/setup."
    case .setupAdmin: "The adminUserId of app_config/setup is an active user with role admin."
    case .paymentSnapshotMissing: "A payment of type membership carries a membershipPlanSnapshot."
    }
  }
}
