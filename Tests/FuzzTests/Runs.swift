import Configuration
import Dispatch
import FirestoreModels
import TypedDocuments

@testable import Files
@testable import MigrationEngine
@testable import Runs
@testable import Tables
@testable import Transfer

/// The files of a run as somebody left them: it is listed, or skipped; it is resumed, or refused; nothing is written but
/// in its folder, and no list is longer afterwards.
///
/// The parts are `run.json`, `checkpoint.json`, `journal.jsonl`, `summary.json`, `verdict.json` and `rejects.jsonl`.
func fuzzRuns(_ input: [UInt8]) {
  let names = [
    "run.json", "checkpoint.json", "journal.jsonl", "summary.json", "verdict.json", "rejects.jsonl",
  ]
  let files = zip(names, parts(input, names.count)).filter { !$1.isEmpty }
  if files.isEmpty { return }
  inFolder(files.map { ("runs/R/\($0)", $1) }) { folder in
    let history = RunHistory(in: folder, warn: { _ in })
    for entry in history.entries() {
      let again = attempt { () throws(WireError) in
        try JSONParser().parse(entry.record.json) { json throws(WireError) in try RunRecord(json) }
      }
      expect(again == entry.record, "a record is another after it was written and read")
      let collections = entry.ending?.collections ?? []
      _ = collections.reduce(DocumentCounts()) { $0 + $1.counts }.balance
      _ = (entry.status, entry.isResumable)
      resume(entry.record, in: folder)
    }
    expect(FilePaths.names(in: folder) == ["runs"], "something was made beside the runs")
    expect(FilePaths.names(in: "\(folder)/runs") == ["R"], "something was made beside the run")
  }
}

private func resume(_ record: RunRecord, in folder: String) {
  for fromStart in [false, true] {
    let before = Scratch.size(of: "\(folder)/runs/R/rejects.jsonl")
    guard
      let run = attempt({ () throws(Failure) in
        try RunDirectory(resuming: record, in: folder, fromStart: fromStart)
      })
    else { continue }
    _ = run.restoredCounts.reduce(DocumentCounts()) { $0 + $1.counts }
    if let resumption = run.resumption, resumption.head != nil {
      let journal = attempt { () throws(Failure) in
        try Journal(run.file("journal.jsonl"), resuming: resumption)
      }
      _ = journal?.checkpoint
    }
    for list in run.allLists {
      _ = attempt { () throws(Failure) in try run.cut(list, to: run.resumption?.checkpoint?.lists[list] ?? 0)
      }
    }
    expect(Scratch.size(of: "\(folder)/runs/R/rejects.jsonl") <= before, "a list has grown")
  }
}

/// A journal: it is read to its end or refused, each change is found again at its offset, and an undo knows all of its
/// documents.
func fuzzJournal(_ input: [UInt8]) {
  inMemory(input) { path in
    var changes: [(offset: Int, change: Change)] = []
    // The documents that have a change without a result, those that have a written one, and all.
    var (open, written, all): (Set<DocumentPath>, Set<DocumentPath>, Set<DocumentPath>) = ([], [], [])
    let isWhole: Void? = attempt { () throws(Failure) in
      var reader = try JournalReader(path)
      var end = 0
      while let line = try reader.next() {
        expect(reader.offset >= end && reader.length <= input.count, "a line ends at \(reader.length)")
        switch line {
        case .head: break
        case .change(let change, _):
          changes.append((reader.offset, change))
          open.insert(change.path)
          all.insert(change.path)
        case .settled(let path, let result, _):
          if open.remove(path) != nil, result == "written" { written.insert(path) }
          all.insert(path)
        }
        end = reader.length
      }
    }
    for (offset, change) in changes {
      let found = attempt { () throws(Failure) in try JournalReader.change(at: offset, in: path) }
      expect(found == change, "the change at \(offset) is another")
    }
    // Of every sixteenth, for a database is made each time.
    guard isWhole != nil, !changes.isEmpty, input.count.isMultiple(of: 16),
      let undone = attempt({ () throws(Failure) in try RunChanges(journal: path) })
    else { return }
    let least = written.union(open).count
    expect(undone.count >= least, "\(undone.count) of \(least) documents are known")
    var last: DocumentPath?
    var count = 0
    while let page = attempt({ () throws(Failure) in try undone.page(after: last, limit: 3) }), !page.isEmpty
    {
      count += page.count
      last = page.last?.path
      expect(count <= all.count, "pages never end")
    }
    expect(count >= undone.count, "\(count) of \(undone.count) documents are paged through")
  }
}

/// A plan's file: each change is read or the line refused; what was read is the same after it was written and read.
func fuzzPlan(_ input: [UInt8]) {
  inMemory(input) { path in
    let parser = JSONParser()
    _ = attempt { () throws(Failure) in
      var reader = try PlanFileReader(path)
      var last = 0
      while let line = try reader.next() {
        expect(line.number > last, "line numbers do not rise")
        last = line.number
        var json = JSONWriter()
        json.object { $0.members(of: line.change) }
        var decoder = WireDecoder()
        let again = attempt { () throws(WireError) in
          try parser.parse(json.bytes) { json throws(WireError) in try decoder.change(json) }
        }
        expect(again == line.change, "a change is another after it was written and read")
      }
    }
    let environment = DatabaseEnvironment(name: "test", database: DatabaseName(project: "p", database: "d"))
    _ = attempt { () throws(Failure) in try PlannedChanges(file: path, for: environment).deletions }
  }
}

/// The ledger's documents as somebody left them, a line each: entries, and the lease.
func fuzzLedger(_ input: [UInt8]) {
  inMemory(input) { path in
    _ = attempt { () throws(Failure) in
      var reader = try JSONLinesReader(path, maximumLineBytes: 1 << 16)
      var totals = DocumentCounts()
      while let line = try reader.next() {
        guard case .success(let document) = line.document else { continue }
        let entry = LedgerEntry(document)
        totals = totals + entry.totals
        _ = (entry.blocks, CommandPlace().waysOut(of: entry), entry.totals.balance)
        guard let now = document.createTime ?? Timestamp(seconds: 0) else { continue }
        _ = Lease.state(of: document, now: now, for: [entry.run])
        _ = Lease.state(of: document, now: now, for: [])
      }
    }
  }
}

/// Folders of exports as somebody left them: the manifest and the marks are read or refused, and pruning removes nothing
/// but files of exports.
///
/// The parts are the manifest of an older export, that of a later one, the marks, and a file of the older one.
func fuzzFolders(_ input: [UInt8]) {
  let found = parts(input, 4)
  let older = "2026-11-20T020000Z"
  let later = "2026-11-21T020000Z"
  let files: [(name: String, bytes: [UInt8])] = [
    ("\(older)/\(Manifest.fileName)", found[0]), ("\(later)/\(Manifest.fileName)", found[1]),
    (HighWaterMarks.fileName, found[2]), ("\(older)/users.jsonl", found[3]),
    ("\(later)/users.jsonl", found[3]),
    ("victim/users.jsonl", Scratch.canary),
  ]
  inFolder(files) { folder in
    for name in [older, later] {
      _ = attempt { () throws(Failure) in try FolderVerification(of: "\(folder)/\(name)").isWhole }
      let paths =
        attempt { () throws(Failure) -> [String] in
          var places = PlaceReader(.local)
          return try places.place(at: "\(folder)/\(name)").sources(via: .local).map(\.path)
        } ?? []
      for path in paths {
        expect(
          FilePaths.folder(of: path) == "\(folder)/\(name)",
          "a manifest leads out of its folder: \(path)"
        )
      }
    }
    let database = DatabaseEnvironment(name: "d", database: DatabaseName(project: "p", database: "d"))
    var marks = attempt { () throws(Failure) in try HighWaterMarks(in: folder) }
    let users = CollectionPath(nil, "users")
    guard let moment = marks?[database, users] ?? Timestamp(seconds: 1_000_000) else { return }
    _ = attempt { () throws(Failure) in try marks?.move([users], of: database, exportedAt: moment) }
    if marks != nil {
      let again = attempt { () throws(Failure) in try HighWaterMarks(in: folder) }
      expect(
        again?[database, users] == marks?[database, users],
        "a mark is another after it was written and read"
      )
    }
    if let dated = attempt({ () throws(Failure) in try DatedFolders(folder) }) {
      let done = DispatchSemaphore(value: 0)
      Task {
        _ = try? await dated.prune(by: RetentionPolicy(last: 1), of: database, current: "\(folder)/\(later)")
        done.signal()
      }
      done.wait()
    }
    expect(
      Scratch.size(of: "\(folder)/victim/users.jsonl") == Scratch.canary.count,
      "a file of somebody else is gone"
    )
    expect(Scratch.size(of: "\(folder)/\(later)/users.jsonl") >= 0, "the later export is gone")
  }
}
