import FirestoreModels
import Testing

@testable import FirestoreREST

@Suite("Operations of the managed service")
struct ManagedOperationTests {
  private let database = DatabaseName(project: "p")

  private func operation(_ json: String) throws -> ManagedOperation {
    let parser = JSONParser()
    var result: Result<ManagedOperation, CallFailure>?
    try parser.parse(Array(json.utf8)) { root in
      do throws(CallFailure) {
        result = .success(try ManagedOperation(root, of: database))
      } catch {
        result = .failure(error)
      }
    }
    return try #require(result).get()
  }

  // The members are those of google/firestore/admin/v1/operation.proto and google/longrunning/operations.proto.
  @Test("A completed export is read with all of its members")
  func export() throws {
    let operation = try operation(
      """
      {"name":"projects/p/databases/(default)/operations/ASA1","done":true,
       "metadata":{"@type":"type.googleapis.com/google.firestore.admin.v1.ExportDocumentsMetadata",
        "startTime":"2026-01-31T03:00:00.5Z","endTime":"2026-01-31T03:10:00Z","operationState":"SUCCESSFUL",
        "progressDocuments":{"estimatedWork":"1000","completedWork":"1003"},"progressBytes":{"completedWork":"9007199254740992"},
        "collectionIds":["users","é"],"outputUriPrefix":"gs://b/p","snapshotTime":"2026-01-31T02:59:00Z","newMember":[1]},
       "response":{"@type":"type.googleapis.com/google.firestore.admin.v1.ExportDocumentsResponse","outputUriPrefix":"gs://b/p"}}
      """
    )
    #expect(operation.name.id == "ASA1" && operation.kind == .exportDocuments && operation.isDone)
    #expect(operation.state.name == "SUCCESSFUL")
    #expect(operation.ending == .successful && operation.failure == nil)
    #expect(operation.documents == .init(estimated: 1000, completed: 1003))
    #expect(operation.bytes == .init(completed: 1 << 53))
    #expect(
      operation.collections == ["users", "é"] && operation.prefix == "gs://b/p"
        && operation.output == "gs://b/p"
    )
    #expect(operation.snapshotTime == Timestamp("2026-01-31T02:59:00Z"))
    #expect(operation.startTime == Timestamp("2026-01-31T03:00:00.5Z"))
  }

  @Test("What is absent is unknown or 0, and a new word of the service is kept")
  func sparse() throws {
    let bare = try operation(#"{"name":"projects/123456/databases/(default)/operations/x"}"#)
    #expect(bare.name.description == "projects/p/databases/(default)/operations/x")
    #expect(bare.kind == .other("operation") && !bare.isDone && bare.ending == nil && bare.documents == nil)
    let new = try operation(
      #"{"name":"projects/p/databases/(default)/operations/x","metadata":{"@type":"t/a.ImportDocumentsMetadata","operationState":"PAUSED","progressDocuments":{}}}"#
    )
    #expect(new.kind == .importDocuments && new.state.name == "PAUSED")
    #expect(new.documents == .init(completed: 0) && new.ending == nil)
    let index = try operation(
      #"{"name":"projects/p/databases/(default)/operations/x","done":true,"metadata":{"@type":"t/a.IndexOperationMetadata","state":"SUCCESSFUL"}}"#
    )
    #expect(index.kind == .other("IndexOperation") && index.state.name == "SUCCESSFUL")
  }

  // Codes are those of google/rpc/code.proto, exit codes those of `gymmigrate --help`.
  @Test(
    "A failed operation is the failure that a request with its status is",
    arguments: [
      (7, Failure.Kind.notPermitted, "roles/datastore.importExportAdmin"), (3, .usage, "bucket"),
      (5, .inputMissing, "bucket"), (8, .tryLater, "later"), (9, .configuration, "Billing"),
      (13, .unavailable, "later"), (99, .unavailable, "later"),
    ]
  )
  func failed(_ code: Int, _ kind: Failure.Kind, _ remedy: String) throws {
    let operation = try operation(
      #"{"name":"projects/p/databases/(default)/operations/x","done":true,"metadata":{"@type":"t/a.ExportDocumentsMetadata","operationState":"FAILED"},"error":{"code":\#(code),"message":"The bucket is in asia-east1; token=abcdefghijkl"}}"#
    )
    let failure = try #require(operation.failure)
    #expect(failure.kind == kind && failure.remedy?.contains(remedy) == true, "\(failure)")
    #expect(failure.cause.contains("The bucket is in asia-east1") && !failure.cause.contains("abcdefghijkl"))
    #expect(failure.path == "projects/p/databases/(default)/operations/x")
  }

  @Test("A cancelled operation is no success")
  func cancelled() throws {
    for more in [#","error":{"code":1}"#, ""] {
      let operation = try operation(
        #"{"name":"projects/p/databases/(default)/operations/x","done":true,"metadata":{"operationState":"CANCELLED"}\#(more)}"#
      )
      #expect(operation.ending == .cancelled && operation.failure?.kind == .interrupted)
    }
  }

  @Test(
    "What is not an operation is refused",
    arguments: [
      "{}", "[]", #"{"name":7}"#, #"{"name":"projects/p/databases/(default)/operations/x","done":"yes"}"#,
      #"{"name":"projects/p/databases/(default)/operations/x","metadata":[]}"#,
      #"{"name":"projects/p/databases/(default)/operations/x","metadata":{"operationState":3}}"#,
      #"{"name":"projects/p/databases/(default)/operations/x","metadata":{"startTime":"yesterday"}}"#,
      #"{"name":"projects/p/databases/(default)/operations/x","metadata":{"progressBytes":{"completedWork":"-1"}}}"#,
      #"{"name":"projects/p/databases/(default)/operations/x","metadata":{"progressBytes":{"completedWork":"9007199254740993"}}}"#,
      #"{"name":"projects/p/databases/(default)/operations/x","metadata":{"collectionIds":[1]}}"#,
      #"{"name":"projects/p/databases/(default)/operations/x","error":"no"}"#,
    ]
  )
  func malformed(_ json: String) {
    #expect { try operation(json) } throws: {
      if case .malformed? = $0 as? CallFailure { true } else { false }
    }
  }

  @Test(
    "An operation of another database is not the service's answer",
    arguments: [
      "projects/q/databases/(default)/operations/x", "projects/p/databases/other/operations/x",
      "projects/p/databases/(default)/operations/", "projects/p/databases/(default)/documents/x", "x",
      "projects/p/databases/(default)/operations/x/y",
    ]
  )
  func foreign(_ name: String) {
    #expect { try operation(#"{"name":"\#(name)"}"#) } throws: {
      if case .foreign? = $0 as? CallFailure { true } else { false }
    }
  }

  @Test("An operation is named in full or by its last part")
  func names() throws {
    #expect(
      OperationName(parsing: "ASA1", in: database)?.description
        == "projects/p/databases/(default)/operations/ASA1"
    )
    let other = try #require(OperationName(parsing: "projects/q/databases/d/operations/a", in: database))
    #expect(other.database == DatabaseName(project: "q", database: "d") && !other.isOf(database))
    for text in [
      "", "a/b", "..", "a b", "a\n", "projects/p/databases/d/operation/a",
      "projects//databases/d/operations/a",
    ] {
      #expect(OperationName(parsing: text, in: database) == nil, "\(text)")
    }
  }

  // https://cloud.google.com/storage/docs/buckets#naming
  @Test(arguments: [
    ("gs://bucket", "gs://bucket"), ("gs://bucket/", "gs://bucket"),
    ("gs://my_b.ucket-1/a/b c/é/", "gs://my_b.ucket-1/a/b c/é"),
    ("gs://abc/2026-01-31T03:00:00Z", "gs://abc/2026-01-31T03:00:00Z"),
  ])
  func prefixes(_ text: String, _ form: String) {
    #expect(BucketPrefix(parsing: text)?.description == form)
    #expect(BucketPrefix(parsing: form)?.isIdentical(to: text) == true)
  }

  @Test(arguments: [
    "", "bucket", "gs:/bucket", "GS://bucket", "gs://", "gs://ab", "gs://Bucket", "gs://-bucket",
    "gs://bucket-", "gs://buc ket",
    "gs://bucket//a", "gs://bucket/a//", "gs://bucket/a/../b", "gs://bucket/.", "gs://bucket/a\nb",
    "s3://bucket/a",
    "gs://bucket/" + String(repeating: "x", count: 501), "gs://" + String(repeating: "b", count: 223),
  ])
  func noPrefixes(_ text: String) { #expect(BucketPrefix(parsing: text) == nil) }

  @Test("Composed and decomposed accents are two prefixes")
  func accents() throws {
    let prefix = try #require(BucketPrefix(parsing: "gs://bucket/é"))
    #expect(!prefix.isIdentical(to: "gs://bucket/e\u{301}"))
  }

  @Test("Collection IDs are checked before anything is sent")
  func collections() {
    #expect(
      ManagedRequest.defect(of: []) == nil && ManagedRequest.defect(of: ["users", "e\u{301}", "é"]) == nil
    )
    for ids in [["users/u1/x"], ["a*"], [""], ["__x__"], ["a", "a"], (0...100).map { "c\($0)" }] {
      #expect(ManagedRequest.defect(of: ids) != nil, "\(ids)")
    }
    #expect(ManagedRequest.defect(of: (0..<100).map { "c\($0)" }) == nil)
  }
}
