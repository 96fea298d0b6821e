/// The names that a workbook of an export has for each of its sheets: with the collection of it, and with the zone of its times.
///
/// The name of a sheet is cut and has no slash, so it does not tell. A defined name that is local to the sheet follows it wherever
/// spreadsheets move or rename it: letters and digits of the collection stand for themselves, every other byte is `_` and two
/// hexadecimal digits.
enum SheetMark {
  private static let prefix = "gymmigrate.collection."
  private static let zonePrefix = "gymmigrate.zone."
  /// Excel's limit of a defined name.
  private static let maximumLength = 255

  /// The name for a collection; nil if it would be too long.
  static func name(of collection: CollectionPath) -> String? { name(prefix, collection.string) }

  /// The name for a zone; nil if it would be too long.
  static func name(ofZone zone: String) -> String? { name(zonePrefix, zone) }

  private static func name(_ prefix: String, _ text: String) -> String? {
    var name = prefix
    for byte in text.utf8 {
      if byte.isASCIILetterOrDigit {
        name.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        name += byte < 0x10 ? "_0\(digits)" : "_\(digits)"
      }
    }
    return name.utf8.count <= maximumLength ? name : nil
  }

  /// The collection of a name; nil for any other name.
  static func collection(of name: String) -> CollectionPath? {
    text(of: name, prefix).flatMap { CollectionPath($0) }
  }

  /// The zone of a name; nil for any other name.
  static func zone(of name: String) -> String? { text(of: name, zonePrefix) }

  private static func text(of name: String, _ prefix: String) -> String? {
    guard name.hasPrefix(prefix) else { return nil }
    var rest = Array(name.utf8.dropFirst(prefix.utf8.count))[...]
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte.isASCIILetterOrDigit {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard byte == UInt8(ascii: "_"), digits.count == 2,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(code)
      rest.removeFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
