package import Integrity

/// The gym's rules beyond its schema: family groups, bookings, groups, the setup, snapshots of payments.
package struct GymRules: ApplicationRules {
  package init() {}

  package let rules: [IntegrityRule] = [
    .familyGroupOwner, .registeredByDangling, .bookingDuplicate, .bookingOfCancelledClass,
    .classOverbooked, .groupMissing,
    .groupMemberOfMissingGroup,
    .groupMemberDangling,
    .createdByDangling, .currentGroup, .groupMemberCount, .groupTooLarge, .groupAdminMissing, .setupMissing,
    .setupAdmin, .paymentSnapshotMissing,
  ]

  package func fields(of rule: IntegrityRule) -> [CollectionPath: [String]] {
    switch rule {
    case .familyGroupOwner: [GymCollection.members: ["familyGroupId", "groupRole"]]
    case .registeredByDangling: [GymCollection.users: [], GymCollection.members: ["registeredBy"]]
    case .bookingDuplicate: [GymCollection.bookings: ["classId", "userId", "estado"]]
    case .bookingOfCancelledClass:
      [GymCollection.classes: ["isActive"], GymCollection.bookings: ["classId", "estado"]]
    case .classOverbooked:
      [GymCollection.classes: ["capacidadMax"], GymCollection.bookings: ["classId", "estado"]]
    case .groupMissing, .groupMemberOfMissingGroup, .groupTooLarge:
      [GymCollection.groups: [], GymCollection.groupMembers: []]
    case .groupMemberDangling: [GymCollection.users: [], GymCollection.groupMembers: []]
    case .createdByDangling: [GymCollection.users: [], GymCollection.groups: ["createdBy"]]
    case .currentGroup:
      [
        GymCollection.users: ["currentGroupId"], GymCollection.groups: [], GymCollection.groupMembers: [],
      ]
    case .groupMemberCount: [GymCollection.groups: ["memberCount"], GymCollection.groupMembers: []]
    case .groupAdminMissing: [GymCollection.groups: [], GymCollection.groupMembers: ["role", "isActive"]]
    case .setupMissing: [GymCollection.appConfig: []]
    case .setupAdmin:
      [GymCollection.users: ["role", "isActive", "activo"], GymCollection.appConfig: ["adminUserId"]]
    case .paymentSnapshotMissing: [GymCollection.payments: ["type", "membershipPlanSnapshot"]]
    default: [:]
    }
  }

  package func subject(of rule: IntegrityRule) -> CollectionPath {
    switch rule {
    case .familyGroupOwner, .registeredByDangling: GymCollection.members
    case .bookingDuplicate, .bookingOfCancelledClass: GymCollection.bookings
    case .classOverbooked: GymCollection.classes
    case .groupMemberOfMissingGroup, .groupMemberDangling: GymCollection.groupMembers
    case .currentGroup: GymCollection.users
    case .setupMissing, .setupAdmin: GymCollection.appConfig
    case .paymentSnapshotMissing: GymCollection.payments
    default: GymCollection.groups
    }
  }

  package let perDocument: Set<IntegrityRule> = [.paymentSnapshotMissing]

  package let ownReferences: [CollectionPath: [String]] = [GymCollection.groups: ["createdBy"]]

  package func begin(_ rules: Set<IntegrityRule>) throws(Failure) -> any ApplicationCheck {
    try GymCheck(rules)
  }
}

extension IntegrityRule {
  package static let familyGroupOwner = Self(
    "family-group-owner",
    "Every familyGroupId has exactly one owner."
  )
  package static let registeredByDangling = Self(
    "registered-by-dangling",
    "The admin of a member's registeredBy is a user who exists."
  )
  package static let bookingDuplicate = Self("booking-duplicate", "A user has one active booking of a class.")
  package static let bookingOfCancelledClass = Self(
    "booking-of-cancelled-class",
    "The class of an active booking takes place."
  )
  package static let classOverbooked = Self(
    "class-overbooked",
    "A class has no more active bookings than capacidadMax."
  )
  package static let groupMissing = Self("group-missing", "A group that has members exists.")
  package static let groupMemberOfMissingGroup = Self(
    "group-member-of-missing-group",
    "A member is below a group that exists."
  )
  package static let groupMemberDangling = Self(
    "group-member-dangling",
    "The id of a group's member is that of a user who exists."
  )
  package static let createdByDangling = Self(
    "created-by-dangling",
    "The createdBy of a group is a user who exists."
  )
  package static let currentGroup = Self(
    "current-group",
    "A user's currentGroupId is a group that exists and has this member."
  )
  package static let groupMemberCount = Self(
    "group-member-count",
    "memberCount is the number of the group's members."
  )
  package static let groupTooLarge = Self("group-too-large", "A group has at most 10 members.")
  package static let groupAdminMissing = Self("group-admin-missing", "A group has an active admin.")
  package static let setupMissing = Self("setup-missing", "There is an app_config/setup.")
  package static let setupAdmin = Self(
    "setup-admin",
    "The adminUserId of app_config/setup is an active user with role admin."
  )
  package static let paymentSnapshotMissing = Self(
    "payment-snapshot-missing",
    "A payment of type membership carries a membershipPlanSnapshot."
  )
}

final class GymCheck: ApplicationCheck {
  private let rules: Set<IntegrityRule>
  private let spool: GymSpool
  private var groups = GroupScan()
  private var hasSetup = false

  init(_ rules: Set<IntegrityRule>) throws(Failure) {
    self.rules = rules
    spool = try GymSpool()
  }

  func take(
    _ page: [RawDocument],
    of collection: CollectionPath,
    report: (_ index: Int, IntegrityFinding) throws -> Void
  ) async throws {
    switch collection {
    case GymCollection.users:
      try await spool.add(
        page.map { user in
          GymSpool.User(
            id: user.path.id,
            isAdmin: user.fields.says("admin", "role") && user.fields.isActive("isActive", "activo"),
            group: user.fields.foreignKey("currentGroupId")
          )
        }
      )
    case GymCollection.members:
      if rules.contains(.registeredByDangling) { try await checkRegistrations(page, report) }
      try await spool.add(
        page.compactMap { document in
          document.fields.text("familyGroupId").map {
            GymSpool.Relative(
              id: document.path.id,
              family: $0,
              isOwner: document.fields.says("owner", "groupRole")
            )
          }
        }
      )
    case GymCollection.classes:
      try await spool.add(
        page.map { document in
          let capacity: GymSpool.Class.Capacity =
            switch document.fields.present("capacidadMax") {
            case nil: .missing
            case .integer(let places)?: .places(places)
            default: .unknown
            }
          return GymSpool.Class(
            id: document.path.id,
            capacity: capacity,
            isCancelled: document.fields["isActive"]?.boolean == false
          )
        }
      )
    case GymCollection.bookings:
      try await spool.add(
        page.compactMap { document in
          guard document.fields.says("activa", "estado"), let id = document.fields.foreignKey("classId")
          else { return nil }
          return GymSpool.Booking(
            id: document.path.id,
            classID: id,
            userID: document.fields.foreignKey("userId")
          )
        }
      )
    case GymCollection.payments:
      for (index, payment) in page.enumerated() {
        if let finding = Self.snapshot(payment) { try report(index, finding) }
      }
    case GymCollection.groups:
      let unknown = try await addGroups(page)
      for (index, document) in page.enumerated() {
        for finding in groups.take(document) { try report(index, finding) }
        if let finding = Self.dangling(document, unknown) { try report(index, finding) }
      }
    case GymCollection.appConfig:
      for (index, document) in page.enumerated() where document.path == GymCollection.setup {
        hasSetup = true
        try await checkAdmin(document) { try report(index, $0) }
      }
    default: break
    }
  }

  func finish(_ collection: CollectionPath, report: (IntegrityFinding) throws -> Void) async throws {
    switch collection {
    case GymCollection.members:
      try await settle(.familyGroupOwner, .brokenFamilies, in: collection, "familyGroupId", report) {
        result in
        result.isLacking
          ? "The family group has no owner; members: \(result.count)."
          : "The member is one of \(result.count) owners of the family group."
      }
    case GymCollection.bookings: try await settleBookings(report)
    case GymCollection.groups:
      for finding in groups.finish() { try report(finding) }
      try await settleCurrentGroups(report)
    case GymCollection.appConfig where !hasSetup:
      try report(IntegrityFinding(.setupMissing, GymCollection.setup, "There is no app_config/setup."))
    default: break
    }
  }

  /// Relies on the users being read before the members.
  private func checkRegistrations(
    _ page: [RawDocument],
    _ report: (_ index: Int, IntegrityFinding) throws -> Void
  ) async throws {
    let admins = page.map { $0.fields.foreignKey("registeredBy").flatMap(Self.admin) }
    let unknown = try await spool.unknownUsers(admins.compactMap { $0 })
    for (index, admin) in admins.enumerated() {
      guard let admin, unknown.contains(UTF8Key(admin)) else { continue }
      try report(
        index,
        IntegrityFinding(
          .registeredByDangling,
          page[index].path,
          field: "registeredBy",
          value: page[index].fields["registeredBy"],
          "users/\(admin) does not exist."
        )
      )
    }
  }

  /// The UID in `admin:{uid}`.
  private static func admin(_ registeredBy: String) -> String? {
    let prefix = "admin:"
    guard registeredBy.utf8.starts(with: prefix.utf8) else { return nil }
    let admin = String(registeredBy.unicodeScalars.dropFirst(prefix.utf8.count))
    return admin.isEmpty ? nil : admin
  }

  /// Stores the groups and members of a page, and returns the users to whom it refers and who do not exist.
  private func addGroups(_ page: [RawDocument]) async throws -> Set<UTF8Key> {
    let members = page.filter { GroupScan.isMember($0.path.segments) }.map(\.path)
    let groups = page.filter { $0.path.segments.count == 2 }
    if rules.contains(.currentGroup) { try await spool.add(groups: groups.map(\.path.id), members: members) }
    guard rules.contains(.groupMemberDangling) || rules.contains(.createdByDangling) else { return [] }
    return try await spool.unknownUsers(
      members.map(\.id) + groups.compactMap { $0.fields.foreignKey("createdBy") }
    )
  }

  /// Returns the finding about a missing user to whom a group or a member refers.
  private static func dangling(_ document: RawDocument, _ unknown: Set<UTF8Key>) -> IntegrityFinding? {
    let path = document.path
    if GroupScan.isMember(path.segments), unknown.contains(UTF8Key(path.id)) {
      return IntegrityFinding(.groupMemberDangling, path, "There is no user of the member's id.")
    }
    guard path.segments.count == 2, let user = document.fields.foreignKey("createdBy"),
      unknown.contains(UTF8Key(user))
    else { return nil }
    return IntegrityFinding(
      .createdByDangling,
      path,
      field: "createdBy",
      value: .string(user),
      "users/\(user) does not exist."
    )
  }

  private func settleCurrentGroups(_ report: (IntegrityFinding) throws -> Void) async throws {
    if !rules.contains(.currentGroup) { return }
    try await spool.forEachWrongCurrentGroup { user, group, exists in
      try report(
        IntegrityFinding(
          .currentGroup,
          DocumentPath(GymCollection.users, user),
          field: "currentGroupId",
          value: .string(group),
          exists ? "The user is not a member of the group." : "groups/\(group) does not exist."
        )
      )
    }
  }

  private static func snapshot(_ payment: RawDocument) -> IntegrityFinding? {
    guard payment.fields.says("membership", "type"), payment.fields.present("membershipPlanSnapshot") == nil
    else { return nil }
    return IntegrityFinding(
      .paymentSnapshotMissing,
      payment.path,
      field: "membershipPlanSnapshot",
      "A payment of type membership carries no snapshot of the plan."
    )
  }

  private func checkAdmin(_ setup: RawDocument, _ report: (IntegrityFinding) throws -> Void) async throws {
    guard rules.contains(.setupAdmin) else { return }
    func finding(_ value: Value?, _ message: String) -> IntegrityFinding {
      IntegrityFinding(.setupAdmin, GymCollection.setup, field: "adminUserId", value: value, message)
    }
    let value = setup.fields.present("adminUserId")
    // An absent, null or empty value refers to no admin; one of another type is reported by another rule.
    if value == nil || value?.string?.isEmpty ?? false {
      try report(finding(value, "adminUserId names no user."))
    } else if let id = value?.string, !(try await spool.isAdmin(id)) {
      try report(finding(value, "The user of adminUserId does not exist, is no admin, or is not active."))
    }
  }

  /// Reports violations that are known once the collections have been read.
  private func settle(
    _ rule: IntegrityRule,
    _ query: GymSpool.Query,
    in collection: CollectionPath,
    _ field: String,
    _ report: (IntegrityFinding) throws -> Void,
    message: (GymSpool.Result) -> String
  ) async throws {
    guard rules.contains(rule) else { return }
    try await spool.forEach(query) { result in
      let path = DocumentPath(collection, result.id)
      try report(IntegrityFinding(rule, path, field: field, value: result.value, message(result)))
    }
  }

  private func settleBookings(_ report: (IntegrityFinding) throws -> Void) async throws {
    let bookings = GymCollection.bookings
    try await settle(.bookingDuplicate, .duplicateBookings, in: bookings, "userId", report) { result in
      "The booking is one of \(result.count) active ones of the user for the class."
    }
    try await settle(.bookingOfCancelledClass, .bookingsOfCancelled, in: bookings, "classId", report) { _ in
      "The class of the active booking is cancelled."
    }
    let classes = GymCollection.classes
    try await settle(.classOverbooked, .overbookedClasses, in: classes, "capacidadMax", report) { result in
      result.isLacking
        ? "The class has no capacidadMax; active bookings: \(result.count)."
        : "The class has \(result.count) active bookings, more than capacidadMax."
    }
  }
}

extension FieldMap {
  /// Returns the value of a field; nil if it is absent or null.
  func present(_ field: String) -> Value? {
    self[field].flatMap { $0.isNull ? nil : $0 }
  }

  /// Returns the ID in a foreign key: a non-empty text.
  func foreignKey(_ field: String) -> String? {
    guard case .string(let id)? = self[field], !id.isEmpty else { return nil }
    return id
  }

  /// Returns a text that is no key; nil if it is blank.
  func text(_ field: String) -> String? {
    self[field]?.string?.nilIfBlank
  }

  /// Whether a text field has exactly this value.
  func says(_ text: String, _ field: String) -> Bool {
    self[field]?.string?.isIdentical(to: text) ?? false
  }

  /// Whether the first of these fields that is present is true; true if none is present.
  func isActive(_ fields: String...) -> Bool {
    for field in fields {
      if let value = present(field) { return value.boolean ?? false }
    }
    return true
  }
}
