import Schema

/// A value of a document with the rule that applies to it.
struct MaskDecision {
  /// The field, including elements: `friends`, `blocks[].name`.
  let field: String
  let rule: MaskRule
  /// Whether a value identifies one person, however many documents have it.
  let isIdentity: Bool
  /// The rule of the keys, if it is a map that has one.
  let keys: MaskRule?
  let value: Value
}
