/// A value in a YAML file with its line and column.
///
/// Scalars are not resolved: each is its text, and whether it was plain.
package struct YAMLNode: Sendable {
  package indirect enum Content: Sendable {
    /// A text; plain if it is neither quoted nor a block scalar.
    case scalar(String, isPlain: Bool)
    case sequence([YAMLNode])
    case mapping([(key: YAMLNode, value: YAMLNode)])
  }

  package let content: Content
  /// The line, from 1.
  package let line: Int
  /// The column, from 1, in Unicode characters.
  package let column: Int

  package var text: String? { if case .scalar(let text, _) = content { text } else { nil } }

  /// Whether YAML means null: nothing, or one of its plain words.
  package var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }

  /// A description of the kind, for errors.
  package var kind: String {
    switch content {
    case .scalar(let text, let isPlain): text.isEmpty && isPlain ? "nothing" : "a text"
    case .sequence: "a list"
    case .mapping: "a map"
    }
  }
}
