/// The rules of ``GroupService`` for an undo that restores groups, members and users.
///
/// A count is derived again from the existing members; a group has at most ten of them, and keeps an active admin if it has one;
/// nobody is a member of a missing group or without an account; no user's current group is one that the user is not in.
package struct GroupRestoration: RestorationRules {
  package init() {}

  package func isDerived(_ change: Change) -> Bool {
    guard change.path.collection == GymCollection.groups, let before = change.before, let after = change.after
    else { return false }
    let count = [FieldPath(field: "memberCount")]
    return before.fields.removing(count) == after.removing(count)
  }

  package func complete(
    _ restoring: [Change],
    undoing made: [Change],
    in reader: any DocumentReader
  ) async throws -> Restoration {
    var changes = restoring
    for group in Self.groups(of: made) {
      let own = restoring.filter { $0.path.collection == GymCollection.members(of: group) }
      let now = try await reader.document(group)
      let index = changes.firstIndex { $0.path == group }
      let members = try await GroupService.members(of: group, in: reader)
      let staying = members.filter { member in !own.contains { $0.path == member.path } }
      let returning = own.compactMap(\.restored)
      let after = staying + returning
      if let index, changes[index].isDeletion {
        if !after.isEmpty { return .refused("Somebody has joined the group since.") }
      } else if now == nil, index == nil {
        if !after.isEmpty { return .refused("The group of the member is gone.") }
      } else {
        let limit = max(GroupService.maximumMembers, made.mostMembers(of: group))
        if let refusal = try await Self.refusal(of: own, after, atMost: limit, in: reader) {
          return .refused(refusal)
        }
        if let index {
          if let refusal = try await Self.refusal(ofFounder: changes[index], in: reader) {
            return .refused(refusal)
          }
          changes[index] = changes[index].counting(after.count)
        } else if let now {
          let change = GroupService.recount(now, after.count, "members-counted")
          if !change.isEmpty { changes.append(change) }
        }
      }
      try await changes += Self.leaving(group, own, changes, in: reader)
    }
    return .changes(try await Self.withoutForeignGroups(changes, undoing: made, in: reader))
  }

  /// Returns the changes, except that users who have joined another group do not get back a current group that they have left.
  private static func withoutForeignGroups(
    _ changes: [Change],
    undoing made: [Change],
    in reader: any DocumentReader
  ) async throws -> [Change] {
    let joined = Set(made.filter { $0.after?["currentGroupId"]?.string != nil }.map(\.path))
    var kept: [Change] = []
    for change in changes {
      guard joined.contains(change.path), var fields = change.after,
        let group = fields["currentGroupId"]?.string,
        PathLimits.violation(ofID: group, isDocument: true) == nil
      else {
        kept.append(change)
        continue
      }
      let member = DocumentPath(GymCollection.members(of: GroupService.group(group)), change.path.id)
      let returns = changes.contains { $0.path == member && !$0.isDeletion }
      let stays = try await reader.document(member) != nil && !changes.contains { $0.path == member }
      if !returns, !stays { fields["currentGroupId"] = nil }
      kept.append(change.leading(to: fields))
    }
    return kept
  }

  /// The groups that changes concern, in order.
  private static func groups(of changes: [Change]) -> [DocumentPath] {
    let groups = changes.compactMap { change in
      change.path.collection == GymCollection.groups ? change.path : change.path.collection.parent
    }
    return Set(groups.filter { $0.collection == GymCollection.groups }).sorted()
  }

  /// Returns why members cannot be restored or removed; nil if they can.
  private static func refusal(
    of own: [Change],
    _ after: [RawDocument],
    atMost limit: Int,
    in reader: any DocumentReader
  ) async throws -> String? {
    let returning = own.filter { $0.before == nil }.map { DocumentPath(GymCollection.users, $0.path.id) }
    if try await reader.documents(returning).count < returning.count {
      return "The user of the member is gone."
    }
    if !returning.isEmpty, after.count > limit { return GroupService.Refusal.groupFull.message }
    let isLeaving = own.contains { $0.isDeletion || $0.endsAdmin }
    if isLeaving, !after.contains(where: GroupService.isActiveAdmin) {
      return GroupService.Refusal.lastAdmin.message
    }
    return nil
  }

  private static func refusal(ofFounder change: Change, in reader: any DocumentReader) async throws -> String?
  {
    guard change.before == nil, let founder = change.after?["createdBy"]?.string, !founder.isEmpty else {
      return nil
    }
    let account = DocumentPath(GymCollection.users, founder)
    return try await reader.document(account) == nil ? "The user who created the group is gone." : nil
  }

  /// Returns the changes to users whose current group this is and who are no longer members.
  private static func leaving(
    _ group: DocumentPath,
    _ own: [Change],
    _ changes: [Change],
    in reader: any DocumentReader
  ) async throws -> [Change] {
    let isGone = changes.contains { $0.path == group && $0.isDeletion }
    let left = own.filter(\.isDeletion)
    guard isGone || !left.isEmpty else { return [] }
    return try await GroupService.users(in: group.id, reader).compactMap { user in
      guard !changes.contains(where: { $0.path == user.path }) else { return nil }
      guard isGone || left.contains(where: { $0.path.id.isIdentical(to: user.path.id) }) else { return nil }
      return GroupService.leaving(user, group.id)
    }
  }
}

extension Change {
  /// The restored document; nil for a deletion.
  fileprivate var restored: RawDocument? { after.map { RawDocument(path: path, fields: $0) } }

  /// Whether the change takes the role from an active admin.
  fileprivate var endsAdmin: Bool {
    guard let before, let restored else { return false }
    return GroupService.isActiveAdmin(before) && !GroupService.isActiveAdmin(restored)
  }

  /// Returns the same change with other resulting fields.
  fileprivate func leading(to fields: FieldMap) -> Change {
    Change(path: path, before: before, after: fields, serverTimes: serverTimes, reasons: reasons)
  }

  /// Returns the same change to a group with another number of members.
  fileprivate func counting(_ members: Int) -> Change {
    guard var fields = after else { return self }
    fields["memberCount"] = .integer(Int64(members))
    return Change(path: path, before: before, after: fields, serverTimes: serverTimes, reasons: reasons)
  }
}

extension [Change] {
  /// The number of members that a group recorded before these changes.
  fileprivate func mostMembers(of group: DocumentPath) -> Int {
    let count = first { $0.path == group }?.before?.fields["memberCount"]?.integer
    return count.map { Int(clamping: $0) } ?? 0
  }
}
