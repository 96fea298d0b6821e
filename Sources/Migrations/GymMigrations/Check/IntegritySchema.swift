import FirestoreModels

/// The gym's collections as the rules see them: which there are, and what their fields must be.
enum IntegritySchema {
  /// A field that holds another document's id.
  struct ForeignKey: Sendable {
    let collection: CollectionPath
    let field: String
    let target: CollectionPath
    let isOptional: Bool
  }

  /// The type that a rule requires of a field.
  enum FieldType: String, Sendable {
    case string, integer, boolean, map

    func takes(_ value: Value) -> Bool {
      switch self {
      case .string: value.string != nil
      case .integer: value.integer != nil
      case .boolean: value.boolean != nil
      case .map: value.map != nil
      }
    }
  }

  static let users = GymCollection.users
  static let members = CollectionPath(nil, "members")
  static let plans = CollectionPath(nil, "membership_plans")
  static let classes = CollectionPath(nil, "classes")
  static let checkIns = CollectionPath(nil, "check_ins")
  static let payments = CollectionPath(nil, "payments")
  static let userEmails = GymCollection.userEmails
  static let appConfig = CollectionPath(nil, "app_config")
  static let bookings = CollectionPath(nil, "classBookings")
  static let attendance = CollectionPath(nil, "classAttendance")
  static let groups = CollectionPath(nil, "groups")
  /// The subcollections of all groups, as counts name them.
  static let groupMembers = CollectionPath(DocumentPath(groups, "*"), "members")

  /// `app_config/setup`.
  static let setup = DocumentPath(appConfig, "setup")

  /// Root collections in the order of reading: what others point at comes first, so that only the links of users wait.
  static let collections =
    [users, plans, members, classes, checkIns, payments, userEmails, appConfig, bookings, attendance]
    + ["products", "expenses", "exercises", "routine_templates", "daily_routines"].map {
      CollectionPath(nil, $0)
    } + [groups]

  /// Collections whose documents need no `id`.
  static let withoutID: Set<CollectionPath> = [userEmails, appConfig]

  /// The only document of `app_config` that has a foreign key is ``setup``.
  static let foreignKeys = [
    ForeignKey(collection: users, field: "linkedMemberId", target: members, isOptional: true),
    ForeignKey(collection: members, field: "membershipPlanId", target: plans, isOptional: true),
    ForeignKey(collection: members, field: "linkedUserId", target: users, isOptional: true),
    ForeignKey(collection: checkIns, field: "memberId", target: members, isOptional: false),
    ForeignKey(collection: checkIns, field: "userId", target: users, isOptional: true),
    ForeignKey(collection: payments, field: "memberId", target: members, isOptional: false),
    ForeignKey(collection: payments, field: "userId", target: users, isOptional: true),
    ForeignKey(collection: userEmails, field: "primaryUserId", target: users, isOptional: false),
    ForeignKey(collection: appConfig, field: "adminUserId", target: users, isOptional: false),
    ForeignKey(collection: bookings, field: "classId", target: classes, isOptional: false),
    ForeignKey(collection: bookings, field: "userId", target: users, isOptional: false),
    ForeignKey(collection: attendance, field: "classId", target: classes, isOptional: false),
    ForeignKey(collection: attendance, field: "userId", target: users, isOptional: true),
    ForeignKey(collection: attendance, field: "memberId", target: members, isOptional: true),
  ]

  /// The fields beside foreign keys that a rule reads.
  private static let otherFields: [(collection: CollectionPath, field: String, type: FieldType)] = [
    (users, "role", .string), (users, "isActive", .boolean), (users, "activo", .boolean),
    (members, "familyGroupId", .string), (members, "groupRole", .string),
    (classes, "capacidadMax", .integer),
    (payments, "type", .string), (payments, "membershipPlanSnapshot", .map),
    (bookings, "estado", .string),
    (groups, "memberCount", .integer),
    (groupMembers, "role", .string), (groupMembers, "isActive", .boolean),
  ]

  /// The foreign keys of a collection.
  static func foreignKeys(of collection: CollectionPath) -> [ForeignKey] {
    keysByCollection[collection] ?? []
  }

  /// The fields of a collection with the types that rules require.
  static func types(of collection: CollectionPath) -> [(field: String, type: FieldType)] {
    typesByCollection[collection] ?? []
  }

  private static let keysByCollection = Dictionary(grouping: foreignKeys, by: \.collection)

  private static let typesByCollection: [CollectionPath: [(field: String, type: FieldType)]] = {
    var types: [CollectionPath: [(field: String, type: FieldType)]] = [:]
    for key in foreignKeys { types[key.collection, default: []].append((key.field, .string)) }
    for other in otherFields { types[other.collection, default: []].append((other.field, other.type)) }
    return types
  }()
}

extension IntegrityRule {
  /// What the rule reads to judge some collections; ``fields`` where all are.
  func fields(judging judged: Set<CollectionPath>?) -> [CollectionPath: [String]] {
    let all = fields
    guard let judged else { return all }
    switch self {
    case .idMissing, .idMismatch, .wrongType, .foreignKeyMissing:
      return all.filter { judged.contains($0.key) }
    case .foreignKeyDangling:
      let keys = IntegritySchema.foreignKeys.filter { judged.contains($0.collection) }
      var fields = Dictionary(grouping: keys, by: \.collection).mapValues { $0.map(\.field) }
      for key in keys where fields[key.target] == nil { fields[key.target] = [] }
      return fields
    default: return all.keys.contains { judged.contains($0) } ? all : [:]
    }
  }

  /// What the rule reads: collections, ``IntegritySchema/groupMembers`` among them, with the fields it looks at.
  var fields: [CollectionPath: [String]] {
    typealias Schema = IntegritySchema
    switch self {
    case .idMissing, .idMismatch:
      return Dictionary(
        uniqueKeysWithValues: (Schema.collections + [Schema.groupMembers]).map { ($0, ["id"]) }
      )
    case .wrongType:
      var fields: [CollectionPath: [String]] = [:]
      for collection in Schema.collections + [Schema.groupMembers] {
        let names = Schema.types(of: collection).map(\.field)
        if !names.isEmpty { fields[collection] = names }
      }
      return fields
    case .foreignKeyMissing:
      return Dictionary(
        grouping: Schema.foreignKeys.filter { !$0.isOptional },
        by: \.collection
      ).mapValues { $0.map(\.field) }
    case .foreignKeyDangling:
      var fields = Dictionary(grouping: Schema.foreignKeys, by: \.collection).mapValues { $0.map(\.field) }
      for key in Schema.foreignKeys where fields[key.target] == nil { fields[key.target] = [] }
      return fields
    case .linkNotMirrored: return [Schema.users: ["linkedMemberId"], Schema.members: ["linkedUserId"]]
    case .familyGroupOwner: return [Schema.members: ["familyGroupId", "groupRole"]]
    case .bookingDuplicate: return [Schema.bookings: ["classId", "userId", "estado"]]
    case .classOverbooked:
      return [Schema.classes: ["capacidadMax"], Schema.bookings: ["classId", "estado"]]
    case .groupMissing, .groupTooLarge: return [Schema.groups: [], Schema.groupMembers: []]
    case .groupMemberCount: return [Schema.groups: ["memberCount"], Schema.groupMembers: []]
    case .groupAdminMissing: return [Schema.groups: [], Schema.groupMembers: ["role", "isActive"]]
    case .setupMissing: return [Schema.appConfig: []]
    case .setupAdmin:
      return [Schema.users: ["role", "isActive", "activo"], Schema.appConfig: ["adminUserId"]]
    case .paymentSnapshotMissing: return [Schema.payments: ["type", "membershipPlanSnapshot"]]
    }
  }
}
