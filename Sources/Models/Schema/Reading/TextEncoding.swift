/// The encodings of CSV files.
package enum TextEncoding: String, Codable, Sendable, CaseIterable {
  case utf8 = "utf-8"
  case utf16LittleEndian = "utf-16le"
  case utf16BigEndian = "utf-16be"
  case windows1252 = "windows-1252"
  case latin1 = "iso-8859-1"
  case latin9 = "iso-8859-15"

  private static let others: [String: TextEncoding] = [
    "utf8": .utf8, "cp1252": .windows1252, "latin1": .latin1, "latin-1": .latin1, "latin9": .latin9,
    "latin-9": .latin9,
  ]

  /// Parses a name, including those that other programs use; nil for any other text.
  package init?(named name: String) {
    let name = name.lowercased()
    guard let found = Self(rawValue: name) ?? Self.others[name] else { return nil }
    self = found
  }
}
