extension CSVOptions.Delimiter {
  /// The bytes of lines that hold nothing: white space, delimiters, quotes and a byte order mark.
  private static let blank = Set(" \t,;|\"\u{FEFF}".utf8)

  /// Finds the most frequent delimiter of the first line that holds something, or a comma; nil where no such line ends in
  /// `text`.
  ///
  /// - Parameter isWhole: Whether the end of `text` ends a line.
  init?(ofHeaderIn text: some Sequence<UInt8>, isWhole: Bool = false) {
    var counts: [UInt8: Int] = [:]
    var (isQuoted, holdsSomething, isEnded) = (false, false, false)
    for byte in text {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted, byte == 0x0A || byte == 0x0D {
        isEnded = holdsSomething
        if isEnded { break }
        counts = [:]
        continue
      }
      if !Self.blank.contains(byte) { holdsSomething = true }
      if !isQuoted { counts[byte, default: 0] += 1 }
    }
    guard isEnded || isWhole else { return nil }
    let found = Self.allCases.map { ($0, counts[$0.byte] ?? 0) }
    // The first of equals wins, which is the comma.
    self = found.reduce((Self.comma, 0)) { $1.1 > $0.1 ? $1 : $0 }.0
  }
}
