import Files
import FirestoreModels
import FirestoreREST
import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite struct BucketObjectStoreTests {
  private static let piece = ObjectUpload.pieceBytes

  private func store(_ client: StorageClient) throws -> BucketObjectStore {
    BucketObjectStore(try StorageAddress("gs://bucket/p"), client)
  }

  @Test(
    "A store is named without a slash at its end, behind which names follow",
    arguments: ["gs://bucket/p", "gs://bucket/p/"]
  )
  func description(_ address: String) async throws {
    try await withStorage { _, client async throws in
      let store = BucketObjectStore(try StorageAddress(address), client)
      #expect("\(store)/plan.json" == "gs://bucket/p/plan.json")
    }
  }

  private func upload(
    _ bytes: [UInt8],
    _ client: StorageClient,
    if precondition: ObjectPrecondition = .missing
  ) async throws -> ObjectWrite {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("file").path
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return try await store(client).upload(path, to: "o", if: precondition)
    }
  }

  @Test(
    "A file of any size becomes the same object",
    arguments: [0, 1, piece - 1, piece, piece + 1, 2 * piece + 5]
  )
  func sizes(_ count: Int) async throws {
    try await withStorage { storage, client async throws in
      let bytes = sampleBytes(count)
      guard case .written(let info) = try await upload(bytes, client) else {
        Issue.record("refused")
        return
      }
      #expect(info.name == "o" && info.bytes == count)
      #expect(storage.object("p/o")?.bytes == bytes)
      #expect(storage.writes == 1)
      #expect(storage.violations == [])
    }
  }

  @Test(
    "Whatever goes wrong with one request, the object is written once",
    arguments: [
      .status(503), .status(500), .status(429), .status(408), .lostBefore, .lostAfter, .takes(0),
      .takes(256 << 10),
    ] as [MiniStorage.Fault],
    [0, 1, 2]
  )
  func faults(_ fault: MiniStorage.Fault, _ request: Int) async throws {
    try await withStorage { storage, client async throws in
      let bytes = sampleBytes(2 * Self.piece + 700_000)
      storage.plan(fault, "PUT", after: request)
      guard case .written = try await upload(bytes, client) else {
        Issue.record("refused")
        return
      }
      #expect(storage.object("p/o")?.bytes == bytes)
      #expect(storage.writes == 1)
      #expect(storage.violations == [])
      #expect(storage.plannedFaults == 0)
    }
  }

  @Test("What the service has of a piece is not sent again")
  func resumption() async throws {
    try await withStorage { storage, client async throws in
      storage.plan(.takes(512 << 10), "PUT")
      guard case .written = try await upload(sampleBytes(1 << 20), client) else {
        Issue.record("refused")
        return
      }
      #expect(
        storage.ranges == [
          "bytes 0-1048575/1048576", "bytes */1048576", "bytes 524288-1048575/1048576",
        ]
      )
      #expect(storage.object("p/o")?.bytes == sampleBytes(1 << 20))
    }
  }

  @Test("A session that is lost in the middle ends the upload, and leaves nothing")
  func lostSession() async throws {
    try await withStorage { storage, client async throws in
      storage.plan(.forgets(applied: false), "PUT", after: 1)
      let failure = await #expect(throws: Failure.self) {
        try await upload(sampleBytes(2 * Self.piece), client)
      }
      #expect(failure?.kind == .unavailable)
      #expect(storage.names == [])
    }
  }

  @Test("A lost answer of the end is found by the object itself, where the session is gone, too")
  func lostEnd() async throws {
    try await withStorage { storage, client async throws in
      let bytes = sampleBytes(100)
      storage.plan(.forgets(applied: true), "PUT")
      guard case .written = try await upload(bytes, client) else {
        Issue.record("refused")
        return
      }
      #expect(storage.object("p/o")?.bytes == bytes)
      #expect(storage.writes == 1)
    }
  }

  @Test("An object of somebody else is not taken for the one whose answer was lost")
  func theirEnd() async throws {
    try await withStorage { storage, client async throws in
      storage.put(
        "p/o",
        MiniStorage.Object(bytes: [1, 2, 3], generation: 7, metadata: #"{"gymmigrate-upload":"another"}"#)
      )
      storage.plan(.forgets(applied: false), "PUT")
      let failure = await #expect(throws: Failure.self) { try await upload([1, 2, 3], client, if: .none) }
      #expect(failure?.kind == .unavailable)
      #expect(storage.writes == 0)
    }
  }

  @Test("An object that somebody else writes meanwhile is not overwritten")
  func preconditions() async throws {
    try await withStorage { storage, client async throws in
      let theirs = MiniStorage.Object(bytes: [1], generation: 7, metadata: "{}")
      storage.put("p/o", theirs)
      #expect(try await upload([2], client, if: .missing) == .refused)
      #expect(try await upload([2], client, if: .version(ObjectVersion("6"))) == .refused)
      storage.plan(.replaced, "PUT")
      #expect(try await upload([2], client, if: .version(ObjectVersion("7"))) == .refused)
      #expect(storage.object("p/o")?.bytes == [1])
      #expect(try await store(client).write([2], to: "o", if: .missing) == .refused)
      guard case .written = try await upload([2], client, if: .none) else {
        Issue.record("refused")
        return
      }
      #expect(storage.object("p/o")?.bytes == [2])
    }
  }

  @Test(
    "A small object is written once, and a lost answer is no refusal",
    arguments: [.status(503), .lostBefore, .lostAfter, .status(429)] as [MiniStorage.Fault]
  )
  func small(_ fault: MiniStorage.Fault) async throws {
    try await withStorage { storage, client async throws in
      storage.plan(fault, "POST")
      guard
        case .written(let info) = try await store(client).write(Array("hello".utf8), to: "o", if: .missing)
      else {
        Issue.record("refused")
        return
      }
      #expect(storage.writes == 1)
      let read = try await store(client).read("o", limit: 5)
      #expect(read?.bytes == Array("hello".utf8))
      #expect(read?.version == info.version)
      let failure = await #expect(throws: Failure.self) { try await store(client).read("o", limit: 4) }
      #expect(failure?.kind == .inputMalformed)
      #expect(try await store(client).read("other", limit: 5) == nil)
    }
  }

  @Test("An object that arrived damaged is deleted again", arguments: [false, true])
  func damagedUpload(_ isSmall: Bool) async throws {
    try await withStorage { storage, client async throws in
      storage.plan(.wrongChecksum, isSmall ? "POST" : "PUT")
      let failure = await #expect(throws: Failure.self) {
        if isSmall { return try await store(client).write([1, 2, 3], to: "o", if: .missing) }
        return try await upload([1, 2, 3], client)
      }
      #expect(failure?.kind == .unavailable)
      #expect(storage.names == [])
    }
  }

  // MARK: Downloads

  private func download(_ client: StorageClient) async throws -> [UInt8]? {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("file").path
      let info = try await store(client).download("o", version: nil, to: path)
      if info == nil { return nil }
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
  }

  @Test(
    "A download that is cut off continues, also where the service fails",
    arguments: [.halfBody, .lostBefore, .status(503)] as [MiniStorage.Fault]
  )
  func cuts(_ fault: MiniStorage.Fault) async throws {
    try await withStorage { storage, client async throws in
      let bytes = sampleBytes(2 * ObjectDownload.pieceBytes + 9)
      storage.put("p/o", MiniStorage.Object(bytes: bytes, generation: 5, metadata: "{}"))
      storage.plan(fault, "GET", "alt=media", after: 1)
      #expect(try await download(client) == bytes)
      #expect(storage.violations == [])
      #expect(storage.plannedFaults == 0)
    }
  }

  @Test("An object that is replaced while it is read is no mixture")
  func replaced() async throws {
    try await withStorage { storage, client async throws in
      let bytes = sampleBytes(2 * ObjectDownload.pieceBytes)
      storage.put("p/o", MiniStorage.Object(bytes: bytes, generation: 5, metadata: "{}"))
      storage.plan(.replaced, "GET", "alt=media", after: 1)
      let failure = await #expect(throws: Failure.self) { try await download(client) }
      #expect(failure?.kind == .inputMissing)
    }
  }

  @Test("An object whose checksum differs is malformed, and no file is left")
  func damagedDownload() async throws {
    try await withStorage { storage, client async throws in
      storage.put("p/o", MiniStorage.Object(bytes: sampleBytes(1000), generation: 5, metadata: "{}"))
      storage.plan(.wrongChecksum, "GET", "fields=")
      try await withTemporaryDirectory { folder in
        let failure = await #expect(throws: Failure.self) {
          try await store(client).download("o", version: nil, to: folder.path + "/file")
        }
        #expect(failure?.kind == .inputMalformed)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left == [])
      }
    }
  }

  // MARK: Lists, deletions, errors

  @Test("A list comes page by page, in the order of bytes, without the prefix")
  func lists() async throws {
    try await withStorage(MiniStorage(pageSize: 2)) { storage, client async throws in
      for name in ["p/b", "p/a/x", "p/é", "p/Z", "q/a", "pa"] {
        storage.put(name, MiniStorage.Object(bytes: [], generation: 1, metadata: "{}"))
      }
      #expect(try await store(client).list("").map(\.name) == ["Z", "a/x", "b", "é"])
      #expect(try await store(client).list("a/").map(\.name) == ["a/x"])
      #expect(try await store(client).list("none").isEmpty)
    }
  }

  @Test("A list that leads in a circle ends, with a failure")
  func circle() async throws {
    try await withStorage(MiniStorage(pageSize: 1, circles: true)) { storage, client async throws in
      storage.put("p/a", MiniStorage.Object(bytes: [], generation: 1, metadata: "{}"))
      let listed = await #expect(throws: Failure.self) { try await store(client).list("") }
      #expect(listed?.kind == .unavailable)
      let empty = try StorageAddress("gs://bucket/none/")
      let looked = await #expect(throws: Failure.self) { try await client.holdsObjects(empty) }
      #expect(looked?.kind == .unavailable)
    }
  }

  @Test("A deletion is of one version, and a missing object counts as deleted")
  func deletions() async throws {
    try await withStorage { storage, client async throws in
      storage.put("p/o", MiniStorage.Object(bytes: [], generation: 5, metadata: "{}"))
      #expect(try await store(client).delete("o", version: ObjectVersion("4")) == false)
      storage.plan(.lostAfter, "DELETE")
      #expect(try await store(client).delete("o", version: ObjectVersion("5")))
      #expect(try await store(client).delete("o", version: nil))
      #expect(storage.names == [])
    }
  }

  @Test(
    "Refusals have their kind and their remedy",
    arguments: [
      (401, .configuration, "credentials"), (403, .notPermitted, "roles/storage.objectAdmin"),
      (404, .configuration, "bucket"),
      (412, nil, ""), (429, .tryLater, "later"), (503, .unavailable, "later"),
    ] as [(Int, Failure.Kind?, String)]
  )
  func refusals(_ status: Int, _ kind: Failure.Kind?, _ word: String) async throws {
    try await withStorage(budget: 0.2) { storage, client async throws in
      storage.plan(.status(status), "POST")
      storage.plan(.status(status), "POST")
      guard let kind else {
        #expect(try await upload([1], client) == .refused)
        return
      }
      let failure = await #expect(throws: Failure.self) { try await upload([1], client) }
      #expect(failure?.kind == kind)
      #expect(failure?.description.contains(word) ?? false, "\(failure?.description ?? "")")
    }
  }

  @Test("A request that is repeated says how long it is tried, as those of the database do")
  func retries() async throws {
    let notices = Locked<[RetryNotice]>([])
    try await withStorage(budget: 100, onRetry: { notice in notices.withLock { $0.append(notice) } }) {
      storage,
      client async throws in
      storage.plan(.status(503), "POST")
      storage.plan(.status(503), "POST")
      guard case .written = try await upload([1], client) else {
        Issue.record("it was not written")
        return
      }
    }
    let seen = notices.withLock { $0 }
    #expect(seen.map(\.attempt) == [1, 2])
    #expect(seen.map(\.rpc) == [.storage, .storage])
    // The first delay is half of half a second, which is over before the second attempt fails.
    #expect(seen.map(\.remaining) == [100, 99.75])
  }

  @Test("A bucket that does not exist is a matter of the configuration, to read and to write")
  func missingBucket() async throws {
    try await withStorage { _, client async throws in
      let store = BucketObjectStore(try StorageAddress("gs://other-bucket/"), client)
      var kinds: [Failure.Kind?] = []
      kinds.append(await #expect(throws: Failure.self) { try await store.read("a", limit: 1) }?.kind)
      kinds.append(await #expect(throws: Failure.self) { try await store.list("") }?.kind)
      kinds.append(
        await #expect(throws: Failure.self) { try await store.write([], to: "a", if: .none) }?.kind
      )
      #expect(kinds == [.configuration, .configuration, .configuration])
    }
  }
}
