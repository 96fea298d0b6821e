/// One step of a declarative migration: what becomes of some fields of a document.
///
/// Missing is absent, null, or a text of nothing but white space. Steps that rework a value leave a missing one as it
/// is.
package enum MigrationStep: Sendable, Equatable {
  /// What is done about a value that a step cannot deal with.
  package enum FailurePolicy: String, Codable, Sendable, CaseIterable {
    /// The document is left whole and listed in rejects.jsonl.
    case reject
    /// The document is left whole, and listed in findings.csv alone.
    case skip
    /// The field becomes null, and the other steps are done.
    case null
    /// The field stays as it is, and the other steps are done.
    case keep
  }

  /// How a text is rewritten.
  package enum TextForm: String, Sendable, CaseIterable {
    case lower
    /// Without white space at its ends.
    case trim
    /// Only its digits; a text with anything but digits, white space and `+ - . ( )` is none that has them.
    case digits
  }

  /// One value and what it becomes.
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
  /// Copies a field; where the target holds something else already, it is overwritten or the document is for review.
  case copy(FieldPath, to: FieldPath, overwrite: Bool)
  /// Copies a field and removes it.
  case move(FieldPath, to: FieldPath, overwrite: Bool)
  case unset(FieldPath)
  case convert(FieldPath, ValueConversion, onFailure: FailurePolicy)
  case rewrite(FieldPath, TextForm)
  case map(FieldPath, [Replacement], unknown: FailurePolicy)
  /// Joins the texts that are there into one.
  case join([FieldPath], separator: String, to: FieldPath, overwrite: Bool)
  /// Splits a text into as many parts as there are targets; at runs of white space where the separator is nil.
  case split(FieldPath, separator: String?, to: [FieldPath], overwrite: Bool, onFailure: FailurePolicy)
  /// Sets the field of a soft delete, as the schema of the collection says, where it is not set already.
  case softDelete
  /// Deletes the document; what is below it stays.
  case hardDelete
  /// Leaves the decision to a program; it is the only step then.
  case run(ProgramCall)

  /// The fields that it may write.
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

  /// Why it was done, for totals and plan files: its name and its first field.
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

  // MARK: What is no step

  /// What makes no sense in it, nil where it does.
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
        // What it makes is right, so that applying twice changes nothing the second time.
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
