import Files
import YAML

/// Reads one entry of a migration file's `steps`: a map from the step's name to its arguments.
struct StepReader {
  let yaml: YAMLFile
  let context: LiteralContext

  static let names = [
    "set", "set-if-missing", "copy", "move", "unset", "convert", "lower", "trim", "digits", "map", "join",
    "split", "delete", "run",
  ]

  /// Reads the steps of an entry: one, or one per field.
  func steps(_ node: YAMLNode) throws(Failure) -> [MigrationStep] {
    guard case .mapping(let members) = node.content else {
      throw yaml.failure(at: node, "a step is a map of its name to what it takes, as trim: email")
    }
    guard let (key, value) = members.first, members.count == 1, let name = key.text else {
      throw yaml.failure(at: node, "a step has one name; each step is an entry of its own, with a hyphen")
    }
    switch name {
    case "set": return try values(value, name).map { .set($0.field, $0.value) }
    case "set-if-missing": return try values(value, name).map { .setIfMissing($0.field, $0.value) }
    case "copy", "move": return [try transfer(value, name)]
    case "unset": return try fields(value, name).map { .unset($0) }
    case "convert": return [try conversion(value)]
    case "lower", "trim", "digits":
      let form = MigrationStep.TextForm(rawValue: name) ?? .trim
      return try fields(value, name).map { .rewrite($0, form) }
    case "map": return [try mapping(value)]
    case "join": return [try join(value)]
    case "split": return [try split(value)]
    case "delete":
      switch value.text {
      case "soft"?: return [.softDelete]
      case "hard"?: return [.hardDelete]
      default: throw yaml.failure(at: value, "'delete' is soft or hard")
      }
    case "run": return [.run(try program(value))]
    default:
      let meant = ["rename": "move", "remove": "unset"][name] ?? name.nearest(of: Self.names)
      let near = meant.map { "did you mean '\($0)'? The" } ?? "the"
      throw yaml.failure(
        at: key,
        "there is no step '\(name)'; \(near) steps are \(Self.names.joined(separator: ", "))"
      )
    }
  }

  // MARK: The steps

  private func values(
    _ node: YAMLNode,
    _ name: String
  ) throws(Failure) -> [(field: FieldPath, value: Value)] {
    var list: [(field: FieldPath, value: Value)] = []
    for (text, key, value) in try yaml.members(node, "'\(name)'", known: nil) {
      list.append((try field(text, at: key), try self.value(value)))
    }
    if list.isEmpty { throw yaml.failure(at: node, "'\(name)' is an empty map") }
    return list
  }

  private func transfer(_ node: YAMLNode, _ name: String) throws(Failure) -> MigrationStep {
    let members = try self.members(node, name, ["from", "to"], optional: ["overwrite"])
    let make = name == "copy" ? MigrationStep.copy : MigrationStep.move
    return make(try field(members["from"], node), try field(members["to"], node), try overwrites(members))
  }

  private func conversion(_ node: YAMLNode) throws(Failure) -> MigrationStep {
    let members = try self.members(node, "convert", ["field", "to"], optional: ["unit", "on-failure"])
    let target: ValueConversion.Target = try choice(members["to"], node, "a type")
    let unit: ValueConversion.TimeUnit? =
      try members["unit"].map { unit throws(Failure) in try choice(unit, node, "'unit'") }
    return .convert(
      try field(members["field"], node),
      ValueConversion(to: target, unit: unit),
      onFailure: try choice(members["on-failure"], node, "'on-failure'", unset: .reject)
    )
  }

  private func mapping(_ node: YAMLNode) throws(Failure) -> MigrationStep {
    let members = try self.members(node, "map", ["field", "values"], optional: ["unknown"])
    let values = members["values"] ?? node
    // Not read as a dictionary, because 7 and "7" are two values with the same text.
    guard case .mapping(let pairs) = values.content, !pairs.isEmpty else {
      throw yaml.failure(at: values, "'values' is a map of values to their replacements, as activa: active")
    }
    var replacements: [MigrationStep.Replacement] = []
    for (key, value) in pairs {
      // The value to replace is what people typed: `no` is a text here.
      let word = key.text.flatMap { Self.booleans[$0.lowercased()] == nil ? nil : $0 }
      let from = if let word { Value.string(word) } else { try self.value(key) }
      let replacement = MigrationStep.Replacement(from, try self.value(value))
      if replacements.contains(where: { $0.from == replacement.from }) {
        throw yaml.failure(at: key, "'\(key.text ?? "")' is given twice")
      }
      replacements.append(replacement)
    }
    return .map(
      try field(members["field"], node),
      replacements,
      unknown: try choice(members["unknown"], node, "'unknown'", unset: .reject)
    )
  }

  private func join(_ node: YAMLNode) throws(Failure) -> MigrationStep {
    let members = try self.members(node, "join", ["fields", "to"], optional: ["separator", "overwrite"])
    return .join(
      try fields(members["fields"] ?? node, "fields"),
      separator: try separator(members["separator"], mayBeEmpty: true) ?? " ",
      to: try field(members["to"], node),
      overwrite: try overwrites(members)
    )
  }

  private func split(_ node: YAMLNode) throws(Failure) -> MigrationStep {
    let optional = ["separator", "overwrite", "on-failure"]
    let members = try self.members(node, "split", ["field", "to"], optional: optional)
    return .split(
      try field(members["field"], node),
      separator: try separator(members["separator"]),
      to: try fields(members["to"] ?? node, "to"),
      overwrite: try overwrites(members),
      onFailure: try choice(members["on-failure"], node, "'on-failure'", unset: .reject)
    )
  }

  /// Reads a program and its arguments, whose paths are relative to the file's folder.
  private func program(_ node: YAMLNode) throws(Failure) -> ProgramCall {
    var (command, style) = (node, ProgramCall.Style.rest)
    if case .mapping = node.content {
      let members = try self.members(node, "run", ["command"], optional: ["style"])
      command = members["command"] ?? node
      style = try choice(members["style"], node, "'style'", unset: .rest)
    }
    guard case .sequence(let items) = command.content else {
      throw yaml.failure(at: command, "'run' is a list of words, as [python3, fix.py]")
    }
    let words = try items.map { item throws(Failure) in
      guard let word = item.text else { throw yaml.failure(at: item, "a word of 'run' is a text") }
      return word
    }
    if let cause = ProgramCall.problem(of: words) { throw yaml.failure(at: command, cause) }
    return try ProgramCall(
      words,
      in: FilePaths.folder(of: yaml.path),
      database: context.database,
      style: style
    )
  }

  // MARK: Parts

  private func members(
    _ node: YAMLNode,
    _ step: String,
    _ required: [String],
    optional: [String]
  ) throws(Failure) -> [String: YAMLNode] {
    var members: [String: YAMLNode] = [:]
    for (name, _, value) in try yaml.members(node, "'\(step)'", known: required + optional) {
      members[name] = value
    }
    for name in required where members[name] == nil {
      throw yaml.failure(at: node, "'\(name)' of '\(step)' is missing")
    }
    return members
  }

  private func field(_ node: YAMLNode?, _ parent: YAMLNode) throws(Failure) -> FieldPath {
    guard let node, let text = node.text else {
      throw yaml.failure(at: node ?? parent, "a field is a text, as phone or address.city")
    }
    return try field(text, at: node)
  }

  private func field(_ text: String, at node: YAMLNode) throws(Failure) -> FieldPath {
    try yaml.reading(node, try DeclarativeMigration.field(parsing: text))
  }

  /// Reads one field, or a list of fields.
  private func fields(_ node: YAMLNode, _ name: String) throws(Failure) -> [FieldPath] {
    guard case .sequence(let items) = node.content else { return [try field(node, node)] }
    if items.isEmpty { throw yaml.failure(at: node, "'\(name)' is an empty list") }
    var fields: [FieldPath] = []
    for item in items {
      let field = try field(item, item)
      if fields.contains(field) { throw yaml.failure(at: item, "'\(field)' is given twice") }
      fields.append(field)
    }
    return fields
  }

  /// Reads a value: a plain scalar is a literal, a quoted one a string, a list an array, a map a map.
  private func value(_ node: YAMLNode) throws(Failure) -> Value {
    let value = try anyValue(node)
    if let violation = DocumentLimits.violations(of: ["value": value]).first {
      throw yaml.failure(at: node, violation.message)
    }
    return value.asStored
  }

  private func anyValue(_ node: YAMLNode) throws(Failure) -> Value {
    switch node.content {
    case .scalar("", isPlain: true):
      throw yaml.failure(at: node, "a value is missing; write null for null and \"\" for a text of nothing")
    case .scalar(let text, isPlain: false): return .string(text)
    case .scalar(let text, isPlain: true):
      if let lookalike = Self.lookalike(of: text) {
        throw yaml.failure(at: node, "'\(text)' \(lookalike.advice(for: text))")
      }
      return try yaml.reading(node, try ValueLiteral.parse(text, in: context))
    case .sequence(let items): return .array(try items.map(anyValue))
    case .mapping:
      let entries = try yaml.members(node, "a map", known: nil).map { member throws(Failure) in
        FieldMap.Entry(name: member.name, value: try anyValue(member.value))
      }
      return .map(FieldMap(entries))
    }
  }

  /// The words that YAML reads as booleans in addition to JSON's.
  private static let booleans = ["yes": "true", "on": "true", "no": "false", "off": "false"]

  /// Returns how YAML reads a plain scalar that would be a string as a literal; nil if YAML reads a string, too.
  private static func lookalike(of text: String) -> BareWord.Lookalike? {
    switch text.lowercased() {
    case "~": .misspelled("null")
    case ".nan", ".inf", "+.inf", "-.inf": .notANumber
    case let word: booleans[word].map { .misspelled($0) }
    }
  }

  private func separator(_ node: YAMLNode?, mayBeEmpty: Bool = false) throws(Failure) -> String? {
    guard let node else { return nil }
    // Without quotes, an empty scalar counts as absent.
    let isGiven = if case .scalar("", isPlain: true) = node.content { false } else { true }
    guard let text = node.text, isGiven, mayBeEmpty || !text.isEmpty else {
      let quality = mayBeEmpty ? "" : " that is not empty"
      throw yaml.failure(at: node, "'separator' is a text\(quality), in quotes, as \", \"")
    }
    return text
  }

  private func overwrites(_ members: [String: YAMLNode]) throws(Failure) -> Bool {
    guard let node = members["overwrite"] else { return false }
    return try yaml.boolean(node, "overwrite")
  }

  /// Reads one of a type's words.
  private func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ node: YAMLNode?,
    _ parent: YAMLNode,
    _ name: String,
    unset: Choice? = nil
  ) throws(Failure) -> Choice {
    if node == nil, let unset { return unset }
    if let choice = node?.text.flatMap({ Choice(rawValue: $0) }) { return choice }
    let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw yaml.failure(at: node ?? parent, "\(name) is one of \(known)")
  }
}
