public import Models

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads JSON Lines of REST Documents from a file or from standard input (`-`), compressed with gzip or not.
///
/// A line of an earlier run's `rejects.jsonl` is taken for the document in it.
/// A byte order mark, CR LF and blank lines are tolerated; names may be relative or full; `createTime` and
/// `updateTime` are accepted and dropped; members that the Document message does not have are refused. Memory is that of
/// the longest line.
public struct JSONLinesReader: ~Copyable {
  /// One line that is not blank.
  public struct Line: Sendable {
    /// Its number in the file, from 1; blank lines count.
    public let number: Int
    /// The document, or why there is none: a ``Failure`` of kind `inputMalformed` that names file and line.
    public let document: Result<RawDocument, Failure>
  }

  /// The longest line that is read unless told otherwise, in bytes.
  public static let defaultMaximumLineBytes = 64 << 20
  private static let chunkSize = 1 << 20

  private var file: InputFile
  private let maximumLineBytes: Int
  private let parser: JSONParser
  private var decoder = WireDecoder(unknownMembers: .refused)

  private let chunk: UnsafeMutableRawBufferPointer
  private var unread: Range<Int> = 0..<0
  private var isAtEnd = false
  private var carry: [UInt8] = []
  /// Whether the line that is being gathered has outgrown the limit; it is then skipped up to its end.
  private var isTooLong = false
  private var number = 0

  /// Opens a file.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing`.
  public init(
    _ path: String,
    maximumLineBytes: Int = JSONLinesReader.defaultMaximumLineBytes
  ) throws(Failure) {
    file = try InputFile(path)
    self.maximumLineBytes = maximumLineBytes
    parser = JSONParser(maximumBytes: maximumLineBytes + 64)
    chunk = .allocate(byteCount: Self.chunkSize, alignment: 16)
  }

  deinit {
    chunk.deallocate()
  }

  /// The next line that is not blank, nil at the end.
  ///
  /// A bad line is no end: the one after it may be good.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing` or `inputMalformed` where no further line can be read.
  public mutating func next() throws(Failure) -> Line? {
    while true {
      if unread.isEmpty {
        if isAtEnd { return nil }
        let count = try file.read(into: chunk)
        unread = 0..<count
        isAtEnd = count == 0
        if isAtEnd {
          // What stands behind the last line feed is a line, too.
          if carry.isEmpty, !isTooLong { return nil }
          return line(UnsafeRawBufferPointer(start: nil, count: 0))
        }
      }
      let rest = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(chunk)[unread])
      guard let end = Self.lineFeed(rest) else {
        gather(rest)
        unread = unread.upperBound..<unread.upperBound
        continue
      }
      unread = (unread.lowerBound + end + 1)..<unread.upperBound
      if let line = line(UnsafeRawBufferPointer(rebasing: rest[..<end])) { return line }
    }
  }

  private static func lineFeed(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress, let found = memchr(base, 0x0A, bytes.count) else { return nil }
    return UnsafeRawPointer(found) - base
  }

  private mutating func gather(_ bytes: UnsafeRawBufferPointer) {
    if isTooLong { return }
    if carry.count + bytes.count > maximumLineBytes {
      isTooLong = true
      carry = []
    } else {
      carry.append(contentsOf: bytes)
    }
  }

  /// The line that ends with `end`, nil where it is blank.
  private mutating func line(_ end: UnsafeRawBufferPointer) -> Line? {
    number += 1
    if !carry.isEmpty || isTooLong || end.count > maximumLineBytes { gather(end) }
    if isTooLong {
      isTooLong = false
      return Line(
        number: number,
        document: .failure(failure("it is longer than \(maximumLineBytes) bytes"))
      )
    }
    if carry.isEmpty { return parsed(end) }
    var gathered: [UInt8] = []
    swap(&gathered, &carry)
    let result = gathered.withUnsafeBytes { parsed($0) }
    // The room of an ordinary line is kept for the next one that lies across two chunks.
    if gathered.count <= Self.chunkSize {
      gathered.removeAll(keepingCapacity: true)
      swap(&gathered, &carry)
    }
    return result
  }

  private mutating func parsed(_ bytes: UnsafeRawBufferPointer) -> Line? {
    var text = bytes
    if number == 1, text.count >= 3, text[0] == 0xEF, text[1] == 0xBB, text[2] == 0xBF {
      text = UnsafeRawBufferPointer(rebasing: text[3...])
    }
    if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
    do throws(WireError) {
      let parser = parser
      var document = try parser.parse(text) { json throws(WireError) in
        try decoder.document(Self.documentOfReject(json) ?? json, in: nil)
      }
      document.createTime = nil
      document.updateTime = nil
      return Line(number: number, document: .success(document))
    } catch {
      return Line(number: number, document: .failure(failure(error.description)))
    }
  }

  /// The document in a line of ``RejectList``, nil for any other line.
  private static func documentOfReject(_ json: JSONCursor) throws(WireError) -> JSONCursor? {
    guard json["code"] != nil, json["path"] != nil, json["name"] == nil else { return nil }
    if let document = json["document"] { return document }
    throw WireError("this rejected line holds no document to import")
  }

  private func failure(_ reason: String) -> Failure {
    Failure(.inputMalformed, "read", path: file.path, cause: "line \(number): \(reason)")
  }
}
