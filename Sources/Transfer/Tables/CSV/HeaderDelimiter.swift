import Files
import Schema

extension CSVDelimiter {
  /// The delimiter that the name of a file implies (`.tsv`, `.psv`); nil for any other name.
  init?(ofFile path: String) {
    switch FileName(path).kind {
    case .tsv: self = .tab
    case .psv: self = .pipe
    default: return nil
    }
  }

  /// The bytes of lines without content: white space, delimiters, quotes and a byte order mark.
  private static let blank = Set(" \t,;|\"\u{FEFF}".utf8)

  /// Finds the most frequent delimiter, by default a comma, in the first line with content; nil if `text` does not contain
  /// such a line to its end.
  ///
  /// - Parameters:
  ///   - row: The first line to consider, from 1; 0 for the first one that has a delimiter.
  ///   - comment: The character that begins a line to ignore.
  ///   - hasQuotes: Whether cells may be quoted.
  ///   - isWhole: Whether the end of `text` ends a line.
  init?(
    ofHeaderIn text: some Sequence<UInt8>,
    from row: Int = 1,
    comment: UInt8? = nil,
    hasQuotes: Bool = true,
    isWhole: Bool = false
  ) {
    var counts: [UInt8: Int] = [:]
    var (isQuoted, holdsSomething, isEnded, isAfterCR) = (false, false, false, false)
    var line = 1
    var (isAtStart, isComment) = (true, false)
    for byte in text {
      if isAtStart { isComment = byte == comment }
      isAtStart = byte == 0x0A || byte == 0x0D
      if isComment, !isAtStart { continue }
      if byte == UInt8(ascii: "\""), hasQuotes { isQuoted.toggle() }
      if !isQuoted, byte == 0x0A || byte == 0x0D {
        isEnded = holdsSomething && line >= row && (row > 0 || Self.usual.contains { counts[$0.byte] != nil })
        if isEnded { break }
        (counts, holdsSomething) = ([:], false)
        if byte == 0x0D || !isAfterCR { line += 1 }
        isAfterCR = byte == 0x0D
        continue
      }
      isAfterCR = false
      if !Self.blank.contains(byte) { holdsSomething = true }
      if !isQuoted { counts[byte, default: 0] += 1 }
    }
    guard isEnded || isWhole else { return nil }
    let found = Self.usual.map { ($0, counts[$0.byte] ?? 0) }
    // The first of equals wins, which is the comma.
    self = found.reduce((Self.comma, 0)) { $1.1 > $0.1 ? $1 : $0 }.0
  }
}
