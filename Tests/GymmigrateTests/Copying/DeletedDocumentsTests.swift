import Files
import Foundation
import Synchronization
import TestSupport
import Testing
import Transfer

@Suite("Increments that list what was deleted", .timeLimit(.minutes(60)))
struct DeletedDocumentsTests {
  private static let old = #","updatedAt":{"timestampValue":"2020-01-01T00:00:00Z"}"#
  private static let new = #"{"updatedAt":{"timestampValue":"2125-01-01T00:00:00Z"}}"#
  private static let export = ["export", "--all", "-e", "prod", "-o", "n", "--dated", "-q"]

  /// A database with an export of all of it, and another one of the same documents.
  private func withExport(
    _ names: [String],
    _ body: (Tool, _ source: MiniFirestore, _ target: MiniFirestore) async throws -> Void
  ) async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    for mini in [source, target] {
      try mini.load(jsonLines: names.map { documentLine($0, 1, Self.old) }.joined(separator: "\n"))
    }
    try await withTwoServers(source.handler, target.handler) { tool in
      try await tool.bare(Self.export).expect(0)
      try await body(tool, source, target)
    }
  }

  /// A failure prints no documents.
  private func isSame(_ some: [MiniDocument], _ others: [MiniDocument]) -> Bool { some == others }

  private func increment(_ tool: Tool) async throws -> (folder: String, deleted: [String]) {
    try await tool.bare(Self.export + ["--since", "last"]).expect(0)
    let folder = "n/\(try #require(tool.exports("n").last))"
    try await tool.bare(["export", "verify", folder, "-q"]).expect(0)
    // For a person it is easily the last night's backup.
    for command in [
      ["count", "--all", "--from", folder], ["diff", "--all", "--from", folder, "--to", "test"],
    ] {
      #expect(
        try await tool.bare(command).errors.contains("is an increment, which lacks what had not changed")
      )
    }
    return (folder, try deleted(in: folder, tool))
  }

  /// The names that the manifest's list has.
  private func deleted(in folder: String, _ tool: Tool) throws -> [String] {
    let manifest = try #require(
      JSONSerialization.jsonObject(with: Data(tool.text("\(folder)/manifest.json").utf8)) as? [String: Any]
    )
    let entry = try #require(manifest["deleted"] as? [String: Any])
    let list = try tool.text("\(folder)/\(try #require(entry["file"] as? String))")
    let lines = try list.split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    }
    #expect(entry["documents"] as? Int == lines.count)
    for line in lines { #expect(line["lastSeen"]?.hasPrefix("20") ?? false) }
    return lines.compactMap { $0["name"] }.sorted()
  }

  private static let names =
    (100..<200).map { "users/\($0)" } + [
      "users/150/notes/a", "users/150/notes/b", "logs/1", "logs/3", "deleted/x", "gone/x",
    ]

  @Test("A collection called * has no documents of others, which are still there.")
  func collectionCalledStar() async throws {
    try await withExport(["*/1", "c/1", "c/2"]) { tool, source, _ in
      let first = try await increment(tool)
      #expect(first.deleted == [])
      source.remove("*/1")
      let second = try await increment(tool)
      #expect(second.deleted == ["*/1"])
    }
  }

  @Test(
    "Documents, those of subcollections and whole collections are listed, and an import deletes them."
  )
  func deletions() async throws {
    try await withExport(Self.names) { tool, source, target in
      for name in ["users/150", "users/199", "users/150/notes/a", "gone/x"] { source.remove(name) }
      // Without a time, so only their number says that they are there.
      try source.put("logs/2", fields: #"{"n":{"integerValue":"2"}}"#)
      try source.put("users/150a", fields: Self.new)
      let (folder, deleted) = try await increment(tool)
      #expect(deleted == ["gone/x", "users/150", "users/150/notes/a", "users/199"])
      // The collection of that name has a file of its own.
      let files = tool.names(in: folder).filter { $0.hasPrefix("deleted") }
      #expect(files == ["deleted%.jsonl", "deleted.jsonl"])
      #expect(try tool.text("\(folder)/users.jsonl").split(separator: "\n").count == 1)
      #expect(try tool.text("\(folder)/logs.jsonl").contains("logs/2"))

      let before = target.snapshot()
      let command = ["import", folder, "-e", "test"]
      try await tool.bare(command + ["--mode", "upsert"]).expectFailure(77, "--max-delete")
      try await tool.bare(command + ["--mode", "upsert", "--max-delete", "3"]).expect(77)
      let plan = try await tool.bare(command + ["--mode", "upsert", "-n"]).expect(0)
      #expect(plan.errors.contains("4 documents would be deleted"))
      #expect(plan.errors.contains("users/150 would be deleted, and what is below it stays: notes."))
      #expect(isSame(target.snapshot(), before))
      try await tool.bare(command + ["--mode", "upsert", "--max-delete", "4"]).expect(0)
      #expect(isSame(target.snapshot(), source.snapshot()))
      try await tool.bare(["runs", "undo", "last", "-e", "test"]).expect(0)
      #expect(isSame(target.snapshot(), before))
      // What is there no more needs no permission, and new documents alone delete nothing.
      for name in deleted { target.remove(name) }
      try await tool.bare(command + ["--mode", "merge"]).expect(0)
      #expect(isSame(target.snapshot(), source.snapshot()))
      try target.put("users/199", fields: "{}")
      try await tool.bare(command).expect(0)
      #expect(target.document("users/199") != nil)
    }
  }

  @Test("Somebody who is asked again, because the import was interrupted, types what is left.")
  func typedAgain() async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    let names = (1...40).map { "users/\($0)" }
    for mini in [source, target] {
      try mini.load(jsonLines: names.map { documentLine($0, 1, Self.old) }.joined(separator: "\n"))
    }
    let left = { @Sendable () in target.snapshot().count { $0.name.hasPrefix("users/") } }
    var rule = FaultRule([.commit], .always, oneOf: [.error(.unavailable)])
    rule.matches = { _ in left() <= 25 }
    let faults = ScriptedFaults(target.handler, rules: [rule], maximumConsecutive: .max)
    try await withTwoServers(source.handler, faults.handler) { tool in
      try await tool.bare(Self.export).expect(0)
      for name in names { source.remove(name) }
      let folder = try await increment(tool).folder
      let slow = ["--batch-size", "5", "--in-flight", "1", "--retry-for", "10ms"]
      let command = ["import", folder, "--mode", "upsert", "-e", "test"] + slow
      let stopped = try await tool.onTerminal(command, typing: "40")
      #expect(stopped.output.contains("To resume"), "\(stopped.output)")
      let rest = left()
      try #require((1...25).contains(rest))
      faults.setOn(false)
      let resume = ["runs", "resume", try tool.lastRun()]
      try await tool.bare(resume).expectFailure(77, "--max-delete")
      #expect(try await tool.onTerminal(resume, typing: "40").exitCode == 77)
      #expect(left() == rest)
      #expect(try await tool.onTerminal(resume, typing: "\(rest)").exitCode == 0)
      #expect(left() == 0)
    }
  }

  @Test(
    "A bound that is exact holds for a killed import and its resumption together.",
    arguments: [true, false]
  )
  func killed(applied: Bool) async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    let names = (1...4).map { "users/\($0)" }
    for mini in [source, target] {
      try mini.load(jsonLines: names.map { documentLine($0, 1, Self.old) }.joined(separator: "\n"))
    }
    let running = Later<RunningBinary>()
    var rule = FaultRule([.commit], .always, .end(running, applied: applied))
    rule.matches = { $0.text.contains("/documents/users/") }
    let faults = ScriptedFaults(target.handler, rules: [rule])
    try await withTwoServers(source.handler, faults.handler) { tool in
      try await tool.bare(Self.export).expect(0)
      for name in names { source.remove(name) }
      let folder = try await increment(tool).folder
      let command = ["import", folder, "--mode", "upsert", "-e", "test", "--max-delete", "4"]
      let killed = try await tool.bare(command, as: running)
      try #require(killed.signal == SIGKILL, "\(killed.errors)")
      faults.setOn(false)
      let resumed = try await tool.bare(["runs", "resume", "last", "--json"]).expect(0)
      let totals = try resumed.summary().totals
      #expect(totals.deleted == 4 && totals.balance, "\(totals)")
      #expect(target.snapshot().allSatisfy { !$0.name.hasPrefix("users/") })
    }
  }

  @Test("A divided import, which may not delete, does not delete what has come since it was planned.")
  func divided() async throws {
    try await withExport(["users/1", "users/2"]) { tool, source, target in
      source.remove("users/2")
      target.remove("users/2")
      let folder = try await increment(tool).folder
      let plan = ["shard", "plan", "--shards", "2", "--to", "s", "--", "import", folder, "--mode", "upsert"]
      try await tool.bare(plan + ["-e", "test"]).expect(0)
      try target.put("users/2", fields: "{}")
      for task in 0..<2 {
        try await tool.bare(["shard", "work", "s", "--task", "\(task)", "--tasks", "2"]).expect(0)
      }
      try await tool.bare(["shard", "finish", "s"]).expect(2)
      #expect(target.document("users/2") != nil)
    }
  }

  @Test("A whole export and its increments are the database, in one import and in a restore.")
  func series() async throws {
    try await withExport(Self.names) { tool, source, target in
      for name in ["users/110", "users/150/notes/b"] { source.remove(name) }
      let first = try await increment(tool)
      #expect(first.deleted == ["users/110", "users/150/notes/b"])
      try source.put("users/110", fields: Self.new)
      source.remove("users/111")
      let second = try await increment(tool)
      #expect(second.deleted == ["users/111"])
      let third = try await increment(tool)
      #expect(third.deleted == [])
      let folders = tool.exports("n").map { "n/\($0)" }
      // What the first increment lists and the second has again is not deleted, and not counted.
      let together = ["import"] + folders + ["--mode", "upsert", "-e", "test"]
      #expect(try await tool.bare(together + ["-n"]).errors.contains("2 documents would be deleted"))
      try await tool.bare(together + ["--max-delete", "1"]).expectFailure(77, "--max-delete")
      for name in target.snapshot().map(\.name) { target.remove(name) }
      try await tool.bare(["import"] + folders + ["--mode", "upsert", "-e", "test"]).expect(0)
      #expect(isSame(target.snapshot(), source.snapshot()))
      let diff = ["diff", "--all", "--to", "test"]
      try await tool.bare(diff + folders.flatMap { ["--from", $0] }).expect(0)
      try await tool.bare(diff + ["--from", folders[1], "--from", folders[0]]).expect(64)
      try await tool.bare(diff + ["--from", folders[0], "--from", "prod"]).expect(64)
      let wanted = source.snapshot()
      try source.put("users/111", fields: "{}")
      try source.put("users/150/notes/b", fields: "{}")
      source.remove("users/110")
      let restore = ["restore", "--all"] + folders.flatMap { ["--from", $0] }
      try await tool.bare(restore + ["-e", "prod", "--confirm", "prod", "--max-delete", "2"]).expect(0)
      #expect(isSame(source.snapshot(), wanted))
    }
  }

  @Test(
    "Where a file of an earlier export is lost or damaged, the next export is whole, and says why.",
    arguments: ["users.jsonl", "deleted.jsonl"],
    ["lost", "shortened", "damaged"]
  )
  func damage(_ name: String, _ what: String) async throws {
    try await withExport(["users/1", "users/2", "users/3"]) { tool, source, _ in
      try source.put("users/1", fields: Self.new)
      source.remove("users/2")
      let file = "\(try await increment(tool).folder)/\(name)"
      source.remove("users/3")
      let length = try tool.text(file).utf8.count
      if what == "lost" {
        try FileManager.default.removeItem(atPath: tool.path(file))
      } else {
        let text = what == "shortened" ? "" : String(repeating: "x", count: length - 1) + "\n"
        try tool.write(text, to: file)
      }
      let result = try await tool.bare(Self.export.filter { $0 != "-q" } + ["--since", "last"])
      result.expect(0)
      #expect(result.errors.contains(file) && result.errors.lowercased().contains("everything is exported"))
      let folder = "n/\(try #require(tool.exports("n").last))"
      let manifest = try tool.text("\(folder)/manifest.json")
      #expect(!manifest.contains("\"deleted\"") && !manifest.contains("\"since\""))
      #expect(try tool.text("\(folder)/users.jsonl").split(separator: "\n").count == 1)
      // The next one adds to that.
      source.remove("users/1")
      #expect(try await increment(tool).deleted == ["users/1"])
    }
  }

  @Test("A list that is no list is refused, with its line, before anything is written.")
  func malformed() async throws {
    try await withExport(["users/1", "users/2"]) { tool, source, target in
      source.remove("users/2")
      let folder = try await increment(tool).folder
      let before = target.snapshot()
      for line in ["{}", #"{"name":"users"}"#, #"{"name":"users/2""#, "users/2"] {
        try tool.write(#"{"name":"users/1"}"# + "\n\(line)\n", to: "\(folder)/deleted.jsonl")
        var manifest = try #require(try Manifest.read(from: tool.path(folder)))
        manifest.deleted?.sha256 = try SHA256Digest.hexadecimal(
          ofFileAt: tool.path("\(folder)/deleted.jsonl"),
          decompresses: false,
          via: .local
        )
        try manifest.write(to: tool.path(folder))
        let command = ["import", folder, "--mode", "upsert", "--max-delete", "9", "-e", "test"]
        try await tool.bare(command).expectFailure(65, "deleted.jsonl", "line 2")
        #expect(isSame(target.snapshot(), before))
      }
    }
  }

  @Test("What appears after the count is not deleted: the bound holds while the import works.")
  func appearedMeanwhile() async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    try source.load(
      jsonLines: ["users/1", "users/2", "users/3"].map { documentLine($0, 1, Self.old) }.joined(
        separator: "\n"
      )
    )
    let reads = Mutex(0)
    // The documents are read for the count, and once more for their deletion.
    let handler: RequestHandler = { request in
      if request.kind == .batchGet, request.text.contains("/users/1") {
        let isSecond = reads.withLock { count in
          count += 1
          return count == 2
        }
        if isSecond { try? target.put("users/1", fields: "{}") }
      }
      return target.handler(request)
    }
    try await withTwoServers(source.handler, handler) { tool in
      try await tool.bare(Self.export).expect(0)
      for name in ["users/1", "users/2"] { source.remove(name) }
      let folder = try await increment(tool).folder
      try await tool.bare([
        "import", folder, "-e", "test", "--mode", "upsert", "--max-delete", "0",
      ]).expect(2)
      #expect(target.document("users/1") != nil)
      let rejects = try tool.text("\(#require(tool.runs().last))/rejects.jsonl")
      #expect(rejects.contains("too-many-deletions"))
    }
  }

  @Test("An increment that has nothing but deletions is applied, and others add to it.")
  func nothingElse() async throws {
    try await withExport(["gone/x", "gone/x/sub/y", "gone/z"]) { tool, source, target in
      let names = source.snapshot().map(\.name)
      for name in names { source.remove(name) }
      #expect(try await increment(tool).deleted == ["gone/x", "gone/x/sub/y", "gone/z"])
      #expect(!tool.exists("n/latest/gone.jsonl"))
      for hasMore in [false, true] {
        if hasMore {
          try source.put("logs/1", fields: Self.new)
          #expect(try await increment(tool).deleted == [])
        }
        let folders = tool.exports("n").map { "n/\($0)" }
        let from = folders.flatMap { ["--from", $0] }
        try await tool.bare(["import"] + folders + ["--mode", "upsert", "-e", "test", "--max-delete", "3"])
          .expect(0)
        #expect(isSame(target.snapshot(), source.snapshot()))
        try await tool.bare(["diff", "--all", "--to", "prod"] + from).expect(0)
        let wanted = source.snapshot()
        try source.put("gone/x", fields: "{}")
        let restore = ["restore", "--all", "-e", "prod", "--confirm", "prod", "--max-delete", "1"]
        try await tool.bare(restore + from).expect(0)
        #expect(isSame(source.snapshot(), wanted))
        try await tool.bare(["import"] + folders.reversed() + ["--mode", "upsert", "-e", "test"])
          .expectFailure(64, "it is older than an export")
      }
    }
  }

  @Test("Where a root collection is gone, what was below it is listed, too.")
  func goneWithAllBelow() async throws {
    try await withExport(["gone/x", "gone/x/sub/y", "logs/1"]) { tool, source, target in
      for name in ["gone/x", "gone/x/sub/y"] { source.remove(name) }
      #expect(try await increment(tool).deleted == ["gone/x", "gone/x/sub/y"])
      let folders = tool.exports("n").map { "n/\($0)" }
      for name in target.snapshot().map(\.name) { target.remove(name) }
      try await tool.bare(["import"] + folders + ["--mode", "upsert", "-e", "test"]).expect(0)
      #expect(isSame(target.snapshot(), source.snapshot()))
      // Into another database, with the name of theirs.
      let restore = ["restore", "--all", "-e", "test", "-n", "--source", "projects/p/databases/prod"]
      try await tool.bare(restore + folders.flatMap { ["--from", $0] }).expect(0)
    }
  }
}
