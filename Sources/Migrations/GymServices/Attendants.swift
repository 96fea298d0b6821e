/// The people of records of attendance.
///
/// A record has a member, a user or both, and one person may have records of either kind.
struct Attendants {
  private let members, users: [DocumentPath: RawDocument]
  /// The IDs of the members who are linked to a user, by its ID.
  private let linked: [UTF8Key: [String]]

  /// Reads the members, and the users of records that have no member with a name.
  init(of records: [ClassAttendance], by reports: ClassReports) async throws {
    let members = try await reports.documents(records.map { ($0.memberId ?? "", GymCollection.members) })
    let others = records.filter { Self.name($0.memberId, in: GymCollection.members, members) == nil }
    users = try await reports.documents(others.map { ($0.userId ?? "", GymCollection.users) })
    self.members = members
    linked = members.keys.sorted().reduce(into: [:]) { linked, path in
      guard let user = members[path]?.fields["linkedUserId"]?.string?.nilIfBlank else { return }
      linked[UTF8Key(user), default: []].append(path.id)
    }
  }

  /// The name of the member, or else of the user as the app reads it.
  func name(_ record: ClassAttendance) -> String? {
    Self.name(record.memberId, in: GymCollection.members, members)
      ?? Self.name(record.userId, in: GymCollection.users, users)
  }

  /// The ID of the member, or else of the only member who is linked to the user, or else of the user.
  ///
  /// - Parameter known: The member who is linked to all users; nil if not known.
  func identity(_ record: ClassAttendance, ofUser known: String?) -> String? {
    if let member = record.memberId?.nilIfBlank ?? known { return member }
    guard let user = record.userId?.nilIfBlank else { return nil }
    let document = ClassReports.path(user, in: GymCollection.users).flatMap { users[$0] }
    let own = document?.fields["linkedMemberId"]?.string?.nilIfBlank
    let linked = linked[UTF8Key(user)] ?? []
    return own ?? (linked.count == 1 ? linked[0] : user)
  }

  private static func name(
    _ id: String?,
    in collection: CollectionPath,
    _ documents: [DocumentPath: RawDocument]
  ) -> String? {
    guard let path = ClassReports.path(id ?? "", in: collection), let document = documents[path] else {
      return nil
    }
    if collection == GymCollection.users { return AppUser(document).fullName?.nilIfBlank }
    let name = PersonName(ofMember: document.fields)
    return name.isEmpty ? nil : name.joined
  }
}
