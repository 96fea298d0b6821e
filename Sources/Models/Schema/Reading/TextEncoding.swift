/// The encodings of CSV files.
package enum TextEncoding: String, Codable, Sendable, CaseIterable {
  case utf8 = "utf-8"
  case utf16LittleEndian = "utf-16le"
  case utf16BigEndian = "utf-16be"
  case windows1252 = "windows-1252"
  case latin1 = "iso-8859-1"
  case latin9 = "iso-8859-15"
}
