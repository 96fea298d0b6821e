import Files
import Foundation
import TestSupport
import Testing

@Suite("Reading at a moment", .timeLimit(.minutes(60)))
struct MomentTests {
  /// A database of which a root collection is gone since the moment, and another has come.
  private func database() throws -> (mini: MiniFirestore, moment: String) {
    let mini = MiniFirestore()
    try mini.load(
      jsonLines: (0..<40).map { documentLine("products/p\($0)", $0) }.joined(separator: "\n") + "\n"
        + documentLine("gone/a", 1) + "\n" + documentLine("groups/none/members/m", 1)
    )
    let time = try #require(mini.document("groups/none/members/m")).updateTime
    let moment = "\(time)"
    mini.remove("gone/a")
    mini.remove("groups/none/members/m")
    try mini.put("new/a", fields: "{}")
    return (mini, moment)
  }

  /// Records the kinds of requests that read the present.
  private func recording(
    _ handler: @escaping RequestHandler,
    _ present: Locked<[RequestKind]>
  ) -> RequestHandler {
    { request in
      let kind = request.kind
      let isRead = [.list, .get, .batchGet, .runQuery, .aggregation, .partitionQuery, .listCollectionIds]
        .contains(kind)
      let names =
        request.target.contains("readTime=")
        || String(decoding: request.body, as: UTF8.self).contains("readTime")
      if isRead, !names { present.withLock { $0.append(kind) } }
      return handler(request)
    }
  }

  @Test(
    "Every request of an export at a moment asks at that moment, and collections that are gone since are in it.",
    arguments: [
      ["--all"], ["--all", "--parallel", "4", "--page-size", "5"], ["--all", "--fail-if-empty"],
      ["products", "go*", "gr*", "--subcollections"], ["products", "gone", "members", "--group"],
      ["gone", "groups/*/members", "products", "--where", "n >= 0"],
    ]
  )
  func export(_ options: [String]) async throws {
    let (mini, moment) = try database()
    let present = Locked<[RequestKind]>([])
    try await withTool(against: recording(mini.handler, present)) { tool, _ in
      try await tool.bare(
        ["export", "-o", "out/", "--format", "jsonl", "--read-time", moment] + options + tool.place
      ).expect(0)
      #expect(present.withLock { $0 } == [], "\(options)")
      let files = tool.names(in: "out")
      #expect(files.contains("gone.jsonl") && !files.contains("new.jsonl"), "\(files)")
    }
  }

  @Test("Where the moment is the server's present, the list of collections is of it, too.")
  func pinned() async throws {
    let (mini, _) = try database()
    let present = Locked<[RequestKind]>([])
    try await withTool(against: recording(mini.handler, present)) { tool, _ in
      for (number, command) in [
        ["export", "--all", "-o", "out/", "--format", "jsonl"], ["check", "-o", "found.csv"],
      ].enumerated() {
        present.withLock { $0 = [] }
        let result = try await tool.bare(command + ["--page-size", "7"] + tool.place)
        #expect(result.exitCode == 0 || number == 1)
        // The look at one document that shows the server's time.
        #expect(present.withLock { $0 } == [.batchGet], "\(command)")
      }
    }
  }

  @Test("A copy at a moment asks its source at that moment.")
  func copy() async throws {
    let source = MiniFirestore.environment("prod")
    let target = MiniFirestore.environment("test")
    try source.load(jsonLines: documentLine("products/a", 1) + "\n" + documentLine("gone/a", 1))
    let time = try #require(source.document("gone/a")).updateTime
    source.remove("gone/a")
    let present = Locked<[RequestKind]>([])
    try await withTwoServers(recording(source.handler, present), target.handler) { tool in
      try await tool.bare([
        "copy", "--all", "--from", "prod", "--to", "test", "--read-time", "\(time)", "--keep-personal-data",
      ]).expect(0)
      #expect(present.withLock { $0 } == [])
      #expect(target.snapshot().map(\.name) == ["gone/a", "products/a"])
    }
  }

  @Test(
    "A missing index is 78 with the service's link, whatever moment is read.",
    arguments: [["export", "products", "-o", "x.jsonl"], ["count", "products"]]
  )
  func missingIndex(_ command: [String]) async throws {
    let link = "https://console.example/indexes?create=abc"
    let mini = MiniFirestore()
    try mini.load(jsonLines: documentLine("products/a", 1))
    let faults = mini.faults(
      FaultRule(
        [.runQuery, .aggregation],
        .always,
        .error(.failedPrecondition("The query requires an index. You can create it here: \(link)"))
      ),
      maximumConsecutive: .max
    )
    try await withTool(against: faults.handler) { tool, _ in
      let result = try await tool.bare(command + ["--where", "n > 0 and m == 1"] + tool.place)
      result.expectFailure(78, "requires an index", link)
      #expect(!result.errors.contains("no longer readable"))
    }
  }

  @Test("A server that refuses the signer, or is not there, is not said to hide its time.")
  func refused() async throws {
    for (fault, code) in [(ServiceError.permissionDenied, Int32(77)), (.notFound("no database"), 78)] {
      let mini = MiniFirestore()
      let faults = mini.faults(FaultRule([], .always, .error(fault)), maximumConsecutive: .max)
      try await withTool(against: faults.handler) { tool, _ in
        let result = try await tool.bare(["export", "products", "-o", "x.jsonl"] + tool.place)
        #expect(result.exitCode == code && !result.errors.contains("report its time"), "\(result.errors)")
      }
    }
    try await withTool { tool in
      let place = ["--project", "test-project", "--endpoint", "http://127.0.0.1:9"]
      let began = ContinuousClock.now
      let result = try await tool.bare(["export", "products", "-o", "x.jsonl", "-q"] + place)
      result.expectFailure(69, "Check the network")
      #expect(!result.errors.contains("report its time"))
      // From the second attempt on it says what it tries.
      #expect(result.errors.contains("failed 2 times") && result.errors.contains("it is tried until"))
      #expect(ContinuousClock.now - began < .seconds(120))
    }
  }
}
