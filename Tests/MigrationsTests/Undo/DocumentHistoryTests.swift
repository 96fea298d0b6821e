import FirestoreModels
import FirestoreREST
import Runs
import Testing

@testable import MigrationEngine

@Suite("What a journal records of a document")
struct DocumentHistoryTests {
  private let path = DocumentPath(CollectionPath(nil, "users"), "u")

  private func time(_ seconds: Int64) -> Timestamp? { Timestamp(seconds: seconds) }

  /// A document as it was at a moment; made at 10.
  private func document(_ name: String, at seconds: Int64, created: Int64 = 10) -> RawDocument {
    RawDocument(
      path: path,
      fields: ["name": .string(name)],
      createTime: time(created),
      updateTime: time(seconds)
    )
  }

  private func change(from before: RawDocument?, to name: String?) -> JournalReader.Line {
    .change(Change(path: path, before: before, after: name.map { ["name": .string($0)] }))
  }

  private func settled(_ result: String, at seconds: Int64? = nil) -> JournalReader.Line {
    .settled(path, result: result, updateTime: seconds.flatMap { time($0) })
  }

  /// How a document stands after some lines; the run began at 100.
  private func state(
    _ lines: [JournalReader.Line],
    _ current: RawDocument?,
    replaced: ReplacedStates = ReplacedStates()
  ) -> DocumentHistory.State {
    var history = DocumentHistory()
    for line in lines { history.take(line) }
    return history.state(of: current, replaced: replaced, serverTime: time(100))
  }

  @Test("A confirmed update is left as long as the update time is the run's.")
  func update() {
    let lines = [change(from: document("old", at: 20), to: "new"), settled("written", at: 110)]
    #expect(state(lines, document("new", at: 110)) == .asLeft)
    // Somebody wrote the same again: it is theirs now.
    #expect(state(lines, document("new", at: 111)) == .changedSince)
    #expect(state(lines, document("other", at: 111)) == .changedSince)
    // Nor is it as before because somebody wrote what had been: that may be a run that is undone later.
    #expect(state(lines, document("old", at: 111)) == .changedSince)
    #expect(state(lines, document("old", at: 20)) == .asBefore)
    #expect(state(lines, nil) == .changedSince)
  }

  /// Whether somebody wrote between the changes of some lines, and what was before all of them.
  private func judged(_ lines: [JournalReader.Line], _ current: RawDocument) -> (Bool, RawDocument?) {
    var history = DocumentHistory()
    for line in lines { history.take(line) }
    return (history.isContested(current), history.before)
  }

  @Test("A document that somebody wrote between two changes of the run is contested.")
  func changedBetween() {
    let (old, final) = (document("old", at: 20), document("newer", at: 130))
    let first = [change(from: old, to: "new"), settled("written", at: 110)]
    func isContested(_ between: RawDocument, _ first: [JournalReader.Line]) -> [Bool] {
      let second = change(from: between, to: "newer")
      return [[second, settled("written", at: 130)], [second]].map { second in
        let (isContested, before) = judged(first + second, final)
        #expect(before == old)
        return isContested
      }
    }
    #expect(isContested(document("new", at: 110), first) == [false, false])
    #expect(isContested(document("theirs", at: 120), first) == [true, true])
    // Equal values are no proof that nobody wrote.
    #expect(isContested(document("new", at: 120), first) == [true, true])
    // The first change may have been applied.
    #expect(isContested(document("theirs", at: 120), Array(first.prefix(1))) == [true, true])
    #expect(isContested(document("new", at: 110), Array(first.prefix(1))) == [false, false])
  }

  @Test("A change that was decided before the run's last one shows nothing.")
  func decidedEarlier() {
    let lines = [
      change(from: document("old", at: 20), to: "new"), settled("written", at: 110),
      change(from: document("new", at: 110), to: "newer"), settled("written", at: 120),
      change(from: document("new", at: 110), to: "newest"), settled("conflicted"),
    ]
    #expect(!judged(lines, document("newer", at: 120)).0)
    #expect(!judged(lines.dropLast(), document("newer", at: 120)).0)
    let read = [lines[0], lines[1], change(from: document("old", at: 20), to: "new"), settled("written")]
    #expect(!judged(read, document("new", at: 110)).0)
  }

  @Test("An update of which nothing was heard is the run's own only where nobody made the document anew.")
  func unheardAndMadeAnew() {
    let lines = [change(from: document("old", at: 20), to: "new")]
    #expect(state(lines, document("new", at: 110, created: 105)) == .changedSince)
    #expect(state(lines, document("new", at: 90)) == .changedSince)
  }

  @Test("A change of which nothing was heard is judged by the document.")
  func unheard() {
    let lines = [change(from: document("old", at: 20), to: "new")]
    #expect(state(lines, document("new", at: 110)) == .asLeft)
    #expect(state(lines, document("old", at: 20)) == .untouched)
    #expect(state(lines, document("old", at: 130)) == .changedSince)
    #expect(state(lines, document("other", at: 130)) == .changedSince)
    #expect(state(lines, nil) == .changedSince)
  }

  @Test("A change that was refused changed nothing.", arguments: ["rejected", "conflicted", "unchanged"])
  func refused(_ result: String) {
    let lines = [change(from: document("old", at: 20), to: "new"), settled(result)]
    #expect(state(lines, document("new", at: 110)) == .untouched)
  }

  @Test("A creation is the run's own only where the document is younger than the run.")
  func creation() {
    let lines = [change(from: nil, to: "new")]
    #expect(state(lines, document("new", at: 105, created: 105)) == .asLeft)
    // Somebody has written it since.
    #expect(state(lines, document("new", at: 106, created: 105)) == .changedSince)
    #expect(state(lines, document("new", at: 50, created: 50)) == .untouched)
    #expect(state(lines, document("theirs", at: 130, created: 50)) == .untouched)
    var undated = document("theirs", at: 50)
    undated.createTime = nil
    #expect(state(lines, undated) == .untouched)
    #expect(state(lines, nil) == .untouched)
    #expect(state(lines + [settled("written", at: 105)], nil) == .changedSince)
    #expect(
      state(lines + [settled("written", at: 105)], nil, replaced: ReplacedStates(isRemoved: true))
        == .asBefore
    )
  }

  @Test("A deletion")
  func deletion() {
    let lines = [change(from: document("old", at: 20), to: nil), settled("written")]
    #expect(state(lines, nil) == .asLeft)
    #expect(state(lines, document("old", at: 120, created: 120)) == .changedSince)
    #expect(state(lines, document("old", at: 20)) == .asBefore)
    #expect(state(lines, document("new", at: 120, created: 120)) == .changedSince)
  }

  @Test("What undos made of the document as it was before the run is nobody's change.")
  func replaced() throws {
    let replaced = ReplacedStates(times: [try #require(time(20))])
    let update = [change(from: document("old", at: 20), to: "new")]
    let deletion = [change(from: document("old", at: 20), to: nil)]
    for current in [document("older", at: 15), nil] {
      for lines in [update, deletion] {
        #expect(state(lines + [settled("written", at: 110)], current, replaced: replaced) == .asBefore)
        #expect(state(lines, current, replaced: replaced) == .untouched)
      }
    }
    let creation = [change(from: nil, to: "new"), settled("written", at: 110)]
    #expect(
      state(creation, document("older", at: 15), replaced: ReplacedStates(isRemoved: true)) == .asBefore
    )
  }

  @Test("What the run created is its own, though an undo of a later run removed and another restored it.")
  func removedInBetween() {
    let creation = change(from: nil, to: "new")
    let replaced = ReplacedStates(isRemoved: true)
    for lines in [[creation, settled("written", at: 110)], [creation]] {
      #expect(state(lines, document("new", at: 110, created: 110), replaced: replaced) == .asLeft)
    }
  }

  @Test("Of several changes the first records what was, the last what is.")
  func several() {
    var history = DocumentHistory()
    history.take(change(from: document("one", at: 20), to: "two"))
    history.take(settled("written", at: 110))
    history.take(change(from: document("two", at: 110), to: "three"))
    history.take(settled("written", at: 120))
    #expect(history.before?.fields == ["name": .string("one")])
    #expect(history.state(of: document("three", at: 120), serverTime: time(100)) == .asLeft)
    #expect(history.state(of: document("two", at: 110), serverTime: time(100)) == .changedSince)
  }

  @Test("A change that is begun again shows whether the one in doubt was applied.")
  func doubt() {
    // It was: the second one found what the first had made.
    var history = DocumentHistory()
    history.take(change(from: document("one", at: 20), to: "two"))
    history.take(change(from: document("two", at: 110), to: "three"))
    history.take(settled("written", at: 120))
    #expect(history.before?.fields == ["name": .string("one")])
    // It is not known: somebody else had changed the document, and the second one was refused.
    let lines = [
      change(from: document("one", at: 20), to: "two"),
      change(from: document("theirs", at: 105), to: "three"),
      settled("conflicted"),
    ]
    #expect(state(lines, document("theirs", at: 105)) == .changedSince)
  }

  @Test("Server times are not compared where the update time is not known.")
  func serverTimes() throws {
    let before = document("old", at: 20)
    let line = JournalReader.Line.change(
      Change(
        path: path,
        before: before,
        after: ["name": .string("new")],
        serverTimes: [FieldPath(field: "updatedAt")]
      )
    )
    var current = document("new", at: 110)
    current.fields["updatedAt"] = .timestamp(try #require(time(110)))
    #expect(state([line], current) == .asLeft)
  }

  @Test("The spool's JSON keeps all of it.")
  func json() throws {
    var history = DocumentHistory()
    history.take(change(from: document("one", at: 20), to: "two"))
    history.take(settled("written", at: 110))
    history.take(change(from: document("two", at: 111), to: "three"))
    history.take(settled("written", at: 120))
    history.take(change(from: document("three", at: 120), to: nil))
    var decoder = WireDecoder()
    let read = try JSONParser().parse(history.json) { json throws(WireError) in
      try DocumentHistory(json, &decoder)
    }
    #expect(read == history)
  }
}
