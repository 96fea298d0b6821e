import FirestoreModels
import TestSupport
import Testing

@testable import Files

@Suite("Documents that occur more than once")
struct DuplicateSearchTests {
  /// Sorts numbers in runs of a few, and returns them as they come.
  private func sorted(_ numbers: [UInt64], runLength: Int) throws -> [UInt64] {
    var sort = DiskSort<NumberRecord>(runBytes: runLength * 24)
    for number in numbers { try sort.add(NumberRecord(number, number, 0)) }
    var records = try sort.sorted()
    var result: [UInt64] = []
    while let record = try records.next() {
      #expect(record.first == record.second)
      result.append(record.first)
    }
    return result
  }

  @Test("Records come in order from memory and from runs on disk, all of them.", arguments: [1, 2, 7, 1000])
  func order(_ runLength: Int) throws {
    #expect(try sorted([], runLength: runLength) == [])
    var random = SplitMix64(seed: 5)
    for count in [1, 2, 700, 3000] {
      let numbers = (0..<count).map { _ in UInt64.random(in: 0...(UInt64(count) * 2), using: &random) }
      #expect(try sorted(numbers, runLength: runLength) == numbers.sorted(), "\(count)")
    }
  }

  @Test("Each place of a document comes with the next one; other spellings of a name are other documents.")
  func pairs() throws {
    // Composed and decomposed.
    let paths = ["a/1", "a/\u{E9}", "a/e\u{301}", "b/1", "a/1", "a/\u{E9}", "a/1", "a/1/b/2", "a/1/b/1"]
    var search = DuplicateSearch()
    for (index, path) in paths.enumerated() {
      let place = DuplicateSearch.Place(file: index / 4, line: index + 1)
      try search.add(#require(DocumentPath(path)), at: place)
    }
    var found: [[Int]] = []
    try search.forEachPair { earlier, later in
      found.append([earlier.file, earlier.line, later.file, later.line])
    }
    #expect(Set(found) == [[0, 1, 1, 5], [1, 5, 1, 7], [0, 2, 1, 6]] && found.count == 3)
  }

  @Test("Places are found in their order, however they were added.")
  func places() throws {
    let list = PlaceList()
    let added = [(2, 7), (0, 3), (0, 1), (2, 7), (1, 1 << 33)]
    for (file, line) in added { try list.insert(DuplicateSearch.Place(file: file, line: line)) }
    let asked = [(0, 1), (0, 2), (0, 3), (1, 3), (1, 1 << 33), (2, 6), (2, 7), (2, 8), (3, 1)]
    let found = try asked.map { try list.contains(DuplicateSearch.Place(file: $0.0, line: $0.1)) }
    #expect(found == [true, false, true, false, true, false, true, false, false])
    #expect(try !PlaceList().contains(DuplicateSearch.Place(file: 0, line: 1)))
  }
}
