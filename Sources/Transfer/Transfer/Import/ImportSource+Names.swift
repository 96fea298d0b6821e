import Files
import Schema
import Tables

/// Derives collections from the names of files and sheets.
extension ImportSource {
  /// Returns the name of a table or JSON file without its extension; nil for other extensions.
  static func stem(ofTable path: String) -> String? {
    let name = FileName(path)
    switch name.kind {
    case .csv, .tsv, .psv, .txt, .json, .jsonl, .ndjson: return name.stem
    default: return nil
    }
  }

  /// Returns the collection of a file that was named by an export (see ``ExportOutput``); nil for any other name.
  static func collection(ofFile stem: String) -> CollectionPath? {
    if stem == "rejects" || stem.hasPrefix("rejects-") { return nil }
    let bytes = Array(stem.utf8)
    var path: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "~"): path.append(contentsOf: "/*/".utf8)
      case UInt8(ascii: "%"):
        guard index + 2 < bytes.count,
          let code = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
        else { return nil }
        path.append(code)
        index += 2
      case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): path.append(byte)
      default:
        guard byte.isASCIILetterOrDigit else { return nil }
        path.append(byte)
      }
      index += 1
    }
    guard let text = String(validating: path, as: UTF8.self) else { return nil }
    return CollectionPath(text)
  }

  /// Returns the collection of a sheet that an export wrote, or that its name says.
  static func collection(of sheet: XLSXPackage.Sheet, schema: DatabaseSchema) -> CollectionPath? {
    if let collection = sheet.collection { return collection }
    let named = schema.collections.map(\.pattern).map { pattern in
      var legal = SheetNames()
      return (pattern: pattern, name: legal.unique(pattern.string))
    }
    let exact = named.first { $0.name.isIdentical(to: sheet.name) }
    // Programs compose accents in their own ways; two collections that differ by that alone are not guessed among.
    let alike = named.filter { $0.name == sheet.name }
    return (exact ?? (alike.count == 1 ? alike[0] : nil))?.pattern ?? collection(ofFile: sheet.name)
  }
}
