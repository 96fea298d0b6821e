import FirestoreModels
import TestSupport
import Testing

@Suite("Paths of documents and collections")
struct ResourcePathTests {
  @Test(arguments: ["a/b", "a/b/c/d", "\u{301}/\u{301}", "a/ b", "a/b:c", "a/e\u{301}", ".a/..b"])
  func documents(_ text: String) throws {
    let path = try #require(DocumentPath(text))
    #expect(path.string.isIdentical(to: text))
    #expect(CollectionPath(text) == nil)
    #expect(path.segments.joined(separator: "/").isIdentical(to: text))
    #expect(DocumentPath(path.collection, path.id) == path)
    #expect(CollectionPath(path.collection.parent, path.collection.id) == path.collection)
  }

  @Test(arguments: ["", "/", "a/", "/a", "a//b", "a/b/", "/a/b", "a//", "//"])
  func emptySegments(_ text: String) {
    #expect(DocumentPath(text) == nil)
    #expect(CollectionPath(text) == nil)
  }

  @Test func collections() throws {
    let members = try #require(CollectionPath("groups/g1/members"))
    #expect(members.id == "members")
    #expect(members.parent == DocumentPath("groups/g1"))
    #expect(DocumentPath("groups/g1") != nil && CollectionPath("groups/g1") == nil)
    #expect(CollectionPath("groups")?.parent == nil)
  }

  @Test(arguments: ["a/b", "aa/b", "a/b/c/d", "a/b/a/b", "e\u{301}/b", "\u{E9}/b", "a/\u{301}"])
  func membersOfCollections(_ text: String) throws {
    let path = try #require(DocumentPath(text))
    for name in ["a", "aa", "a/b/c", "a/b/a", "e", "e\u{301}", "\u{E9}", "b"] {
      let collection = try #require(CollectionPath(name))
      #expect(path.isIn(collection) == (path.collection == collection), "\(name)")
    }
  }

  @Test func idsThatBeginWithACombiningMark() throws {
    let path = try #require(DocumentPath("c/\u{301}x"))
    #expect(path.id.isIdentical(to: "\u{301}x"))
    #expect(path.collection.string == "c")
    #expect(path.segments.count == 2)
    let name = "projects/p/databases/d/documents/\u{301}c/\u{301}x"
    let split = try #require(DatabaseName.split(name))
    #expect(split.database == DatabaseName(project: "p", database: "d"))
    #expect(split.path.segments.first?.isIdentical(to: "\u{301}c") == true)
    #expect(split.database.name(of: split.path).isIdentical(to: name))
    #expect(split.database.path(ofName: name) == split.path)
  }

  // Ascending: numeric IDs first by number, then bytes, segment by segment.
  static let ascending = [
    "a/__id-9223372036854775808__", "a/__id-5__", "a/__id7__", "a/__id10__", "a/ ", "a/!",
    "a/A",
    "a/__id+7__", "a/__id07__", "a/__id7_", "a/__id__", "a/__idx__", "a/a", "a/a/b/c", "a/a/b/c/d/e", "a/a!",
    "a/a-",
    "a/aa",
    "a/e\u{301}", "a/z", "a/\u{E9}", "a/\u{FFFF}", "a/\u{10000}", "a!/a", "b/a",
  ]

  @Test func order() throws {
    let paths = try Self.ascending.map { try #require(DocumentPath($0)) }
    for (i, a) in paths.enumerated() {
      for (j, b) in paths.enumerated() {
        #expect((a < b) == (i < j), "\(a) \(b)")
        #expect((a == b) == (i == j), "\(a) \(b)")
      }
    }
    var random = SplitMix64(seed: 3)
    #expect(paths.shuffled(using: &random).sorted() == paths)
    #expect(Set(paths).count == paths.count)
  }

  @Test(arguments: [
    ("__id7__", Int64(7)), ("__id-7__", -7), ("__id9223372036854775807__", .max),
    ("__id-9223372036854775808__", .min),
  ])
  func numericIDs(id: String, number: Int64) {
    #expect(ResourceID.number(id) == number)
  }

  @Test(arguments: [
    "__id__", "__id+7__", "__id7_", "_id7__", "__id7x__", "__id 7__", "__id9223372036854775808__",
    "__id--7__", "__id07__", "__id-07__", "__id0__", "__id-0__", "__id00__", "__id-9223372036854775809__",
    "__id-__", "id7", "__ID7__", "__id٧__", "",
  ])
  func otherIDs(_ id: String) {
    #expect(ResourceID.number(id) == nil)
  }

  @Test(arguments: [
    ("users/u1", "users/u1"), ("a/b:c", "a/b%3Ac"), ("a/#?", "a/%23%3F"), ("a/50%", "a/50%25"),
    ("a/x y", "a/x%20y"),
    ("a/😀", "a/%F0%9F%98%80"), ("a/é", "a/%C3%A9"), ("a/e\u{301}", "a/e%CC%81"), ("a/-_.~", "a/-_.~"),
    ("a/(x)", "a/%28x%29"), ("a/+&=", "a/%2B%26%3D"), ("a/\u{0}", "a/%00"),
  ])
  func percentEncodedPaths(path: String, encoded: String) {
    var out = ""
    PercentEncoding.appendPath(path, to: &out)
    #expect(out == encoded)
  }

  @Test func percentEncodedQueries() {
    #expect(PercentEncoding.query("a/b c`\\") == "a%2Fb%20c%60%5C")
    #expect(PercentEncoding.query("a/ñ ?#%") == "a%2F%C3%B1%20%3F%23%25")
  }

  @Test(arguments: [
    "projects/p/databases/d", "projects/p/databases/(default)",
  ])
  func databases(_ text: String) {
    #expect(DatabaseName(parsing: text)?.description == text)
  }

  @Test(arguments: [
    "", "projects", "projects/p/databases", "projects//databases/d", "projects/p/databases/",
    "project/p/databases/d",
    "projects/p/database/d", "projects/p/databases/d/", "projects/p/databases/d/documents",
    "/projects/p/databases/d",
  ])
  func noDatabases(_ text: String) {
    #expect(DatabaseName(parsing: text) == nil)
  }

  @Test(arguments: ["d", "(default)", "!", "~", "ñ", "😀", "...", String(repeating: "d", count: 255)])
  func parts(_ text: String) {
    #expect(DatabaseName.isPart(text))
  }

  @Test(arguments: [
    "", ".", "..", "/", "d d", "d\t", "\u{0}", "\u{1F}", "\u{7F}", "d\u{85}", "\u{3000}d",
    String(repeating: "d", count: 256),
  ])
  func noParts(_ text: String) {
    #expect(!DatabaseName.isPart(text))
  }

  @Test(arguments: [
    "projects/p/databases/d", "projects/p/databases/d/documents", "projects/p/databases/d/documents/",
    "projects/p/databases/d/documents/a", "projects/p/databases/d/documents/a/b/c",
    "projects/p/databases/d/document/a/b", "a/b", "projects/p/databases/d/documents/a//b/c",
  ])
  func noDocumentNames(_ text: String) {
    #expect(DatabaseName.split(text) == nil)
    #expect(DatabaseName(project: "p", database: "d").path(ofName: text) == nil)
  }

  @Test func anotherDatabasesNames() {
    let name = DatabaseName(project: "p", database: "d2").name(
      of: DocumentPath(CollectionPath(nil, "a"), "b")
    )
    #expect(DatabaseName(project: "p", database: "d").path(ofName: name) == nil)
    #expect(DatabaseName(project: "p", database: "d2").path(ofName: name)?.string == "a/b")
  }
}
