/// The order of day, month and year in typed dates.
package enum DateOrder: String, Codable, Sendable, CaseIterable {
  case dayFirst = "dd/MM/yyyy"
  case monthFirst = "MM/dd/yyyy"
  case yearFirst = "yyyy/MM/dd"

  /// Parses a pattern: day, month and year in one of the orders, with the same `/`, `-` or `.` in between, and optionally a time
  /// of day.
  ///
  /// `d-M-yyyy` and `dd/mm/yyyy HH:mm` have the same order as `dd/MM/yyyy`: dates are read with any of the three separators, with
  /// or without leading zeros and a time of day.
  package init?(pattern: String) {
    let parts = pattern.utf8.split(maxSplits: 1, whereSeparator: { $0 == 0x20 || $0 == UInt8(ascii: "T") })
    guard let date = parts.first, parts.count == 1 || Self.times.contains(String(Substring(parts[1]))) else {
      return nil
    }
    let text = String(Substring(date)).lowercased()
    let found = Self.allCases.first { order in
      [Character("/"), "-", "."].contains { sign in
        let names = order.rawValue.lowercased().split(separator: "/").map(String.init)
        let pieces = text.split(separator: sign, omittingEmptySubsequences: false).map(String.init)
        return pieces.count == 3
          && zip(pieces, names).allSatisfy { $0 == $1 || ($1 != "yyyy" && $0 == $1.prefix(1)) }
      }
    }
    guard let found else { return nil }
    self = found
  }

  private static let times: Set = [
    "HH:mm", "H:mm", "HH:mm:ss", "H:mm:ss", "hh:mm a", "h:mm a", "hh:mm:ss a", "h:mm:ss a",
  ]
}
