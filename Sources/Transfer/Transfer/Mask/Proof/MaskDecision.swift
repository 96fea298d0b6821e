import Schema

/// A value of a document with the rule that decides what becomes of it.
struct MaskDecision {
  /// The field, also of elements: `friends`, `blocks[].name`.
  let field: String
  let rule: MaskRule
  /// Whether a value stands for one person, however many documents have it.
  let isIdentity: Bool
  /// The rule of the keys, where it is a map that has one.
  let keys: MaskRule?
  let value: Value
}
