import FirestoreModels
import Testing

@testable import Configuration
@testable import FirestoreREST

@Suite("Selecting collections")
struct CollectionScopeTests {
  private func scopes(_ names: [String]?, _ isDeep: Bool = true) throws -> [String] {
    let roots = ["users", "classes", "classBookings", "groups", "_gymmigrate_runs"]
    return try CollectionSelection(names, isDeep: isDeep)
      .scopes(roots: roots.compactMap { CollectionPath($0) }).map(\.name.string)
  }

  @Test("All, names and patterns, in the order of names, none within another.")
  func selection() throws {
    #expect(try scopes(nil) == ["classBookings", "classes", "groups", "users"])
    #expect(try scopes(["class*"]) == ["classBookings", "classes"])
    #expect(try scopes(["*"]) == ["classBookings", "classes", "groups", "users"])
    #expect(try scopes(["users", "users"]) == ["users"])
    #expect(try scopes(["groups/g1/members", "groups"]) == ["groups"])
    #expect(try scopes(["groups/g1/members", "groups"], false) == ["groups", "groups/g1/members"])
    #expect(try scopes(["groups/*/members", "groups/g1/members"]) == ["groups/*/members"])
    #expect(try scopes(["_gymmigrate_runs"]) == ["_gymmigrate_runs"])
    #expect(throws: Failure.self) { try scopes(["nothing*"]) }
  }

  @Test(arguments: [
    ("users", true), ("groups/g1/members", true), ("groups/*/members", true), ("class*", true),
    ("a*/b/c", true),
    ("groups/g1", false), ("groups//members", false), ("groups/g*/members", false), ("groups/*/mem*", false),
  ])
  func names(_ name: String, _ isGood: Bool) {
    #expect((CollectionSelection.defect(of: name) == nil) == isGood)
  }

  @Test("A collection called * is no pattern of others.")
  func star() throws {
    let root = CollectionScope(pathOrPattern: CollectionPath(nil, "*"))
    #expect(root.kind == nil && root.contains(DocumentPath(CollectionPath(nil, "*"), "1")))
    #expect(!root.contains(DocumentPath(CollectionPath(nil, "c"), "1")))
    let below = try #require(CollectionPath("c/*/*"))
    #expect(CollectionPattern(below).contains(try #require(DocumentPath("c/1/*/2"))))
    #expect(!CollectionPattern(below).contains(try #require(DocumentPath("c/1/d/2"))))
  }

  @Test("A document belongs to a scope by whole segments.")
  func contains() throws {
    func holds(_ scope: CollectionScope, _ path: String) throws -> Bool {
      scope.contains(try #require(DocumentPath(path)))
    }
    let users = try #require(CollectionPath("users"))
    let kind = try #require(CollectionPath("groups/*/members"))
    let groups = try #require(CollectionPath("groups"))
    #expect(try holds(CollectionScope(users, isDeep: false), "users/u"))
    #expect(try !holds(CollectionScope(users, isDeep: false), "users/u/x/y"))
    #expect(try holds(CollectionScope(users, isDeep: true), "users/u/x/y"))
    #expect(try !holds(CollectionScope(users, isDeep: true), "users2/u"))
    let members = CollectionScope(groups, isDeep: false, kind: kind)
    #expect(try holds(members, "groups/g/members/m"))
    #expect(try !holds(members, "groups/g"))
    #expect(try !holds(members, "groups/g/members/m/x/y"))
    #expect(try holds(CollectionScope(groups, isDeep: true, kind: kind), "groups/g/members/m/x/y"))
  }

  @Test(arguments: [
    ("http://localhost:8080", "http://127.0.0.1:8080", true),
    ("http://LOCALHOST:8080", "http://[::1]:8080", true),
    ("http://127.0.0.1:8080", "http://127.0.0.1:8081", false),
    ("https://a.example", "https://A.example.:443", true),
    ("https://firestore.googleapis.com", "https://nam5-firestore.googleapis.com:443", true),
    ("https://a.example", "https://b.example", false),
    ("http://0:8080", "http://127.0.0.1:8080", true),
    ("http://[::ffff:127.0.0.1]:8080", "http://127.0.0.1:8080", true),
    ("http://[::ffff:7f00:1]:8080", "http://localhost:8080", true),
    ("http://[0:0:0:0:0:0:0:1]:8080", "http://[::]:8080", true),
    ("http://2130706433:8080", "http://0x7f.1:8080", true),
    ("http://db.localhost:8080", "http://ip6-localhost.:08080", true),
    ("http://[::ffff:10.0.0.7]:8080", "http://10.0.0.7:8080", true),
    ("http://167772167:8080", "http://10.7:8080", true),
    ("http://[fe80::1]:8080", "http://[FE80:0::1]:8080", true),
    ("http://[fe80::1]:8080", "http://[::1]:8080", false),
    ("http://10.0.0.7", "http://10.0.0.7:80", true),
    ("http://10.0.0.7", "http://10.0.0.8", false),
    ("https://firestore.googleapis.com:443/", "https://FIRESTORE.googleapis.com.", true),
  ])
  func samePlace(_ a: String, _ b: String, _ isSame: Bool) {
    let database = DatabaseName(project: "p", database: "d")
    let first = DatabaseEnvironment(name: "a", database: database, endpoint: a)
    var second = DatabaseEnvironment(name: "b", database: database, endpoint: b)
    #expect(first.isSameDatabase(as: second) == isSame)
    second.database = DatabaseName(project: "p", database: "e")
    #expect(!first.isSameDatabase(as: second))
  }
}
