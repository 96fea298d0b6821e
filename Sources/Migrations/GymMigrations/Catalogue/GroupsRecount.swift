/// The recount of `groups.memberCount`: the number of documents in `groups/{id}/members`, none where there is no such
/// subcollection.
///
/// The count is derived, so the present value is not considered; only a value that is no integer is left for a person.
/// Applied in transactions, because the apps add a member and raise the count in one.
package struct GroupsRecount: Migration {
  /// The findings about a group; the raw value is the code in reports.
  package enum Code: String, Sendable, CaseIterable {
    /// There are more members than ``maximumMembers``. A review; the count is written all the same.
    case tooManyMembers = "group-too-many-members"
    /// memberCount is no integer. A reject.
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
  /// `groups`; of the members only the number is read.
  package let reads = [GymCollection.groups]
  package let writes = [GymCollection.groups]

  package init() {}

  package var strategy: MigrationStrategy { .transactional(outcome(for:in:)) }

  /// What becomes of one group, by the count of its members.
  package func outcome(for document: RawDocument, in reader: any DocumentSource) async throws -> Outcome {
    outcome(for: document, members: try await reader.count(GymCollection.members(of: document.path)))
  }

  /// What becomes of a group that has so many members.
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
