import FirestoreModels
import Foundation
import LocalFirestore
import Synchronization
import TestSupport
import Testing

/// Data files: durability, concurrent processes, and files that are refused.
@Suite struct DataFileTests {
  @Test func documentsSurviveTheServer() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("local.sqlite").path
      let root = try await LocalFirestoreServer.withServer(dataFile: file) { server in
        let client = try RESTClient(server.endpoint, project: "p")
        try client.commit(client.set("c/d", #"{"a":{"integerValue":"1"}}"#))
        return client.root
      }
      try await LocalFirestoreServer.withServer(dataFile: file) { server in
        let client = try RESTClient(server.endpoint, project: "p")
        #expect(client.root == root)
        #expect(try client.list("/c") == ["c/d"])
      }
    }
  }

  /// A killed process leaves the files as they are when a commit is acknowledged.
  @Test func everyAcknowledgedCommitIsInTheFilesOfAKilledProcess() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("local.sqlite").path
      let copy = folder.appendingPathComponent("copy.sqlite").path
      try await LocalFirestoreServer.withServer(dataFile: file) { server in
        let client = try RESTClient(server.endpoint, project: "p")
        for number in 0..<20 { try client.commit(client.set("c/\(number + 10)")) }
        for suffix in ["", "-wal"] {
          try FileManager.default.copyItem(atPath: file + suffix, toPath: copy + suffix)
        }
      }
      try await LocalFirestoreServer.withServer(dataFile: copy) { server in
        let client = try RESTClient(server.endpoint, project: "p")
        #expect(try client.list("/c").count == 20)
      }
    }
  }

  @Test func twoServersShareOneFile() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("local.sqlite").path
      try await LocalFirestoreServer.withServer(dataFile: file) { one in
        try await LocalFirestoreServer.withServer(dataFile: file) { two in
          let clients = try [RESTClient(one.endpoint, project: "p"), RESTClient(two.endpoint, project: "p")]
          var times: [String] = []
          for number in 0..<20 {
            let client = clients[number % 2]
            times.append(try client.commit(client.set("c/\(number + 10)"))["commitTime"] as? String ?? "")
          }
          let moments = times.compactMap { Timestamp($0) }
          #expect(moments.count == 20 && zip(moments, moments.dropFirst()).allSatisfy { $0 < $1 })
          for client in clients { #expect(try client.list("/c").count == 20) }
          // Concurrently: each waits for the other.
          let endpoints = [one.endpoint, two.endpoint]
          try await withThrowingTaskGroup(of: Void.self) { group in
            for endpoint in endpoints {
              group.addTask {
                let client = try RESTClient(endpoint, project: "p")
                for _ in 0..<50 {
                  try client.commit(
                    client.set(
                      "n/n",
                      "{}",
                      #","updateMask":{},"updateTransforms":[{"fieldPath":"n","increment":{"integerValue":"1"}}]"#
                    )
                  )
                }
              }
            }
            try await group.waitForAll()
          }
          #expect(
            try isJSON(try clients[0].object("GET", "/n/n")["fields"], #"{"n":{"integerValue":"100"}}"#)
          )
        }
      }
    }
  }

  private func failure(_ file: String, port: UInt16 = 0) async throws -> Failure.Kind? {
    do {
      try await LocalFirestoreServer.withServer(dataFile: file, port: port) { _ in }
      return nil
    } catch let failure as Failure {
      return failure.kind
    }
  }

  @Test func aFileOfSomethingElseIsRefusedAndLeftAlone() async throws {
    try await withTemporaryDirectory { folder in
      let text = folder.appendingPathComponent("text.sqlite").path
      let content = Data(String(repeating: "not a database\n", count: 1000).utf8)
      try content.write(to: URL(fileURLWithPath: text))
      #expect(try await failure(text) == .inputMalformed)
      #expect(try Data(contentsOf: URL(fileURLWithPath: text)) == content)
      #expect(try await failure(folder.path + "/none/local.sqlite") == .cannotWrite)
    }
  }

  /// Overwrites a file from an offset, without the log of pending changes.
  private func damage(_ file: String, from start: UInt64) throws {
    for suffix in ["-wal", "-shm"] where FileManager.default.fileExists(atPath: file + suffix) {
      try FileManager.default.removeItem(atPath: file + suffix)
    }
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
    let length = try handle.seekToEnd()
    try handle.seek(toOffset: start)
    try handle.write(contentsOf: Data(repeating: 0x5A, count: Int(length - start)))
    try handle.close()
  }

  @Test func aDamagedFileIsNamedAndNotTakenForAPassingError() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("local.sqlite").path
      let text = String(repeating: "x", count: 4000)
      try await LocalFirestoreServer.withServer(dataFile: file) { server in
        let client = try RESTClient(server.endpoint, project: "p")
        // More than the 4 MB after which SQLite moves its log into the file.
        for start in stride(from: 0, to: 2000, by: 100) {
          let writes = (start..<start + 100).map {
            client.set("c/\($0)", #"{"a":{"stringValue":"\#(text)"}}"#)
          }
          try client.commit(writes.joined(separator: ","))
        }
      }
      try damage(file, from: 2 << 20)
      try await LocalFirestoreServer.withServer(dataFile: file) { server in
        let client = try RESTClient(server.endpoint, project: "p")
        // The first response may begin before the corruption is reached.
        _ = try client.call("GET", "/c?pageSize=300")
        let answer = try client.call("GET", "/c?pageSize=300")
        #expect(answer.status == 500)
        let body = String(decoding: answer.body, as: UTF8.self)
        #expect(body.contains("DATA_LOSS") && body.contains("local.sqlite"))
      }
      try damage(file, from: 4096)
      #expect(try await failure(file) == .inputMalformed)
    }
  }

  @Test func aFileWhoseLastCommitIsBeyondAllYearsIsRefused() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("local.sqlite").path
      try await LocalFirestoreServer.withServer(dataFile: file, clock: { .max }) { server in
        let client = try RESTClient(server.endpoint)
        try client.commit(client.set("c/d"))
      }
      #expect(try await failure(file) == .inputMalformed)
    }
  }

  @Test func aPortThatIsTakenIsToldSo() async throws {
    try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      try await withTemporaryDirectory { folder async throws in
        #expect(
          try await failure(folder.appendingPathComponent("a.sqlite").path, port: server.port)
            == .configuration
        )
      }
    }
  }

  @Test func whatTheStoreGaveOutAsATimeIsNotInItsFuture() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("local.sqlite").path
      // A commit that another server made is later than this one's clock.
      try await LocalFirestoreServer.withServer(dataFile: file, clock: { 2_000_000 }) { server in
        let client = try RESTClient(server.endpoint, project: "p")
        try client.commit(client.set("c/d"))
      }
      try await LocalFirestoreServer.withServer(dataFile: file, clock: { 1_000_000 }) { server in
        let client = try RESTClient(server.endpoint, project: "p")
        for options in [#"{"readWrite":{}}"#, #"{"readOnly":{}}"#] {
          let body = #"{"options":\#(options)}"#
          let begun = try client.object("POST", ":beginTransaction", body)["transaction"] as? String ?? ""
          let query = #"{"structuredQuery":{"from":[{"collectionId":"c"}]},"transaction":"\#(begun)"}"#
          for _ in 1...2 {
            let answer = try #require(try client.array(":runQuery", query).first)
            #expect(answer["readTime"] as? String == "1970-01-01T00:00:02Z" && answer["document"] != nil)
          }
        }
        #expect(
          try client.query(#""from":[{"collectionId":"c"}]"#, readTime: "1970-01-01T00:00:02Z") == ["c/d"]
        )
        #expect(
          try client.failure("GET", "/c/d?readTime=1970-01-01T00:00:02.000001Z") == "400 INVALID_ARGUMENT"
        )
      }
    }
  }

  @Test func versionsAreReadForAnHourByTheServersClock() async throws {
    let time = Mutex<Int64>(1_767_225_600_000_000)  // 2026-01-01T00:00:00Z
    let clock: @Sendable () -> Int64 = { time.withLock { $0 } }
    try await LocalFirestoreServer.withServer(dataFile: nil, clock: clock) { server in
      let client = try RESTClient(server.endpoint)
      let first = try client.commit(client.set("c/d", #"{"v":{"integerValue":"1"}}"#))
      #expect(first["commitTime"] as? String == "2026-01-01T00:00:00Z")
      time.withLock { $0 += 1_000_000 }
      try client.commit(client.set("c/d", #"{"v":{"integerValue":"2"}}"#))
      // Reads of the first second succeed for the entire hour, in spite of pruning.
      for minute in 1...59 {
        time.withLock { $0 += 60_000_000 }
        try client.commit(client.set("other/\(minute)"))
      }
      let then = "2026-01-01T00:00:00.5Z"
      #expect(
        try isJSON(
          try client.object("GET", "/c/d?readTime=\(then)")["fields"],
          #"{"v":{"integerValue":"1"}}"#
        )
      )
      time.withLock { $0 += 60_000_000 }
      #expect(try client.failure("GET", "/c/d?readTime=\(then)") == "400 FAILED_PRECONDITION")
      let database = try #require(
        try client.send("GET", "/v1/" + client.root.replacingOccurrences(of: "/documents", with: "")).json
          as? [String: Any]
      )
      #expect(database["earliestVersionTime"] as? String == "2026-01-01T00:00:01Z")
      #expect(database["type"] as? String == "FIRESTORE_NATIVE")
    }
  }
}
