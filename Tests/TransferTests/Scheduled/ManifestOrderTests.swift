import FirestoreModels
import Testing

@testable import Transfer

@Suite("The order of exports that are imported together")
struct ManifestOrderTests {
  private func manifest(_ collection: String, at time: String, since: String? = nil) -> Manifest {
    Manifest(
      toolVersion: "0",
      environment: "d",
      database: DatabaseName(project: "p", database: "d"),
      readTime: Timestamp(time),
      files: [
        Manifest.File(
          file: "x.jsonl",
          collection: collection,
          documents: 0,
          bytes: 0,
          sha256: "",
          since: since.flatMap { Timestamp($0) }
        )
      ]
    )
  }

  @Test("A collection called * is not that of another export.")
  func star() throws {
    func check(_ collection: String) throws {
      let increment = manifest(collection, at: "2026-03-03T02:00:00Z", since: "2026-03-01T02:00:00Z")
      let older = manifest("users", at: "2026-03-02T02:00:00Z")
      try Manifest.assertOrder([increment, older], at: ["a", "b"])
    }
    try check("*")
    #expect(throws: Failure.self) { try check("users") }
  }
}
