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

  /// A description of the kind, for errors.
  package var kind: String {
    switch content {
    case .scalar(let text, let isPlain): text.isEmpty && isPlain ? "nothing" : "a text"
    case .sequence: "a list"
    case .mapping: "a map"
    }
  }
}
