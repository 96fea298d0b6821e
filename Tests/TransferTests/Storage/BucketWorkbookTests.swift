import Files
import FirestoreModels
import TestSupport
import Testing

@testable import Storage
@testable import Tables
@testable import Transfer

@Suite struct BucketWorkbookTests {
  private static let address = "gs://bucket/backup/book.xlsx"

  /// Runs `body` with a workbook of two documents in a bucket.
  private func withWorkbook(
    _ body: (ExactValueFixture, [RawDocument], MiniStorage, FileAccess) async throws -> Void
  ) async throws {
    let fixture = try ExactValueFixture()
    let documents = [
      fixture.document("a", ["s": .string("ñandú"), "i": .integer(1 << 60)]),
      fixture.document("b", ["s": .string(String(repeating: "x", count: 40_000)), "d": .double(0.1)]),
    ]
    let bytes = try contents(fixture.export(documents))
    try await withCloudStorage { storage, cloud async throws in
      storage.put("backup/book.xlsx", MiniStorage.Object(bytes: bytes, generation: 7, metadata: "{}"))
      try await body(fixture, documents, storage, cloud.files)
    }
  }

  @Test("A workbook in a bucket is read as one of this machine is, with long texts and exact values")
  func reading() async throws {
    try await withWorkbook { fixture, documents, storage, files async throws in
      let (found, faults, _, _) = try fixture.read(Self.address, via: files)
      #expect(faults == [])
      try fixture.expectSame(found, documents)
      #expect(storage.violations == [])
    }
  }

  @Test("Its sources keep its address, know its size, and share one copy")
  func sources() async throws {
    try await withWorkbook { fixture, _, _, files async throws in
      let sources = try ImportSource.resolve([Self.address], schema: fixture.options.schema, via: files)
      #expect(sources.map(\.path) == [Self.address])
      #expect(sources.map(\.label) == ["\(Self.address) (sheet orders)"])
      #expect(try #require(sources.first?.size(via: files)) > 0)
    }
  }

  @Test("A workbook that was changed on its way is refused")
  func changedOnItsWay() async throws {
    try await withWorkbook { fixture, _, storage, files async throws in
      storage.plan(.wrongChecksum, "GET", "book.xlsx")
      let failure = #expect(throws: Failure.self) { try fixture.read(Self.address, via: files) }
      #expect(failure?.kind == .inputMalformed)
      #expect(failure?.path == Self.address)
    }
  }

  @Test("What is no workbook is refused by its address, not by that of the copy", arguments: [false, true])
  func damaged(_ isZIP: Bool) async throws {
    try await withWorkbook { fixture, _, storage, files async throws in
      let bytes = isZIP ? Array("PK\u{3}\u{4} and no more".utf8) : Array("a,b\n".utf8)
      storage.put("backup/book.xlsx", MiniStorage.Object(bytes: bytes, generation: 8, metadata: "{}"))
      let failure = #expect(throws: Failure.self) { try fixture.read(Self.address, via: files) }
      #expect(failure?.kind == .inputMalformed)
      #expect(failure?.path == Self.address)
    }
  }

  @Test("A copy for which there is no room is not begun")
  func noRoom() throws {
    let failure = #expect(throws: Failure.self) {
      try InputCopy(of: "gs://bucket/huge", via: FileAccess(remote: HugeFiles()))
    }
    #expect(failure?.kind == .cannotWrite)
    #expect(failure?.cause.contains("1073741824 MiB") ?? false)
  }
}

/// Files of 1 PiB that must not be read.
private struct HugeFiles: RemoteFiles {
  func entry(at address: String) -> RemoteEntry? { .file(bytes: 1 << 50, version: "1") }
  func names(in folder: String) -> [String] { [] }
  func reader(of address: String) throws(Failure) -> any RemoteReader {
    throw Failure(.internal, "read", path: address, cause: "it was begun")
  }
  func head(of address: String, atMost count: Int) -> [UInt8] { [] }
  func writer(to address: String) throws(Failure) -> any RemoteWriter {
    throw Failure(.internal, "write", path: address, cause: "nobody writes it")
  }
  func checkWritable(_ address: String) {}
}
