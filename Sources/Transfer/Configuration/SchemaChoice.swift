import Files

/// Which schema the data have: one that is built in, one in a file, or none.
package enum SchemaChoice: Sendable, Equatable {
  /// No collection is declared.
  case none
  /// One that is built in, by its name.
  case builtIn(String)
  case file(String)

  /// Parses `schema:` and `--schema`; nil for a word that is neither a file of YAML nor one of the names.
  ///
  /// - Parameter names: The names of the schemas that are built in.
  package init?(_ text: String, builtIn names: [String]) {
    if text == "none" {
      self = .none
    } else if let name = names.first(where: { $0.isIdentical(to: text) }) {
      self = .builtIn(name)
    } else if [.yaml, .yml].contains(FileName(text).kind) || text.utf8.contains(UInt8(ascii: "/")) {
      self = .file(text)
    } else {
      return nil
    }
  }

  /// What a schema may be, for messages.
  package static func expected(_ names: [String]) -> String {
    "a file that ends in .yaml, \((names + ["none"]).joined(separator: " or "))"
  }
}
