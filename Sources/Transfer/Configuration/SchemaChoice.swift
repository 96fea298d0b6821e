import Files

/// The schema of the data: a built-in one, one in a file, or none.
package enum SchemaChoice: Sendable, Equatable {
  /// No collection is declared.
  case none
  /// A built-in schema, by its name.
  case builtIn(String)
  case file(String)

  /// Parses `schema:` and `--schema`; returns nil for a word that is neither a YAML file nor one of the names.
  ///
  /// - Parameter names: The names of the built-in schemas.
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

  /// The valid choices, for messages.
  package static func expected(_ names: [String]) -> String {
    "a file that ends in .yaml, \((names + ["none"]).joined(separator: " or "))"
  }
}
