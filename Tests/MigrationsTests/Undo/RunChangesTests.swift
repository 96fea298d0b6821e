import FirestoreModels
import FirestoreREST
import Foundation
import TestSupport
import Testing

@testable import MigrationEngine
@testable import Runs

@Suite("The changes of a run, from its journal")
struct RunChangesTests {
  private let group = DocumentPath(CollectionPath(nil, "groups"), "g")
  private var member: DocumentPath { DocumentPath(CollectionPath(group, "members"), "m") }

  private func document(_ path: DocumentPath) -> RawDocument {
    RawDocument(
      path: path,
      fields: ["n": .integer(1)],
      createTime: Timestamp(seconds: 10),
      updateTime: Timestamp(seconds: 20)
    )
  }

  /// The removal of a member from a group, in one transaction.
  private var removal: [Change] {
    [
      Change(path: group, before: document(group), after: ["n": .integer(0)]),
      Change(path: member, before: document(member), after: nil),
    ]
  }

  private func settle(_ journal: Journal, _ result: WriteResult) throws {
    try journal.settle(removal.map { ($0.path, result) })
  }

  /// What a run changed that began at 15 and wrote this journal.
  private func changes(_ write: (Journal) async throws -> Void) async throws -> RunChanges {
    try await withTemporaryDirectory { folder in
      let path = "\(folder.path)/journal.jsonl"
      let database = DatabaseName(project: "test-project")
      try await write(
        try Journal(path, database: database, run: "r1", serverTime: Timestamp(seconds: 15))
      )
      return try RunChanges(journal: path)
    }
  }

  /// The results in each transaction, the last one first.
  private func transactions(_ changes: RunChanges) throws -> [[String?]] {
    var found: [[String?]] = []
    var number: Int?
    while let joint = try changes.jointChange(before: number) {
      found.append(joint.parts.map(\.result))
      number = joint.number
    }
    return found
  }

  @Test(
    "An attempt of a transaction is not counted if it was refused, or a later one shows that it was not applied."
  )
  func attempts() async throws {
    let written = WriteResult.written(updateTime: Timestamp(seconds: 30))
    let repeated = try await changes { journal in
      try await journal.record(transaction: removal)
      try settle(journal, .conflicted)
      // Without an answer; the next attempt finds both documents as before.
      try await journal.record(transaction: removal)
      try await journal.record(transaction: removal)
      try settle(journal, written)
    }
    #expect(try transactions(repeated) == [["written", "written"]])
    #expect(repeated.count == 2)
    let refused = try await changes { journal in
      try await journal.record(transaction: removal)
      try settle(journal, .conflicted)
    }
    #expect(try transactions(refused).isEmpty)
    #expect(refused.count == 0)
  }

  @Test("The last attempt without an answer may have been applied.")
  func open() async throws {
    let changes = try await changes { journal in
      try await journal.record(transaction: removal)
      try settle(journal, .conflicted)
      try await journal.record(transaction: removal)
    }
    #expect(try transactions(changes) == [[nil, nil]])
    #expect(changes.count == 2)
  }

  @Test("An undo looks at no document whose write was refused.")
  func alone() async throws {
    let paths = ["a", "b", "c", "d"].map { DocumentPath(CollectionPath(nil, "c"), $0) }
    let changes = try await changes { journal in
      try await journal.record(
        paths.enumerated().map { index, path in
          Change(path: path, before: index < 2 ? document(path) : nil, after: ["n": .integer(2)])
        }
      )
      try journal.settle([
        (paths[0], .rejected(FirestoreError(.invalidArgument, "x"))), (paths[2], .unchanged),
        (paths[1], .written(updateTime: Timestamp(seconds: 30))),
      ])
    }
    #expect(changes.count == 2)
    #expect(try changes.page(.existing, after: nil, limit: 9).map(\.path) == [paths[1]])
    #expect(try changes.page(.created(segments: 2), after: nil, limit: 9).map(\.path) == [paths[3]])
    #expect(try changes.page(after: nil, limit: 9).map(\.path) == paths)
  }
}
