import Integrity

/// The rules of groups, checked over `groups` and everything below it in the order of names.
///
/// A group comes right before all its members, so only one group at a time is held.
struct GroupScan {
  /// The maximum number of members in a group.
  static let most = 10

  private var id: String?
  /// The group's own document; nil if it is missing.
  private var group: RawDocument?
  private var memberCount = 0
  private var hasAdmin = false

  /// Processes the next document; if it begins another group, returns the findings about the previous one.
  mutating func take(_ document: RawDocument) -> [IntegrityFinding] {
    let segments = document.path.segments
    guard segments.count == 2 || Self.isMember(segments) else { return [] }
    var findings: [IntegrityFinding] = []
    if !(id?.isIdentical(to: segments[1]) ?? false) {
      findings = finish()
      id = segments[1]
    }
    if segments.count == 2 {
      group = document
    } else {
      memberCount += 1
      if group == nil {
        findings.append(
          IntegrityFinding(.groupMemberOfMissingGroup, document.path, "The member's group does not exist.")
        )
      }
      if document.fields.says("admin", "role"), document.fields.isActive("isActive") { hasAdmin = true }
    }
    return findings
  }

  /// Returns the findings about the last group.
  mutating func finish() -> [IntegrityFinding] {
    defer { self = GroupScan() }
    guard let id else { return [] }
    let path = DocumentPath(GymCollection.groups, id)
    guard let group else {
      return [
        IntegrityFinding(
          .groupMissing,
          path,
          "\(Self.members(memberCount)) below a group that does not exist."
        )
      ]
    }
    var findings: [IntegrityFinding] = []
    let stated = group.fields.present("memberCount")
    if stated == nil || stated?.integer.map({ $0 != Int64(memberCount) }) ?? false {
      findings.append(
        IntegrityFinding(
          .groupMemberCount,
          path,
          field: "memberCount",
          value: stated,
          "The number of documents in its subcollection is \(memberCount)."
        )
      )
    }
    if memberCount > Self.most {
      findings.append(
        IntegrityFinding(
          .groupTooLarge,
          path,
          "The group has \(NumberText.counted(memberCount, "member")); \(Self.most) are allowed."
        )
      )
    }
    if !hasAdmin {
      findings.append(
        IntegrityFinding(.groupAdminMissing, path, "No active member of the group is an admin.")
      )
    }
    return findings
  }

  /// Whether segments have the form `groups/{id}/members/{uid}`.
  static func isMember(_ segments: [String]) -> Bool {
    segments.count == 4 && segments[2].isIdentical(to: GymCollection.groupMembers.id)
  }

  private static func members(_ count: Int) -> String {
    count == 1 ? "1 member is" : "\(count) members are"
  }
}
