import FirestoreREST
import Schema

/// Groups with their members: each change to the members and `memberCount` is one transaction, so that the count is right at
/// every commit, even if other programs change it concurrently.
package struct GroupService: Sendable {
  package static let maximumMembers = 10
  /// The maximum number of members, and of additional users, in one transaction that deletes a group; a member needs at most two
  /// writes.
  static let perTransaction = 150

  /// Why an operation is refused; the raw value is the code in reports.
  package enum Refusal: String, Error, Sendable, CaseIterable {
    case groupNotFound = "group-not-found"
    case exists = "group-exists"
    case groupFull = "group-full"
    case alreadyMember = "already-member"
    case notMember = "not-member"
    case userNotFound = "user-not-found"
    case lastAdmin = "last-admin"
    case hasSubcollections = "has-subcollections"
    case tooManyDeletions = "too-many-deletions"

    package var message: String {
      switch self {
      case .groupNotFound: "There is no group with that ID."
      case .exists: "There is a group with that ID already."
      case .groupFull: "The group has \(GroupService.maximumMembers) members already."
      case .alreadyMember: "The user is a member of the group already."
      case .notMember: "The user is not a member of the group."
      case .userNotFound: "There is no user with that ID."
      case .lastAdmin: "Nobody who stays would be an active admin of the group."
      case .hasSubcollections:
        "Other documents lie below it, and would be left without it: delete them first."
      case .tooManyDeletions:
        "Somebody has joined since, and more documents would be deleted than were allowed."
      }
    }
  }

  /// A member to add.
  package struct NewMember: Sendable, Equatable {
    package var userID: String
    /// The name in the group; nil to use the user's.
    package var displayName: String?
    /// The photo in the group; nil to use the user's.
    package var photoURL: String?
    package var isAdmin = false
    /// Whether the group becomes the user's current group.
    package var setsCurrent = false
  }

  private let context: RunContext
  private let transaction: RecordedTransaction
  private let maximumDeletes: Int?

  /// - Parameters:
  ///   - plan: Receives the changes instead of the database; nil to write them.
  ///   - maximum: The maximum number of documents that the run may delete in total; nil for no limit.
  package init(
    in context: RunContext,
    planning plan: TransactionPlan? = nil,
    deletingAtMost maximum: Int? = nil
  ) {
    self.context = context
    maximumDeletes = maximum
    transaction = RecordedTransaction(in: context, planning: plan)
  }

  package static func group(_ id: String) -> DocumentPath { DocumentPath(GymCollection.groups, id) }

  // MARK: Creating

  /// Creates a group with its owner as the first admin.
  package func create(_ id: String, named name: String, owner: NewMember) async throws -> Refusal? {
    let path = Self.group(id)
    let (refusal, end) = try await transaction.run(on: path) {
      reader -> RecordedTransaction.Decision<Refusal?> in
      let account = DocumentPath(GymCollection.users, owner.userID)
      let found = try await reader.documents([account, path])
      guard let user = found[account] else { return .leave(.userNotFound) }
      if found[path] != nil { return .leave(.exists) }
      var owner = owner
      owner.isAdmin = true
      let group: FieldMap = [
        "name": .string(name), "createdBy": .string(owner.userID), "memberCount": .integer(1),
        "isActive": .boolean(true),
      ]
      return .commit(
        [
          Change(creating: path, group, stamping: "createdAt", reason: "group-created"),
          Self.creation(of: owner, user, in: path),
        ] + Self.joining(user, path, owner),
        nil
      )
    }
    if try end.hasCommitted(path) { return nil }
    return refusal ?? nil
  }

  private static func creation(of member: NewMember, _ user: RawDocument, in group: DocumentPath) -> Change {
    let fields = UserFields(user.fields)
    var after: FieldMap = [
      "displayName": .string(
        PlainText.tidied(member.displayName ?? fields.effectiveFullName ?? member.userID)
      ),
      "role": .string(member.isAdmin ? "admin" : "member"), "isActive": .boolean(true),
    ]
    if let photo = (member.photoURL ?? user.fields["photoURL"]?.string)?.nilIfBlank {
      after["photoURL"] = .string(photo)
    }
    let path = DocumentPath(GymCollection.members(of: group), member.userID)
    return Change(creating: path, after, stamping: "joinedAt", reason: "member-added")
  }

  // MARK: Members

  package func add(_ member: NewMember, to id: String) async throws -> Refusal? {
    let path = Self.group(id)
    let own = DocumentPath(GymCollection.members(of: path), member.userID)
    let (refusal, end) = try await transaction.run(on: path) {
      reader -> RecordedTransaction.Decision<Refusal?> in
      let account = DocumentPath(GymCollection.users, member.userID)
      let found = try await reader.documents([path, account, own])
      guard let group = found[path] else { return .leave(.groupNotFound) }
      guard let user = found[account] else { return .leave(.userNotFound) }
      if found[own] != nil { return .leave(.alreadyMember) }
      // Counts the existing members, whatever the group's document says.
      let count = try await reader.count(GymCollection.members(of: path))
      if count >= Self.maximumMembers { return .leave(.groupFull) }
      return .commit(
        [Self.creation(of: member, user, in: path), Self.recount(group, count + 1, "member-added")]
          + Self.joining(user, path, member),
        nil
      )
    }
    if try end.hasCommitted(own) { return nil }
    return refusal ?? nil
  }

  /// Removes a member, and clears the user's `currentGroupId` if it is this group.
  package func remove(_ userID: String, from id: String) async throws -> Refusal? {
    let path = Self.group(id)
    let own = DocumentPath(GymCollection.members(of: path), userID)
    let (refusal, end) = try await transaction.run(on: path) {
      reader -> RecordedTransaction.Decision<Refusal?> in
      let account = DocumentPath(GymCollection.users, userID)
      let found = try await reader.documents([path, account])
      guard let group = found[path] else { return .leave(.groupNotFound) }
      let members = try await Self.members(of: path, in: reader)
      guard let member = members.first(where: { $0.path == own }) else { return .leave(.notMember) }
      let others = members.filter { $0.path != own }
      guard others.contains(where: Self.isActiveAdmin) else { return .leave(.lastAdmin) }
      if try await !context.client.collectionIDs(below: own).isEmpty { return .leave(.hasSubcollections) }
      var changes = [
        Change(path: own, before: member, after: nil, reasons: ["member-removed"]),
        Self.recount(group, others.count, "member-removed"),
      ]
      if let user = found[account], let change = Self.leaving(user, id) { changes.append(change) }
      return .commit(changes, nil)
    }
    if try end.hasCommitted(own) { return nil }
    return refusal ?? nil
  }

  /// Makes a member an admin, or an admin a plain member; writes nothing if that is already so.
  ///
  /// The last active admin cannot be demoted.
  func assign(isAdmin: Bool, to userID: String, in id: String) async throws -> Refusal? {
    let path = Self.group(id)
    let own = DocumentPath(GymCollection.members(of: path), userID)
    let (refusal, end) = try await transaction.run(on: path) {
      reader -> RecordedTransaction.Decision<Refusal?> in
      if try await reader.document(path) == nil { return .leave(.groupNotFound) }
      let members = try await Self.members(of: path, in: reader)
      guard let member = members.first(where: { $0.path == own }) else { return .leave(.notMember) }
      let role = isAdmin ? "admin" : "member"
      if member.fields["role"]?.string?.isIdentical(to: role) ?? false { return .leave(nil) }
      let others = members.filter { $0.path != own }
      if !isAdmin, Self.isActiveAdmin(member), !others.contains(where: Self.isActiveAdmin) {
        return .leave(.lastAdmin)
      }
      let reason = isAdmin ? "member-promoted" : "member-demoted"
      return .commit([Change(of: member, ["role": .string(role)], reasons: [reason])], nil)
    }
    if try end.hasCommitted(own) { return nil }
    return (refusal ?? nil) ?? unchanged(own)
  }

  /// Counts a document that already is as intended.
  private func unchanged(_ path: DocumentPath) -> Refusal? {
    context.counts.update(path.collection.pattern) {
      $0.read += 1
      $0.unchanged += 1
    }
    return nil
  }

  static func isActiveAdmin(_ member: RawDocument) -> Bool {
    guard member.fields["role"]?.string?.isIdentical(to: "admin") ?? false else { return false }
    let isActive = member.fields["isActive"] ?? .null
    return isActive.isNull || isActive.boolean == true
  }

  /// Returns the change to a group's count.
  ///
  /// Groups have no update time.
  static func recount(_ group: RawDocument, _ count: Int, _ reason: String) -> Change {
    Change(of: group, ["memberCount": .integer(Int64(count))], reasons: [reason])
  }

  /// Returns the change to a user who leaves a group; nil if it is not the user's current group.
  static func leaving(_ user: RawDocument, _ group: String) -> Change? {
    guard user.fields["currentGroupId"]?.string?.isIdentical(to: group) ?? false else { return nil }
    return user.changing(
      ["currentGroupId": nil],
      of: GymSchema.schema.collection(GymCollection.users),
      reasons: ["group-left"]
    )
  }

  /// Returns the change that makes a group the user's current one; empty if that is not requested, or already so.
  private static func joining(_ user: RawDocument, _ group: DocumentPath, _ member: NewMember) -> [Change] {
    let isCurrent = user.fields["currentGroupId"]?.string?.isIdentical(to: group.id) ?? false
    guard member.setsCurrent, !isCurrent else { return [] }
    return [
      user.changing(
        ["currentGroupId": .string(group.id)],
        of: GymSchema.schema.collection(GymCollection.users),
        reasons: ["group-joined"]
      )
    ]
  }

  // MARK: Reading

  static func members(of group: DocumentPath, in reader: any DocumentReader) async throws -> [RawDocument] {
    var members: [RawDocument] = []
    try await reader.forEachDocument(in: GymCollection.members(of: group)) { members.append($0) }
    return members
  }

  /// Returns the users whose current group this is, members or not.
  static func users(in id: String, _ reader: any DocumentReader) async throws -> [RawDocument] {
    var read = CollectionRead(GymCollection.users)
    read.filter = .field(FieldPath(field: "currentGroupId"), .equal, .string(id))
    var found: [RawDocument] = []
    try await reader.forEachDocument(matching: read) { found.append($0) }
    return found
  }

  // MARK: Deleting

  /// Returns how many documents the deletion of groups deletes for good: the groups and their members.
  package func deletions(_ ids: [String]) async throws -> Int {
    let groups = ids.map(Self.group)
    var count = try await context.client.batchGet(groups, mask: [.documentName]).count
    for group in groups {
      for try await page in context.client.pages(
        of: CollectionRead(GymCollection.members(of: group), mask: [.documentName])
      ) { count += page.count }
    }
    return count
  }

  /// Deletes a group with its members, and clears the current group of its users, members or not.
  ///
  /// This takes as many transactions as necessary, each of which leaves a correct count.
  package func delete(_ id: String) async throws -> Refusal? {
    let path = Self.group(id)
    var isFirst = true
    while true {
      let looksBelow = isFirst
      let (decided, end) = try await transaction.run(on: path) {
        reader -> RecordedTransaction.Decision<Deletion> in
        let group = try await reader.document(path)
        var members: [RawDocument] = []
        var remaining = 0
        try await reader.forEachDocument(in: GymCollection.members(of: path)) { member in
          if members.count < Self.perTransaction { members.append(member) } else { remaining += 1 }
        }
        // Users who are members are changed together with their membership; the others at the end.
        let ids = Set(members.map { UTF8Key($0.path.id) })
        let users = try await Self.users(in: id, reader)
        let own = users.filter { ids.contains(UTF8Key($0.path.id)) }
        let others = remaining > 0 ? [] : users.filter { !ids.contains(UTF8Key($0.path.id)) }
        if group == nil, members.isEmpty, users.isEmpty { return .leave(.nothing) }
        // Nothing is deleted if documents were added meanwhile that exceed the limit.
        let deletions = members.count + remaining + (group == nil ? 0 : 1)
        if let maximumDeletes, context.counts.totals.deleted + deletions > maximumDeletes {
          return .leave(.tooMany)
        }
        if looksBelow, group != nil || !members.isEmpty, try await hasOthers(below: path) {
          return .leave(.hasOthers)
        }
        let leaving = own + others.prefix(Self.perTransaction)
        let isLast = remaining == 0 && others.count <= Self.perTransaction
        var changes = members.map {
          Change(path: $0.path, before: $0, after: nil, reasons: ["member-removed"])
        }
        changes += leaving.compactMap { Self.leaving($0, id) }
        if let group {
          changes.append(
            isLast
              ? Change(path: path, before: group, after: nil, reasons: ["group-deleted"])
              : Self.recount(group, remaining, "members-removed")
          )
        }
        return .commit(changes, isLast ? .done : .more)
      }
      _ = try end.hasCommitted(path)
      switch decided {
      case .tooMany?: return .tooManyDeletions
      case .hasOthers?: return .hasSubcollections
      case .nothing?: return isFirst ? .groupNotFound : nil
      case .done?: return nil
      // Without a decision, it was written before an interruption, and there may be more.
      case .more?, nil: isFirst = false
      }
    }
  }

  /// Whether documents other than its members lie below a group, at any depth; the service would leave them there.
  private func hasOthers(below group: DocumentPath) async throws -> Bool {
    let members = GymCollection.members(of: group)
    let ids = try await context.client.collectionIDs(below: group) { below in
      below.map(\.path).filter { !$0.isIn(members) }
    }
    return !ids.isEmpty
  }

  private enum Deletion: Sendable {
    /// There is neither a group nor members nor users.
    case nothing
    case tooMany
    /// Documents would be left below it.
    case hasOthers
    case more
    case done
  }
}
