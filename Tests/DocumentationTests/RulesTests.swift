import FirestoreModels
import Foundation
import GymModels
import Schema
import TestSupport
import Testing

/// The sample of security rules, as far as it can be judged without a service that evaluates it.
@Suite struct RulesTests {
  private let text: String

  init() throws {
    let file = Page.root.appendingPathComponent("samples/firestore.rules")
    let lines = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
    text = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
  }

  @Test func everyCollectionIsNamed() {
    for collection in GymSchema.schema.collections {
      let name = collection.pattern.id
      // app_config has one document, which is named.
      #expect(text.contains("match /\(name)/{") || text.contains("match /\(name)/setup "), "\(name)")
    }
  }

  @Test func nothingElseIsOpen() {
    #expect(text.contains("match /{document=**} {\n      allow read, write: if false;"))
    // Read without an account are the index, one address at a time, and whether the gym is set up.
    #expect(text.components(separatedBy: "if true").count == 3)
  }

  @Test func bracketsAreBalanced() {
    var open: [Character] = []
    let pairs: [Character: Character] = ["}": "{", ")": "(", "]": "["]
    for character in text {
      if pairs.values.contains(character) { open.append(character) }
      if let opening = pairs[character] { #expect(open.popLast() == opening) }
    }
    #expect(open.isEmpty)
  }
}
