package import Files
package import Schema

/// Reads CSV (RFC 4180) record by record from a file or standard input (`-`); gzip is decompressed.
///
///     var reader = try CSVReader("users.csv")
///     while try reader.next() {
///       print(reader.record.number, reader.record[0])
///     }
///
/// Lines end with CR LF, LF or CR. A byte order mark and blank lines are skipped, as is a first line `sep=;`, which names
/// the delimiter. Any encoding other than UTF-8 is decoded if it is given or, for UTF-16, has a byte order mark. Quoted
/// cells may contain delimiters, line breaks and doubled quotes. A quote elsewhere, invalid UTF-8, and a record above the
/// limit are errors with line and column (the number of the cell); the next record may be valid, and ``rawRecord`` returns
/// what could not be read. It holds the longest record in memory, which is limited in bytes and cells.
package struct CSVReader: ~Copyable {
  /// The default limit of a record in bytes.
  ///
  /// A document has at most 1 MiB, and escaped text is several times as long. With a higher limit, a file that is not a
  /// table would exceed a command's 64 MiB of memory.
  package static let defaultMaximumRecordBytes = 12 << 20
  /// The maximum number of cells of a record, the same as in a row of a workbook.
  ///
  /// A cell needs more memory than its delimiter. Export writes about 1,000 columns at most.
  package static let maximumColumns = 16_384
  /// The maximum size of ``rawRecord`` in bytes; longer records are truncated.
  package static let maximumRawBytes = 1 << 20

  private enum State {
    /// At the start of a cell.
    case start
    /// In an unquoted cell.
    case plain
    case quoted
    /// After a quote that ends the cell or starts a doubled one.
    case quoteInQuotes
    /// After the last record, or inside an invalid one.
    case ended
  }

  /// The delimiter, as specified or, after the first record, as detected.
  package internal(set) var delimiter: CSVDelimiter
  /// The record that the last call of ``next()`` read.
  package internal(set) var record = CellRow()
  /// Whether the file begins with a byte order mark; false before the first record.
  var hasByteOrderMark: Bool { file.hasByteOrderMark }
  /// The number of the last line if it has no line end; nil before the end of the file.
  package private(set) var unterminatedLine: Int?
  /// The probable encoding, after a cell that was not UTF-8.
  private(set) var guessed: EncodingGuess?

  var file: TextFile
  private let maximumRecordBytes: Int
  let chunk: UnsafeMutableRawBufferPointer
  var unread: Range<Int> = 0..<0
  var reading = ReadingPosition()
  let isDelimiterGiven: Bool
  let comment: UInt8?
  private let quotes: TableReading.Quotes
  var hasQuotes: Bool { quotes != .literal }
  let headerRow: Int
  let findsDelimiter: Bool
  var hasBegun = false
  /// The bytes of the record in earlier pieces of the file.
  private var earlier: [UInt8] = []
  /// The bytes of the record in this piece.
  private var current = 0..<0
  private var state = State.start
  private var line = 1
  /// The number of lines so far that are not rows of a spreadsheet: those inside cells and the one with the delimiter.
  private var linesWithin = 0
  /// Whether the last byte was CR; a following LF belongs to it.
  private var isAfterCR = false
  private var quoteLine = 1
  /// The line of a stray quote inside the cell.
  private var looseLine: Int?

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The file, or `-`.
  ///   - delimiter: The delimiter; if nil, that of a first line `sep=;`, or else the assumed one.
  ///   - assumed: The assumed delimiter; if nil, the most frequent one in the header, or a comma.
  ///   - reading: The encoding of a file without a byte order mark, the first line that may be the header (0 for the
  ///     first one that has a delimiter), the character that begins comment lines, and how cells are quoted.
  ///   - chunkSize: The number of bytes to read at a time.
  /// - Throws: ``Failure`` of kind `inputMissing`.
  package init(
    _ path: String,
    delimiter: CSVDelimiter? = .comma,
    assuming assumed: CSVDelimiter? = nil,
    reading: TableReading = TableReading(),
    maximumRecordBytes: Int = CSVReader.defaultMaximumRecordBytes,
    chunkSize: Int = 256 << 10,
    via files: FileAccess = .local
  ) throws(Failure) {
    file = try TextFile(path, reading.encoding, via: files)
    self.maximumRecordBytes = maximumRecordBytes
    self.delimiter = delimiter ?? assumed ?? .comma
    isDelimiterGiven = delimiter != nil
    headerRow = reading.headerRow ?? 1
    (comment, quotes) = (reading.comment, reading.quotes ?? .double)
    findsDelimiter = delimiter == nil && assumed == nil
    chunk = .allocate(byteCount: chunkSize, alignment: 16)
  }

  deinit { chunk.deallocate() }

  /// The offset in the file (as stored) of the end of the record.
  var position: Int { reading.bytes(used: unread.lowerBound) }

  /// Reads the next record that is not a blank line into ``record``; returns false at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` with file, line and column (also for UTF-16), or `inputMissing` for a
  ///   read error.
  package mutating func next() throws(Failure) -> Bool {
    if !hasBegun { try begin() }
    start()
    while true {
      if unread.isEmpty, try !fill() { return try end() }
      if state == .start, record.cells.isEmpty {
        skipLineEnds()
        start()
        if unread.isEmpty { continue }
        if let comment, chunk[unread.lowerBound] == comment {
          try skipLine()
          continue
        }
      }
      do throws(Failure) {
        guard try step() else { continue }
      } catch {
        state = .ended
        try skipLine()
        throw error
      }
      current = current.lowerBound..<(unread.lowerBound - 1)
      if record.count == 1, record.kind(0) == .missing {
        start()
        continue
      }
      try assertUTF8()
      if record.number == 1, try takeSeparatorLine() {
        linesWithin += 1
        start()
        continue
      }
      return true
    }
  }

  /// The encoding and the delimiter for display, after the first record.
  var manner: String {
    "CSV in \(file.encoding.rawValue), separated by \(delimiter == .tab ? "tabs" : "'\(delimiter.rawValue)'")"
  }

  /// The bytes of the record as they are in the file, even if it could not be read, without the line end and at most
  /// ``maximumRawBytes``.
  package var rawRecord: [UInt8] {
    earlier + chunk[current].prefix(Self.maximumRawBytes - earlier.count)
  }

  private mutating func start() {
    record.begin(number: line, row: line - linesWithin)
    earlier.removeAll(keepingCapacity: true)
    current = unread.lowerBound..<unread.upperBound
  }

  /// Reads the next piece of the file; returns false at the end.
  private mutating func fill() throws(Failure) -> Bool {
    earlier.append(contentsOf: chunk[current].prefix(Self.maximumRawBytes - earlier.count))
    current = 0..<0
    let count = try file.read(into: chunk)
    reading.read(count, upTo: file.position)
    unread = 0..<count
    current = unread
    return count > 0
  }

  // MARK: The end, and errors

  private mutating func end() throws(Failure) -> Bool {
    if state == .ended || (state == .start && record.count == 0) { return false }
    unterminatedLine = line
    defer { state = .ended }
    if state == .quoted { throw failure("the quote that opens here is never closed", line: quoteLine) }
    record.endCell(isQuoted: state == .quoteInQuotes)
    try assertUTF8()
    return record.number == 1 ? try !takeSeparatorLine() : true
  }

  private mutating func assertUTF8() throws(Failure) {
    guard let cell = record.firstInvalidCell else { return }
    let position = Failure.Record(line: record.number, column: cell)
    let head = try file.head().bytes
    if file.encoding != .utf8 {
      let isLatin = file.encoding == .latin1 || file.encoding == .latin9
      // For a pipe, only what was decoded is known.
      let guess: EncodingGuess = head.isEmpty ? .windows1252 : EncodingGuess(head)
      let isWindows = guess == .windows1252
      let advice = isLatin && isWindows ? " (--encoding windows-1252 may have signs there)" : ""
      throw failure(
        "the cell has bytes that are no character of \(file.encoding.rawValue)\(advice)",
        position,
        remedy: isLatin && !isWindows ? guess.remedy : nil
      )
    }
    // For a pipe, only the last piece read is available.
    let read = head.isEmpty ? Array(UnsafeRawBufferPointer(chunk)[..<unread.upperBound]) : head
    let guess = EncodingGuess(read)
    guessed = guess
    throw failure("the cell is not UTF-8", position, remedy: guess.remedy)
  }

  private static let textAfterQuote =
    "there is text after the closing quote ('import' with --quote loose ends cells only where a delimiter follows)"
  private static let openQuote = "there is text after a quote, and none before the next delimiter on the line"
  private static let strayQuote =
    "there is a quote in a cell that does not start with one ('import' with --quote none takes it as it is)"

  private func failure(_ cause: String, line: Int) -> Failure {
    failure(cause, .init(line: line, column: record.count + 1))
  }

  func failure(_ cause: String, _ position: Failure.Record, remedy: String? = nil) -> Failure {
    let column = position.column.map { ", column \($0)" } ?? ""
    var failure = Failure.malformed(file.path, "line \(position.line)\(column): \(cause)", remedy: remedy)
    failure.record = position
    failure.record?.row = record.row
    return failure
  }

  // MARK: Bytes

  /// Consumes bytes up to the end of the record or the chunk; returns whether the record is complete.
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
      case .start where byte == quote && hasQuotes:
        state = .quoted
        (quoteLine, looseLine) = (line, nil)
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
        if special == quote, hasQuotes { throw failure(Self.strayQuote, line: line) }
        if special == quote {
          state = .plain
          try append(bytes, index..<(index + 1))
          index += 1
          continue
        }
        index += 1
        if try endCell(at: special, separator, isQuoted: false) { return true }
      case .quoted:
        let stop = CSVBytes.first(quote, bytes, from: index, to: end)
        try append(bytes, index..<stop)
        countLines(bytes, index..<stop)
        // A quote left open would absorb the following rows into its cell.
        if let looseLine, line > looseLine { throw failure(Self.openQuote, line: looseLine) }
        index = stop
        if index < end {
          state = .quoteInQuotes
          isAfterCR = false
          index += 1
        }
      case .quoteInQuotes:
        guard byte == quote || byte == separator || byte == 0x0A || byte == 0x0D else {
          guard quotes == .loose else { throw failure(Self.textAfterQuote, line: line) }
          (state, looseLine) = (.quoted, line)
          try assertFits(record.bytes.count + 1)
          record.bytes.append(quote)
          continue
        }
        index += 1
        if byte == quote {
          state = .quoted
          try append(bytes, (index - 1)..<index)
        } else if try endCell(at: byte, separator, isQuoted: true) {
          return true
        }
      case .ended: return false
      }
    }
    return false
  }

  /// Consumes the remainder of an invalid line.
  private mutating func skipLine() throws(Failure) {
    while true {
      let bytes = UnsafeRawBufferPointer(chunk)
      let end = CSVBytes.lineEnd(bytes, from: unread.lowerBound, to: unread.upperBound)
      if end < unread.upperBound {
        current = current.lowerBound..<end
        unread = (end + 1)..<unread.upperBound
        endLine(chunk[end])
        state = .start
        return
      }
      if try !fill() {
        unterminatedLine = line
        return
      }
    }
  }

  /// Skips line ends before a record.
  ///
  /// It is a separate loop because a file may have gigabytes of blank lines.
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

  /// Ends a cell at a delimiter or line end; returns whether the record ends.
  private mutating func endCell(at byte: UInt8, _ separator: UInt8, isQuoted: Bool) throws(Failure) -> Bool {
    record.endCell(isQuoted: isQuoted)
    if byte == separator {
      if record.count == Self.maximumColumns { throw tooLong("it has more than \(record.count) cells") }
      try assertFits(record.bytes.count)
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

  /// Counts the line breaks in quoted text.
  private mutating func countLines(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    for index in range {
      let byte = bytes[index]
      if byte > 0x0D { continue }
      if byte == 0x0D || (byte == 0x0A && !(index > range.lowerBound ? bytes[index - 1] == 0x0D : isAfterCR))
      {
        line += 1
        linesWithin += 1
      }
    }
    if let last = range.last { isAfterCR = bytes[last] == 0x0D }
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(Failure) {
    try assertFits(record.bytes.count + range.count)
    record.reserve(range.count, limit: maximumRecordBytes)
    record.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[range]))
  }

  private func assertFits(_ count: Int) throws(Failure) {
    if count > maximumRecordBytes { throw tooLong("it has more than \(maximumRecordBytes) bytes") }
  }

  private func tooLong(_ cause: String) -> Failure {
    let cause = "the record is too long: \(cause); check the delimiter and the quotes"
    return failure(cause, .init(line: record.number))
  }
}
