/// Numbers with a comma before their decimals, `1.234,56`.
enum DecimalComma {
  /// Returns the number with a point instead; nil for a text that is no such number.
  ///
  /// Points may separate groups of three digits from the right, all of them or none.
  static func plain(_ utf8: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let comma = UInt8(ascii: ",")
    let point = UInt8(ascii: ".")
    let whole = utf8.prefix { $0 == UInt8(ascii: "-") || $0 == point || $0 &- UInt8(ascii: "0") <= 9 }
    let rest = utf8[whole.endIndex...]
    if rest.contains(point) { return nil }
    let groups = whole.split(separator: point, omittingEmptySubsequences: false)
    if groups.count > 1 {
      let first = groups[0].drop { $0 == UInt8(ascii: "-") }
      guard (1...3).contains(first.count), first.first != UInt8(ascii: "0"),
        groups.dropFirst().allSatisfy({ $0.count == 3 })
      else { return nil }
    }
    var plain: [UInt8] = []
    for group in groups { plain += group }
    for (index, byte) in rest.enumerated() {
      if byte == comma, index > 0 { return nil }
      plain.append(byte == comma ? point : byte)
    }
    return plain
  }
}
