/// Durations as typed on the command line.
extension Duration {
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// The longest accepted duration: 10 years.
  private static let longestSeconds = 315_360_000.0

  /// Parses a number of seconds (`90`, `0.5`) or a number with a unit: `ms`, `s`, `m`, `h` or `d` (`500ms`, `5m`).
  ///
  /// Returns nil for anything else and for more than 10 years.
  package init?(typed text: String) {
    let number = text.utf8.prefix { ("0"..."9").contains(Unicode.Scalar($0)) || $0 == UInt8(ascii: ".") }
    let digits = number.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard digits.allSatisfy({ !$0.isEmpty }), let value = Double(Substring(number)) else { return nil }
    let name = String(Substring(text.utf8.dropFirst(number.count)))
    let unit = name.isEmpty ? 1000 : Self.units.first { $0.name.isIdentical(to: name) }?.milliseconds
    guard let unit else { return nil }
    let seconds = value * (Double(unit) / 1000)
    guard seconds <= Self.longestSeconds else { return nil }
    self = .seconds(seconds)
  }

  /// The duration in the largest unit that divides it, such as `5m`; never finer than milliseconds.
  package var typedText: String {
    let (seconds, attoseconds) = components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    let unit = Self.units.first { milliseconds % $0.milliseconds == 0 && milliseconds >= $0.milliseconds }
    return unit.map { "\(milliseconds / $0.milliseconds)\($0.name)" } ?? "\(milliseconds)ms"
  }

  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
