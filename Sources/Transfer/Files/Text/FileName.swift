/// The kind of a file by its name, ignoring case (`SOCIOS.CSV`), with or without `.gz` after its extension.
package struct FileName: Sendable {
  package enum Kind: String, Codable, Sendable, CaseIterable {
    case jsonl, ndjson, json, csv, tsv, psv, txt, xlsx, xlsm, xls, ods, sqlite, html, yaml, yml
  }

  /// The kind that the extension indicates; nil for any other extension, or none.
  package private(set) var kind: Kind?
  package let isCompressed: Bool
  /// The path without the extension of its kind, and without `.gz`.
  package private(set) var stem: String

  package init(_ path: String) {
    isCompressed = Self.ends(path, in: ".gz")
    stem = isCompressed ? String(Substring(path.utf8.dropLast(3))) : path
    for kind in Kind.allCases where Self.ends(stem, in: ".\(kind.rawValue)") {
      self.kind = kind
      stem = String(Substring(stem.utf8.dropLast(kind.rawValue.utf8.count + 1)))
      return
    }
  }

  /// Whether a text ends in another one, which has only small ASCII letters and signs, ignoring case.
  private static func ends(_ text: String, in ending: String) -> Bool {
    text.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) {
      $0 == $1 || $0 ^ 0x20 == $1 && $1 >= 0x61
    }
  }
}
