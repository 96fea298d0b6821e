import TestSupport
import Testing

@testable import FirestoreModels
@testable import FirestoreREST

@Suite("Cutting names into parts")
struct NameSurveyTests {
  /// Ways in which IDs are made.
  enum Kind: CaseIterable {
    case automatic, uuid, counted, padded, skewed, clusters, single, accents, emails
  }

  private static func ids(_ kind: Kind, _ count: Int, _ random: inout SplitMix64) -> [String] {
    func text(_ length: Int, of characters: String) -> String {
      let characters = Array(characters)
      return String((0..<length).map { _ in characters[Int.random(in: characters.indices, using: &random)] })
    }
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    var ids: Set<String> = []
    for number in 0..<count {
      switch kind {
      case .automatic: ids.insert(text(20, of: letters))
      case .uuid:
        ids.insert([8, 4, 4, 4, 12].map { text($0, of: "0123456789abcdef") }.joined(separator: "-"))
      case .counted: ids.insert("user\(number)")
      case .padded: ids.insert(String(String(10_000_000 + number).dropFirst()))
      // Nine in ten share a prefix.
      case .skewed: ids.insert((number % 10 == 0 ? "" : "zz-") + text(12, of: letters))
      case .clusters: ids.insert("\(["a", "m", "x"][number % 3])\(1_000_000 + number)")
      case .single: ids.insert("only")
      case .accents: ids.insert(text(6, of: "áéíóúñü") + String(number))
      case .emails: ids.insert("\(text(7, of: "abcdefghijklmnopqrstuvwxyz"))@example.com")
      }
    }
    return ids.sorted { $0.compareUTF8($1) < 0 }
  }

  /// Surveys a sorted list of IDs as ``FirestoreClient/survey(of:parts:)`` does, and returns the cuts and the number of queries.
  private static func survey(_ ids: [String], parts: Int) -> (cuts: [String], queries: Int, estimate: Double)
  {
    var queries = 0
    func look(_ start: String) -> (ids: [String], isLast: Bool) {
      queries += 1
      var (low, high) = (0, ids.count)
      while low < high {
        let middle = (low + high) / 2
        if ids[middle].compareUTF8(start) < 0 { low = middle + 1 } else { high = middle }
      }
      let found = Array(ids[low...].prefix(NameSurvey.sampleSize))
      return (found, found.count < NameSurvey.sampleSize)
    }
    var survey = NameSurvey()
    var starts = [""]
    while !starts.isEmpty, queries < NameSurvey.mostQueries(for: parts) {
      for start in starts {
        let found = look(start)
        survey.add(start, found.ids, isLast: found.isLast)
      }
      starts = survey.next(parts: parts, limit: min(16, NameSurvey.mostQueries(for: parts) - queries))
    }
    return (survey.cuts(into: parts), queries, survey.count)
  }

  @Test("The parts cover every name once and in order, whatever the IDs", arguments: Kind.allCases)
  func coverage(kind: Kind) {
    for seed in UInt64(1)...8 {
      var random = SplitMix64(seed: seed)
      let ids = Self.ids(kind, .random(in: 0...300, using: &random), &random)
      let parts = Int.random(in: 1...20, using: &random)
      let (cuts, _, _) = Self.survey(ids, parts: parts)
      #expect(cuts.count < max(1, parts), "seed \(seed)")
      #expect(zip(cuts, cuts.dropFirst()).allSatisfy { $0.compareUTF8($1) < 0 }, "seed \(seed)")
      let collection = CollectionPath(nil, "c")
      let ranges = NameRange.ranges(between: cuts.map { DocumentPath(collection, $0) })
      let read = ranges.flatMap { range in ids.filter { range.contains(DocumentPath(collection, $0)) } }
      #expect(read == ids, "seed \(seed)")
    }
  }

  @Test(
    "The parts are of about equal size",
    arguments: [Kind.automatic, .uuid, .counted, .padded, .skewed, .clusters, .emails]
  )
  func balance(kind: Kind) {
    var random = SplitMix64(seed: 11)
    let ids = Self.ids(kind, 20_000, &random)
    let parts = 64
    let (cuts, queries, _) = Self.survey(ids, parts: parts)
    var sizes = [Int](repeating: 0, count: cuts.count + 1)
    var part = 0
    for id in ids {
      while part < cuts.count, cuts[part].compareUTF8(id) <= 0 { part += 1 }
      sizes[part] += 1
    }
    // Tasks of four parts each: the slowest of 16 does at most half as much again as an equal share.
    let tasks = (0..<16).map { task in
      sizes[(task * sizes.count / 16)..<((task + 1) * sizes.count / 16)].reduce(0, +)
    }
    #expect(tasks.reduce(0, +) == ids.count)
    #expect((tasks.max() ?? 0) <= ids.count / 16 * 3 / 2, "\(tasks)")
    #expect(queries <= NameSurvey.mostQueries(for: parts))
  }

  @Test("A few documents are counted exactly, and cut no finer than they are")
  func few() {
    let (cuts, queries, estimate) = Self.survey(["a", "b", "c"], parts: 8)
    #expect(estimate == 3)
    #expect(queries == 1)
    #expect(cuts == ["b", "c"])
  }
}

@Suite("Ranges of names")
struct NameRangeTests {
  @Test("Every name is in exactly one of the ranges between cuts, in their order")
  func once() throws {
    for seed in UInt64(1)...50 {
      var random = SplitMix64(seed: seed)
      func segment() -> String {
        let pool = ["a", "B", "é", "__id7__", "__id-3__", "z~", "user1", "user10", "user9", "\u{1F600}", "0"]
        return pool.randomElement(using: &random) ?? "a"
      }
      func path() throws -> DocumentPath {
        let depth = Int.random(in: 1...3, using: &random)
        return try #require(DocumentPath((0..<(2 * depth)).map { _ in segment() }.joined(separator: "/")))
      }
      let cuts = try (0..<Int.random(in: 0...12, using: &random)).map { _ in try path() }
      let ranges = NameRange.ranges(between: cuts)
      #expect(ranges.count == Set(cuts).count + 1, "seed \(seed)")
      let names = try (0..<200).map { _ in try path() }.sorted() + cuts
      var last = -1
      for name in names.sorted() {
        let found = ranges.indices.filter { ranges[$0].contains(name) }
        try #require(found.count == 1, "seed \(seed): \(name) is in \(found)")
        #expect(found[0] >= last, "seed \(seed)")
        last = found[0]
      }
    }
  }
}
