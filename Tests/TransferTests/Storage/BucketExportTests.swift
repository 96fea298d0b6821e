import Files
import FirestoreModels
import Schema
import TestSupport
import Testing

@testable import Storage
@testable import Tables
@testable import Transfer

@Suite("Managed exports in a bucket")
struct BucketExportTests {
  @Test("One is read from its prefix as from a folder, and is written into one.")
  func bothWays() async throws {
    try await withCloudStorage { storage, cloud async throws in
      let fixture = try ManagedFixture("small")
      for file in fixture.files {
        let bytes = try contents(fixture.path(file))
        storage.put("nightly/\(file)", MiniStorage.Object(bytes: bytes, generation: 7, metadata: "{}"))
      }
      let expected = try ManagedFixture.documents(of: fixture.path)
      for address in [
        "gs://bucket/nightly", "gs://bucket/nightly/", "gs://bucket/nightly/\(fixture.files[0])",
      ] {
        #expect(try ManagedFixture.documents(of: address, via: cloud.files) == expected)
      }
      let source = try #require(
        try ImportSource.resolve(["gs://bucket/nightly"], schema: .none, via: cloud.files).first
      )
      #expect(source.files == ["gs://bucket/nightly/\(fixture.files[0])"])
      let writer = try ManagedWriter(
        "gs://bucket/copy",
        of: DatabaseName(project: "demo-project"),
        via: cloud.files
      )
      try writer.append(contentsOf: expected)
      try writer.finish()
      #expect(try ManagedFixture.documents(of: "gs://bucket/copy/", via: cloud.files) == expected)
      #expect(storage.violations == [])
    }
  }
}
