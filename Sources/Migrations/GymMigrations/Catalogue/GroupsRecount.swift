/// Recounts `groups.memberCount`: the number of documents in `groups/{id}/members`.
///
/// The count is derived, so the present value is ignored; only a value that is not an integer is left for review. It is applied
/// in transactions, because the apps add a member and increase the count in one.
package struct GroupsRecount: Migration {
  /// The findings about a group; the raw value is the code in reports.
  package enum Code: String, Sendable, CaseIterable {
    /// There are more members than ``maximumMembers``. A review; the count is still written.
    case tooManyMembers = "group-too-many-members"
    /// memberCount is not an integer. A reject.
    case wrongType = "wrong-type"
  }

  /// Why a field is written; the raw value is the reason in plans.
  package enum Reason: String, Sendable, CaseIterable {
    case countMissing = "memberCount-missing"
    case countWrong = "memberCount-wrong"
  }

  package static let maximumMembers = 10

  private static let memberCount = "memberCount"

  package let id = "groups-recount"
  package let summary = "Recomputes groups.memberCount: the number of documents in the group's members."
  /// `groups`; only the number of members is read.
  package let reads = [GymCollection.groups]
  package let writes = [GymCollection.groups]

  package init() {}

  package var strategy: MigrationStrategy { .transactional(outcome(for:in:)) }

  /// Returns the outcome of one group, after counting its members.
  package func outcome(for document: RawDocument, in reader: any DocumentSource) async throws -> Outcome {
    outcome(for: document, members: try await reader.count(GymCollection.members(of: document.path)))
  }

  /// Returns the outcome of a group with a number of members.
  package func outcome(for group: RawDocument, members: Int) -> Outcome {
    let existing: Int64?
    do throws(WrongType) {
      existing = try group.value(Self.memberCount, "integer", \.integer)
    } catch {
      return Outcome(error)
    }
    var findings: [Finding] = []
    if members > Self.maximumMembers {
      let message = "The group has more than \(Self.maximumMembers) members."
      let code = Code.tooManyMembers.rawValue
      findings = [group.finding(.review, code, Self.memberCount, .integer(Int64(members)), message)]
    }
    if existing == Int64(members) { return Outcome(.unchanged, findings: findings) }
    let edit: FieldEdit = [Self.memberCount: .integer(Int64(members))]
    let reason: Reason = existing == nil ? .countMissing : .countWrong
    return Outcome(.change(group.changing(edit, reasons: [reason.rawValue])), findings: findings)
  }
}
