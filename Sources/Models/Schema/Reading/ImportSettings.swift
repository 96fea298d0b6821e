/// How people's files for a collection are imported: `import:` in a schema.
package struct ImportSettings: Sendable, Equatable {
  /// The names of the collection's files, with `*` for any characters.
  package var files: [String] = []
  /// The sheet of a workbook that contains the collection.
  package var sheet: String?
  package var reading = TableReading()

  package init() {}

  /// Whether a file with this name contains the collection.
  package func isOf(fileNamed name: String) -> Bool {
    files.contains { Self.matches(Array(name)[...], Array($0)[...]) }
  }

  /// Whether a name matches a pattern, however accents are composed: macOS composes those of files in its own way.
  private static func matches(_ name: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard let first = parts.first, let last = parts.last, name.starts(with: first) else { return false }
    if parts.count == 1 { return name.count == first.count }
    var rest = name.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() {
      guard let found = rest.firstRange(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }
}
