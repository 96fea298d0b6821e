import FirestoreModels
import Foundation
import Testing

@testable import Transfer

@Suite("The search for a part") struct SubsetSearchTests {
  private typealias Question = SubsetSearch.Question

  private static func path(_ name: String) throws -> DocumentPath { try #require(DocumentPath(name)) }

  /// A search in which documents refer to what is listed of them.
  private static func search(_ references: [String: [String]] = [:], maximum: Int = 100) -> SubsetSearch {
    SubsetSearch(maximum: maximum) { document in
      (references[document.path.string] ?? []).compactMap { DocumentPath($0) }
        .map { SubsetReferences.Reference(edge: "to \($0.collection)", path: $0) }
    }
  }

  /// Asks until nothing is new, in a database of these documents; what is below a document comes with it.
  private static func close(
    _ search: inout SubsetSearch,
    _ roots: [String],
    in database: [String],
    isDeep: Bool = true
  ) throws -> (part: [String], asked: [String]) {
    var (part, asked): ([String], [String]) = ([], [])
    let edge = search.edge(.root, "roots")
    var open: [Question] = []
    for root in roots { open += try search.take(path(root), by: edge) }
    while !open.isEmpty {
      let question = open.removeFirst()
      guard search.isOpen(question) else { continue }
      asked.append(question.path.string)
      let all = try database.map(path)
      let own = all.filter { $0 == question.path || isDeep && $0.above.contains(question.path) }
      guard own.contains(question.path) else {
        search.miss(question)
        continue
      }
      let documents = own.map { RawDocument(path: $0, fields: FieldMap()) }
      let (new, questions) = try search.take(documents, to: question)
      part += new.map(\.string)
      open += questions
    }
    return (part, asked)
  }

  @Test("A cycle is met once, and what does not exist is asked for once and dangles.")
  func cycle() throws {
    var search = Self.search(["a/1": ["b/1", "b/9"], "b/1": ["a/1", "b/9", "a/2"], "a/2": ["a/2"]])
    let (part, asked) = try Self.close(&search, ["a/1"], in: ["a/1", "a/2", "b/1", "b/2"])
    #expect(part == ["a/1", "b/1", "a/2"])
    #expect(asked == ["a/1", "b/1", "b/9", "a/2"])
    #expect(search.dangling == 1 && search.documents == 3)
    #expect(search.edges.map(\.documents) == [1, 1, 1])
  }

  @Test("A document that was deleted since the query that gave it is no part, and does not dangle.")
  func deletedSince() throws {
    var search = Self.search()
    let (part, _) = try Self.close(&search, ["a/1", "a/2"], in: ["a/1"])
    #expect(part == ["a/1"] && search.documents == 1 && search.dangling == 0)
    #expect(search.edges.map(\.documents) == [1])
  }

  @Test(
    "What is above a document that is referred to comes along, where it exists, also above what does not."
  )
  func above() throws {
    var search = Self.search(["o/1": ["u/1/p/1/l/1"]])
    let (part, asked) = try Self.close(&search, ["o/1"], in: ["o/1", "u/1", "u/1/p/2", "u/1/p/1/l/1"])
    #expect(part == ["o/1", "u/1/p/1/l/1", "u/1", "u/1/p/2"])
    #expect(asked == ["o/1", "u/1/p/1/l/1", "u/1/p/1", "u/1"])
    // Nothing refers to what is above.
    #expect(search.dangling == 0)
    #expect(search.edges.last?.name == "subcollections" && search.edges.last?.documents == 1)
  }

  @Test("What is missing above a document dangles once something refers to it.")
  func missingAbove() throws {
    var search = Self.search(["o/1": ["u/1/p/1"], "u/1/p/1": ["o/2"], "o/2": ["u/1"]])
    let (part, asked) = try Self.close(&search, ["o/1"], in: ["o/1", "o/2", "u/1/p/1"])
    #expect(part == ["o/1", "u/1/p/1", "o/2"] && asked.filter { $0 == "u/1" }.count == 1)
    #expect(search.dangling == 1)
  }

  @Test("A root is not referred to, and what is above it stays out until something refers to it.")
  func rootBelow() throws {
    let database = ["u/1", "u/1/p/1", "u/1/p/1/l/1"]
    var alone = Self.search()
    #expect(try Self.close(&alone, ["u/1/p/1"], in: database).part == ["u/1/p/1", "u/1/p/1/l/1"])
    for referring in ["u/1/p/1", "u/1/p/1/l/1"] {
      for target in ["u/1/p/1", "u/1/p/1/l/1"] {
        var search = Self.search([referring: [target]])
        let (part, _) = try Self.close(&search, ["u/1/p/1"], in: database)
        #expect(part.contains("u/1"), "\(referring) to \(target)")
      }
    }
  }

  @Test("IDs that Swift takes for one are two.")
  func equivalent() throws {
    var search = Self.search(["a/1": ["b/\u{E9}", "b/e\u{301}"]])
    let (part, _) = try Self.close(&search, ["a/1"], in: ["a/1", "b/\u{E9}"], isDeep: false)
    #expect(part.count == 2 && search.dangling == 1)
  }

  @Test("One document too many ends it, whether a query or a reference gave it; as many as allowed do not.")
  func overflow() throws {
    var roots = Self.search(maximum: 2)
    #expect(throws: SubsetSearch.Overflow.documents) {
      try Self.close(&roots, ["a/1", "a/2", "a/3"], in: [])
    }
    #expect(roots.documents == 3 && roots.left == 0)
    let references = ["a/1": ["b/1", "b/2", "b/9"]]
    var exact = Self.search(references, maximum: 3)
    #expect(try Self.close(&exact, ["a/1"], in: ["a/1", "b/1", "b/2"]).part.count == 3)
    var over = Self.search(references, maximum: 2)
    #expect(throws: SubsetSearch.Overflow.documents) {
      try Self.close(&over, ["a/1"], in: ["a/1", "b/1", "b/2"])
    }
  }

  @Test("References of fields whose names are data are counted together, at some point.")
  func edges() throws {
    var search = Self.search()
    for number in 0..<3000 { _ = search.edge(.outwards, "a.\(number) -> b") }
    let first = search.edge(.inwards, "a.x -> b")
    #expect(search.edges.count == SubsetSearch.maximumEdges + 2 && search.edge(.inwards, "a.y -> b") == first)
  }

  @Test("The sum of several counts is asked for first, and each by itself only where that is too much.")
  func fanIn() {
    let numbers = [0, 2, 900, 5, 1001, 1, 3, 1000]
    var fanIn = FanIn(of: numbers.count, width: 4, most: 1000)
    var (followed, hubs, asked): (Set<Int>, [Int], Int) = ([], [], 0)
    while let range = fanIn.next() {
      asked += 1
      switch fanIn.take(numbers[range].reduce(0, +), of: range) {
      case .follow: followed.formUnion(range)
      case .hub: hubs.append(range.lowerBound)
      case .divided: continue
      }
    }
    #expect(hubs == [4] && followed == [0, 1, 2, 3, 5, 6, 7])
    // All of the first four at once; of the others the four, then two and two, then each of the two with the hub, then each of the others.
    #expect(asked == 1 + 1 + 2 + 2 + 2)
  }
}
