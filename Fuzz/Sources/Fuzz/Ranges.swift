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
  let ids = Set(names.map { UTF8Key($0) }).map(\.string).sorted { ResourceID.compare($0, $1) < 0 }

  var splitter = RangeSplitter(width: width, pageSize: pageSize, after: nil)
  var reads: [Int: (ids: [String], isWhole: Bool)] = [:]
  var awaited: [RangeSplitter.Piece] = []
  var given: [String] = []
  var steps = 0
  while !splitter.isDone {
    steps += 1
    expect(steps < 100 * (ids.count + 10), "it goes on for ever")
    while let piece = splitter.begin() { awaited.append(piece) }
    expect(awaited.count <= width + 1, "\(awaited.count) ranges are read at a time, and \(width) may be")
    if let first = splitter.first, let read = reads.removeValue(forKey: first.number) {
      given += read.ids
      splitter.finish(read.ids, isWhole: read.isWhole)
      continue
    }
    guard !awaited.isEmpty else { fatalError("nothing is read, and it is not done") }
    arrival = arrival &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let piece = awaited.remove(at: Int(arrival >> 33) % awaited.count)
    let inside = ids.filter { id in
      let isBehind =
        switch piece.start {
        case .beginning: true
        case .after(let start): ResourceID.compare(start, id) < 0
        case .at(let start): ResourceID.compare(start, id) <= 0
        }
      return isBehind && piece.end.map { ResourceID.compare(id, $0) < 0 } ?? true
    }
    let read = Array(inside.prefix(2 * pageSize))
    reads[piece.number] = (read, read.count == inside.count)
    splitter.arrive(piece.number, pages: (read.count + pageSize - 1) / pageSize)
  }
  expect(given.count == ids.count, "\(given.count) of \(ids.count) documents are given")
  expect(zip(given, ids).allSatisfy { $0.isIdentical(to: $1) }, "the documents are in another order")
}
