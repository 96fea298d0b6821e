import Files
import FirestoreModels
import Foundation
import GymModels
import TestSupport
import Testing

@testable import FirestoreREST
@testable import GymServices
@testable import MigrationEngine
@testable import Runs

/// Random histories: so many, or as many as `GYMMIGRATE_TEST_SEEDS` says.
private func seeds(_ count: Int) -> [UInt64] {
  let wanted = ProcessInfo.processInfo.environment["GYMMIGRATE_TEST_SEEDS"].flatMap { Int($0) } ?? count
  return (0..<max(1, wanted)).map { 1 + UInt64($0) }
}

@Suite("Histories of groups", .timeLimit(.minutes(60)))
struct GroupHistoryTests {
  @Test(
    "After every step check finds nothing, and no undo overwrites what others wrote",
    arguments: seeds(60)
  )
  func randomHistory(_ seed: UInt64) async throws {
    try await GroupHistory.open { history in
      var player = HistoryPlayer(history, seed: seed)
      try await player.begin()
      for step in 0..<12 { try await player.step(step) }
    }
  }

  @Test("Undone in reverse, runs go back all the way", arguments: seeds(10))
  func backAllTheWay(_ seed: UInt64) async throws {
    try await GroupHistory.open { history in
      var player = HistoryPlayer(history, seed: seed, isAlone: true)
      try await player.begin()
      let before = try await history.documents().mapValues(\.fields)
      for step in 0..<8 { try await player.step(step) }
      try await player.undoAll()
      #expect(try await history.documents().mapValues(\.fields) == before, "seed \(seed)")
    }
  }

  @Test("Additions are undone in any order, and then the creation of the group", arguments: seeds(10))
  func anyOrder(_ seed: UInt64) async throws {
    try await GroupHistory.open { history in
      var player = HistoryPlayer(history, seed: seed, isAlone: true)
      try await player.begin()
      let before = try await history.documents().mapValues(\.fields)
      let additions = try await player.createAndAdd()
      try await player.undoAll(additions + [0])
      #expect(try await history.documents().mapValues(\.fields) == before, "seed \(seed)")
    }
  }

  @Test(
    "A transaction whose first commit was refused is undone once, and counted once",
    arguments: [(409, "ABORTED"), (503, "UNAVAILABLE")]
  )
  func repeated(_ code: Int, _ status: String) async throws {
    try await GroupHistory.open { history in
      try await history.addUsers(["u0"])
      let before = try await history.documents().mapValues(\.fields)
      let owner = GroupService.NewMember(userID: "u0")
      let (run, made, _) = try await history.perform(
        [.create(id: "g", name: "Otro", owner: owner)],
        over: FirstCommitRefused(code, status)
      )
      #expect(made.written == 2)
      let (_, counts, error) = try await history.undo(0, in: [run])
      #expect(error == nil)
      // The group and its owner's membership.
      #expect(counts.deleted == 2 && counts.written == 2 && counts.unchanged == 0, "\(counts)")
      #expect(try await history.documents().mapValues(\.fields) == before)
    }
  }
}

/// A way to a service that refuses the first commit, which does not reach it.
private final class FirstCommitRefused: HTTPTransport {
  private let inner = CurlTransport()
  private let answer: HTTPResponse
  private let isFirst = Locked(true)

  init(_ code: Int, _ status: String) {
    let body = #"{"error":{"code":\#(code),"message":"a fault","status":"\#(status)"}}"#
    answer = HTTPResponse(status: code, body: Array(body.utf8))
  }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let isRefused = isFirst.withLock { isFirst in
      guard isFirst, request.url.contains(":commit") else { return false }
      isFirst = false
      return true
    }
    return isRefused ? answer : try await inner.send(request)
  }
}

/// Draws the steps of a history, and judges each.
struct HistoryPlayer {
  private let history: GroupHistory
  private let seed: UInt64
  /// Whether nobody else writes, and nothing fails.
  private let isAlone: Bool
  private var random: SplitMix64
  private var runs: [GroupHistory.Run] = []
  private var undone: Set<Int> = []
  /// The members that undos of a run wrote, which no further one may write.
  private var settled: [Int: Set<DocumentPath>] = [:]
  /// Update times that others set, by document.
  private var foreign: [DocumentPath: Set<Timestamp>] = [:]

  private static let users = (0..<14).map { "u\($0)" }

  init(_ history: GroupHistory, seed: UInt64, isAlone: Bool = false) {
    self.history = history
    self.seed = seed
    self.isAlone = isAlone
    random = SplitMix64(seed: seed)
  }

  mutating func begin() async throws {
    try await history.addUsers(Self.users)
    // A group that is nearly full, which most histories work on.
    try await history.rival(.create(id: "g0", name: "Uno", owner: GroupService.NewMember(userID: "u0")))
    for user in Self.users[1..<8] {
      try await history.rival(.add(GroupService.NewMember(userID: user), to: "g0"))
    }
    if !isAlone { try await noteForeign(since: [:]) }
  }

  mutating func step(_ number: Int) async throws {
    let before = try await history.documents()
    let kind = isAlone ? 0 : Int.random(in: 0..<10, using: &random)
    switch kind {
    case 0..<4: try await change()
    case 4..<7: try await undo(before)
    default:
      try await meddle(try await draw())
      try await noteForeign(since: before)
    }
    let found = try await history.findings()
    #expect(found == [], "seed \(seed), step \(number)")
  }

  /// Creates a group, and adds members to it in several runs.
  ///
  /// - Returns: The numbers of these runs in any order.
  mutating func createAndAdd() async throws -> [Int] {
    let members = Self.users.shuffled(using: &random).map { GroupService.NewMember(userID: $0) }
    let operations: [[GroupOperation]] = [
      [.create(id: "g", name: "Otro", owner: members[0])], [.add(members[1], to: "g")],
      [.add(members[2], to: "g"), .add(members[3], to: "g")], [.add(members[4], to: "g")],
      [.add(members[5], to: "g"), .add(members[6], to: "g")],
    ]
    for operations in operations {
      let (run, _, error) = try await history.perform(operations)
      #expect(error == nil, "seed \(seed)")
      runs.append(run)
    }
    return runs.indices.dropFirst().shuffled(using: &random)
  }

  /// - Parameter order: The numbers of the runs; nil for the last first.
  mutating func undoAll(_ order: [Int]? = nil) async throws {
    for number in order ?? runs.indices.reversed() {
      let (undo, counts, error) = try await history.undo(number, in: runs)
      runs.append(undo)
      #expect(error == nil && counts.conflicted == 0 && counts.rejected == 0, "seed \(seed), run \(number)")
      #expect(try await history.findings() == [])
    }
  }

  private mutating func noteForeign(since before: [DocumentPath: RawDocument]) async throws {
    for (path, document) in try await history.documents() {
      guard let time = document.updateTime, before[path]?.updateTime != time else { continue }
      foreign[path, default: []].insert(time)
    }
  }

  // MARK: Own runs

  private mutating func change() async throws {
    let operations = try await operations()
    let transport = try await transport()
    var (run, _, error) = try await history.perform(operations, over: transport)
    if error != nil, transport.wasKilled, Bool.random(using: &random) {
      (run, _, error) = try await history.perform(operations, resuming: run)
      #expect(error == nil, "seed \(seed)")
    }
    if isAlone { #expect(error == nil, "seed \(seed)") }
    runs.append(run)
  }

  private mutating func operations() async throws -> [GroupOperation] {
    let groups = try await groups()
    let group = groups.randomElement(using: &random) ?? "g0"
    let users = Self.users.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<2:
      let id = "g\(runs.count)-\(Int.random(in: 0..<1000, using: &random))"
      return [.create(id: id, name: "Otro", owner: GroupService.NewMember(userID: users[0]))]
    case 2..<5:
      let isAdmin = Int.random(in: 0..<3, using: &random) == 0
      return users.map { .add(GroupService.NewMember(userID: $0, isAdmin: isAdmin), to: group) }
    case 5..<9: return users.map { .remove(userID: $0, from: group) }
    default: return [.delete(id: group)]
    }
  }

  private func groups() async throws -> [String] {
    try await history.documents().keys.filter { $0.collection == GymCollection.groups }.map(\.id).sorted()
  }

  private mutating func transport() async throws -> FailingTransport {
    if isAlone { return FailingTransport(seed: 0) }
    let isKilled = Int.random(in: 0..<5, using: &random) == 0
    let kill = FailingTransport.Kill(
      commit: Int.random(in: 1...4, using: &random),
      isApplied: Bool.random(using: &random)
    )
    let act = try await draw()
    let history = history
    return FailingTransport(
      seed: random.next(),
      faultRate: Bool.random(using: &random) ? 0.15 : 0,
      kill: isKilled ? kill : nil,
      between: { try await Self.meddle(act, in: history) }
    )
  }

  // MARK: Undos

  private mutating func undo(_ before: [DocumentPath: RawDocument]) async throws {
    let left = runs.indices.filter { runs[$0].undoes == nil && !undone.contains($0) }
    guard let number = left.randomElement(using: &random) else { return }
    // Nobody meddles within, so that what was there before says what others wrote.
    let isKilled = Int.random(in: 0..<5, using: &random) == 0
    let transport = FailingTransport(
      seed: random.next(),
      faultRate: Bool.random(using: &random) ? 0.1 : 0,
      kill: isKilled
        ? FailingTransport.Kill(
          commit: Int.random(in: 1...3, using: &random),
          isApplied: Bool.random(using: &random)
        ) : nil
    )
    var (undo, counts, error) = try await history.undo(number, in: runs, over: transport)
    if error != nil, transport.wasKilled {
      #expect(try await history.findings() == [], "seed \(seed), a killed undo")
      (undo, counts, error) = try await history.undo(number, in: runs, resuming: undo)
    }
    #expect(error == nil, "seed \(seed)")
    // What is left of a run may be undone later.
    if counts.conflicted == 0, counts.rejected == 0 { undone.insert(number) }
    runs.append(undo)
    let members = try history.members(writtenBy: undo)
    #expect(settled[number, default: []].isDisjoint(with: members), "seed \(seed): run \(number), twice")
    settled[number, default: []].formUnion(members)
    let after = try await history.documents()
    if counts.written == 0 {
      #expect(after == before, "seed \(seed): an undo without a write changed something")
    }
    for (path, document) in before where after[path]?.updateTime != document.updateTime {
      guard let time = document.updateTime, foreign[path]?.contains(time) ?? false else { continue }
      #expect(isKept(document, after[path]), "seed \(seed): \(path) is somebody else's")
    }
  }

  /// Whether nothing of a document changed but what follows from others.
  private func isKept(_ before: RawDocument, _ after: RawDocument?) -> Bool {
    let own = ["memberCount", "currentGroupId", "updatedAt"].map { FieldPath(field: $0) }
    return after?.fields.removing(own) == before.fields.removing(own)
  }

  // MARK: Others

  /// What somebody else does.
  enum Act: Sendable {
    case operation(GroupOperation)
    /// Changes a document and changes it back.
    case touch(DocumentPath)
    /// A member makes the group the current one.
    case enter(user: String, group: String)
    /// A user in no group is deleted, or one comes.
    case leave(user: String)
    case come(user: String)
  }

  private mutating func draw() async throws -> Act {
    let documents = try await history.documents()
    let groups = documents.keys.filter { $0.collection == GymCollection.groups }.map(\.id).sorted()
    let user = Self.users.randomElement(using: &random) ?? "u0"
    guard let group = groups.randomElement(using: &random) else {
      return .operation(
        .create(id: "r\(random.next())", name: "De ellos", owner: GroupService.NewMember(userID: user))
      )
    }
    let members = documents.keys.filter {
      $0.collection == GymCollection.members(of: GroupService.group(group))
    }
    .map(\.id).sorted()
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<3: return .operation(.add(GroupService.NewMember(userID: user), to: group))
    case 3..<5: return .operation(.remove(userID: user, from: group))
    case 5: return .operation(.delete(id: group))
    case 6..<8:
      guard let path = documents.keys.sorted().randomElement(using: &random) else { break }
      return .touch(path)
    case 8..<10:
      if let member = members.randomElement(using: &random) { return .enter(user: member, group: group) }
    case 10: return .leave(user: user)
    default: return .come(user: user)
    }
    return .come(user: user)
  }

  private func meddle(_ act: Act) async throws { try await Self.meddle(act, in: history) }

  private static func meddle(_ act: Act, in history: GroupHistory) async throws {
    let documents = try await history.documents()
    switch act {
    case .operation(let operation): try await history.rival(operation)
    case .touch(let path):
      guard let document = documents[path] else { return }
      var fields = document.fields
      fields["note"] = .string("x")
      try await history.put(path.string, fields)
      try await history.put(path.string, document.fields)
    case .enter(let user, let group):
      guard var fields = documents[DocumentPath(GymCollection.users, user)]?.fields else { return }
      guard documents[DocumentPath(GymCollection.members(of: GroupService.group(group)), user)] != nil else {
        return
      }
      fields["currentGroupId"] = .string(group)
      try await history.put("users/\(user)", fields)
    case .leave(let user):
      let isMember = documents.keys.contains { $0.segments.count == 4 && $0.id.isIdentical(to: user) }
      let isFounder = documents.values.contains { $0.fields["createdBy"]?.string == user }
      if !isMember, !isFounder { try await history.put("users/\(user)", nil) }
    case .come(let user):
      if documents[DocumentPath(GymCollection.users, user)] == nil { try await history.addUsers([user]) }
    }
  }
}
