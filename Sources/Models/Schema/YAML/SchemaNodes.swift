import YAML

/// Reads what several keys of a schema file share: lists, choices, literals, field paths, labels.
struct SchemaNodes {
  let yaml: YAMLFile
  private let context: LiteralContext

  /// - Parameter context: Says when days begin; the database is not known yet.
  init(_ yaml: YAMLFile, _ context: LiteralContext) {
    self.yaml = yaml
    self.context = context
  }

  func list<Element>(
    _ node: YAMLNode,
    _ name: String,
    _ element: (YAMLNode) throws(Failure) -> Element
  ) throws(Failure) -> [Element] {
    guard case .sequence(let items) = node.content, !items.isEmpty else {
      throw yaml.failure(at: node, "'\(name)' is \(node.kind); expected a list, as [a, b]")
    }
    return try items.map(element)
  }

  func texts(_ node: YAMLNode, _ name: String) throws(Failure) -> [String] {
    try list(node, name) { node throws(Failure) in try yaml.text(node, name) }
  }

  func choice<Value>(
    _ node: YAMLNode,
    _ name: String,
    _ known: [(name: String, value: Value)]
  ) throws(Failure) -> Value {
    guard let text = node.text, let (_, value) = known.first(where: { $0.name.isIdentical(to: text) }) else {
      let found = node.text ?? node.kind
      let names = known.map(\.name).joined(separator: ", ")
      throw yaml.failure(at: node, "'\(found)' in '\(name)'; expected \(names)")
    }
    return value
  }

  /// Reads a form of texts that has a name, or a mapping with its pattern.
  func form<Form>(
    _ node: YAMLNode,
    _ name: String,
    _ known: [(name: String, value: Form)],
    pattern: (TextPattern) -> Form
  ) throws(Failure) -> Form {
    guard case .mapping = node.content else { return try choice(node, name, known) }
    guard let value = try yaml.members(node, "'\(name)'", known: ["pattern"]).first?.value else {
      throw yaml.failure(at: node, "'\(name)' is empty; expected pattern: EXPRESSION")
    }
    let text = try yaml.text(value, "pattern")
    guard let expression = TextPattern(text) else {
      throw yaml.failure(at: value, "'\(text)' is not valid; expected a regular expression")
    }
    return pattern(expression)
  }

  /// Returns the error for a value that is not the expected scalar.
  func unexpected(_ node: YAMLNode, _ name: String, _ expected: String) -> Failure {
    yaml.failure(at: node, "'\(name)' is \(node.text ?? node.kind); expected \(expected)")
  }

  /// Reads a literal: a plain scalar as in filters, a quoted one as text.
  func value(_ node: YAMLNode) throws(Failure) -> Value {
    switch node.content {
    case .scalar(let text, isPlain: false): return .string(text)
    case .scalar(let text, isPlain: true) where !text.isEmpty:
      return try yaml.reading(node, try ValueLiteral.parse(text, in: context))
    default:
      throw yaml.failure(at: node, "\(node.kind); expected a value, as 7, true, \"text\" or ts(2026-01-01)")
    }
  }

  func path(_ node: YAMLNode) throws(Failure) -> FieldPath {
    let hint = "; expected a field, as price or address.city"
    return try yaml.reading(node, try FieldPath(wire: node.text ?? ""), hint: hint)
  }

  /// Reads which cells are highlighted: `{ min: 1, max: 5 }` for numbers, `{ within-days: 7 }` for times.
  func highlight(_ node: YAMLNode, of types: [FieldType]) throws(Failure) -> FieldHighlight {
    var (minimum, maximum): (Double?, Double?)
    var days: Int?
    for (name, _, value) in try yaml.members(node, "'highlight'", known: ["min", "max", "within-days"]) {
      if name == "within-days" {
        guard let count = value.text.flatMap({ Int($0) }), (0...3650).contains(count) else {
          throw unexpected(value, name, "a whole number from 0 to 3650")
        }
        days = count
        continue
      }
      guard let bound = value.text.flatMap({ Double($0) }), bound.isFinite else {
        throw unexpected(value, name, "a number")
      }
      if name == "min" { minimum = bound } else { maximum = bound }
    }
    let hasBounds = minimum != nil || maximum != nil
    guard hasBounds != (days != nil) else {
      throw yaml.failure(at: node, "expected min, max or both in 'highlight', or within-days alone")
    }
    if let minimum, let maximum, minimum > maximum {
      throw yaml.failure(at: node, "'min' is above 'max'; expected it below")
    }
    if let days {
      guard types == [.timestamp] else {
        throw yaml.failure(
          at: node,
          "only times are within days; expected type: timestamp beside 'highlight'"
        )
      }
      return .withinDays(days)
    }
    guard !types.isEmpty, types.allSatisfy({ [.integer, .double].contains($0) }) else {
      throw yaml.failure(at: node, "expected type: integer or double beside 'highlight' with min or max")
    }
    return .range(minimum: minimum, maximum: maximum)
  }

  func labels(_ node: YAMLNode) throws(Failure) -> [String: String] {
    var labels: [String: String] = [:]
    for (language, key, value) in try yaml.members(node, "'label'", known: nil) {
      guard (2...3).contains(language.utf8.count), language.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
      else {
        throw yaml.failure(at: key, "'\(language)' is not a language; expected its code, as en or es")
      }
      labels[language] = try yaml.text(value, language)
    }
    return labels
  }

  /// Reads a mask rule; IDs and keys accept only rules that keep different values different.
  func mask(_ node: YAMLNode, ofIDs: Bool = false) throws(Failure) -> MaskRule {
    guard let rule = MaskRule(try yaml.text(node, "mask")), !ofIDs || rule.keepsApart else {
      throw unexpected(node, "mask", ofIDs ? MaskRule.formsOfIDs : MaskRule.forms)
    }
    return rule
  }

  /// Reads a filter, as in `--where`.
  func filter(
    _ node: YAMLNode,
    _ name: String
  ) throws(Failure) -> (text: String, filter: StructuredQuery.Filter) {
    let text = try yaml.text(node, name)
    let hint = "; expected a filter, as status == completed"
    return (text, try yaml.reading(node, try FilterExpression.parse(text, in: context), hint: hint))
  }
}
