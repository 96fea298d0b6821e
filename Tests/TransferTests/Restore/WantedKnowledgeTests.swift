import Configuration
import FirestoreModels
import FirestoreREST
import Testing

@testable import Transfer

@Suite("What a wanted state knows")
struct WantedKnowledgeTests {
  private static func scope(_ change: (inout Manifest.Scope) -> Void = { _ in }) -> Manifest.Scope {
    var scope = Manifest.Scope(collections: nil, subcollections: true)
    change(&scope)
    return scope
  }

  /// The paths of which a scope knows whether they were there.
  private func known(_ scope: Manifest.Scope?, of paths: [String]) throws -> [String] {
    let knowledge = try WantedKnowledge(scope)
    return try paths.filter { knowledge.knowsAbsence(of: try #require(DocumentPath($0))) }
  }

  @Test("A whole export knows of every document whether it was there; any other only of what it holds.")
  func absence() throws {
    let two = ["a/1", "a/1/b/2"]
    #expect(try known(Self.scope(), of: two) == two)
    #expect(try known(Self.scope { $0.subcollections = false }, of: two) == ["a/1"])
    let held = ["a/1", "a/1/b/2", "logs/1", "g/1/m/2", "g/1/m/2/x/3"]
    let some = Self.scope { $0.collections = ["a", "log*", "g/*/m"] }
    #expect(try known(some, of: held + ["b/1", "g/1", "g/1/n/2", "ab/1"]) == held)
    let group = Self.scope { ($0.collections, $0.isGroup) = (["m"], true) }
    #expect(try known(group, of: ["x/1/m/2", "x/1"]) == ["x/1/m/2"])
    #expect(try known(nil, of: two) == [])
    #expect(try known(Self.scope { $0.filters = ["n > 1"] }, of: two) == [])
    #expect(try known(Self.scope { $0.limit = 5 }, of: two) == [])
    #expect(try known(Self.scope { $0.fields = ["n"] }, of: two) == [])
    #expect(try known(Self.scope { $0.orderBy = "n" }, of: two) == [])
  }

  @Test("What leaves anything out but subcollections is not whole.")
  func whole() throws {
    let scopes = [
      Self.scope(), Self.scope { $0.subcollections = false }, nil, Self.scope { $0.collections = ["a"] },
      Self.scope { $0.fields = ["n"] }, Self.scope { $0.limit = 1 },
    ]
    #expect(try scopes.map { try WantedKnowledge($0).isWhole } == [true, true, false, false, false, false])
  }

  @Test("The scope of a document holds it and what is below it.")
  func documentScope() throws {
    let path = try #require(DocumentPath("users/u1"))
    let deep = CollectionScope(document: path, isDeep: true)
    let names = [
      "users/u1", "users/u1/t/1", "users/u1/t/1/x/2", "users/u", "users/u10", "users/u10/t/1", "users/u2",
    ]
    let paths = names.compactMap { DocumentPath($0) }
    #expect(paths.map { deep.contains($0) } == [true, true, true, false, false, false, false])
    let flat = CollectionScope(document: path, isDeep: false)
    #expect(paths.map { flat.contains($0) } == [true, false, false, false, false, false, false])
    // A collection covers its documents, and a document no collection.
    let all = try CollectionSelection(["users/u2", "users", "users/u1", "users/x"], isDeep: true).scopes(
      roots: [])
    #expect(all.map(\.document) == [nil])
    let two = try CollectionSelection(["users/u2", "users/u1", "a"], isDeep: true).scopes(roots: [])
    #expect(two.map { $0.document?.string ?? $0.name.string } == ["a", "users/u1", "users/u2"])
  }
}
