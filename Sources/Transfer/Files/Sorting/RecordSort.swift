/// Sorts records of three numbers, in constant memory however many there are: runs of some MiB are sorted in memory and
/// merged from a temporary file.
///
///     var sort = RecordSort()
///     try sort.add(RecordSort.Record(3, 0, 7))
///     var sorted = try sort.sorted()
///     while let record = try sorted.next() { print(record.first) }
package struct RecordSort: ~Copyable {
  package struct Record: BitwiseCopyable, Sendable, Comparable {
    package var first: UInt64
    package var second: UInt64
    package var third: UInt64

    package init(_ first: UInt64, _ second: UInt64, _ third: UInt64) {
      (self.first, self.second, self.third) = (first, second, third)
    }

    package static func < (a: Record, b: Record) -> Bool {
      if a.first != b.first { return a.first < b.first }
      return a.second == b.second ? a.third < b.third : a.second < b.second
    }
  }

  private let runLength: Int
  private var records: [Record] = []
  private var spool: SpoolFile?
  private var runs: [Range<Int>] = []

  /// Makes an empty sort.
  ///
  /// - Parameter runLength: The number of records that are sorted in memory at once, of 24 bytes each.
  package init(runLength: Int = 128 << 10) {
    self.runLength = runLength
  }

  /// Adds a record.
  ///
  /// - Throws: `.cannotWrite`.
  package mutating func add(_ record: Record) throws(Failure) {
    records.append(record)
    if records.count == runLength { try writeRun() }
  }

  /// Returns the records in order.
  ///
  /// - Throws: `.cannotWrite`.
  package consuming func sorted() throws(Failure) -> SortedRecords {
    records.sort()
    if runs.isEmpty { return try SortedRecords(records) }
    try writeRun()
    return try SortedRecords(spool, runs)
  }

  private mutating func writeRun() throws(Failure) {
    if records.isEmpty { return }
    records.sort()
    if spool == nil { spool = try SpoolFile(in: FilePaths.temporaryFolder(for: "-")) }
    let start = spool?.count ?? 0
    try spool?.append(records.withUnsafeBytes { Array($0) })
    runs.append(start..<(spool?.count ?? 0))
    records.removeAll(keepingCapacity: true)
  }
}

/// Sorted records, one after another.
package struct SortedRecords: ~Copyable {
  /// The memory for the heads of all runs, in bytes.
  private static let buffers = 4 << 20

  private struct Run {
    /// What has not been read of it, in the spool.
    var unread: Range<Int>
    var records: ArraySlice<RecordSort.Record> = []
  }

  /// The least record of a run that was not returned yet.
  private struct Head: Comparable {
    var record: RecordSort.Record
    var run: Int

    static func < (a: Head, b: Head) -> Bool { a.record < b.record }
  }

  private var spool: SpoolFile?
  private var runs: [Run]
  private var heap = MinHeap<Head>()
  /// The number of records that are read of a run at once.
  private let stride: Int

  /// Makes sorted records that are in memory.
  fileprivate init(_ records: [RecordSort.Record]) throws(Failure) {
    runs = [Run(unread: 0..<0, records: records[...])]
    stride = 0
    if let head = try head(of: 0) { heap.insert(head) }
  }

  fileprivate init(_ spool: consuming SpoolFile?, _ ranges: [Range<Int>]) throws(Failure) {
    self.spool = spool
    runs = ranges.map { Run(unread: $0) }
    stride = max(128, Self.buffers / max(1, ranges.count) / MemoryLayout<RecordSort.Record>.stride)
    for run in runs.indices {
      if let head = try head(of: run) { heap.insert(head) }
    }
  }

  /// Returns the next record, or nil at the end.
  ///
  /// - Throws: `.cannotWrite` if the temporary file cannot be read.
  package mutating func next() throws(Failure) -> RecordSort.Record? {
    guard let head = heap.first else { return nil }
    heap.replaceFirst(by: try self.head(of: head.run))
    return head.record
  }

  /// Takes the next record of a run; nil at its end.
  private mutating func head(of run: Int) throws(Failure) -> Head? {
    if runs[run].records.isEmpty { try fill(run) }
    return runs[run].records.popFirst().map { Head(record: $0, run: run) }
  }

  /// Reads on in a run; it is left without records at its end.
  private mutating func fill(_ run: Int) throws(Failure) {
    let size = MemoryLayout<RecordSort.Record>.stride
    let count = min(stride, runs[run].unread.count / size)
    if count == 0 { return }
    let start = runs[run].unread.lowerBound
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: count * size, alignment: 8)
    defer { piece.deallocate() }
    try spool?.read(at: start, into: piece)
    runs[run].records = Array(piece.bindMemory(to: RecordSort.Record.self))[...]
    runs[run].unread = (start + count * size)..<runs[run].unread.upperBound
  }
}
