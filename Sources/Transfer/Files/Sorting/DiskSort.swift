/// A record that can be sorted on disk.
package protocol SortRecord: Comparable {
  /// The approximate memory that it takes, in bytes.
  var size: Int { get }
  /// Appends its bytes.
  func write(to bytes: inout [UInt8])
  /// Takes a record from the beginning of bytes; returns nil if they end within it.
  static func take(from bytes: inout ArraySlice<UInt8>) throws(Failure) -> Self?
}

/// Sorts any number of records in constant memory.
///
/// Runs of a few MiB are sorted in memory, and merged from a temporary file that has no name and disappears with the
/// process.
///
///     var sort = DiskSort<NumberRecord>()
///     try sort.add(NumberRecord(3, 0, 7))
///     var sorted = try sort.sorted()
///     while let record = try sorted.next() { print(record.first) }
package struct DiskSort<Record: SortRecord>: ~Copyable {
  private let runBytes: Int
  private var records: [Record] = []
  private var bytes = 0
  private var spool: SpoolFile?
  private var runs: [Range<Int>] = []

  /// Creates an empty sort.
  ///
  /// - Parameter runBytes: The amount of memory in which records are sorted at once.
  package init(runBytes: Int = 3 << 20) {
    self.runBytes = runBytes
  }

  /// Adds a record.
  ///
  /// - Throws: `.cannotWrite`.
  package mutating func add(_ record: Record) throws(Failure) {
    records.append(record)
    bytes += record.size
    if bytes >= runBytes { try writeRun() }
  }

  /// Returns the records in order.
  ///
  /// - Throws: `.cannotWrite`.
  package consuming func sorted() throws(Failure) -> SortedRecords<Record> {
    if runs.isEmpty {
      records.sort()
      return SortedRecords(records)
    }
    try writeRun()
    return try SortedRecords(spool, runs)
  }

  private mutating func writeRun() throws(Failure) {
    if records.isEmpty { return }
    records.sort()
    if spool == nil { spool = try SpoolFile(in: FilePaths.temporaryFolder(for: "-")) }
    let start = spool?.count ?? 0
    var buffer: [UInt8] = []
    for record in records {
      record.write(to: &buffer)
      if buffer.count < 256 << 10 { continue }
      try spool?.append(buffer)
      buffer.removeAll(keepingCapacity: true)
    }
    try spool?.append(buffer)
    runs.append(start..<(spool?.count ?? 0))
    records.removeAll(keepingCapacity: true)
    bytes = 0
  }
}

/// Sorted records, one after the other.
package struct SortedRecords<Record: SortRecord>: ~Copyable {
  private struct Run {
    /// The range of the spool that has not been read yet.
    var unread: Range<Int>
    var bytes: ArraySlice<UInt8> = []
  }

  /// The least record of a run that has not been returned.
  private struct Head: Comparable {
    var record: Record
    var run: Int

    static func < (a: Head, b: Head) -> Bool { a.record < b.record }
  }

  /// The records, if they fit in memory.
  private var records: ArraySlice<Record> = []
  private var spool: SpoolFile?
  private var runs: [Run] = []
  private var heap = MinHeap<Head>()
  /// The number of bytes that are read from a run at once.
  private var piece = 0

  fileprivate init(_ records: [Record]) {
    self.records = records[...]
  }

  fileprivate init(_ spool: consuming SpoolFile?, _ ranges: [Range<Int>]) throws(Failure) {
    self.spool = spool
    runs = ranges.map { Run(unread: $0) }
    // All runs together take a few MiB, whatever their number.
    piece = max(4 << 10, min(64 << 10, (4 << 20) / max(1, ranges.count)))
    for run in runs.indices {
      if let head = try head(of: run) { heap.insert(head) }
    }
  }

  /// Returns the next record, or nil at the end.
  ///
  /// - Throws: `.cannotWrite` if the temporary file cannot be read.
  package mutating func next() throws(Failure) -> Record? {
    if let record = records.popFirst() { return record }
    guard let head = heap.first else { return nil }
    heap.replaceFirst(by: try self.head(of: head.run))
    return head.record
  }

  /// Takes the next record of a run; returns nil at its end.
  private mutating func head(of run: Int) throws(Failure) -> Head? {
    while true {
      if let record = try Record.take(from: &runs[run].bytes) { return Head(record: record, run: run) }
      // Reads twice as much each time, so that a large record is not copied again and again.
      let (unread, rest) = (runs[run].unread, runs[run].bytes)
      let count = min(unread.count, max(piece, rest.count))
      guard count > 0, let more = try spool?.bytes(count, at: unread.lowerBound) else { return nil }
      runs[run].bytes = rest.isEmpty ? more[...] : (Array(rest) + more)[...]
      runs[run].unread = (unread.lowerBound + count)..<unread.upperBound
    }
  }
}
