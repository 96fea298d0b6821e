import Platform

/// Reads a file or standard input line by line; gzip is decompressed.
///
///     var lines = try LineReader("journal.jsonl")
///     while try lines.advance() {
///       lines.withLine { bytes in print(lines.number, bytes.count) }
///     }
///
/// It holds one chunk and the longest line in memory.
package struct LineReader: ~Copyable {
  private static let chunkSize = 1 << 20

  private var file: InputFile
  private let maximumLineBytes: Int
  private let chunk: UnsafeMutableRawBufferPointer
  private var unread: Range<Int> = 0..<0
  private var isAtEnd = false
  private var reading = ReadingPosition()
  /// The line, if it spans several chunks.
  private var carry: [UInt8] = []
  /// The range of the line in the chunk, if it lies within one.
  private var whole: Range<Int>?
  /// The number of the line, from 1; 0 before the first.
  package private(set) var number = 0
  /// Whether the line exceeds the limit; if so, it is empty.
  package private(set) var isTooLong = false
  /// Whether a line feed ended the line.
  ///
  /// The last line of a file that is still being written may lack it.
  package private(set) var isEnded = true

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing`.
  package init(
    _ path: String,
    maximumLineBytes: Int = 64 << 20,
    via files: FileAccess = .local
  ) throws(Failure) {
    self.init(try InputFile(path, via: files), maximumLineBytes: maximumLineBytes)
  }

  /// Reads a copy from its start.
  package init(_ copy: InputCopy, maximumLineBytes: Int = 64 << 20) {
    self.init(InputFile(copy), maximumLineBytes: maximumLineBytes)
  }

  private init(_ file: consuming InputFile, maximumLineBytes: Int) {
    self.file = file
    self.maximumLineBytes = maximumLineBytes
    chunk = .allocate(byteCount: Self.chunkSize, alignment: 16)
  }

  deinit { chunk.deallocate() }

  /// The offset of the end of the line in the file as stored, compressed or not.
  package var position: Int { reading.bytes(used: unread.lowerBound) }

  package var path: String { file.path }

  /// Advances to the next line; returns false at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing` or `inputMalformed` if no further line can be read.
  package mutating func advance() throws(Failure) -> Bool {
    forget()
    while true {
      if unread.isEmpty {
        if isAtEnd { return false }
        let count = try file.read(into: chunk)
        unread = 0..<count
        reading.read(count, upTo: file.position)
        isAtEnd = count == 0
        if isAtEnd {
          // Bytes after the last line feed form a line, too.
          if carry.isEmpty, !isTooLong { return false }
          number += 1
          isEnded = false
          return true
        }
      }
      let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(chunk)[unread])
      guard let base = rest.baseAddress, let found = memchr(base, 0x0A, rest.count) else {
        gather(unread)
        unread = unread.upperBound..<unread.upperBound
        continue
      }
      let line = unread.lowerBound..<(unread.lowerBound + (UnsafeRawPointer(found) - base))
      unread = (line.upperBound + 1)..<unread.upperBound
      number += 1
      if carry.isEmpty, !isTooLong, line.count <= maximumLineBytes {
        whole = line
      } else {
        gather(line)
      }
      return true
    }
  }

  /// Calls `body` with the line, without its line feed.
  package borrowing func withLine<Result, Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let whole {
      return try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(chunk)[whole]))
    }
    return try carry.span.withUnsafeBytes(body)
  }

  /// Calls `body` with the line as JSON.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` with the line, including for the errors of `body`.
  package borrowing func withJSON<Result>(
    _ parser: JSONParser,
    _ body: (JSONCursor) throws(WireError) -> Result
  ) throws(Failure) -> Result {
    do throws(WireError) {
      if isTooLong { throw WireError("it is too long") }
      return try withLine { bytes throws(WireError) in try parser.parse(bytes, body) }
    } catch {
      throw Failure(.inputMalformed, "read", path: path, cause: "line \(number): \(error)")
    }
  }

  private mutating func forget() {
    whole = nil
    isTooLong = false
    // Keeps the capacity of an ordinary line for the next one that spans two chunks.
    if carry.capacity <= 2 * Self.chunkSize {
      carry.removeAll(keepingCapacity: true)
    } else {
      carry = []
    }
  }

  private mutating func gather(_ range: Range<Int>) {
    if isTooLong { return }
    if carry.count + range.count > maximumLineBytes {
      isTooLong = true
      carry = []
    } else {
      carry.append(contentsOf: UnsafeRawBufferPointer(chunk)[range])
    }
  }
}
