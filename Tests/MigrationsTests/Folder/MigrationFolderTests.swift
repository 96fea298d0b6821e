import Configuration
import Files
import FirestoreModels
import Foundation
import GymMigrations
import GymModels
import Runs
import Schema
import TestSupport
import Testing

@testable import MigrationEngine

/// A folder of migrations in a temporary one.
private func folder(
  _ files: [String: String],
  environments: [String] = ["test", "stage", "prod"]
) async throws -> MigrationFolder {
  let result = Locked<Result<MigrationFolder, Failure>?>(nil)
  try await withTemporaryDirectory { place in
    for (name, text) in files {
      try Data(text.utf8).write(to: place.appendingPathComponent(name))
    }
    do throws(Failure) {
      let read = try MigrationFolder(
        place.path,
        in: LiteralContext(database: DatabaseName(project: "p")),
        known: MigrationCatalogue.all(),
        schema: GymSchema.schema,
        environments: environments
      )
      result.withLock { $0 = .success(read) }
    } catch {
      result.withLock { $0 = .failure(error) }
    }
  }
  return try #require(result.withLock { $0 }).get()
}

/// A migration's file.
private func file(_ id: String, _ header: String = "") -> String {
  "id: \(id)\nsummary: S.\n\(header)collection: users\nsteps:\n  - trim: email\n"
}

@Suite struct MigrationFolderTests {
  @Test("The order is that of the bytes of the names; the extension is no part of them.")
  func order() async throws {
    let names = ["b", "a-b", "a", "Z", "é", "a.1", "10", "9"]
    var files = Dictionary(uniqueKeysWithValues: names.enumerated().map { ("\($1).yaml", file("m\($0)")) })
    (files["README.md"], files[".hidden.yaml"], files["c.YML"]) = ("# x", "nothing", file("c"))
    let read = try await folder(files).migrations
    #expect(read.map(\.name) == ["10", "9", "Z", "a", "a-b", "a.1", "b", "c", "é"])
    #expect(read.map(\.id) == ["m6", "m7", "m3", "m2", "m1", "m5", "m0", "c", "m4"])
    #expect(read.allSatisfy { $0.checksum?.count == 64 && $0.choice.hasSuffix("ml") || $0.name == "c" })
  }

  @Test(
    "A header says what must come before, what it is for, and why it stays; a file may place what comes along."
  )
  func header() async throws {
    let header = "after: a\nenvironments: [test, prod]\nirreversible: Nobody knows  the old values.\n"
    let read = try await folder([
      "a.yaml": file("first"), "b.yaml": file("second", header),
      "c.yaml": "uses: is-active\nafter: [first, b]\n",
    ]).migrations
    #expect(read[0].header == MigrationHeader())
    #expect(read[1].header.after == ["a"] && read[1].header.irreversible == "Nobody knows the old values.")
    #expect(["test", "stage", "prod"].map { read[1].isFor(DatabaseNames($0)) } == [true, false, true])
    // Whatever other names the database has.
    #expect(read[1].isFor(DatabaseNames("real", others: ["stage", "prod"])))
    #expect(read[2].choice == "is-active" && read[2].id == "is-active" && read[2].checksum == nil)
    #expect(read[2].header.after == ["first", "b"] && read[2].isCalled("c") && read[2].isCalled("is-active"))
  }

  @Test(
    "What does not go together is an error that names the file.",
    arguments: [
      (["a.yaml": file("x"), "b.yaml": file("x")], "b.yaml", "a, before it, is called 'x', too"),
      (["01-x.yaml": file("02-y"), "02-y.yaml": file("z")], "02-y.yaml", "01-x, before it, is called"),
      (["01-x.yaml": file("q"), "02-y.yaml": file("01-x")], "02-y.yaml", "is called '01-x', too"),
      (["01-a.yaml": file("a"), "01-a.yml": file("b")], "01-a.yml", "01-a, before it, is called '01-a'"),
      (["a.yaml": file("x"), "a.yaml.yml": file("y")], "a.yaml.yml", "a, before it, is called 'a.yaml'"),
      (["is-active.yaml": file("x")], "is-active.yaml", "the migration 'is-active' comes along"),
      (["a.yaml": file("x", "after: b\n"), "b.yaml": file("y")], "a.yaml", "it comes after 'b'"),
      (["a.yaml": file("x", "after: x\n")], "a.yaml", "it comes after 'x'"),
      (["a.yaml": file("x", "environments: staging\n")], "a.yaml", "no environment 'staging'"),
      (
        ["a.yaml": file("x", "environments: []\n")], "a.yaml", "line 3, column 15: 'environments' is an empty"
      ),
      (["a.yaml": file("x", "irreversible: \"\"\n")], "a.yaml", "line 3, column 15"),
      (["a.yaml": "uses: nothing\n"], "a.yaml", "line 1, column 7: no migration 'nothing' comes along"),
      (["a.yaml": "uses: is-active\nsteps: []\n"], "a.yaml", "line 2, column 1: a migration has no 'steps'"),
    ] as [([String: String], String, String)]
  )
  func refused(_ files: [String: String], _ name: String, _ part: String) async throws {
    let failure = await #expect(throws: Failure.self) { _ = try await folder(files) }
    #expect(failure?.kind == .inputMalformed && failure?.path?.hasSuffix("/\(name)") ?? false)
    #expect(failure?.cause.contains(part) ?? false, "\(failure?.cause ?? "")")
  }

  @Test("What comes along is numbered, and found by name and id.")
  func comingAlong() throws {
    let folder = MigrationFolder(comingAlong: MigrationCatalogue.folder)
    #expect(folder.migrations.map(\.name) == ["01-users-unify", "02-user-emails", "03-is-active"])
    #expect(try folder.migrations(upTo: "user-emails").map(\.id) == ["users-unify", "user-emails"])
    #expect(try folder.migrations(upTo: "03-is-active").count == 3)
    #expect(throws: Failure.self) { try folder.migrations(upTo: "is-activ") }
  }

  @Test("A draft is read as what it was made of.")
  func draft() throws {
    let steps: [MigrationStep] = [
      .move(try FieldPath(parsing: "a"), to: try FieldPath(parsing: "`b.c`"), overwrite: true),
      .copy(try FieldPath(parsing: "d"), to: try FieldPath(parsing: "e.f"), overwrite: false),
      .convert(
        try FieldPath(parsing: "g"),
        ValueConversion(to: .timestamp, unit: .seconds),
        onFailure: .keep
      ),
      .rewrite(try FieldPath(parsing: "h"), .digits),
      .setIfMissing(try FieldPath(parsing: "i"), .string("007")),
      .set(try FieldPath(parsing: "j"), .array([.integer(1), .double(1), .boolean(true), .null])),
      .set(try FieldPath(parsing: "k"), .map(["x y": .string("a: \"b\" #c"), "z": .string("null")])),
      .set(try FieldPath(parsing: "l"), .timestamp(try #require(Timestamp("2026-01-31T12:00:00Z")))),
      .set(try FieldPath(parsing: "n"), .reference(MigrationDraft.database.documents + "/users/a, [b]")),
      .setIfMissing(try FieldPath(parsing: "o"), .reference("projects/q/databases/d/documents/users/u1")),
      .unset(try FieldPath(parsing: "m")),
    ]
    var body = DeclarativeMigration(
      id: "new",
      summary: "Does - what: it says.",
      scope: DeclarativeMigration.Scope(try #require(CollectionPath("groups/*/members"))),
      steps: steps,
      touch: false,
      schema: .none
    )
    body.allowsImmutable = true
    var draft = MigrationDraft(id: "new")
    (draft.body, draft.filters) = (body, ["n == \"a'b\"", "at > ts(2026-01-01)"])
    let context = LiteralContext(database: MigrationDraft.database)
    let read = try MigrationFile("x.yaml", in: context, reservedIDs: [], schema: .none)
      .parse(Array(draft.text.utf8))
    #expect(read.steps == steps && read.summary == body.summary && read.id == "new")
    #expect(!read.touch && read.allowsImmutable && read.scope.collection == body.scope.collection)
    #expect(read.scope.filters.count == 1)
    // A comment would begin within the reference.
    draft.filters = []
    #expect(draft.defect(at: "x.yaml", in: context) == nil)
    let name = MigrationDraft.database.documents + "/users/a #b"
    draft.body?.steps = [.set(try FieldPath(parsing: "n"), .reference(name))]
    #expect(draft.defect(at: "x.yaml", in: context) != nil)
  }
}

@Suite struct MigrationStateTests {
  private func entry(
    _ run: String,
    _ status: LedgerEntry.Status = .done,
    _ id: String = "m",
    _ checksum: String? = "aa",
    changed: Bool = true
  ) -> LedgerEntry {
    let applied = LedgerEntry.Applied(id: id, checksum: checksum)
    var entry = LedgerEntry(run: run, command: "migrate apply", migrations: [applied], holder: "ana@desk")
    (entry.status, entry.hasChanged) = (status, changed)
    return entry
  }

  private func undo(of run: String) -> LedgerEntry {
    var undo = entry("undo-\(run)")
    undo.undoes = run
    return undo
  }

  private func state(_ entries: [LedgerEntry], _ checksum: String? = "aa") -> MigrationState {
    MigrationState(of: "m", checksum, in: entries)
  }

  @Test("By its last run that did something; what was undone is pending.")
  func kinds() {
    let cases: [([LedgerEntry], MigrationState.Kind)] = [
      ([], .pending), ([entry("1", .done, "other")], .pending), ([entry("1")], .applied),
      ([entry("1", .incomplete)], .applied), ([entry("1", changed: false)], .applied),
      ([entry("1", .running)], .running), ([entry("1", .failed)], .failed),
      ([entry("1", .interrupted)], .failed), ([entry("1", .failed, changed: false)], .pending),
      ([entry("1", .cleared)], .cleared), ([entry("1", .cleared, changed: false)], .pending),
      ([entry("1", .undone), undo(of: "1")], .undone),
      ([entry("1"), entry("2", .undone), undo(of: "2")], .undone),
      ([entry("1"), entry("2", .undone, changed: false), undo(of: "2")], .applied),
      ([entry("1", .undone), undo(of: "1"), entry("3")], .applied),
      ([entry("1"), entry("2", .failed)], .failed),
    ]
    for (entries, kind) in cases {
      #expect(state(entries).kind == kind, "\(entries.map { ($0.run, $0.status) })")
    }
  }

  @Test("An undo takes back what later runs found on top of it, and what was known before.")
  func takenBack() {
    func undone(_ run: String) -> LedgerEntry {
      var entry = entry(run, .undone)
      (entry.undoneBy, entry.totals.written) = ("undo-\(run)", 3)
      return entry
    }
    var byHand = entry("0", changed: false)
    byHand.isByHand = true
    let (empty, first) = (entry("2", changed: false), undone("1"))
    var later = entry("3")
    later.totals.written = 1
    let cases: [([LedgerEntry], MigrationState.Kind, decides: String, stands: String?)] = [
      ([first, empty, undo(of: "1")], .undone, "1", nil),
      ([first, empty, empty, undo(of: "1")], .undone, "1", nil),
      ([first, undo(of: "1"), empty], .applied, "2", nil),
      // What a later run wrote is still there, and 'down' takes it back, too.
      ([first, later, undo(of: "1")], .undone, "1", "3"),
      ([later, undone("4"), undo(of: "4")], .undone, "4", "3"),
      ([later, undone("4"), empty, undo(of: "4")], .undone, "4", "3"),
      ([byHand, first, undo(of: "1")], .undone, "1", nil),
      ([byHand, first, empty, undo(of: "1")], .undone, "1", nil),
      ([first, undo(of: "1"), byHand], .byHand, "0", nil),
    ]
    for (entries, kind, decides, stands) in cases {
      let state = state(entries)
      #expect(state.kind == kind && state.entry?.run == decides, "\(entries.map(\.run)): \(state.kind)")
      #expect(state.writer?.run == stands, "\(entries.map(\.run))")
    }
  }

  @Test("Of runs that are all undone, the one decides that was undone in part.")
  func undoneInPart() {
    var (first, second) = (entry("1", .undone), entry("2", .undone))
    (first.undoneBy, first.totals.written, first.leftToUndo) = ("undo-1", 10, 1)
    (second.undoneBy, second.totals.written) = ("undo-2", 1)
    let state = state([first, second, undo(of: "2"), undo(of: "1")])
    #expect(state.kind == .undone && state.entry?.run == "1")
  }

  @Test("A run whose counts were never recorded is not counted, also once it is undone.")
  func uncounted() {
    #expect(entry("1", .cleared).knownTotals == nil && entry("1", .undone).knownTotals == nil)
    #expect(entry("1", .undone, changed: false).knownTotals != nil && entry("1").knownTotals != nil)
  }

  @Test("Verified where the ledger says so of the run that decides, by hand where a person said so.")
  func verified() throws {
    var first = entry("1")
    first.migrations[0].verifiedAt = Timestamp(seconds: 5)
    #expect(state([first]).kind == .verified && state([first]).isInForce)
    // What found nothing to change takes nothing away; what changed something has to be verified once more.
    #expect(state([first, entry("2")]).kind == .verified)
    var later = entry("2")
    later.totals.written = 1
    #expect(state([first, later]).kind == .applied)
    // What it left for a person was there before.
    (later.totals.written, later.totals.review, later.status) = (0, 9, .incomplete)
    #expect(state([first, later]).kind == .verified)
    later.totals.written = 1
    #expect(state([first, later]).kind == .applied)
    var byHand = entry("3", changed: false)
    byHand.isByHand = true
    #expect(state([byHand]).kind == .byHand && state([byHand]).isInForce)
  }

  @Test(
    "The undo of a run takes 'verified' away if that began before; if it began later, it brings back what was there.",
    arguments: [(Int64(1), MigrationState.Kind.applied), (9, .verified)]
  )
  func undoneSince(_ began: Int64, _ kind: MigrationState.Kind) {
    var (deletion, own) = (entry("1", .undone, "fix"), entry("2"))
    (deletion.startedAt, deletion.undoneBy) = (Timestamp(seconds: began), "undo-1")
    own.migrations[0].verifiedAt = Timestamp(seconds: 5)
    var undo = entry("undo-1", .done, "undo 1")
    (undo.undoes, undo.rewrites, undo.changedAt) = ("1", ["m"], Timestamp(seconds: 20))
    #expect(state([deletion, own, undo]).kind == kind)
  }

  @Test("A restore or an import that was undone in part still counts, and one that was undone does not.")
  func leftToUndo() {
    var own = entry("1")
    own.migrations[0].verifiedAt = Timestamp(seconds: 5)
    var restore = entry("2", .undone, "restore")
    (restore.undoneBy, restore.takenBack, restore.changedAt) = ("undo-2", ["m"], Timestamp(seconds: 20))
    var load = restore
    (load.takenBack, load.rewrites) = ([], ["m"])
    #expect(state([own, restore]).kind == .verified && state([own, load]).kind == .verified)
    (restore.leftToUndo, load.leftToUndo) = (3, 3)
    #expect(state([own, restore]).kind == .undone && state([own, load]).kind == .applied)
  }

  @Test("A run that has not ended says what it applies next.")
  func planned() {
    var running = entry("1", .running, "other")
    running.planned = ["m"]
    #expect(state([running]).kind == .planned)
    running.status = .done
    #expect(state([running]).kind == .pending)
  }

  @Test("A changed file is told with both checksums, unless it was accepted or undone.")
  func changed() {
    #expect(state([entry("1")], "bb").change == MigrationState.Change(applied: "aa", present: "bb"))
    #expect(state([entry("1")]).change == nil && state([entry("1", .undone)], "bb").change == nil)
    #expect(state([entry("1", .done, "m", nil)], "bb").change == nil)
    var accepted = entry("1")
    accepted.migrations[0].accepted = "bb"
    #expect(state([accepted], "bb").change == nil)
    #expect(state([accepted], "aa").change == MigrationState.Change(applied: "bb", present: "aa"))
  }

  @Test("An entry is read as it was written, with all that only folders ask of it.")
  func stored() throws {
    var entry = entry("1")
    entry.migrations.append(LedgerEntry.Applied(id: "n", checksum: nil))
    (entry.isByHand, entry.override, entry.planned) = (true, "Because.", ["o", "p"])
    entry.migrations[0].accepted = "bb"
    (entry.migrations[0].verifiedAt, entry.migrations[0].isDue) = (Timestamp(seconds: 7), true)
    (entry.migrations[0].hasLeft, entry.rewrites) = (true, ["q"])
    let read = LedgerEntry(RawDocument(path: entry.path, fields: entry.fields))
    #expect(read == entry)
  }

  @Test("Pending is what is not in force and for the environment, in the order of the folder.")
  func pending() throws {
    func migration(_ name: String, _ id: String) -> FolderMigration {
      FolderMigration(name: name, id: id, summary: "S.", choice: "\(name).yaml", checksum: "aa")
    }
    var folder = MigrationFolder(comingAlong: [])
    folder.migrations = [migration("1", "k"), migration("2", "l"), migration("3", "m"), migration("4", "n")]
    folder.migrations[1].header.environments = ["test"]
    folder.migrations[3].header.after = ["l"]
    let entries = [entry("1", .done, "m")]
    #expect(try folder.pending(in: DatabaseNames("test"), entries).map(\.name) == ["1", "2", "4"])
    #expect(try folder.pending(upTo: "m", in: DatabaseNames("stage"), entries).map(\.name) == ["1"])
    #expect(folder.overtaken(by: folder.migrations[0], in: DatabaseNames("test"), entries)?.name == "3")
    #expect(folder.overtaken(by: folder.migrations[3], in: DatabaseNames("test"), entries) == nil)
    #expect(folder.last(in: DatabaseNames("test"), entries + [entry("2", .done, "k")])?.migration.name == "1")
    let missing = #expect(throws: Failure.self) {
      _ = try folder.pending(in: DatabaseNames("stage"), entries)
    }
    #expect(missing?.kind == .notPermitted && missing?.cause.contains("after 2") ?? false)
    let changed = entry("1", .done, "m", "bb")
    let failure = #expect(throws: Failure.self) {
      _ = try folder.pending(in: DatabaseNames("test"), [changed])
    }
    #expect(failure?.kind == .notPermitted && failure?.path == "3.yaml")
    #expect(failure?.cause.contains("SHA-256 bb then, aa now") ?? false)
    folder.migrations[2].programs = ["names.py"]
    let program = #expect(throws: Failure.self) {
      _ = try folder.pending(in: DatabaseNames("test"), [changed])
    }
    #expect(program?.cause.hasPrefix("it, or its program (names.py), changed after") ?? false)
  }
}
