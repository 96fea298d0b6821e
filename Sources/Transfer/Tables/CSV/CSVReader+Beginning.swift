import Files
import Schema

// How the beginning of a file determines its encoding and delimiter.

extension CSVReader {
  /// Skips a byte order mark and examines the first line with content.
  mutating func begin() throws(Failure) {
    hasBegun = true
    var count = try file.begin(chunk)
    while count < chunk.count, headerDelimiter(in: chunk[..<count]) == nil {
      let more = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: chunk[count...]))
      count += more
      if more == 0 { break }
    }
    unread = 0..<count
    reading.read(count, upTo: file.position)
    try assertNoZeros(in: chunk[unread])
    if findsDelimiter { delimiter = headerDelimiter(in: chunk[unread], isWhole: true) ?? .comma }
  }

  /// Refuses UTF-32, and a first line with as many zero bytes as UTF-16 without a mark has; a name may contain one.
  private func assertNoZeros(in text: Slice<UnsafeMutableRawBufferPointer>) throws(Failure) {
    let line = text.prefix { $0 != 0x0A && $0 != 0x0D }
    guard let zero = line.firstIndex(of: 0), line.count(where: { $0 == 0 }) * 3 >= line.count else { return }
    let isMarked = file.encoding != .utf8
    let wide = (zero - line.startIndex).isMultiple(of: 2) ? TextEncoding.utf16BigEndian : .utf16LittleEndian
    throw .malformed(
      file.path,
      isMarked ? "it is no \(file.encoding.rawValue)" : "it has zero bytes, as UTF-16 without a mark",
      remedy: isMarked
        ? "Save it as CSV in UTF-8." : "--encoding \(wide.rawValue) reads it; or save it as CSV in UTF-8."
    )
  }

  private func headerDelimiter(
    in text: Slice<UnsafeMutableRawBufferPointer>,
    isWhole: Bool = false
  ) -> CSVDelimiter? {
    .init(ofHeaderIn: text, from: headerRow, comment: comment, hasQuotes: hasQuotes, isWhole: isWhole)
  }

  /// Consumes a first line `sep=;`, which names the delimiter for spreadsheets; returns false for any other record.
  mutating func takeSeparatorLine() throws(Failure) -> Bool {
    var words = rawRecord[...]
    let quote = UInt8(ascii: "\"")
    if words.count > 1, words.first == quote, words.last == quote { words = words.dropFirst().dropLast() }
    guard words.prefix(4).elementsEqual("sep=".utf8, by: { $0 | 0x20 == $1 | 0x20 }) else { return false }
    let name = words.dropFirst(4).elementsEqual("\\t".utf8) ? [0x09] : Array(words.dropFirst(4))
    guard name.count == 1 else { return false }
    guard let named = CSVDelimiter(rawValue: String(decoding: name, as: UTF8.self)) else {
      throw failure("sep= names no character that can be a delimiter", .init(line: 1))
    }
    if !isDelimiterGiven { delimiter = named }
    return true
  }
}
