import FirestoreModels
import TestSupport
import Testing

@testable import Transfer

@Suite("Versions of a document")
struct VersionSearchTests {
  private static let hour: Int64 = 3600
  private static let now: Int64 = 1_800_000_030

  /// What a document was, from second on; nil where it was not there.
  private typealias Timeline = [(second: Int64, number: Int64?)]

  private static func moment(_ second: Int64) throws -> Timestamp { try #require(Timestamp(seconds: second)) }

  private static func document(_ timeline: Timeline, at moment: Timestamp) throws -> RawDocument? {
    guard let last = timeline.last(where: { $0.second <= moment.seconds }), let number = last.number else {
      return nil
    }
    let path = try #require(DocumentPath("a/1"))
    return RawDocument(
      path: path,
      fields: ["n": .integer(number)],
      createTime: nil,
      updateTime: try Self.moment(last.second)
    )
  }

  /// Looks until there is nothing left; a look before the last hour that is no whole minute is refused, as by the service.
  private static func search(_ timeline: Timeline, hours: Int64, looks: Int = 1000) throws -> VersionSearch {
    let earliest = (now - hours * hour) / 60 * 60 + 60
    var search = VersionSearch(from: try moment(earliest), to: try moment(now), maximumLooks: looks)
    while let moment = search.next() {
      try #require(moment.seconds >= now - hour || (moment.seconds % 60 == 0 && moment.nanoseconds == 0))
      try #require(search.looks < looks)
      search.record(try document(timeline, at: moment), at: moment)
    }
    return search
  }

  private static func numbers(_ search: VersionSearch) -> [Int64?] {
    search.versions.reduce(into: [Int64?]()) { numbers, version in
      let number = version.document?.fields["n"]?.integer
      if numbers.isEmpty || numbers.last != .some(number) { numbers.append(number) }
    }
  }

  @Test("A document that did not change takes one look.")
  func unchanged() throws {
    let search = try Self.search([(1000, 1)], hours: 1)
    #expect(search.looks == 1 && Self.numbers(search) == [1] && !search.isIncomplete)
  }

  @Test("Versions of the last hour are found one by one, however short they were.")
  func short() throws {
    let search = try Self.search(
      [(0, 1), (Self.now - 100, 2), (Self.now - 99, 3), (Self.now - 98, 4)],
      hours: 1
    )
    #expect(Self.numbers(search) == [1, 2, 3, 4])
    #expect(
      search.versions.map(\.since.seconds).dropFirst() == [Self.now - 100, Self.now - 99, Self.now - 98]
    )
    #expect(search.looks == 5)
  }

  @Test("Before the last hour, what a whole minute shows is found.")
  func minutes() throws {
    let start = (Self.now - 50 * Self.hour) / 60 * 60
    let search = try Self.search([(0, 1), (start + 5, 2), (start + 15, 3), (start + 75, 4)], hours: 168)
    // 2 was there between two whole minutes.
    #expect(Self.numbers(search) == [1, 3, 4])
  }

  @Test("When a document was deleted is found by halves.")
  func deleted() throws {
    let time = Self.now - 20 * 60 - 7
    let search = try Self.search([(0, 1), (time, nil)], hours: 1)
    #expect(Self.numbers(search) == [1, nil])
    let gone = try #require(search.versions.first { $0.document == nil })
    #expect((time...(time + 1)).contains(gone.since.seconds))
    let old = (Self.now - 100 * Self.hour) / 60 * 60 + 30
    let week = try Self.search([(0, 1), (old, nil)], hours: 168, looks: 20)
    #expect(try #require(week.versions.first { $0.document == nil }).since.seconds == old + 30)
  }

  @Test("A document that was made, deleted and made again is found as often as a look can.")
  func again() throws {
    let search = try Self.search(
      [
        (Self.now - 3000, 1), (Self.now - 2500, nil), (Self.now - 2000, 2), (Self.now - 1500, nil),
      ],
      hours: 1
    )
    #expect(Self.numbers(search) == [nil, 1, nil, 2, nil])
  }

  @Test("With too few looks it says that something may be missing.")
  func few() throws {
    let timeline: Timeline = [(0, 1), (Self.now - 100, 2), (Self.now - 50, 3)]
    let few = try Self.search(timeline, hours: 1, looks: 2)
    #expect(few.looks == 2 && few.isIncomplete)
    let enough = try Self.search(timeline, hours: 1)
    #expect(!enough.isIncomplete)
  }
}
