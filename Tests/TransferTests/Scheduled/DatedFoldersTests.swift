import Configuration
import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import Transfer

@Suite struct DatedFoldersTests {
  @Test("A name is a time in UTC to the second, followed by that of the next second")
  func names() throws {
    let moment = try #require(Timestamp("2026-11-21T02:00:00.999Z"))
    #expect(DatedName.name(at: moment) == "2026-11-21T020000Z")
    #expect(DatedName.following("2026-12-31T235959Z") == "2027-01-01T000000Z")
    #expect(DatedName.following("2024-02-28T235959Z") == "2024-02-29T000000Z")
    #expect(DatedName.following("2026-13-41T000000Z") == nil)
  }

  @Test(
    "Other names are not those of exports",
    arguments: [
      ("2026-11-21T020000Z", true), ("2026-11-21T020000", false), ("2026-11-21T02:00:00Z", false),
      ("x026-11-21T020000Z", false), ("2026-11-21T020000Z ", false), ("", false), ("latest", false),
      ("２026-11-21T020000Z", false),
    ]
  )
  func forms(_ name: String, _ isOurs: Bool) {
    #expect(DatedName.isName(name) == isOurs)
    let hidden = DatedName.hidden(name)
    #expect(DatedName.isHidden(hidden) == (isOurs || name == "latest"))
    #expect(DatedName.stamp(ofHidden: hidden) == (isOurs ? name : nil))
  }

  @Test(
    "Names that resemble a hidden name are left alone",
    arguments: [
      ".2026-11-21T020000Z.partial", ".2026-11-21T020000Z..partial", ".2026-11-21T020000Z.A1.partial",
      ".2026-11-21T020000Z.a.b.partial", "2026-11-21T020000Z.a1.partial", ".notes.a1.partial", ".partial",
    ]
  )
  func notHidden(_ name: String) { #expect(!DatedName.isHidden(name)) }

  @Test("The name of an export follows all existing ones, even if the clock was set back.")
  func clockSetBack() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path + "/nightly"
      let dated = try DatedFolders(path)
      // An invalid time is no export's name, and nothing follows the last possible name.
      for name in ["2099-01-01T000000Z", "2098-12-31T235959Z", "2099-13-41T000000Z", "9999-12-31T235959Z"] {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: false)
      }
      for name in ["2099-01-01T000001Z", "2099-01-01T000002Z"] {
        #expect(try dated.complete(dated.begin()) == "\(path)/\(name)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(path)/latest") == name)
      }
    }
  }

  @Test("Marks belong to a server, a database and a collection, and never move back")
  func marks() async throws {
    try await withTemporaryDirectory { folder in
      let database = DatabaseEnvironment(name: "d", database: DatabaseName(project: "p", database: "d"))
      let users = try #require(CollectionPath("users"))
      let groups = try #require(CollectionPath("groups"))
      var marks = try HighWaterMarks(in: folder.path)
      #expect(marks[database, users] == nil)
      try marks.move([users], of: database, exportedAt: try #require(Timestamp("2026-11-21T02:00:00.5Z")))
      // Ten minutes before.
      let mark = Timestamp("2026-11-21T01:50:00.5Z")
      #expect(try HighWaterMarks(in: folder.path)[database, users] == mark)
      try marks.move(
        [users, groups],
        of: database,
        exportedAt: try #require(Timestamp("2026-11-20T02:00:00Z"))
      )
      let read = try HighWaterMarks(in: folder.path)
      #expect(read[database, users] == mark)
      #expect(read[database, groups] == Timestamp("2026-11-20T01:50:00Z"))
      var other = database
      other.database = DatabaseName(project: "p", database: "e")
      #expect(read[other, users] == nil)
      // An emulator of the same name.
      other = database
      other.endpoint = "http://127.0.0.1:8080"
      #expect(read[other, users] == nil)
      try marks.move([users], of: other, exportedAt: try #require(Timestamp("2026-11-22T02:00:00Z")))
      let both = try HighWaterMarks(in: folder.path)
      #expect(both[database, users] == mark && both[other, users] == Timestamp("2026-11-22T01:50:00Z"))
      // Changes that have their time in another field may be missing since an earlier export.
      let (updated, modified) = (FieldPath(field: "updatedAt"), FieldPath(field: "modified"))
      #expect(both[database, users, by: updated] == mark)
      try marks.move([users], of: database, exportedAt: try #require(Timestamp("2026-11-20T02:00:00Z"))) {
        _ in
        updated
      }
      let dated = try HighWaterMarks(in: folder.path)
      #expect(dated[database, users, by: updated] == Timestamp("2026-11-20T01:50:00Z"))
      #expect(dated[database, users, by: modified] == nil)
    }
  }

  @Test("A mark of a version that did not record the server is taken once, and is that server's from then on")
  func formerMarks() async throws {
    try await withTemporaryDirectory { folder in
      let text =
        #"{"marks":[{"collection":"users","database":"projects/p/databases/d","since":"2026-11-21T01:50:00Z"}]}"#
      try Data(text.utf8).write(to: folder.appendingPathComponent(HighWaterMarks.fileName))
      let database = DatabaseEnvironment(name: "d", database: DatabaseName(project: "p", database: "d"))
      var emulator = database
      emulator.endpoint = "http://127.0.0.1:8080"
      let users = try #require(CollectionPath("users"))
      var marks = try HighWaterMarks(in: folder.path)
      #expect(marks[database, users] == Timestamp("2026-11-21T01:50:00Z"))
      try marks.move([users], of: database, exportedAt: try #require(Timestamp("2026-11-22T02:00:00Z")))
      let moved = try HighWaterMarks(in: folder.path)
      #expect(moved[database, users] == Timestamp("2026-11-22T01:50:00Z") && moved[emulator, users] == nil)
    }
  }
}
