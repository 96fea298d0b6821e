/// Parses numbers with thousands separators: `1.234,56` or `1,234.56`.
struct GroupedNumber {
  let decimal: UInt8
  let group: UInt8

  static let decimalComma = GroupedNumber(decimal: UInt8(ascii: ","), group: UInt8(ascii: "."))
  static let decimalPoint = GroupedNumber(decimal: UInt8(ascii: "."), group: UInt8(ascii: ","))

  /// Returns the number with a decimal point and without separators; nil if the text is not such a number.
  ///
  /// The separators must delimit all groups of three digits from the right, or be absent.
  func plain(_ utf8: some RandomAccessCollection<UInt8>) -> [UInt8]? {
    let minus = UInt8(ascii: "-")
    let whole = utf8.prefix { $0 == minus || $0 == group || $0 &- UInt8(ascii: "0") <= 9 }
    let rest = utf8[whole.endIndex...]
    if rest.contains(group) { return nil }
    let groups = whole.split(separator: group, omittingEmptySubsequences: false)
    if groups.count > 1 {
      let first = groups[0].drop { $0 == minus }
      guard (1...3).contains(first.count), first.first != UInt8(ascii: "0"),
        groups.dropFirst().allSatisfy({ $0.count == 3 })
      else { return nil }
    }
    var plain: [UInt8] = []
    for group in groups { plain += group }
    for (index, byte) in rest.enumerated() {
      if byte == decimal, index > 0 { return nil }
      plain.append(byte == decimal ? UInt8(ascii: ".") : byte)
    }
    return plain
  }
}
