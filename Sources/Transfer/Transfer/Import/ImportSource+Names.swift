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
    let isName = stem.utf8.allSatisfy { $0.isASCIILetterOrDigit || "~%_-.".utf8.contains($0) }
    let path = stem.utf8.flatMap { $0 == UInt8(ascii: "~") ? Array("/*/".utf8) : [$0] }
    guard isName, let bytes = PercentEncoding.decoded(path) else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
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
