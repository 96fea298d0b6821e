/// Assigns each sheet of a workbook a valid and unique name.
package struct SheetNames {
  /// Excel's limit, in UTF-16 units.
  package static let maximumLength = 31

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

  /// Replaces what Excel refuses by `_`: `[]:*?/\`, control characters, apostrophes at either end.
  private static func legal(_ name: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      let isRefused =
        "[]:*?/\\".unicodeScalars.contains(scalar) || scalar.value < 0x20 || scalar.value == 0xFFFE
        || scalar.value == 0xFFFF
      scalars.append(isRefused ? "_" : scalar)
    }
    // The library does not truncate names, so the ends are fixed before and after truncation.
    return trimmed(String(scalars))
  }

  private static func trimmed(_ name: String) -> String {
    var scalars = Array(name.unicodeScalars)
    if scalars.first == "'" { scalars[0] = "_" }
    if let last = scalars.indices.last, scalars[last] == "'" { scalars[last] = "_" }
    var out = String.UnicodeScalarView()
    out.append(contentsOf: scalars)
    return scalars.isEmpty ? "_" : String(out)
  }

  private static func cut(_ name: String, to length: Int) -> String {
    var out = String.UnicodeScalarView()
    var units = 0
    for scalar in name.unicodeScalars {
      units += scalar.value > 0xFFFF ? 2 : 1
      if units > length { break }
      out.append(scalar)
    }
    return trimmed(String(out))
  }
}
