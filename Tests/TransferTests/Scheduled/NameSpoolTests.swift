import FirestoreModels
import FirestoreREST
import TestSupport
import Testing

@testable import Transfer

@Suite("Names in a temporary file")
struct NameSpoolTests {
  @Test("Each name is found at its position, in any order of the questions.")
  func positions() throws {
    var random = SplitMix64(seed: 5)
    let collection = CollectionPath(nil, "users")
    let names = (0..<2000).map { index in
      let length = Int.random(in: 1...40, using: &random)
      return DocumentPath(collection, String(repeating: "é", count: length) + "\(index)")
    }
    let spool = try NameSpool()
    for name in names { try spool.append(name) }
    #expect(spool.count == names.count)
    for position in names.indices { #expect(try spool.name(at: position) == names[position]) }
    for _ in 0..<3000 {
      let position = names.indices.randomElement(using: &random) ?? 0
      #expect(try spool.name(at: position) == names[position], "\(position)")
    }
  }
}
