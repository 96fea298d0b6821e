/// Assigns each sheet of a workbook a valid and unique name.
package struct SheetNames {
  /// Excel's limit, in UTF-16 units.
  package static let maximumLength = 31
  /// So many bytes leave room for the names that tell a sheet's collection and zone (``SheetMark``).
  private static let maximumBytes = 70

  private var taken: Set<UTF8Key> = []

  package init() {}

  /// Returns a valid, unused name based on `wanted`; duplicates get a number, such as `users (2)`.
  package mutating func unique(_ wanted: String) -> String {
    let stem = Self.legal(wanted)
    var candidate = Self.cut(stem, to: Self.maximumLength)
    var number = 1
    // Excel's names are case-insensitive, and "History" is reserved.
    while !taken.insert(UTF8Key(candidate.lowercased())).inserted || candidate.lowercased() == "history" {
      number += 1
      let suffix = " (\(number))"
      candidate = Self.cut(stem, to: Self.maximumLength - suffix.utf16.count) + suffix
    }
    return candidate
  }

  /// Replaces by `_` what Excel refuses, `[]:*?/\` and control characters, and what the library cannot refer to, `'` and `!`.
  private static func legal(_ name: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      let isRefused =
        "[]:*?/\\'!".unicodeScalars.contains(scalar) || scalar.value < 0x20 || scalar.value == 0xFFFE
        || scalar.value == 0xFFFF
      scalars.append(isRefused ? "_" : scalar)
    }
    return scalars.isEmpty ? "_" : String(scalars)
  }

  private static func cut(_ name: String, to length: Int) -> String {
    var out = String.UnicodeScalarView()
    var (units, bytes) = (0, 0)
    for scalar in name.unicodeScalars {
      units += scalar.utf16.count
      bytes += scalar.utf8.count
      if units > length || bytes > maximumBytes { break }
      out.append(scalar)
    }
    return String(out)
  }
}
