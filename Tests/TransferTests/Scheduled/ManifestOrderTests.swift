import FirestoreModels
import Testing

@testable import Transfer

@Suite("The order of exports that are imported together")
struct ManifestOrderTests {
  private func manifest(
    _ collection: String,
    at time: String,
    since: String? = nil,
    after: String? = nil,
    of project: String = "p"
  ) -> Manifest {
    Manifest(
      toolVersion: "0",
      environment: "d",
      database: DatabaseName(project: project, database: "d"),
      readTime: Timestamp(time),
      scope: after == nil && since == nil ? nil : Manifest.Scope(collections: nil, subcollections: true),
      after: after.flatMap { Timestamp($0) },
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

  @Test(
    "An increment as of a moment that the export before it has reached is found.",
    arguments: [("01", true), ("02", true), ("03", false)]
  )
  func moment(day: String, isEarly: Bool) throws {
    var whole = manifest("users", at: "2026-03-02T02:00:00Z")
    whole.scope = Manifest.Scope(collections: nil, subcollections: true)
    for after in ["2026-03-02T02:00:00Z", nil] {
      let since = "2026-03-01T01:50:00Z"
      let next = manifest("users", at: "2026-03-\(day)T02:00:00Z", since: since, after: after)
      #expect(next.gap(behind: [whole]) == (isEarly ? .early : nil))
    }
  }

  @Test("An increment continues the export before it, of its own database.")
  func continuation() throws {
    func whole(_ project: String = "p") -> Manifest {
      var whole = manifest("users", at: "2026-03-01T02:00:00Z", of: project)
      whole.scope = Manifest.Scope(collections: nil, subcollections: true)
      return whole
    }
    func increment(_ day: Int, after: Int, of project: String = "p") -> Manifest {
      let day = "2026-03-0\(day)T02:00:00Z"
      let after = "2026-03-0\(after)T02:00:00Z"
      return manifest("users", at: day, since: "2026-03-01T01:50:00Z", after: after, of: project)
    }
    func refusal(_ manifests: [Manifest]) -> [String?] {
      let paths = manifests.indices.map { "export \($0)" }
      func cause(_ check: () throws(Failure) -> Void) -> String? {
        do { try check() } catch { return error.kind == .usage ? error.cause : "\(error)" }
        return nil
      }
      return [
        cause { () throws(Failure) in try Manifest.assertOrder(manifests, at: paths) },
        cause { () throws(Failure) in try Manifest.assertSeries(manifests, at: paths, to: "compare") },
      ]
    }
    #expect(refusal([whole(), increment(2, after: 1), increment(3, after: 2)]) == [nil, nil])
    // Of a copy of the folder, from before the other increment.
    let branch = "it does not continue the export before it, but an older one, as in a copy of the folder"
    #expect(refusal([whole(), increment(2, after: 1), increment(3, after: 1)]) == [branch, branch])
    let gap = "the increment before it is missing"
    #expect(refusal([whole(), increment(3, after: 2)]) == [gap, gap])
    let other = refusal([whole("other"), increment(2, after: 1)])
    #expect(
      other == [
        "it is an increment of projects/p/databases/d, and not of projects/other/databases/d",
        "it is no increment of export 0",
      ]
    )
    // By itself, and beside exports of other collections, an increment is imported as it is.
    try Manifest.assertOrder([increment(3, after: 2)], at: ["a"])
    try Manifest.assertOrder(
      [manifest("groups", at: "2026-03-01T02:00:00Z", of: "other"), increment(3, after: 2)],
      at: ["a", "b"]
    )
  }
}
