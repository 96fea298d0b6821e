import Configuration
import Files
import FirestoreModels
import FirestoreREST
import TestSupport
import Testing

@testable import Storage
@testable import Tables
@testable import Transfer

@Suite struct BucketFilesTests {
  private func read(_ path: String, via files: FileAccess) throws -> [UInt8] {
    var input = try InputFile(path, via: files)
    var all: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100_000, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try input.read(into: buffer)
      if count == 0 { return all }
      all += buffer[..<count]
    }
  }

  @Test(
    "What is written through a file is read through a file",
    arguments: ["a/users.jsonl", "a/users.jsonl.gz"]
  )
  func roundTrip(_ name: String) async throws {
    try await withCloudStorage { storage, cloud async throws in
      let bytes = sampleBytes(9_000_000)
      var output = try OutputFile("gs://bucket/\(name)", digest: true, via: cloud.files)
      for start in stride(from: 0, to: bytes.count, by: 70_001) {
        try output.write(Array(bytes[start..<min(bytes.count, start + 70_001)]))
      }
      #expect(storage.names == [])
      let receipt = try output.finish()
      #expect(receipt.bytes == storage.object(name)?.bytes.count)
      let digest = try SHA256Digest.checksum(of: storage.object(name)?.bytes ?? [])
      #expect(receipt.sha256 == digest)
      #expect(try read("gs://bucket/\(name)", via: cloud.files) == bytes)
      #expect(storage.writes == 1)
      #expect(storage.violations == [])
    }
  }

  @Test("A file that is dropped leaves neither an object nor a session")
  func dropped() async throws {
    try await withCloudStorage { storage, cloud async throws in
      do {
        var output = try OutputFile("gs://bucket/o", via: cloud.files)
        try output.write(sampleBytes(9_000_000))
      }
      #expect(storage.names == [])
      #expect(storage.openSessions == 0)
    }
  }

  @Test("A file that somebody else writes meanwhile is not overwritten")
  func overtaken() async throws {
    try await withCloudStorage { storage, cloud async throws in
      storage.put("o", MiniStorage.Object(bytes: [1], generation: 5, metadata: "{}"))
      var output = try OutputFile("gs://bucket/o", via: cloud.files)
      try output.write([2])
      storage.put("o", MiniStorage.Object(bytes: [3], generation: 6, metadata: "{}"))
      do throws(Failure) {
        _ = try output.finish()
        Issue.record("it was overwritten")
      } catch {
        #expect(error.kind == .tryLater)
      }
      #expect(storage.object("o")?.bytes == [3])
    }
  }

  @Test("An object that was deleted while it was written stays deleted, and none is said to be there")
  func deleted() async throws {
    try await withCloudStorage { storage, cloud async throws in
      storage.put("o", MiniStorage.Object(bytes: [1], generation: 5, metadata: "{}"))
      var output = try OutputFile("gs://bucket/o", via: cloud.files)
      try output.write([2])
      let store = try cloud.store(at: "gs://bucket/")
      #expect(try await store.delete("o", version: nil))
      do throws(Failure) {
        _ = try output.finish()
        Issue.record("it was written")
      } catch {
        #expect(error.kind == .tryLater && error.cause.contains("or deleted it"), "\(error)")
      }
      #expect(storage.object("o") == nil)
    }
  }

  @Test("Whether a file can be written is asked once")
  func asked() async throws {
    try await withCloudStorage { storage, cloud async throws in
      try cloud.files.checkWritable("gs://bucket/o")
      storage.plan(.status(403), "POST")
      try cloud.files.checkWritable("gs://bucket/o")
      #expect(storage.plannedFaults == 1)
      #expect(throws: Failure.self) { try cloud.files.checkWritable("gs://bucket/other") }
    }
  }

  @Test("A file that is read twice is the same version both times, or fails")
  func pinned() async throws {
    try await withCloudStorage { storage, cloud async throws in
      storage.put("o", MiniStorage.Object(bytes: [1], generation: 5, metadata: "{}"))
      #expect(try read("gs://bucket/o", via: cloud.files) == [1])
      #expect(try cloud.files.version(of: "gs://bucket/o") == "5")
      storage.put("o", MiniStorage.Object(bytes: [2], generation: 6, metadata: "{}"))
      let failure = #expect(throws: Failure.self) { try read("gs://bucket/o", via: cloud.files) }
      #expect(failure?.kind == .inputMissing)
    }
  }

  @Test("A damaged piece of a second reading is requested again, and is never handed on")
  func damaged() async throws {
    try await withCloudStorage { storage, cloud async throws in
      let bytes = sampleBytes(9_000_000)
      storage.put("o", MiniStorage.Object(bytes: bytes, generation: 5, metadata: "{}"))
      #expect(try read("gs://bucket/o", via: cloud.files) == bytes)
      storage.plan(.flippedBit, "GET", "alt=media", after: 1)
      #expect(try read("gs://bucket/o", via: cloud.files) == bytes)
      #expect(storage.plannedFaults == 0)
      // The second piece is damaged twice.
      storage.plan(.flippedBit, "GET", "alt=media", after: 1)
      storage.plan(.flippedBit, "GET", "alt=media")
      var input = try InputFile("gs://bucket/o", via: cloud.files)
      var handedOn = 0
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100_000, alignment: 16)
      defer { buffer.deallocate() }
      do throws(Failure) {
        while true {
          let count = try input.read(into: buffer)
          if count == 0 { break }
          #expect(buffer[..<count].elementsEqual(bytes[handedOn..<(handedOn + count)]))
          handedOn += count
        }
        Issue.record("it was read to the end")
      } catch {
        #expect(error.kind == .inputMalformed && error.cause.contains("CRC32C"))
      }
      #expect(handedOn == ObjectDownload.pieceBytes)
      #expect(storage.violations == [])
    }
  }

  @Test("Files and folders are told apart, and missing ones")
  func entries() async throws {
    try await withCloudStorage(MiniStorage(pageSize: 1)) { storage, cloud async throws in
      for name in ["a/x.csv", "a/b/y.csv", "a/b/z.csv", "ab"] {
        storage.put(name, MiniStorage.Object(bytes: [0], generation: 5, metadata: "{}"))
      }
      let files = cloud.files
      for folder in ["gs://bucket/a", "gs://bucket/a/", "gs://bucket"] { #expect(try files.isFolder(folder)) }
      let file = "gs://bucket/a/x.csv"
      #expect(try !files.isFolder(file) && files.exists(file))
      #expect(try files.size(of: file) == 1 && files.version(of: file) == "5")
      #expect(try !files.exists("gs://bucket/a/x"))
      #expect(try files.names(in: "gs://bucket/a") == ["x.csv"])
      #expect(try files.folders(in: "gs://bucket/a/") == ["b"])
      var places = PlaceReader(files)
      let sources = try places.place(at: "gs://bucket/a").sources(via: files)
      #expect(sources.map(\.path) == ["gs://bucket/a/x.csv"])
    }
  }

  @Test("An address where only local files can be used is an error of usage")
  func localOnly() throws {
    let failure = #expect(throws: Failure.self) { _ = try InputFile("gs://bucket/o") }
    #expect(failure?.kind == .usage)
    let other = #expect(throws: Failure.self) { _ = try OutputFile("gs://bucket/o") }
    #expect(other?.kind == .usage)
  }

  @Test("A file that may not be published leaves neither an object nor a session")
  func unpublished() async throws {
    try await withCloudStorage { storage, cloud async throws in
      let files = cloud.files.publishing { () throws(Failure) in
        throw Failure(.tryLater, "write", cause: "lost")
      }
      let failure = #expect(throws: Failure.self) {
        try OutputFile.write([1], to: "gs://bucket/o", via: files)
      }
      #expect(failure?.kind == .tryLater)
      #expect(storage.names == [] && storage.openSessions == 0)
      try OutputFile.write([1], to: "gs://bucket/o", via: cloud.files)
      #expect(storage.names == ["o"])
    }
  }

  @Test(
    "What a file is, is decided by its first bytes in a bucket, too",
    arguments: [
      ("users.ndjson", #"{"__name__":"users/a","n":1}"#), ("users.json", #"[{"__name__":"users/a","n":1}]"#),
      ("users.jsonl", #"{"name":"users/a","fields":{}}"#), ("users.csv", "a,b"), ("users.txt", "a,b"),
      ("users.xlsx", "PK\u{3}\u{4}"), ("users.csv", "PK\u{3}\u{4}"), ("users.csv", "<!DOCTYPE html>"),
      ("users.csv", "<?xml version='1.0'?>"), ("users.csv", "%PDF-1.4"), ("users.json", ""),
    ]
  )
  func firstBytes(_ name: String, _ text: String) async throws {
    try await withCloudStorage { storage, cloud async throws in
      func format(_ path: String) -> Result<InputFormat, Failure> {
        Result { () throws(Failure) in try InputFormat(of: path, via: cloud.files) }
          .mapError { Failure($0.kind, $0.operation, cause: $0.cause, remedy: $0.remedy) }
      }
      for path in [name, "\(name).gz"] {
        let folder = try ScratchFolder()
        let local = folder.file(path)
        try OutputFile.write(Array("\(text)\n".utf8), to: local)
        try OutputFile.write(Array("\(text)\n".utf8), to: "gs://bucket/\(path)", via: cloud.files)
        #expect(format("gs://bucket/\(path)") == format(local))
      }
      #expect(storage.violations == [])
    }
  }

  @Test("A page or a PDF in a bucket is refused, and plain JSON is recognized")
  func foreignContents() async throws {
    try await withCloudStorage { _, cloud async throws in
      try OutputFile.write(Array("<html>\n".utf8), to: "gs://bucket/u.csv", via: cloud.files)
      let failure = #expect(throws: Failure.self) {
        try InputFormat(of: "gs://bucket/u.csv", via: cloud.files)
      }
      #expect(failure?.kind == .inputMalformed && failure?.path == "gs://bucket/u.csv")
      try OutputFile.write(Array(#"[{"__name__":"u/a"}]"#.utf8), to: "gs://bucket/u.json", via: cloud.files)
      #expect(try InputFormat(of: "gs://bucket/u.json", via: cloud.files) == .json)
    }
  }

  @Test("The first bytes of an object are one request, of no more than these")
  func head() async throws {
    try await withCloudStorage { storage, cloud async throws in
      storage.put("o.csv", MiniStorage.Object(bytes: sampleBytes(9_000_000), generation: 5, metadata: "{}"))
      storage.plan(.status(503), "GET", "alt=media", after: 1)
      #expect(
        try FileHead("gs://bucket/o.csv", via: cloud.files).bytes
          == Array(sampleBytes(9_000_000).prefix(1 << 16))
      )
      #expect(storage.plannedFaults == 1)
      #expect(try FileHead("gs://bucket/none.csv", via: cloud.files).bytes == [])
    }
  }

  @Test("A file that is read is no output, whichever is named first")
  func ownInput() async throws {
    try await withCloudStorage { _, cloud async throws in
      for name in ["ownInput-1.csv", "ownInput-2.csv"] {
        try OutputFile.write([1], to: "gs://bucket/\(name)", via: cloud.files)
      }
      _ = try read("gs://bucket/ownInput-1.csv", via: cloud.files)
      let failure = #expect(throws: Failure.self) { try KeptFiles.assertUnread("gs://bucket/ownInput-1.csv") }
      #expect(failure?.kind == .cannotWrite)
      try KeptFiles.assertUnread("gs://bucket/ownInput-2.csv")
      let other = #expect(throws: Failure.self) { try read("gs://bucket/ownInput-2.csv", via: cloud.files) }
      #expect(other?.kind == .cannotWrite)
      // What was written can be read.
      try KeptFiles.assertUnread("gs://bucket/ownInput-3.csv")
      try OutputFile.write([1], to: "gs://bucket/ownInput-3.csv", via: cloud.files)
      #expect(try read("gs://bucket/ownInput-3.csv", via: cloud.files) == [1])
    }
  }

  @Test("A folder is no output if one of its files is read and would be replaced")
  func ownInputInFolder() async throws {
    try await withCloudStorage { _, cloud async throws in
      let collection = CollectionPath(nil, "users")
      func export(to folder: String) throws {
        let output = try ExportOutput(.folder(folder), .jsonLines(), via: cloud.files)
        try output.writer(for: collection).finish()
        _ = try output.finish()
      }
      let scratch = try ScratchFolder()
      for folder in ["gs://bucket/ownInputInFolder", scratch.file("e")] {
        try export(to: folder)
        _ = try read("\(folder)/users.jsonl", via: cloud.files)
        let failure = #expect(throws: Failure.self) { try export(to: folder) }
        #expect(failure?.kind == .cannotWrite)
      }
    }
  }
}

extension MiniStorage.Object: Equatable {
  static func == (a: MiniStorage.Object, b: MiniStorage.Object) -> Bool {
    a.generation == b.generation && a.bytes == b.bytes
  }
}
