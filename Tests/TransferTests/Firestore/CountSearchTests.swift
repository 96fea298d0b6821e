import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Differences found by counting")
struct CountSearchTests {
  @Test("100 deletions in 10 million documents take under 25,000 reads.")
  func tenMillion() {
    var random = SplitMix64(seed: 1)
    let collection = CountedCollection(10_000_000, deleted: 100, created: 0, &random)
    var search = CountSearch(known: collection.known)
    let reads = collection.carryOut(&search)
    #expect(reads < 25_000, "\(reads)")
    #expect(collection.deleted(in: search.found) == 100)
  }

  @Test(
    "In a million documents, every difference is found, in about two reads for 1,000 documents and 40 for a difference.",
    arguments: [0, 1, 10, 1000, 100_000],
    [CountSearch.width, CountSearch.narrowWidth]
  )
  func million(differences: Int, width: Int) {
    for created in [0, differences] {
      var random = SplitMix64(seed: UInt64(differences + created))
      let collection = CountedCollection(
        1_000_000,
        deleted: differences - created,
        created: created,
        &random
      )
      var search = CountSearch(known: collection.known, width: width)
      let reads = collection.carryOut(&search)
      #expect(reads <= 2000 + 40 * differences + 100, "\(reads)")
      // Where much differs, all names are read, and no more.
      let names = collection.count(0..<1_000_000)
      #expect(reads <= names + names / 500 + 100, "\(reads)")
      #expect(collection.deleted(in: search.found) == differences - created)
      #expect(collection.created(in: search.found) == created)
    }
  }

  @Test("Neighbours that are deleted, and a gap that is filled, are found as cheaply.")
  func runs() {
    let whole = CountedCollection(1_000_000, deleted: Array(400_000..<450_000), created: [])
    var search = CountSearch(known: whole.known)
    #expect(whole.carryOut(&search) <= 2000 + 40 * 50_000)
    #expect(whole.deleted(in: search.found) == 50_000)
    let filled = CountedCollection(
      1_000_000,
      deleted: [],
      created: [Int](repeating: 123_456, count: 3000)
    )
    search = CountSearch(known: filled.known)
    #expect(filled.carryOut(&search) <= 1000 + 10_000 + 3000 + 100)
    #expect(filled.created(in: search.found) == 3000)
  }

  @Test("As many created as deleted are found where they lie in different ranges.")
  func balanced() {
    for (width, apart) in [(CountSearch.width, 10_000), (CountSearch.narrowWidth, 1000)] {
      let collection = CountedCollection(100_000, deleted: [50_000], created: [50_001 + apart])
      var search = CountSearch(known: collection.known, width: width)
      #expect(collection.carryOut(&search) <= 100 + 80 + 4)
      #expect(collection.deleted(in: search.found) == 1)
      #expect(collection.created(in: search.found) == 1)
    }
  }

  @Test("2,000 random histories: what is found is the difference, as a comparison of all names gives it.")
  func histories() {
    for seed in UInt64(1)...2000 {
      var random = SplitMix64(seed: seed)
      var known = Set((0..<Int.random(in: 0...400, using: &random)).map { _ in Int.name(&random) })
      let width = Int.random(in: 1...120, using: &random)
      for _ in 0..<4 {
        let kind = Int.random(in: 0...2, using: &random)
        var actual = known
        let changes = Int.random(in: 0...[1, 5, 300][kind], using: &random)
        for _ in 0..<changes {
          if kind == 0 || Bool.random(using: &random), let some = actual.randomElement(using: &random) {
            actual.remove(some)
          } else {
            actual.insert(.name(&random))
          }
        }
        let names = known.sorted()
        var search = CountSearch(known: names.count, width: width)
        var asked: [Range<Int>] = []
        // Answers come in any order.
        while true {
          while Bool.random(using: &random), let range = search.next() { asked.append(range) }
          if asked.isEmpty {
            guard let range = search.next() else { break }
            asked.append(range)
          }
          let range = asked.remove(at: .random(in: asked.indices, using: &random))
          search.take(actual.count { names.covers($0, range) }, in: range)
        }
        for range in search.found {
          known = known.filter { !names.covers($0, range) }
          known.formUnion(actual.filter { names.covers($0, range) })
        }
        let isOneSided = actual.isSubset(of: names) || actual.isSuperset(of: names)
        if isOneSided { #expect(known == actual, "seed \(seed)") }
        // Of both kinds, at most as many stay as hide each other within a range.
        for start in stride(from: 0, to: names.count, by: width) {
          let range = start..<min(start + width, names.count)
          #expect(
            known.count { names.covers($0, range) } == actual.count { names.covers($0, range) },
            "seed \(seed)"
          )
        }
        known = actual
      }
    }
  }

  @Test("An answer that cannot be true, as without a moment, costs no difference.")
  func contradiction() {
    var search = CountSearch(known: 100, width: 100)
    var counted: Set<Range<Int>> = []
    while let range = search.next() {
      counted.insert(range)
      search.take(range.count == 100 ? 40 : 45, in: range)
    }
    #expect(search.found == [0..<100] || counted.contains(50..<100))
  }
}

extension Int {
  fileprivate static func name(_ random: inout SplitMix64) -> Int { .random(in: 0...2000, using: &random) }
}

extension [Int] {
  /// Whether a name is in the range from one of these names, in their order, before another.
  fileprivate func covers(_ name: Int, _ range: Range<Int>) -> Bool {
    (range.lowerBound == 0 || self[range.lowerBound] <= name)
      && (range.upperBound == count || name < self[range.upperBound])
  }
}

/// A collection of which nothing is held but its differences from what is known, and what its service bills.
private struct CountedCollection {
  let known: Int
  /// The positions of known names that are gone, in order.
  private let gone: [Int]
  /// For each name that is new, the position of the known name behind it, in order.
  private let new: [Int]

  init(_ known: Int, deleted: [Int], created: [Int]) {
    (self.known, gone, new) = (known, deleted.sorted(), created.sorted())
  }

  init(_ known: Int, deleted: Int, created: Int, _ random: inout SplitMix64) {
    var gone: Set<Int> = []
    while gone.count < deleted { gone.insert(.random(in: 0..<known, using: &random)) }
    let new = (0..<created).map { _ in Int.random(in: 0...known, using: &random) }
    self.init(known, deleted: Array(gone), created: new)
  }

  /// The documents from one known name on and before another; the first and the last range have no such bound.
  func count(_ range: Range<Int>) -> Int { range.count - deleted(in: [range]) + created(in: [range]) }

  func deleted(in ranges: [Range<Int>]) -> Int {
    ranges.reduce(0) { $0 + gone.first(from: $1.upperBound) - gone.first(from: $1.lowerBound) }
  }

  func created(in ranges: [Range<Int>]) -> Int {
    ranges.reduce(0) { sum, range in
      let start = range.lowerBound == 0 ? 0 : new.first(from: range.lowerBound + 1)
      let end = range.upperBound == known ? new.count : new.first(from: range.upperBound + 1)
      return sum + end - start
    }
  }

  /// Answers everything, reads the names that are left, and returns what it costs: a read for 1,000 index entries that are counted, at
  /// least one, and a read for each name, at least one a query.
  func carryOut(_ search: inout CountSearch) -> Int {
    var reads = 0
    while let range = search.next() {
      let count = count(range)
      reads += max(1, (count + 999) / 1000)
      search.take(count, in: range)
    }
    return search.found.reduce(reads) { $0 + max(1, count($1)) }
  }
}

extension [Int] {
  /// The index of the first element that is not below a number.
  fileprivate func first(from number: Int) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
