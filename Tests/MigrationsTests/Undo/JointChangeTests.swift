import FirestoreModels
import Testing

@testable import MigrationEngine

@Suite("What a run wrote in one transaction")
struct JointChangeTests {
  private let group = DocumentPath(CollectionPath(nil, "groups"), "g")
  private var member: DocumentPath { DocumentPath(CollectionPath(group, "members"), "m") }

  private func time(_ seconds: Int64) -> Timestamp? { Timestamp(seconds: seconds) }

  private func counting(_ count: Int64, at seconds: Int64, created: Int64 = 10) -> RawDocument {
    RawDocument(
      path: group,
      fields: ["memberCount": .integer(count)],
      createTime: time(created),
      updateTime: time(seconds)
    )
  }

  private func joined(_ name: String, at seconds: Int64, created: Int64) -> RawDocument {
    RawDocument(
      path: member,
      fields: ["displayName": .string(name)],
      createTime: time(created),
      updateTime: time(seconds)
    )
  }

  /// The addition of a member to a group of one that was written at 20; the run began at 100.
  private func addition(_ result: String?, at seconds: Int64? = nil) -> JointChange {
    let old = counting(1, at: 20)
    let changes = [
      Change(path: member, before: nil, after: ["displayName": .string("Ana")]),
      Change(path: group, before: old, after: ["memberCount": .integer(2)]),
    ]
    return JointChange(
      number: 1,
      parts: changes.map {
        JointChange.Part(change: $0, result: result, updateTime: seconds.flatMap { time($0) })
      }
    )
  }

  private func state(
    _ joint: JointChange,
    _ current: RawDocument?...,
    derived: Bool = false,
    derivedSince: Set<Timestamp>? = nil,
    removed: Set<DocumentPath> = []
  )
    -> DocumentHistory.State
  {
    let current = Dictionary(uniqueKeysWithValues: current.compactMap(\.self).map { ($0.path, $0) })
    var replaced = Dictionary(uniqueKeysWithValues: removed.map { ($0, ReplacedStates(isRemoved: true)) })
    if let derivedSince { replaced[group] = ReplacedStates(derivedSince: derivedSince) }
    return joint.state(of: current, replaced: replaced, serverTime: time(100)) { derived && $0.path == group }
  }

  @Test("Written, it is as it was left where each document has the update time of the commit.")
  func written() {
    let joint = addition("written", at: 110)
    #expect(state(joint, joined("Ana", at: 110, created: 110), counting(2, at: 110)) == .asLeft)
    // Changed and changed back is changed.
    #expect(state(joint, joined("Ana", at: 120, created: 110), counting(2, at: 110)) == .changedSince)
    #expect(state(joint, joined("Ana", at: 110, created: 110), counting(2, at: 120)) == .changedSince)
    #expect(state(joint, nil, counting(1, at: 120)) == .changedSince)
    #expect(state(joint, nil, counting(1, at: 20), removed: [member]) == .asBefore)
    let creation = JointChange(number: 1, parts: Array(joint.parts.prefix(1)))
    #expect(state(creation, joined("Ana", at: 110, created: 110), removed: [member]) == .asLeft)
    #expect(state(joint, nil, counting(1, at: 20)) == .changedSince)
    #expect(state(joint, nil, counting(2, at: 110)) == .changedSince)
  }

  @Test("A count that is made anew may have been written since.")
  func derived() {
    let joint = addition("written", at: 110)
    #expect(
      state(joint, joined("Ana", at: 110, created: 110), counting(7, at: 130), derived: true) == .asLeft
    )
    #expect(
      state(joint, joined("Ana", at: 120, created: 110), counting(7, at: 130), derived: true) == .changedSince
    )
    #expect(state(joint, nil, counting(7, at: 130), derived: true) == .changedSince)
    #expect(state(joint, nil, counting(7, at: 130), derived: true, removed: [member]) == .asBefore)
  }

  @Test("What undos counted again is as it was left, if the count is as before.")
  func countedAnew() throws {
    let joint = addition("written", at: 110)
    let (commit, other) = (try #require(time(110)), try #require(time(105)))
    let member = joined("Ana", at: 110, created: 110)
    #expect(state(joint, member, counting(2, at: 130), derivedSince: [commit]) == .asLeft)
    #expect(state(joint, member, counting(3, at: 130), derivedSince: [commit]) == .changedSince)
    #expect(state(joint, member, counting(2, at: 130), derivedSince: [other]) == .changedSince)
    #expect(state(joint, nil, counting(2, at: 130), derivedSince: [commit]) == .changedSince)
  }

  @Test("Refused, it left nothing.", arguments: ["conflicted", "rejected", "unchanged"])
  func refused(_ result: String) {
    #expect(state(addition(result), joined("Ana", at: 110, created: 110), counting(2, at: 110)) == .untouched)
  }

  @Test("Without an answer, the documents decide together.")
  func open() {
    let joint = addition(nil)
    #expect(state(joint, joined("Ana", at: 110, created: 110), counting(2, at: 110)) == .asLeft)
    // The group was not written, so the member is somebody else's.
    #expect(state(joint, joined("Ana", at: 110, created: 110), counting(1, at: 20)) == .untouched)
    #expect(state(joint, nil, counting(5, at: 130)) == .untouched)
    // Two commits, not one.
    #expect(state(joint, joined("Ana", at: 110, created: 110), counting(2, at: 120)) == .changedSince)
    #expect(state(joint, joined("Ana", at: 120, created: 110), counting(2, at: 120)) == .changedSince)
    #expect(state(joint, joined("Ana", at: 90, created: 90), counting(2, at: 90)) == .changedSince)
    #expect(
      state(joint, joined("Ana", at: 110, created: 110), counting(2, at: 110, created: 60)) == .changedSince
    )
  }

  @Test("One time of a commit is that of all its documents.")
  func halfSettled() {
    var joint = addition("written", at: 110)
    joint.parts[0].result = nil
    joint.parts[0].updateTime = nil
    #expect(state(joint, joined("Ana", at: 110, created: 110), counting(2, at: 110)) == .asLeft)
    #expect(state(joint, joined("Ana", at: 111, created: 110), counting(2, at: 110)) == .changedSince)
  }
}
