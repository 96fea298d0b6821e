import FirestoreModels

@testable import FirestoreREST

/// Ids of a collection that is read in ranges side by side: every document comes once and in its place, whatever the ids
/// are like and in whatever order the ranges arrive.
///
/// The first byte is the number of requests at a time, the second the page size, the third the order of arrival; the rest
/// is ids, a line each.
func fuzzRanges(_ input: [UInt8]) {
  guard input.count > 3 else { return }
  let width = Int(input[0]) % 16 + 1
  let pageSize = Int(input[1]) % 40 + 1
  var arrival = UInt64(input[2])
  let names = input.dropFirst(3).split(separator: UInt8(ascii: "\n"))
    .map { String(decoding: $0, as: UTF8.self) }
    .filter { PathLimits.violation(ofID: $0, isDocument: true) == nil }
  let ids = Set(names.map { UTF8Key($0) })
  let documents = ids.map { DocumentPath(CollectionPath(nil, "c"), $0.string) }.sorted()

  let splitter = RangeSplitter(pageSize: pageSize, level: 1, isDeep: false)
  var scheduler = ReadScheduler(width: width, lanes: [.ranges(splitter, wantsPoints: false)])
  var pages: [Int: [DocumentPath]] = [:]
  var awaited: [(number: Int, piece: RangeSplitter.Piece)] = []
  var given: [DocumentPath] = []
  var steps = 0
  while !scheduler.isCurrentDone {
    steps += 1
    expect(steps < 100 * (ids.count + 10), "it never ends")
    while let request = scheduler.begin() {
      guard case .range(let piece) = request.what else { fatalError("something else than a range is read") }
      awaited.append((request.number, piece))
    }
    expect(awaited.count <= width + 1, "\(awaited.count) ranges are read at a time, and \(width) may be")
    if let page = scheduler.first.flatMap({ pages.removeValue(forKey: $0) }) {
      given += page
      scheduler.finish()
      continue
    }
    guard !awaited.isEmpty else { fatalError("nothing is read, and it is not done") }
    arrival = arrival &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let (number, piece) = awaited.remove(at: Int(arrival >> 33) % awaited.count)
    let inside = documents.filter { name in
      let isBehind =
        switch piece.start {
        case .beginning: true
        case .after(let start): start < name
        case .at(let start): start <= name
        }
      return isBehind && piece.end.map { name < $0 } ?? true
    }
    pages[number] = Array(inside.prefix(piece.size))
    scheduler.arrive(number, bytes: 0, Array(inside.prefix(piece.size)), isWhole: inside.count < piece.size)
  }
  expect(given == documents, "\(given.count) of \(ids.count) documents are given, or in another order")
}
