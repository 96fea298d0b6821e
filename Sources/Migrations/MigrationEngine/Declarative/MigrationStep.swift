/// One step of a declarative migration: a change to some fields of a document.
///
/// A value is missing if it is absent, null, or an empty or blank text. Steps that transform a value skip a missing one.
package enum MigrationStep: Sendable, Equatable {
  /// What happens if a step cannot process a value.
  package enum FailurePolicy: String, Codable, Sendable, CaseIterable {
    /// The document is left unchanged and listed in rejects.jsonl.
    case reject
    /// The document is left unchanged and listed only in findings.csv.
    case skip
    /// The field becomes null, and the other steps are applied.
    case null
    /// The field is left unchanged, and the other steps are applied.
    case keep
  }

  /// How a text is rewritten.
  package enum TextForm: String, Sendable, CaseIterable {
    case lower
    /// Without leading and trailing white space.
    case trim
    /// Only its digits; a text with anything but digits, white space and `+ - . ( )` cannot be processed.
    case digits
  }

  /// A value and its replacement.
  package struct Replacement: Sendable, Equatable {
    package var from: Value
    package var to: Value

    package init(_ from: Value, _ to: Value) {
      self.from = from
      self.to = to
    }
  }

  case set(FieldPath, Value)
  case setIfMissing(FieldPath, Value)
  /// Copies a field; if the target already has another value, it is overwritten or the document must be reviewed.
  case copy(FieldPath, to: FieldPath, overwrite: Bool)
  /// Copies a field and removes the original.
  case move(FieldPath, to: FieldPath, overwrite: Bool)
  case unset(FieldPath)
  case convert(FieldPath, ValueConversion, onFailure: FailurePolicy)
  case rewrite(FieldPath, TextForm)
  case map(FieldPath, [Replacement], unknown: FailurePolicy)
  /// Joins the texts that are present into one.
  case join([FieldPath], separator: String, to: FieldPath, overwrite: Bool)
  /// Splits a text into as many parts as there are targets; at runs of white space if the separator is nil.
  case split(FieldPath, separator: String?, to: [FieldPath], overwrite: Bool, onFailure: FailurePolicy)
  /// Sets the soft-delete field that the schema of the collection declares, unless it is already set.
  case softDelete
  /// Deletes the document, but not its subcollections.
  case hardDelete
  /// Lets a program decide; must be the only step.
  case run(ProgramCall)

  /// The fields that the step may write.
  package var writes: [FieldPath] {
    switch self {
    case .set(let field, _), .setIfMissing(let field, _), .unset(let field), .convert(let field, _, _),
      .rewrite(let field, _), .map(let field, _, _):
      [field]
    case .copy(_, let target, _), .join(_, _, let target, _): [target]
    case .move(let source, let target, _): [source, target]
    case .split(_, _, let targets, _, _): targets
    case .softDelete, .hardDelete, .run: []
    }
  }

  /// The reason for totals and plan files: the step's name and its first field.
  var reason: String {
    switch self {
    case .set(let field, _): "set \(field)"
    case .setIfMissing(let field, _): "set-if-missing \(field)"
    case .copy(let source, let target, _): "copy \(source) to \(target)"
    case .move(let source, let target, _): "move \(source) to \(target)"
    case .unset(let field): "unset \(field)"
    case .convert(let field, let conversion, _): "convert \(field) to \(conversion.target.rawValue)"
    case .rewrite(let field, let form): "\(form.rawValue) \(field)"
    case .map(let field, _, _): "map \(field)"
    case .join(_, _, let target, _): "join \(target)"
    case .split(let field, _, _, _, _): "split \(field)"
    case .softDelete: "soft delete"
    case .hardDelete: "delete"
    case .run(let call): "run \(call.name)"
    }
  }

  // MARK: Validation

  /// Returns why the step makes no sense; nil if it does.
  var problem: String? {
    switch self {
    case .copy(let source, let target, _), .move(let source, let target, _):
      return Self.overlap([source, target])
    case .join(let sources, _, let target, _):
      if sources.count < 2 { return "join takes at least two fields" }
      return Self.overlap(sources + [target])
    case .split(let source, let separator, let targets, _, let policy):
      if targets.count < 2 { return "split makes at least two fields" }
      if separator?.isEmpty ?? false { return "a separator is a text that is not empty" }
      if policy == .null { return "what cannot be split is reject, skip or keep" }
      return Self.overlap([source] + targets)
    case .map(let field, let replacements, _):
      if replacements.isEmpty { return "map takes at least one value" }
      for (index, replacement) in replacements.enumerated() {
        if replacements[..<index].contains(where: { $0.from == replacement.from }) {
          return "map has one value of \(field) twice"
        }
        // Its results must be final, so that a second application changes nothing.
        if replacements.contains(where: { $0.from == replacement.to && $0.to != replacement.to }) {
          return "map makes a value of \(field) that it maps on: the second time it would change again"
        }
      }
      return nil
    default: return nil
    }
  }

  private static func overlap(_ fields: [FieldPath]) -> String? {
    for (index, field) in fields.enumerated() {
      for other in fields[..<index] where field.isPrefix(of: other) || other.isPrefix(of: field) {
        return field == other ? "'\(field)' is given twice" : "'\(other)' and '\(field)' overlap"
      }
    }
    return nil
  }
}
