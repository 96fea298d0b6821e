import FirestoreModels
import FirestoreREST
import Schema
import Testing

@testable import Transfer

@Suite("What an export records of its request")
struct ManifestScopeTests {
  @Test(
    "The zone of a filter that has a day is recorded: that of the option, else the schema's, else UTC.",
    arguments: [
      ("t >= ts(2026-01-31)", "Asia/Tokyo", "America/Mexico_City", "Asia/Tokyo"),
      ("n == 1 and (t < ts(2026-01-31) or n == 2)", nil, "America/Mexico_City", "America/Mexico_City"),
      ("t in [ts(2026-01-31)]", nil, nil, "UTC"),
      ("t >= ts(2026-01-31T12:00:00Z)", "Asia/Tokyo", nil, nil),
      (#"name == "ts(2026-01-31)" and a == ref(users/u1)"#, "Asia/Tokyo", nil, nil),
    ] as [(String, String?, String?, String?)]
  )
  func zone(_ filter: String, _ option: String?, _ schema: String?, _ recorded: String?) throws {
    var job = ExportJob(["users"], all: false)
    (job.query.filters, job.query.timeZone) = (["n == 1", filter], option)
    let scope = try job.scope(by: DatabaseSchema(name: "s", timeZone: schema, collections: []))
    #expect(scope.timeZone == recorded)
  }

  /// A manifest as an earlier version wrote it, or with a recorded zone.
  private func manifest(_ filter: String, in zone: String?) -> Manifest {
    var scope = Manifest.Scope(collections: ["users"], subcollections: false)
    (scope.filters, scope.timeZone) = ([filter], zone)
    return Manifest(
      toolVersion: "0",
      environment: "d",
      database: DatabaseName(project: "p", database: "d"),
      readTime: nil,
      scope: scope,
      files: [Manifest.File(file: "users.csv", collection: "users", documents: 0, bytes: 0, sha256: "")]
    )
  }

  @Test("An export of a filter with a day takes the place of those of its zone only.")
  func retention() throws {
    let zones = ["Asia/Tokyo", nil, nil, "America/Mexico_City", "Asia/Tokyo"]
    func states(_ filter: String, _ zones: [String?]) -> [String: [String]] {
      let exports = zones.enumerated().map { index, zone in
        (name: "2026-03-0\(index + 1)T020000Z", manifest: manifest(filter, in: zone))
      }
      let decisions = RetentionRule.decisions(on: exports, by: RetentionPolicy(last: 1))
      return Dictionary(uniqueKeysWithValues: decisions.map { ("\($0.export.name.prefix(10))", $0.reasons) })
    }
    #expect(
      states("t >= ts(2026-01-31)", zones) == [
        "2026-03-01": [], "2026-03-04": ["last"], "2026-03-05": ["last"],
      ]
    )
    let moment = states("t >= ts(2026-01-31T12:00:00Z)", [nil, nil])
    #expect(moment == ["2026-03-01": [], "2026-03-02": ["last"]])
  }

  @Test("An export of a group goes into the folder of an earlier one whatever the zone of its filter.")
  func replacement() throws {
    var old = manifest("t >= ts(2026-01-31)", in: nil)
    old.scope?.isGroup = true
    var scope = try #require(old.scope)
    scope.timeZone = "Asia/Tokyo"
    try old.assertReplaced(by: scope, CollectionSelection(["users"], isDeep: false), in: "x")
  }

  // MARK: Exports of exports

  private typealias Scope = Manifest.Scope

  private static func everything(_ change: (inout Manifest.Scope) -> Void = { _ in }) -> Manifest.Scope {
    var scope = Scope(collections: nil, subcollections: true)
    change(&scope)
    return scope
  }

  /// The scope of an export of everything, or of what is wanted, of an export of a scope.
  private func copied(_ held: Manifest.Scope?, _ wanted: Manifest.Scope = everything()) -> Manifest.Scope {
    let manifest = held.map { held in
      Manifest(
        toolVersion: "0",
        environment: "d",
        database: DatabaseName(project: "p", database: "d"),
        readTime: nil,
        scope: held,
        files: []
      )
    }
    return wanted.cut(to: DocumentPlace(path: "x", isFolder: true, managed: nil, manifest: manifest))
  }

  @Test("What an export leaves out, one that is made of it leaves out, too.")
  func copies() {
    let fields = Self.everything { $0.fields = ["a", "m.b"] }
    #expect(copied(fields) == fields)
    let some = copied(fields, Self.everything { $0.fields = ["m", "a.c", "x"] })
    #expect(some.fields == ["m.b", "a.c"] && some.isPartial && some.hasWholeDocuments)
    let shallow = Self.everything { $0.subcollections = false }
    #expect(copied(shallow) == shallow)
    let held = Self.everything { ($0.filters, $0.limit, $0.orderBy, $0.isView) = (["n > 1"], 5, "n", true) }
    let users = copied(
      held,
      Scope(collections: ["users"], subcollections: false, filters: ["m < 2"], limit: 9)
    )
    #expect(users.filters == ["m < 2", "n > 1"] && users.limit == 5 && users.orderBy == "n")
    #expect(users.isView && users.isPartial && users.hasWholeDocuments && !users.subcollections)
  }

  @Test("An export without subcollections does not have a group, or a collection below others.")
  func belowShallow() {
    let shallow = Self.everything { $0.subcollections = false }
    let wanted = [
      Scope(collections: ["users"], subcollections: false),
      Scope(collections: ["groups/*/members"], subcollections: false),
      Scope(collections: ["members"], subcollections: false, isGroup: true),
    ]
    #expect(wanted.map { copied(shallow, $0).isPartial } == [false, true, true])
    #expect(wanted.map { copied(Self.everything(), $0).isPartial } == [false, false, false])
  }

  @Test("What does not say that it has all fields is not known to have them.")
  func unknownFields() throws {
    let old = Self.everything { $0.isPartial = true }
    for held in [nil, old] {
      let scope = copied(held)
      #expect(scope.isPartial && !scope.hasWholeDocuments)
      #expect(try !WantedKnowledge(scope).knowsAbsentFields)
    }
    let known = copied(Scope(collections: ["users"], subcollections: true))
    #expect(known.isPartial && known.hasWholeDocuments)
    #expect(try WantedKnowledge(known).knowsAbsentFields)
    #expect(copied(known).hasWholeDocuments)
  }
}
