import Configuration
import Files
import FirestoreModels
import FirestoreREST
import Testing

@testable import Storage
@testable import Transfer

@Suite("Dated exports in a bucket") struct BucketFoldersTests {
  private func database() throws -> DatabaseName {
    try #require(DatabaseName(parsing: "projects/p/databases/(default)"))
  }

  /// Writes an export of one file, which has its manifest afterwards.
  private func export(to folder: String, via files: FileAccess) throws {
    var output = try OutputFile("\(folder)/users.jsonl", digest: true, via: files)
    try output.write("{}\n")
    let receipt = try output.finish()
    let file = Manifest.File(
      file: "users.jsonl",
      collection: "users",
      documents: 1,
      bytes: receipt.bytes,
      sha256: receipt.sha256 ?? ""
    )
    let manifest = Manifest(
      toolVersion: "1",
      environment: "test",
      database: try database(),
      readTime: nil,
      scope: Manifest.Scope(collections: ["users"], subcollections: false),
      files: [file]
    )
    try manifest.write(to: folder, via: files)
  }

  @Test("Scheduled exports: the newest is 'latest', retention deletes what exports wrote, and nothing else")
  func scheduled() async throws {
    try await withCloudStorage { storage, cloud async throws in
      storage.put(
        "n/2026-01-01T000000Z/mine.txt",
        MiniStorage.Object(bytes: [], generation: 1, metadata: "{}")
      )
      storage.put(
        "n/2026-01-02T000000Z/half.jsonl",
        MiniStorage.Object(bytes: [], generation: 2, metadata: #"{"gymmigrate":"file"}"#)
      )
      storage.setDate("Tue, 24 Nov 2026 02:00:01 GMT")
      let folders = try await BucketFolders("gs://bucket/n/", in: cloud)
      let second = await #expect(throws: Failure.self) { try await BucketFolders("gs://bucket/n", in: cloud) }
      #expect(second?.kind == .tryLater)
      var made: [String] = []
      for _ in 0..<3 {
        let folder = try await folders.begin()
        try export(to: folder, via: folders.guarding(cloud.files))
        made.append(try await folders.complete(folder))
      }
      #expect(storage.object("n/2026-01-02T000000Z/half.jsonl") == nil)
      #expect(made == made.sorted() && Set(made).count == 3)
      let retention = try await folders.prune(
        by: RetentionPolicy(last: 1),
        of: DatabaseEnvironment(name: "test", database: database()),
        current: made[2]
      )
      #expect(retention.removed.count == 2 && retention.kept == [])
      await folders.close()
      let last = FilePaths.name(of: made[2])
      #expect(
        storage.names == [
          "n/2026-01-01T000000Z/mine.txt", "n/\(last)/manifest.json", "n/\(last)/users.jsonl", "n/latest",
        ]
      )
      let verification = try FolderVerification(of: "gs://bucket/n/latest", via: cloud.files)
      #expect(verification.isWhole && verification.files.count == 1)
      #expect(try FolderVerification.folders(in: "gs://bucket/n", via: cloud.files) == [made[2]])
    }
  }

  @Test("A failed export leaves nothing, and a folder that is not an export's is no leftover")
  func discarded() async throws {
    try await withCloudStorage { storage, cloud async throws in
      let folders = try await BucketFolders("gs://bucket/n", in: cloud)
      let folder = try await folders.begin()
      var output = try OutputFile("\(folder)/users.jsonl", via: cloud.files)
      try output.write("{}\n")
      _ = try output.finish()
      await folders.discard(folder)
      await folders.close()
      #expect(storage.names == [])
    }
  }

  @Test("An export whose lock another run has taken over does not count, even with its manifest written")
  func overtaken() async throws {
    try await withCloudStorage { storage, cloud async throws in
      storage.setDate("Tue, 24 Nov 2026 02:00:01 GMT")
      let slow = try await BucketFolders("gs://bucket/n", in: cloud)
      let late = try await slow.begin()
      try OutputFile.write(Array("{}\n".utf8), to: "\(late)/groups.jsonl", via: cloud.files)
      // The lock is 61 seconds old now, so another run takes it, and removes what looks like the rest of a killed run.
      storage.setDate("Tue, 24 Nov 2026 02:01:01 GMT")
      let quick = try await BucketFolders("gs://bucket/n", in: cloud)
      let folder = try await quick.begin()
      #expect(storage.names == ["n/.gymmigrate.lock"])
      // A request that was on its way is not held up by a check.
      try export(to: late, via: cloud.files)
      let failure = await #expect(throws: Failure.self) { try await slow.complete(late) }
      #expect(failure?.kind == .tryLater)
      #expect(failure?.remedy?.contains("Nothing of this run counts as an export") ?? false)
      await slow.discard(late)
      await slow.close()
      #expect(storage.names == ["n/.gymmigrate.lock"])
      try export(to: folder, via: quick.guarding(cloud.files))
      #expect(try await quick.complete(folder) == folder)
      await quick.close()
      #expect(
        String(decoding: storage.object("n/latest")?.bytes ?? [], as: UTF8.self)
          == "\(FilePaths.name(of: folder))\n"
      )
    }
  }

  @Test("An export of which a file is gone when its manifest is written does not count")
  func incomplete() async throws {
    try await withCloudStorage { storage, cloud async throws in
      let folders = try await BucketFolders("gs://bucket/n", in: cloud)
      let folder = try await folders.begin()
      try export(to: folder, via: folders.guarding(cloud.files))
      let store = try cloud.store(at: folder)
      _ = try await store.delete("users.jsonl", version: nil)
      let failure = await #expect(throws: Failure.self) { try await folders.complete(folder) }
      #expect(failure?.kind == .tryLater)
      await folders.discard(folder)
      await folders.close()
      #expect(storage.names == [])
    }
  }

  @Test("A late run does not replace what another one has written to 'latest'")
  func lateLatest() async throws {
    try await withCloudStorage { storage, cloud async throws in
      let folders = try await BucketFolders("gs://bucket/n", in: cloud)
      let folder = try await folders.begin()
      try export(to: folder, via: folders.guarding(cloud.files))
      let other = Array("2026-11-24T020000Z\n".utf8)
      storage.put(
        "n/latest",
        MiniStorage.Object(bytes: other, generation: 7, metadata: #"{"gymmigrate":"latest"}"#)
      )
      let failure = await #expect(throws: Failure.self) { try await folders.complete(folder) }
      #expect(failure?.kind == .tryLater)
      #expect(storage.object("n/latest")?.bytes == other)
      await folders.close()
    }
  }

  @Test("An object 'latest' that no export wrote is refused at once, and the lock given back")
  func foreignLatest() async throws {
    try await withCloudStorage { storage, cloud async throws in
      storage.put("n/latest", MiniStorage.Object(bytes: [1], generation: 7, metadata: "{}"))
      let failure = await #expect(throws: Failure.self) {
        try await BucketFolders("gs://bucket/n", in: cloud)
      }
      #expect(failure?.kind == .cannotWrite)
      #expect(storage.names == ["n/latest"])
    }
  }
}
