import FirestoreModels
import FirestoreREST
import GymMigrations
import Schema
import Testing

@testable import MigrationEngine

@Suite("Which reads may begin before their turn")
struct ForeseenReadsTests {
  private static let database = DatabaseName(project: "p", database: "d")

  /// A migration of a collection, of a pattern, or of a group (`group:ID`), with a filter or none.
  private static func source(_ collection: String, where filter: String? = nil) throws -> ChangeSource {
    let isGroup = collection.hasPrefix("group:")
    let path = try #require(CollectionPath(isGroup ? String(collection.dropFirst(6)) : collection))
    let filters = try filter.map { [try FilterExpression.parse($0, in: LiteralContext(database: database))] }
    return .migration(
      DeclarativeMigration(
        id: "m",
        summary: "M.",
        scope: DeclarativeMigration.Scope(path, isGroup: isGroup, filters: filters ?? []),
        steps: [.rewrite(FieldPath(field: "x"), .trim)],
        schema: .none
      )
    )
  }

  /// How many reads begin with the first one of the first source.
  private static func width(
    _ sources: [ChangeSource],
    _ effect: ForeseenReads.Effect,
    from stage: Int = 0
  ) throws -> Int {
    let first = try #require(sources[stage].foreseenReads?.first)
    return ForeseenReads(of: sources, effect).together(with: first, of: stage).count
  }

  @Test("Nothing is read before what is written to it.")
  func written() throws {
    let cases: [(String, String, Int)] = [
      ("a", "b", 2), ("a", "a", 1), ("a", "a/x/s", 2), ("a/x/s", "a/y/s", 2), ("a/x/s", "a/*/s", 1),
      ("a/*/s", "a", 2), ("a/*/s", "a/*/t", 2), ("a/*/s", "b/*/s", 2), ("a/*/s", "group:s", 1),
      ("group:s", "a/*/s", 1), ("group:s", "a/x/s", 1), ("group:s", "s", 1), ("group:s", "group:t", 2),
      ("group:s", "b", 2), ("\u{E9}", "e\u{301}", 2),
    ]
    for (first, second, expected) in cases {
      let sources = [try Self.source(first), try Self.source(second)]
      #expect(try Self.width(sources, .written) == expected, "\(first), \(second)")
      // A filter says nothing about what a document will be.
      let filtered = [try Self.source(first), try Self.source(second, where: "x == 1")]
      #expect(try Self.width(filtered, .written) == expected, "\(first), \(second)")
      #expect(try Self.width(sources, .planned) == 2 && Self.width(sources, .none) == 2)
      #expect(try Self.width(filtered, .planned) == expected && Self.width(filtered, .none) == 2)
    }
  }

  @Test("What lies between counts, and not only the last one.")
  func between() throws {
    let sources = try ["a", "b", "c", "a", "d"].map { try Self.source($0) }
    #expect(try Self.width(sources, .written) == 3)
    #expect(try Self.width(sources, .written, from: 1) == 4)
    #expect(try Self.width(sources, .written, from: 3) == 2)
    #expect(try Self.width(sources, .planned) == 5)
  }

  @Test("Sources are apart where none reads or changes what another one changes, in whatever order.")
  func apart() throws {
    let cases: [([String], Bool)] = [
      (["a"], true), (["a", "b", "c"], true), (["a", "b", "a"], false), (["b", "a", "a"], false),
      (["a", "a/x/s"], true), (["a/x/s", "a/y/s"], true), (["a/x/s", "b", "a/*/s"], false),
      (["a/*/s", "group:s"], false), (["s", "group:s"], false), (["group:s", "group:t", "b"], true),
      (["\u{E9}", "e\u{301}"], true),
    ]
    let emails = UserEmails()
    for (names, expected) in cases {
      let sources = try names.map { try Self.source($0) }
      #expect(ForeseenReads(of: sources, .planned).areApart == expected, "\(names)")
      #expect(ForeseenReads(of: sources.reversed(), .planned).areApart == expected, "\(names)")
      // What it reads and changes is not known beforehand.
      #expect(!ForeseenReads(of: sources + [.migration(emails)], .planned).areApart, "\(names)")
      #expect(!ForeseenReads(of: [.migration(emails)] + sources, .planned).areApart, "\(names)")
    }
    #expect(ForeseenReads(of: [.migration(emails)], .planned).areApart)
    let filtered = try ["x == 1", "x == 2"].map { try Self.source("a", where: $0) }
    #expect(!ForeseenReads(of: filtered, .planned).areApart)
  }

  @Test("What several documents decide is waited for, and so is an order of a moment of its own.")
  func unknown() throws {
    let emails = UserEmails()
    let streaming = ChangeSource.migration(emails)
    let sources = [try Self.source("a"), try Self.source("b"), streaming, try Self.source("c")]
    for effect in [ForeseenReads.Effect.none, .planned, .written] {
      #expect(try Self.width(sources, effect) == 2)
      let foreseen = ForeseenReads(of: sources, effect)
      #expect(foreseen.together(with: CollectionRead(CollectionPath(nil, "users")), of: 2).isEmpty)
      #expect(foreseen.together(with: CollectionRead(CollectionPath(nil, "b")), of: 0).isEmpty)
      let ordered = [try Self.source("a"), try Self.source("b", where: "x > 1"), try Self.source("c")]
      #expect(try Self.width(ordered, effect) == 1)
      #expect(try Self.width(ordered, effect, from: 1) == 2)
    }
  }

  @Test(
    "The reads of one migration begin together; those of the same documents do so where nothing is written."
  )
  func own() throws {
    var migration = DeclarativeMigration(
      id: "m",
      summary: "M.",
      scope: DeclarativeMigration.Scope(
        CollectionPath(nil, "a"),
        ids: (0..<70).map { "i\($0)" },
        in: Self.database
      ),
      steps: [.rewrite(FieldPath(field: "x"), .trim)],
      schema: .none
    )
    #expect(try Self.width([.migration(migration)], .planned) == 3)
    #expect(try Self.width([.migration(migration)], .written) == 1)
    migration.scope = DeclarativeMigration.Scope(CollectionPath(nil, "class*"))
    migration.scope.collections = ["classA", "classB", "classC"].compactMap { CollectionPath($0) }
    #expect(try Self.width([.migration(migration)], .written) == 3)
    let all = IsActive()
    #expect(try Self.width([.migration(all)], .written) == all.reads.count && all.reads.count > 5)
  }
}
