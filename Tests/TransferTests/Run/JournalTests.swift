import FirestoreModels
import Foundation
import RunSupport
import TestSupport
import Testing
import TypedDocuments

@testable import Files
@testable import FirestoreREST
@testable import Runs

/// A run directory with a journal.
private struct CommandContext {
  let folder: String
  var path: String { "\(folder)/journal.jsonl" }

  func begin() throws -> Journal {
    try Journal(path, database: testDatabase, run: "r1", serverTime: moment(100))
  }

  func resumption() throws(Failure) -> Resumption { try Resumption(of: "r1", in: folder) }

  func goOn() throws -> Journal { try Journal(path, resuming: resumption()) }

  /// Writes what a run writes for a checkpoint.
  @discardableResult
  func checkpoint(_ journal: Journal) throws -> Checkpoint {
    var checkpoint = Checkpoint(at: Checkpoint.State(at: Checkpoint.Done(1)))
    (checkpoint.journal, checkpoint.tail) = journal.checkpoint
    try JSONFile.write(checkpoint.json, to: "\(folder)/checkpoint.json")
    return checkpoint
  }

  func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }
  func put(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

  func lines() throws -> [JournalReader.Line] {
    var reader = try JournalReader(path)
    var lines: [JournalReader.Line] = []
    while let line = try reader.next() { lines.append(line) }
    return lines
  }
}

@Suite("Journal")
struct JournalTests {
  private func withDesk(_ body: (CommandContext) async throws -> Void) async throws {
    try await withTemporaryDirectory { try await body(CommandContext(folder: $0.path)) }
  }

  private func document(_ name: String, _ n: Int64 = 0, at time: Int = 0) -> RawDocument {
    RawDocument(
      path: path(name),
      fields: ["n": .integer(n)],
      createTime: moment(time),
      updateTime: moment(time)
    )
  }

  private func creation(_ name: String) -> Change {
    Change(path: path(name), before: nil, after: ["n": .integer(1)])
  }

  private func update(_ name: String) -> Change {
    Change(path: path(name), before: document(name), after: ["n": .integer(1)])
  }

  private func deletion(_ name: String) -> Change {
    Change(path: path(name), before: document(name), after: nil)
  }

  /// Whether a journal claims a write of a document that was made after the run began.
  private func kind(_ journal: Journal, _ name: String) throws -> Change.Kind? {
    try journal.takeOwnWrite(of: path(name), current: document(name, 1, at: 200))?.kind
  }

  // MARK: Lines

  @Test("Values of every type, creations, deletions and server times read back as written")
  func roundTrip() async throws {
    let all = #"""
      {"name":"c/é","fields":{"null":{"nullValue":null},"b":{"booleanValue":true},"i":{"integerValue":"9223372036854775807"},"d":{"doubleValue":-0.5},"z":{"doubleValue":"-Infinity"},"t":{"timestampValue":"2026-01-02T03:04:05.678901Z"},"s":{"stringValue":"a\"\n\u0000ñ"},"y":{"bytesValue":"AP8="},"r":{"referenceValue":"projects/p/databases/(default)/documents/c/d"},"g":{"geoPointValue":{"latitude":1.5,"longitude":-2}},"a":{"arrayValue":{"values":[{"integerValue":"1"},{"mapValue":{}}]}},"m":{"mapValue":{"fields":{"a.b":{"stringValue":""}}}},"e":{"arrayValue":{}}}}
      """#
    var before = try #require(documents(all).first)
    before.createTime = moment(1)
    before.updateTime = moment(2)
    var after = before.fields
    after["s"] = nil
    let changes = [
      Change(
        path: before.path,
        before: before,
        after: after,
        serverTimes: [FieldPath(field: "updatedAt"), FieldPath(field: "a.b")]
      ), creation("c/new"), deletion("c/old"),
    ]
    try await withDesk { context in
      let journal = try context.begin()
      try await journal.record(changes)
      try journal.settle(path("c/new"), .written(updateTime: moment(7)))
      try journal.settle(path("c/old"), .written(updateTime: nil))
      try journal.settle(before.path, .rejected(FirestoreError(.invalidArgument, "x")))
      try journal.settle(before.path, .conflicted)
      let head = JournalReader.Head(database: testDatabase, run: "r1", serverTime: moment(100))
      #expect(
        try context.lines() == [.head(head)] + changes.map { .change($0) } + [
          .settled(path("c/new"), result: "written", updateTime: moment(7)),
          .settled(path("c/old"), result: "written", updateTime: nil),
          .settled(before.path, result: "rejected", updateTime: nil),
          .settled(before.path, result: "conflicted", updateTime: nil),
        ]
      )
    }
  }

  @Test("An empty change is left out")
  func empty() async throws {
    try await withDesk { context in
      let journal = try context.begin()
      try await journal.record([
        Change(path: path("c/a"), before: document("c/a", 1), after: ["n": .integer(1)])
      ])
      #expect(try context.lines().count == 1)
    }
  }

  @Test("A journal has a write if one is confirmed, or may have been made because its result is missing")
  func writes() async throws {
    try await withDesk { context in
      let journal = try context.begin()
      #expect(!journal.hasWrite)
      try await journal.record([creation("c/a"), update("c/b")])
      #expect(journal.hasWrite)
      try journal.settle([(path("c/a"), .skipped), (path("c/b"), .conflicted)])
      #expect(!journal.hasWrite)
      // A document for which nothing had to be changed does not hide another one.
      try await journal.record([update("c/b")])
      try journal.settle(path("c/d"), .unchanged)
      #expect(journal.hasWrite)
      try journal.settle(path("c/b"), .rejected(FirestoreError(.invalidArgument, "x")))
      #expect(!journal.hasWrite)
      // The first of two attempts may have been applied.
      try await journal.record([update("c/b")])
      try await journal.record([update("c/b")])
      try journal.settle(path("c/b"), .conflicted)
      #expect(journal.hasWrite)
      try await journal.record([update("c/e")])
      try journal.settle(path("c/e"), .written(updateTime: nil))
      #expect(try context.goOn().hasWrite)
    }
  }

  @Test("A last line that is torn anywhere is truncated, and the next line is complete")
  func torn() async throws {
    try await withDesk { context in
      let journal = try context.begin()
      try await journal.record([creation("c/a")])
      let whole = try context.bytes()
      try await journal.record([creation("c/b")])
      let both = try context.bytes()
      for length in whole.count..<both.count {
        try context.put(Array(both[..<length]))
        let resumed = try context.goOn()
        #expect(try context.bytes() == whole, "\(length)")
        #expect(try kind(resumed, "c/b") == nil)
        #expect(try kind(resumed, "c/a") == .create)
      }
    }
  }

  @Test("A journal without a complete head counts as missing")
  func tornHead() async throws {
    try await withDesk { context in
      _ = try context.begin()
      let head = try context.bytes()
      for length in [0, 1, head.count - 1] {
        try context.put(Array(head[..<length]))
        #expect(try context.resumption().head == nil, "\(length)")
      }
    }
  }

  // MARK: The tail

  @Test("A written document is claimed once; one that existed before, was rejected or given up is not")
  func own() async throws {
    try await withDesk { context in
      let journal = try context.begin()
      try await journal.record([
        creation("c/new"), creation("c/older"), update("c/updated"), deletion("c/deleted"),
        update("c/refused"),
        update("c/again"), update("c/heard"),
      ])
      try journal.settle(path("c/refused"), .rejected(FirestoreError(.invalidArgument, "x")))
      try journal.settle(path("c/again"), .conflicted)
      try journal.settle(path("c/heard"), .written(updateTime: moment(300)))
      try await journal.record([update("c/again")])
      let resumed = try context.goOn()
      #expect(resumed.serverTime == moment(100))
      #expect(resumed.hasTail)
      #expect(try kind(resumed, "c/new") == .create)
      #expect(try kind(resumed, "c/new") == nil)
      // A time before the run began.
      let older = try resumed.takeOwnWrite(of: path("c/older"), current: document("c/older", 1, at: 99))
      #expect(older == nil)
      #expect(try kind(resumed, "c/updated") == .update)
      #expect(try kind(resumed, "c/refused") == nil)
      #expect(try kind(resumed, "c/again") == .update)
      #expect(try kind(resumed, "c/heard") == .update)
      #expect(try kind(resumed, "c/never") == nil)
      #expect(resumed.unmetDeletions == [path("c/deleted")])
      #expect(try resumed.takeOwnWrite(of: path("c/deleted"), current: nil)?.kind == .delete)
      #expect(resumed.unmetDeletions.isEmpty)
      #expect(!resumed.hasTail)
    }
  }

  @Test("A creation that is refused when the run is resumed was not applied if the document is older")
  func refusedCreation() async throws {
    try await withDesk { context in
      let journal = try context.begin()
      try await journal.record([creation("c/older"), creation("c/younger"), update("c/updated")])
      let resumed = try context.goOn()
      for (name, time) in [("c/older", 99), ("c/younger", 200), ("c/updated", 99), ("c/never", 99)] {
        try resumed.dropRefusedCreation(of: path(name), current: document(name, 2, at: time))
      }
      #expect(try context.lines().last == .settled(path("c/older"), result: "unchanged", updateTime: nil))
      #expect(resumed.unmetWrite(of: path("c/older")) == nil)
      #expect(resumed.unmetWrite(of: path("c/younger")) != nil)
      #expect(resumed.unmetWrite(of: path("c/updated")) != nil)
    }
  }

  @Test(
    "A write without a response is in doubt where somebody has written the document since.",
    arguments: [
      ("as before", 0, 0, false), ("as written", 1, 200, false), ("changed", 7, 200, true),
      ("created again", 7, 200, true), ("missing", 0, 0, true),
    ]
  )
  func inDoubt(_ name: String, _ n: Int64, at time: Int, isInDoubt: Bool) async throws {
    try await withDesk { context in
      let journal = try context.begin()
      try await journal.record([update("c/d"), deletion("c/deleted"), update("c/heard")])
      try journal.settle(path("c/heard"), .written(updateTime: moment(150)))
      let resumed = try context.goOn()
      func drop(_ name: String, _ current: RawDocument?) throws -> Bool {
        try resumed.dropDoubtfulWrite(of: path(name), current: current)
      }
      var current: RawDocument? = document("c/d", n, at: time)
      if name == "missing" { current = nil } else if name == "changed" { current?.createTime = moment(0) }
      #expect(try drop("c/d", current) == isInDoubt)
      // Once, and without a result in the journal.
      #expect(try drop("c/d", current) == false)
      #expect(try context.lines().count == 5)
      var changed = document("c/deleted", 7, at: 200)
      changed.createTime = moment(0)
      #expect(try drop("c/deleted", changed) == false)
      #expect(try drop("c/deleted", document("c/deleted", 7, at: 200)))
      #expect(try drop("c/heard", document("c/heard", 7, at: 200)) == false)
      // The second write of a document was decided before the first one.
      let second = Change(path: path("c/twice"), before: document("c/twice"), after: ["n": .integer(2)])
      for change in [update("c/twice"), second] {
        try await resumed.record([change])
        if change != second { try resumed.settle(change.path, .written(updateTime: moment(150))) }
      }
      let again = try context.goOn()
      let first = document("c/twice", 1, at: 150)
      #expect(try again.dropDoubtfulWrite(of: first.path, current: first) == false)
    }
  }

  @Test("A write in doubt that a checkpoint has counted is not met again")
  func countedInDoubt() async throws {
    try await withDesk { context in
      try await context.begin().record([update("c/a"), update("c/b"), update("c/c")])
      let second = try context.goOn()
      #expect(try second.dropDoubtfulWrite(of: path("c/b"), current: nil))
      try context.checkpoint(second)
      let third = try context.goOn()
      #expect(third.unmetWrite(of: path("c/b")) == nil)
      for name in ["c/a", "c/c"] { #expect(third.unmetWrite(of: path(name))?.kind == .update) }
    }
  }

  @Test("A confirmed write was changed since if the document is missing, or of another time.")
  func changedSince() async throws {
    try await withDesk { context in
      let journal = try context.begin()
      let changes = [update("c/a"), creation("c/b"), deletion("c/z")]
      try await journal.record(changes + [update("c/open")])
      for change in changes {
        try journal.settle(change.path, .written(updateTime: change.isDeletion ? nil : moment(150)))
      }
      let resumed = try context.goOn()
      func isChanged(_ name: String, _ current: RawDocument?) throws -> Bool {
        try resumed.isChanged(path(name), current: current)
      }
      for name in ["c/a", "c/b"] {
        #expect(try isChanged(name, nil))
        #expect(try isChanged(name, document(name, 1, at: 200)))
        #expect(try !isChanged(name, document(name, 1, at: 150)))
      }
      #expect(try isChanged("c/z", document("c/z", 1, at: 200)))
      #expect(try !isChanged("c/z", nil))
      #expect(try !isChanged("c/open", nil))
    }
  }

  @Test("A repeated write is claimed until it is settled, because the first commit may still arrive")
  func writtenAgain() async throws {
    try await withDesk { context in
      try await context.begin().record([update("c/a"), update("c/b")])
      let resumed = try context.goOn()
      try await resumed.record([update("c/a"), update("c/b")])
      #expect(try kind(resumed, "c/a") == .update)
      try resumed.settle(path("c/b"), .written(updateTime: moment(300)))
      #expect(try kind(resumed, "c/b") == nil)
    }
  }

  @Test("The change of a claimed write is read back with its before-image")
  func change() async throws {
    try await withDesk { context in
      let big = Change(
        path: path("c/big"),
        before: document("c/big"),
        after: ["t": .string(String(repeating: "ñ", count: 40_000))]
      )
      try await context.begin().record([update("c/a"), big, deletion("c/z")])
      let resumed = try context.goOn()
      for wanted in [deletion("c/z"), big, update("c/a")] {
        let own = try #require(try resumed.takeOwnWrite(of: wanted.path, current: nil))
        #expect(try resumed.change(of: own) == wanted)
      }
    }
  }

  @Test("Writes that a checkpoint has counted are not claimed, even after a second interruption")
  func checkpoints() async throws {
    try await withDesk { context in
      let journal = try context.begin()
      try await journal.record([update("c/counted")])
      try journal.settle(path("c/counted"), .written(updateTime: moment(200)))
      try context.checkpoint(journal)
      try await journal.record([
        update("c/a"), update("c/b"), update("c/c"), deletion("c/d"), deletion("c/e"),
      ])

      let second = try context.goOn()
      #expect(try kind(second, "c/counted") == nil)
      #expect(try kind(second, "c/a") == .update)
      _ = try second.takeOwnWrite(of: path("c/d"), current: nil)
      try await second.record([update("c/b"), deletion("c/e"), update("c/new")])
      for name in ["c/b", "c/e", "c/new"] { try second.settle(path(name), .written(updateTime: nil)) }
      // All but c/c are counted by now.
      let kept = try context.checkpoint(second)
      #expect(kept.tail.count == 1)
      try await second.record([update("c/late")])

      let third = try context.goOn()
      #expect(third.unmetDeletions.isEmpty)
      for name in ["c/a", "c/b", "c/new", "c/counted"] { #expect(try kind(third, name) == nil, "\(name)") }
      #expect(try context.checkpoint(third).tail.count == 2)
      #expect(try kind(third, "c/c") == .update)
      #expect(try kind(third, "c/late") == .update)
      #expect(try context.checkpoint(third).tail.isEmpty)

      // If the second resume reached no checkpoint, all of it is open again.
      try JSONFile.write(kept.json, to: "\(context.folder)/checkpoint.json")
      let again = try context.goOn()
      #expect(try kind(again, "c/c") == .update)
      #expect(try kind(again, "c/late") == .update)
      #expect(try kind(again, "c/a") == nil)
    }
  }

  @Test(
    "A write whose repetition failed is claimed only as it was made the first time.",
    arguments: [nil, WriteResult.unchanged, .rejected(FirestoreError(.alreadyExists, "x"))]
  )
  func twice(_ end: WriteResult?) async throws {
    func again(_ journal: Journal) async throws {
      try await journal.record([creation("c/twice"), creation("c/new")])
      if let end { try journal.settle(path("c/twice"), end) }
    }
    func begin(_ context: CommandContext) async throws -> Journal {
      let journal = try context.begin()
      try await journal.record([creation("c/twice")])
      try journal.settle(path("c/twice"), .written(updateTime: moment(200)))
      return journal
    }
    func isOwn(_ journal: Journal, _ name: String, madeAt time: Int) throws -> Bool {
      try journal.takeOwnWrite(of: path(name), current: document(name, 1, at: time)) != nil
    }
    // A checkpoint counts the first write.
    try await withDesk { context in
      let journal = try await begin(context)
      try context.checkpoint(journal)
      try await again(journal)
      let resumed = try context.goOn()
      #expect(try !isOwn(resumed, "c/twice", madeAt: 200))
      #expect(try isOwn(resumed, "c/new", madeAt: 201))
    }
    // No checkpoint counts it.
    try await withDesk { context in
      try await again(begin(context))
      let resumed = try context.goOn()
      #expect(try isOwn(resumed, "c/twice", madeAt: 200))
      #expect(try !isOwn(resumed, "c/twice", madeAt: 200))
    }
    // A checkpoint of an earlier resume counts it.
    try await withDesk { context in
      _ = try await begin(context).record([creation("c/open")])
      let resumed = try context.goOn()
      #expect(try isOwn(resumed, "c/twice", madeAt: 200))
      try await resumed.record([creation("c/later")])
      try resumed.settle(path("c/later"), .written(updateTime: moment(300)))
      try context.checkpoint(resumed)
      try await again(resumed)
      let second = try context.goOn()
      #expect(try !isOwn(second, "c/twice", madeAt: 200))
      #expect(try isOwn(second, "c/open", madeAt: 201))
      #expect(try isOwn(second, "c/new", madeAt: 301))
    }
  }

  @Test("A run that reads its stage again claims the writes of that stage only.")
  func parts() async throws {
    func change(_ name: String, to n: Int64) -> Change {
      Change(path: path(name), before: document(name, n - 1), after: ["n": .integer(n)])
    }
    try await withDesk { context in
      var beginning: Checkpoint.Beginning?
      func mark(_ stage: Int, _ journal: Journal, isBeginning: Bool = false) throws {
        var checkpoint = Checkpoint(at: Checkpoint.State(stage: stage))
        (checkpoint.journal, checkpoint.tail) = journal.checkpoint
        if isBeginning { beginning = Checkpoint.Beginning(checkpoint) }
        checkpoint.beginning = beginning
        try JSONFile.write(checkpoint.json, to: "\(context.folder)/checkpoint.json")
      }
      func write(_ change: Change, _ journal: Journal) async throws {
        try await journal.record([change])
        try journal.settle(change.path, .written(updateTime: nil))
      }
      func fromStart() throws -> Journal {
        try Journal(context.path, resuming: Resumption(of: "r1", in: context.folder, fromStart: true))
      }
      func own(_ name: String, _ journal: Journal) throws -> Change? {
        try journal.takeOwnWrite(of: path(name), current: document(name, 9, at: 200)).map {
          try journal.change(of: $0)
        }
      }
      let journal = try context.begin()
      try mark(0, journal)
      try await write(change("c/both", to: 1), journal)
      try await write(change("c/first", to: 1), journal)
      try mark(1, journal, isBeginning: true)
      try await write(change("c/both", to: 2), journal)
      try await write(deletion("c/second"), journal)
      try mark(1, journal)

      // It stops again, when one of two documents has been read again.
      var again = try fromStart()
      #expect(again.unmetDeletions == [path("c/second")])
      #expect(try own("c/first", again) == nil)
      #expect(try own("c/both", again) == change("c/both", to: 2))
      try await write(change("c/new", to: 1), again)
      try mark(1, again)

      for isFromStart in [false, true] {
        again = try isFromStart ? fromStart() : context.goOn()
        #expect(again.unmetDeletions == [path("c/second")])
        #expect(try own("c/first", again) == nil)
        #expect(try own("c/both", again) == (isFromStart ? change("c/both", to: 2) : nil))
        #expect(try own("c/new", again) == (isFromStart ? change("c/new", to: 1) : nil))
        again.endTail()
        #expect(!again.hasTail)
      }
    }
  }

  @Test("The tail of a stage is empty once the stage is complete")
  func ended() async throws {
    try await withDesk { context in
      try await context.begin().record([update("c/a"), deletion("c/b")])
      let resumed = try context.goOn()
      resumed.endTail()
      #expect(!resumed.hasTail)
      #expect(resumed.unmetDeletions.isEmpty)
      #expect(try kind(resumed, "c/a") == nil)
    }
  }

  // MARK: Damage

  @Test("A journal that does not fit its run or its checkpoint is refused and left unchanged")
  func damaged() async throws {
    try await withDesk { context in
      let journal = try context.begin()
      let head = try context.bytes()
      try await journal.record([update("c/a")])
      let checkpoint = try context.checkpoint(journal)
      try await journal.record([update("c/b")])
      let whole = try context.bytes()
      let torn = Array("{\"path\":\n".utf8)
      let other = Array(String(decoding: whole, as: UTF8.self).replacing("\"r1\"", with: "\"r2\"").utf8)
      let cases: [(String, [UInt8])] = [
        ("shorter than the checkpoint", head), ("no head", Array(whole[head.count...])),
        ("no line", Array(whole[..<checkpoint.journal]) + torn + whole[checkpoint.journal...]),
        ("of another run", other), ("moved", head + head + whole[head.count...]),
        ("missing in the middle", head + [0x0A] + whole[head.count...]),
      ]
      for (what, bytes) in cases {
        try context.put(bytes)
        #expect(await failure(of: { try context.resumption() })?.kind == .inputMalformed, "\(what)")
        #expect(try context.bytes() == bytes, "\(what)")
      }
      try FileManager.default.removeItem(atPath: context.path)
      #expect(await failure(of: { try context.resumption() })?.kind == .inputMalformed, "missing")
    }
  }

  // MARK: The commit

  /// Reads the journal's file at each commit.
  private struct Watch: HTTPTransport {
    let inner: any HTTPTransport
    let journal: Journal
    let context: CommandContext
    let missing: Locked<[String]>
    let commits: Locked<Int>

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
      if request.url.contains(":commit") {
        commits.withLock { $0 += 1 }
        let synced = (try? context.bytes()[..<journal.syncedLength]) ?? []
        let text = String(decoding: synced, as: UTF8.self)
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        for part in body.components(separatedBy: "/documents/").dropFirst() {
          let name = part.components(separatedBy: "\"")[0]
          if !text.contains("\"path\":\"\(name)\"") { missing.withLock { $0.append(name) } }
        }
      }
      return try await inner.send(request)
    }
  }

  @Test("A change is in the journal and on disk before it is sent")
  func beforeCommit() async throws {
    let mini = MiniFirestore()
    try await withDesk { context in
      try await HTTPTestServer.withServer(mini.handler) { server in
        let journal = try context.begin()
        let (missing, commits) = (Locked<[String]>([]), Locked(0))
        let transport = Watch(
          inner: CurlTransport(),
          journal: journal,
          context: context,
          missing: missing,
          commits: commits
        )
        let client = FirestoreClient.testing(server.url, over: transport)
        try await BatchWriter.run(
          client,
          limits: BatchLimits(maximumWrites: 7, maximumInFlight: 4),
          pacer: WritePacer(ramp: false),
          journal: journal,
          delegate: Deaf()
        ) { writer in
          for document in try documents(jsonLines("c", 0..<100)) {
            try await writer.submit(Change(path: document.path, before: nil, after: document.fields))
          }
        }
        #expect(commits.withLock { $0 } >= 15)
        #expect(missing.withLock { $0 } == [])
        #expect(mini.snapshot().count == 100)
      }
    }
  }
}

/// Listens to nothing.
private struct Deaf: BatchDelegate {
  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure) {}
  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution { .settle(.conflicted) }
}
