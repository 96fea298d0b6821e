import Files
import FirestoreModels
import TestSupport
import Testing

@testable import Transfer

@Suite("Merging two streams in the order of names")
struct NameMergeTests {
  /// The result of a merge for each document, by path.
  private enum Verdict: Equatable {
    case from, to, both
  }

  /// Documents with names that are easy to sort wrongly: numeric ids, slashes against other bytes, canonical twins.
  private static func paths(_ count: Int, _ random: inout SplitMix64) -> [DocumentPath] {
    let ids = [
      "a", "a-", "a!", "é", "e\u{301}", "__id7__", "__id-12__", "__id100__", "z", "\u{FFFF}", "😀", "A\u{0}",
    ]
    var paths: Set<DocumentPath> = []
    while paths.count < count {
      var path = "c/\(ids.randomElement(using: &random) ?? "a")\(Bool.random(using: &random) ? "" : "x")"
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        path +=
          "/\(ids.randomElement(using: &random) ?? "a")/\(ids.randomElement(using: &random) ?? "a")"
      }
      if let path = DocumentPath(path) { paths.insert(path) }
    }
    return Array(paths)
  }

  /// Splits a stream into pages, some of them empty.
  private static func pages(_ paths: [DocumentPath], _ random: inout SplitMix64) -> [[RawDocument]] {
    var pages: [[RawDocument]] = []
    var rest = paths[...]
    while !rest.isEmpty {
      let size = Int.random(in: 0...4, using: &random)
      pages.append(rest.prefix(size).map { RawDocument(path: $0, fields: FieldMap()) })
      rest = rest.dropFirst(size)
    }
    return pages
  }

  @Test(
    "The result for every document is that of two dictionaries, whatever the pages.",
    arguments: (0..<60).map { UInt64($0) }
  )
  func property(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let all = Self.paths(Int.random(in: 0...60, using: &random), &random)
    var expected: [DocumentPath: Verdict] = [:]
    var (left, right): ([DocumentPath], [DocumentPath]) = ([], [])
    for path in all {
      switch Int.random(in: 0...3, using: &random) {
      case 0:
        left.append(path)
        expected[path] = .from
      case 1:
        right.append(path)
        expected[path] = .to
      default:
        left.append(path)
        right.append(path)
        expected[path] = .both
      }
    }
    var fromPages = Self.pages(left.sorted(), &random)[...]
    var toPages = Self.pages(right.sorted(), &random)[...]
    var told: [DocumentPath: Verdict] = [:]
    var order: [DocumentPath] = []
    try await NameMerge.run { side in
      side == .from ? fromPages.popFirst() : toPages.popFirst()
    } _: { step in
      switch step {
      case .only(let side, let document):
        told[document.path] = side == .from ? .from : .to
        order.append(document.path)
      case .both(let a, let b):
        #expect(a.path == b.path, "seed \(seed)")
        told[a.path] = .both
        order.append(a.path)
      case .needs, .finished: Issue.record("seed \(seed): \(step)")
      }
    }
    #expect(told == expected, "seed \(seed)")
    #expect(order.count == all.count, "seed \(seed)")
  }

  @Test("A stream that is not in order is refused, even across pages.")
  func order() throws {
    func document(_ path: String) throws -> RawDocument {
      RawDocument(path: try #require(DocumentPath(path)), fields: FieldMap())
    }
    let (a, b) = try (document("c/a"), document("c/b"))
    #expect(throws: Failure.self) {
      var merge = NameMerge()
      try merge.push([b, a], to: .from)
    }
    #expect(throws: Failure.self) {
      var merge = NameMerge()
      try merge.push([b], to: .to)
      try merge.push([a], to: .to)
    }
    #expect(throws: Failure.self) {
      var merge = NameMerge()
      try merge.push([a, a], to: .to)
    }
    var merge = NameMerge()
    try merge.push([a, b], to: .from)
    try merge.push([a], to: .to)
    #expect(merge.next() == .both(a, a))
    #expect(merge.next() == .needs(.to))
    merge.end(.to)
    #expect(merge.next() == .only(.from, b))
  }

  @Test("A sort on disk equals a sort in memory.", arguments: [UInt64(1), 2, 3, 4])
  func sort(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    // Runs of a few documents each, so that many are merged.
    var sort = DiskSort<ScopedDocument>(runBytes: 700)
    var added: [(scope: Int, path: DocumentPath, number: Int64)] = []
    for path in Set(Self.paths(80, &random)).sorted() {
      let scopes = (0...2).filter { _ in Bool.random(using: &random) }
      for scope in scopes { added.append((scope, path, Int64(added.count))) }
    }
    for (scope, path, number) in added.shuffled(using: &random) {
      try sort.add(
        ScopedDocument(RawDocument(path: path, fields: ["n": .integer(number)]), scope: scope, layer: 0)
      )
    }
    var sorted = try sort.sorted()
    var decoder = WireDecoder()
    for scope in 0...2 {
      for expected in added where expected.scope == scope {
        let next = try #require(try sorted.next(), "seed \(seed)")
        let document = try next.document(JSONParser(), &decoder)
        #expect(next.scope == scope && document.path == expected.path, "seed \(seed)")
        #expect(document.fields["n"] == .integer(expected.number), "seed \(seed)")
      }
    }
    #expect(try sorted.next() == nil)
  }
}
