import Schema
import YAML

/// The text of a new migration's file: the given members, and comments about the optional ones.
package struct MigrationDraft: Sendable {
  package var id: String
  /// The collection and the steps; nil if they are still to be written.
  package var body: DeclarativeMigration?
  /// The filters as typed; all of them must hold.
  package var filters: [String] = []

  package init(id: String) { self.id = id }

  /// The database of references without one, whose ID no project has.
  package static let database = DatabaseName(project: "_")

  /// Returns why the text, as a file, would not do what the body does; nil if it would.
  ///
  /// - Parameter path: The path of the file.
  package func defect(at path: String, in context: LiteralContext) -> String? {
    guard let body else { return nil }
    do throws(Failure) {
      let read = try MigrationFile(
        path,
        in: context,
        reservedIDs: [],
        schema: body.schema,
        allowsSchemaBreaks: body.allowsSchemaBreaks
      ).parse(Array(text.utf8))
      let isSame =
        read.scope == body.scope && read.steps == body.steps && read.touch == body.touch
        && read.allowsImmutable == body.allowsImmutable
      return isSame ? nil : "it would be read as something else"
    } catch {
      return error.cause
    }
  }

  package var text: String {
    var lines = [
      "# What this is for, and who asked for it. The files of the folder are applied in the order of their names.",
      "id: \(id)",
      "summary: \(body.map { Self.scalar($0.summary) } ?? "")",
      "# The migrations before it that it needs:",
      "# after: [another-migration]",
      "# The only environments that it is for:",
      "# environments: [test, stage]",
      "# Why 'migrate down' must not take it back:",
      "# irreversible: The old values are needed by nobody.",
    ]
    guard let body else {
      lines += ["collection:", "# where: status == active", "steps: []", "# - set-if-missing: {locale: es}"]
      return lines.joined(separator: "\n") + "\n"
    }
    lines.append(
      "collection\(body.scope.isGroup ? "-group" : ""): \(Self.scalar(body.scope.collection.string))"
    )
    if !filters.isEmpty { lines += ["where:"] + filters.map { "  - \(Self.scalar($0))" } }
    if !body.touch { lines.append("touch: false") }
    if body.allowsImmutable { lines.append("allow-immutable: true") }
    lines += ["steps:"] + body.steps.map { "  - \(Self.step($0))" }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Steps

  private static func step(_ step: MigrationStep) -> String {
    switch step {
    case .set(let field, let value): "set:\(member(field, value))"
    case .setIfMissing(let field, let value): "set-if-missing:\(member(field, value))"
    case .copy(let source, let target, let overwrite):
      "copy: {from: \(name(source)), to: \(name(target))\(flag("overwrite", overwrite))}"
    case .move(let source, let target, let overwrite):
      "move: {from: \(name(source)), to: \(name(target))\(flag("overwrite", overwrite))}"
    case .unset(let field): "unset: \(name(field))"
    case .convert(let field, let conversion, let policy):
      "convert: {field: \(name(field)), to: \(conversion.target.rawValue)"
        + (conversion.unit.map { ", unit: \($0.rawValue)" } ?? "") + ", on-failure: \(policy.rawValue)}"
    case .rewrite(let field, let form): "\(form.rawValue): \(name(field))"
    case .map(let field, let replacements, let unknown):
      "map: {field: \(name(field)), values: {"
        + replacements.map { "\(YAMLText.key(literal($0.from))): \(literal($0.to))" }.joined(separator: ", ")
        + "}, unknown: \(unknown.rawValue)}"
    case .join(let fields, let separator, let target, let overwrite):
      "join: {fields: [\(names(fields))], separator: \(quoted(separator)), to: \(name(target))"
        + flag("overwrite", overwrite) + "}"
    case .split(let field, let separator, let targets, let overwrite, let policy):
      "split: {field: \(name(field)), to: [\(names(targets))]"
        + (separator.map { ", separator: \(quoted($0))" } ?? "") + flag("overwrite", overwrite)
        + ", on-failure: \(policy.rawValue)}"
    case .softDelete: "delete: soft"
    case .hardDelete: "delete: hard"
    case .run(let call):
      "run: {command: [\(call.words.map(quoted).joined(separator: ", "))], style: \(call.style.rawValue)}"
    }
  }

  /// A map of a field to a value; a reference has a line of its own, where its path may have commas and brackets.
  private static func member(_ field: FieldPath, _ value: Value) -> String {
    if case .reference = value {
      return "\n      \(YAMLText.key(name(field), indent: "      ")): \(literal(value))"
    }
    return " {\(YAMLText.key(name(field))): \(literal(value))}"
  }

  private static func name(_ field: FieldPath) -> String { scalar(field.description) }

  private static func names(_ fields: [FieldPath]) -> String { fields.map(name).joined(separator: ", ") }

  private static func flag(_ name: String, _ isSet: Bool) -> String { isSet ? ", \(name): true" : "" }

  /// A value as written in files: strings are quoted, anything else is a literal.
  private static func literal(_ value: Value) -> String {
    switch value {
    case .string(let text): return quoted(text)
    case .reference(let name):
      let path = DatabaseName.split(name).flatMap { $0.database == database ? $0.path : nil }
      return "ref(\(path?.description ?? name))"
    case .array(let elements): return "[\(elements.map(literal).joined(separator: ", "))]"
    case .map(let map):
      return
        "{\(map.entries.map { "\(YAMLText.key(quoted($0.name))): \(literal($0.value))" }.joined(separator: ", "))}"
    default: return value.literal
    }
  }

  private static func quoted(_ text: String) -> String { YAMLText.quoted(text) }

  /// A text, quoted if YAML could read it as something else.
  private static func scalar(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "_-./ ".utf8.contains($0) }
    let begins = text.utf8.first.map { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") } ?? false
    return isPlain && begins && text.utf8.last != UInt8(ascii: " ") ? text : quoted(text)
  }
}
