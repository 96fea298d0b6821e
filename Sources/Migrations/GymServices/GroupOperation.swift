/// A change of a group.
package enum GroupOperation: Sendable, Equatable {
  case create(id: String, name: String, owner: GroupService.NewMember)
  case add(GroupService.NewMember, to: String)
  case remove(userID: String, from: String)
  /// Makes a member an admin, or an admin a plain member.
  case assign(isAdmin: Bool, userID: String, in: String)
  case delete(id: String)

  /// The document that a refusal refers to.
  package var path: DocumentPath {
    switch self {
    case .create(let id, _, _), .delete(let id): GroupService.group(id)
    case .add(let member, let id):
      DocumentPath(GymCollection.members(of: GroupService.group(id)), member.userID)
    case .remove(let userID, let id), .assign(_, let userID, let id):
      DocumentPath(GymCollection.members(of: GroupService.group(id)), userID)
    }
  }

  /// The intended document, for the list of rejects.
  fileprivate var document: RawDocument? {
    guard case .add(let member, _) = self else { return nil }
    var fields: FieldMap = ["role": .string(member.isAdmin ? "admin" : "member")]
    if let name = member.displayName { fields["displayName"] = .string(name) }
    if let photo = member.photoURL { fields["photoURL"] = .string(photo) }
    return RawDocument(path: path, fields: fields)
  }
}

extension GroupService {
  /// Performs operations in order; each is either done or refused entirely, and refusals are listed in `rejects.jsonl`.
  ///
  /// A resumed run continues after the last settled operation.
  ///
  /// - Parameters:
  ///   - plan: Receives the changes instead of the database; nil to write them.
  ///   - report: Called with each refusal.
  package static func perform(
    _ operations: [GroupOperation],
    in context: RunContext,
    planning plan: TransactionPlan? = nil,
    deletingAtMost maximum: Int? = nil,
    report: (GroupOperation, Refusal) -> Void
  ) async throws {
    let service = GroupService(in: context, planning: plan, deletingAtMost: maximum)
    let resumed = try context.checkpoints?.resumed?.position(as: Checkpoint.Done.self)?.done
    if resumed == nil { try await context.checkpoints?.begin(at: Checkpoint.State(at: Checkpoint.Done(0))) }
    for (index, operation) in operations.enumerated().dropFirst(resumed ?? 0) {
      try Task.checkCancellation()
      if let refusal = try await service.perform(operation) {
        report(operation, refusal)
        try context.reject(
          operation.path,
          in: operation.path.collection.pattern,
          code: refusal.rawValue,
          message: refusal.message,
          document: operation.document
        )
      }
      try context.counts.assertBudget()
      try await context.checkpoints?.save(at: Checkpoint.State(at: Checkpoint.Done(index + 1)))
    }
  }

  private func perform(_ operation: GroupOperation) async throws -> Refusal? {
    switch operation {
    case .create(let id, let name, let owner): try await create(id, named: name, owner: owner)
    case .add(let member, let id): try await add(member, to: id)
    case .remove(let userID, let id): try await remove(userID, from: id)
    case .assign(let isAdmin, let userID, let id): try await assign(isAdmin: isAdmin, to: userID, in: id)
    case .delete(let id): try await delete(id)
    }
  }
}
