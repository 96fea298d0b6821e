import Files
import Foundation
import TestSupport
import Testing

@Suite(
  "A machine that was suspended",
  .enabled(if: Shim.isPossible, "it wants a C compiler"),
  .timeLimit(.minutes(60))
)
struct SuspensionTests {
  private static func users() throws -> MiniFirestore {
    var options = MiniFirestore.Options()
    options.isAwkward = false
    let mini = MiniFirestore(options)
    for number in 0..<660 {
      try mini.put(
        "users/u\(number)",
        fields:
          #"{"nombre":{"stringValue":"Ana"},"primerApellido":{"stringValue":"Ruiz"},"activo":{"booleanValue":true}}"#
      )
    }
    return mini
  }

  /// The machine sleeps for 100 seconds before the third page, the next run takes the lease and changes all that was not read
  /// yet; the server does not report its time.
  @Test(
    "The program looks at its lease before the next commit, and changes nothing of the next run's.",
    arguments: [
      ["fix", "users", "--set", "mark=1", "--all-documents", "-y"],
      ["migrate", "apply", "users-unify", "-y"],
    ]
  )
  func isNoticed(_ command: [String]) async throws {
    let mini = try Self.users()
    let suspended = Later<String>()
    let pages = Locked(0)
    let left = Locked<[MiniDocument]>([])
    let handler: RequestHandler = { request in
      let isPage = request.kind == .list && request.target.contains("/users?")
      let number = pages.withLock { pages in
        if isPage { pages += 1 }
        return pages
      }
      if isPage, number == 3 {
        try? mini.put("_gymmigrate/lock", fields: #"{"runId":{"stringValue":"next"}}"#)
        for document in mini.snapshot().dropFirst(600) {
          try? mini.merge(document.name, fields: #"{"by":{"stringValue":"next"}}"#)
        }
        left.withLock { $0 = mini.snapshot().filter { $0.fieldsJSON.contains("next") } }
        if let file = suspended.get() { _ = FileManager.default.createFile(atPath: file, contents: nil) }
      }
      return mini.handler(request)
    }
    try await withTool(against: handler) { tool, _ in
      var tool = tool
      tool.environment = [
        "LD_PRELOAD": try await Shim.suspension.path(), "SUSPENDED_FILE": tool.path("suspended"),
        "SUSPENDED_SECONDS": "100",
      ]
      suspended.set(tool.path("suspended"))
      try await tool.bare(command + tool.place).expectFailure(75, "the lease was taken away")
    }
    let expected = left.withLock { $0 }
    #expect(expected.count == 60)
    let names = Set(expected.map(\.name))
    #expect(mini.snapshot().filter { names.contains($0.name) } == expected)
  }
}
