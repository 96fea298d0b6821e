import Files
package import FirestoreModels
import Platform

/// Reads CSV (RFC 4180) from a file or from standard input (`-`), compressed with gzip or not, record by record.
///
/// Lines end with CR LF, LF or CR; a byte order mark and blank lines are passed over. Cells in quotes may hold
/// delimiters, line breaks and doubled quotes. A quote anywhere else, and bytes that are not UTF-8, are errors with line
/// and column, where the column is the number of the cell; so is a record over the limit. The record after a bad one may
/// be good. Memory is that of the longest record, which has limits in bytes and in cells.
package struct CSVReader: ~Copyable {
  /// The longest record that is read unless told otherwise, in bytes: a document has at most 1 MiB, and text that is
  /// escaped in it is several times as long.
  package static let defaultMaximumRecordBytes = 16 << 20
  /// The most cells of a record, as many as a row of a workbook has.
  ///
  /// A cell costs more memory than its delimiter has bytes. Export writes some 1,000 columns at most.
  package static let maximumColumns = 16_384

  private enum State {
    /// At the beginning of a cell.
    case start
    /// In a cell without quotes.
    case plain
    /// Between quotes.
    case quoted
    /// Behind a quote that ends the cell or begins a doubled one.
    case quoteInQuotes
    /// In the rest of a line that is no good.
    case skipping
  }

  /// The delimiter, as given, or as found once the first record is read.
  package private(set) var delimiter: CSVOptions.Delimiter
  /// What the last call of ``next()`` read.
  package private(set) var record = CSVRecord()

  private var file: InputFile
  private let maximumRecordBytes: Int
  private let chunk: UnsafeMutableRawBufferPointer
  private var unread: Range<Int> = 0..<0
  private var reading = ReadingPosition()
  private let findsDelimiter: Bool
  private var hasBegun = false
  private var state = State.start
  private var line = 1
  /// Whether the last byte was a CR: a LF behind it belongs to it.
  private var isAfterCR = false
  /// The line on which the open quotes began.
  private var quoteLine = 1

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file, or `-`.
  ///   - delimiter: What parts cells; nil takes the one that is most frequent in the first line, a comma where there
  ///     is none.
  ///   - maximumRecordBytes: The longest record that is read.
  /// - Throws: ``Failure`` of kind `inputMissing`.
  package init(
    _ path: String,
    delimiter: CSVOptions.Delimiter? = .comma,
    maximumRecordBytes: Int = CSVReader.defaultMaximumRecordBytes
  ) throws(Failure) {
    try self.init(path, delimiter: delimiter, maximumRecordBytes: maximumRecordBytes, chunkSize: 1 << 20)
  }

  init(
    _ path: String,
    delimiter: CSVOptions.Delimiter?,
    maximumRecordBytes: Int,
    chunkSize: Int
  ) throws(Failure) {
    file = try InputFile(path)
    self.maximumRecordBytes = maximumRecordBytes
    self.delimiter = delimiter ?? .comma
    findsDelimiter = delimiter == nil
    chunk = .allocate(byteCount: chunkSize, alignment: 16)
  }

  deinit {
    chunk.deallocate()
  }

  /// Bytes of the file up to the end of the record, as they are on the disk.
  var position: Int { reading.bytes(used: unread.lowerBound) }

  /// Reads the next record that is not a blank line into ``record``; false at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` that names file, line and column (also where the file is UTF-16),
  ///   `inputMissing` where the disk gives trouble.
  package mutating func next() throws(Failure) -> Bool {
    if !hasBegun { try begin() }
    record.begin(line: line)
    while true {
      if unread.isEmpty {
        let count = try file.read(into: chunk)
        reading.read(count, upTo: file.position)
        if count == 0 { return try end() }
        unread = 0..<count
      }
      if state == .start, record.cells.isEmpty {
        skipLineEnds()
        record.begin(line: line)
        if unread.isEmpty { continue }
      }
      guard try step() else { continue }
      if record.count == 1, record.bytes.count == 1, !record.isQuoted(0) {
        record.begin(line: line)
        continue
      }
      try assertUTF8()
      return true
    }
  }

  // MARK: The beginning and the end

  /// Passes over a byte order mark and looks at the first line.
  private mutating func begin() throws(Failure) {
    hasBegun = true
    var count = 0
    while count < chunk.count {
      let more = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: chunk[count...]))
      count += more
      if more == 0 || (count >= 3 && chunk[..<count].contains { $0 == 0x0A || $0 == 0x0D }) { break }
    }
    unread = 0..<count
    reading.read(count, upTo: file.position)
    if count >= 2, (chunk[0] == 0xFF && chunk[1] == 0xFE) || (chunk[0] == 0xFE && chunk[1] == 0xFF) {
      throw Failure(
        .inputMalformed,
        "read",
        path: file.path,
        cause: "it is UTF-16",
        remedy: "Save it as CSV in UTF-8."
      )
    }
    if count >= 3, chunk[0] == 0xEF, chunk[1] == 0xBB, chunk[2] == 0xBF { unread = 3..<count }
    if findsDelimiter { delimiter = Self.delimiter(of: chunk[unread]) }
  }

  private static func delimiter(of text: Slice<UnsafeMutableRawBufferPointer>) -> CSVOptions.Delimiter {
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    for byte in text {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == 0x0A || byte == 0x0D { break }
      counts[byte, default: 0] += 1
    }
    let found = CSVOptions.Delimiter.allCases.map { ($0, counts[$0.byte] ?? 0) }
    // Of equals the first stays, and that is the comma.
    return found.reduce((CSVOptions.Delimiter.comma, 0)) { $1.1 > $0.1 ? $1 : $0 }.0
  }

  private mutating func end() throws(Failure) -> Bool {
    switch state {
    case .skipping: return false
    case .quoted:
      state = .skipping
      throw failure("the quotes that begin here are never closed", line: quoteLine)
    case .start, .plain, .quoteInQuotes:
      if state == .start, record.count == 0 { return false }
      record.endCell(isQuoted: state == .quoteInQuotes)
      state = .skipping
      try assertUTF8()
      return true
    }
  }

  private func assertUTF8() throws(Failure) {
    guard let cell = record.firstInvalidCell else { return }
    throw failure(
      "the cell is not UTF-8",
      .init(line: record.line, column: cell),
      remedy: "Save it as CSV in UTF-8."
    )
  }

  private func failure(_ cause: String, line: Int) -> Failure {
    failure(cause, .init(line: line, column: record.count + 1))
  }

  private func failure(_ cause: String, _ position: Failure.Record, remedy: String? = nil) -> Failure {
    let column = position.column.map { ", column \($0)" } ?? ""
    var failure = Failure(
      .inputMalformed,
      "read",
      path: file.path,
      cause: "line \(position.line)\(column): \(cause)",
      remedy: remedy
    )
    failure.record = position
    return failure
  }

  // MARK: Bytes

  /// Takes bytes of the chunk up to the end of the record or of the chunk; whether the record is whole.
  private mutating func step() throws(Failure) -> Bool {
    let bytes = UnsafeRawBufferPointer(chunk)
    var index = unread.lowerBound
    let end = unread.upperBound
    let separator = delimiter.byte
    let quote = UInt8(ascii: "\"")
    defer { unread = index..<end }
    while index < end {
      let byte = bytes[index]
      if isAfterCR, state != .quoted {
        isAfterCR = false
        if byte == 0x0A {
          index += 1
          continue
        }
      }
      switch state {
      case .start where byte == quote:
        state = .quoted
        quoteLine = line
        index += 1
      case .start, .plain:
        let stop = CSVBytes.firstSpecial(bytes, from: index, to: end, delimiter: separator)
        if stop > index {
          state = .plain
          try append(bytes, index..<stop)
          index = stop
          if index == end { return false }
        }
        let special = bytes[index]
        if special == quote {
          state = .skipping
          throw failure("a quote stands within a cell that does not begin with one", line: line)
        }
        index += 1
        if try endCell(at: special, separator, isQuoted: false) { return true }
      case .quoted:
        let stop = Self.first(quote, bytes, from: index, to: end)
        countLines(bytes, index..<stop)
        try append(bytes, index..<stop)
        index = stop
        if index < end {
          state = .quoteInQuotes
          isAfterCR = false
          index += 1
        }
      case .quoteInQuotes:
        if byte == quote {
          state = .quoted
          try append(bytes, index..<(index + 1))
        } else if byte == separator || byte == 0x0A || byte == 0x0D {
          index += 1
          if try endCell(at: byte, separator, isQuoted: true) { return true }
          continue
        } else {
          state = .skipping
          throw failure("something stands behind the closing quote", line: line)
        }
        index += 1
      case .skipping:
        index = Self.lineEnd(bytes, from: index, to: end)
        if index < end {
          endLine(bytes[index])
          index += 1
          state = .start
          record.begin(line: line)
        }
      }
    }
    return false
  }

  /// Passes over line ends before a record, in a loop of its own: a file may have gigabytes of blank lines.
  private mutating func skipLineEnds() {
    var index = unread.lowerBound
    while index < unread.upperBound {
      let byte = chunk[index]
      guard byte == 0x0A || byte == 0x0D else { break }
      if byte == 0x0A, isAfterCR {
        isAfterCR = false
      } else {
        endLine(byte)
      }
      index += 1
    }
    unread = index..<unread.upperBound
  }

  /// Ends a cell at a delimiter or a line end; whether that ends the record.
  private mutating func endCell(at byte: UInt8, _ separator: UInt8, isQuoted: Bool) throws(Failure) -> Bool {
    record.endCell(isQuoted: isQuoted)
    if byte == separator {
      state = .skipping
      if record.count == Self.maximumColumns {
        throw tooLong("it has more than \(Self.maximumColumns) cells")
      }
      if record.bytes.count > maximumRecordBytes {
        throw tooLong("it has more than \(maximumRecordBytes) bytes")
      }
      state = .start
      return false
    }
    state = .start
    endLine(byte)
    return true
  }

  private mutating func endLine(_ byte: UInt8) {
    line += 1
    isAfterCR = byte == 0x0D
  }

  /// Counts the line breaks of a text between quotes.
  private mutating func countLines(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    for index in range {
      let byte = bytes[index]
      if byte > 0x0D { continue }
      if byte == 0x0D || (byte == 0x0A && !(index > range.lowerBound ? bytes[index - 1] == 0x0D : isAfterCR))
      {
        line += 1
      }
    }
    if let last = range.last { isAfterCR = bytes[last] == 0x0D }
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(Failure) {
    if record.bytes.count + range.count > maximumRecordBytes {
      state = .skipping
      throw tooLong("it has more than \(maximumRecordBytes) bytes")
    }
    record.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  private func tooLong(_ cause: String) -> Failure {
    failure("the record is too long: \(cause); check the delimiter and the quotes", .init(line: record.line))
  }

  /// The first line feed or carriage return, `end` where there is none.
  private static func lineEnd(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
    let feed = first(0x0A, bytes, from: start, to: end)
    return first(0x0D, bytes, from: start, to: feed)
  }

  private static func first(
    _ byte: UInt8,
    _ bytes: UnsafeRawBufferPointer,
    from start: Int,
    to end: Int
  ) -> Int {
    guard let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), end - start) else {
      return end
    }
    return UnsafeRawPointer(found) - base
  }
}
