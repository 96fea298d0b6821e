/// How people's files for a collection are imported: `import:` in a schema.
package struct ImportSettings: Sendable, Equatable {
  /// The names of the collection's files, with `*` for any characters.
  package var files: [String] = []
  /// The sheet of a workbook that contains the collection.
  package var sheet: String?
  package var reading = TableReading()

  package init() {}

  /// Whether a file with this name contains the collection.
  ///
  /// Characters match however accents are composed: macOS composes those of files in its own way.
  package func isOf(fileNamed name: String) -> Bool {
    files.contains { Array(name).matches(Array($0), star: "*") }
  }
}
